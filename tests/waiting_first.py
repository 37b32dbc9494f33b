"""The order of the tests where several workers share them: those that wait for a server or a browser come first.

Each worker begins with some files of them, so that a server and a browser are started for few tests, none of these
tests comes last, when the other workers have nothing left to do, and the processors have work while a page loads.
"""

from collections.abc import Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import Any

_WAITING = {"browser", "server", "profiles"}  # fixtures


def shares(count: int, workers: int) -> list[int]:
    """Return how many tests in a row each worker gets at first: see ``WorkStealingScheduling`` of pytest-xdist."""
    return [(count * (k + 1)) // workers - (count * k) // workers for k in range(workers)]


def _sharing(item: Any) -> Path:
    """Return what has a server in common: a file, or the folder of the components, which have one of their own."""
    return item.path.parent if item.path.parent.name == "components" else item.path


def ordered(items: Sequence[Any], workers: int) -> list[Any]:
    """Return all items, with those that wait at the beginning of the workers' shares, file by file."""
    waiting = [item for item in items if not _WAITING.isdisjoint(getattr(item, "fixturenames", ()))]
    chosen = set(map(id, waiting))
    others = iter([item for item in items if id(item) not in chosen])
    first: list[list[Any]] = [[] for _ in range(workers)]
    for _, together in groupby(waiting, _sharing):
        min(first, key=len).extend(together)
    order: list[Any] = []
    for each, share in zip(first, shares(len(items), workers), strict=True):
        order += [*each, *islice(others, max(0, share - len(each)))]
    return [*order, *others]
