"""How many processors this process may use: those of its machine, or the share that its container was given."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath


def processors(root: Path = Path("/")) -> int:
    """Return how many threads can work at a time.

    A share such as that of ``docker run --cpus 1.5`` is rounded up, as dask does it: two threads take all of it, one
    would leave a third.

    >>> processors() >= 1
    True
    """
    machine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([machine, *(math.ceil(share) for share in _shares(root))]))


def _shares(root: Path) -> Iterator[float]:
    """Yield the processors that each control group allows which this process is in, and those around it."""
    for group in _groups(root):
        with suppress(OSError, ValueError, ZeroDivisionError):  # the file of the other version, or "max": no limit
            quota, period = (group / "cpu.max").read_text().split()
            yield int(quota) / int(period)
        with suppress(OSError, ValueError, ZeroDivisionError):
            quota, period = ((group / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
            if int(quota) > 0:  # -1 is no limit
                yield int(quota) / int(period)


def _groups(root: Path) -> Iterator[Path]:
    """Yield the folders in which limits may stand, of version 2 and of version 1, which has one for each resource.

    The path of a group is that on the machine; a container sees its own group at the top, and may see nothing else.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:  # no Linux
        return
    for line in lines:
        _, resources, path = line.split(":", 2)
        if resources and "cpu" not in resources.split(","):
            continue
        inner = PurePosixPath(path.lstrip("/"))
        for group in (inner, *inner.parents):
            if ".." not in group.parts:  # above what can be seen
                yield from (root / "sys/fs/cgroup" / name / group for name in {resources, "cpu" if resources else ""})
