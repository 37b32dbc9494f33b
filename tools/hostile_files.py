"""Read files that were made to harm, as a server would: ``python -m tools.hostile_files``, from the project's folder.

Prints for each how much memory a server's process takes above what it had, alone and with four uploads at once, how
long it takes, and what the visitor is told. The children that read Parquet and Feather are counted in.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from tools.hostile import made

_AT_ONCE = (1, 4)


def measure(name: str, count: int) -> dict[str, object]:
    """Upload a file as so many visitors at once, and read it."""
    import pandas  # noqa: F401  # what a server has in memory after its first file
    import scipy.sparse  # noqa: F401
    import sklearn.datasets  # noqa: F401

    from cvar_core.data import DataError, Recipe
    from cvar_core.jobs import Limits, Shelf, Uploads
    from pages.components.asking.sources import Sources

    limits = Limits()
    said: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        files, shelf = Uploads(Path(folder), limits), Shelf(limits.data)
        content = Path(sys.argv[-1]).read_bytes()
        stored = len(content)
        for visitor in range(count):
            files.add(f"visitor {visitor}", "upload.bin", content)
        del content

        def visit(visitor: int) -> None:
            try:
                recipe = Recipe("upload.bin", holdout=0.2, standardise=True, intercept=True)
                data, _ = Sources(files, shelf, limits, f"visitor {visitor}").data(recipe)
                said.append(f"is read: {data.shape[0]:,} × {data.shape[1]:,}")
            except DataError as wrong:
                said.append(str(wrong))
            except BaseException as wrong:
                said.append(f"FAULT {type(wrong).__name__}: {wrong}")

        Path("/proc/self/clear_refs").write_text("5")  # begin to count the peak anew
        children = _Children()
        before, begun = _status("VmRSS"), time.perf_counter()
        threads = [threading.Thread(target=visit, args=(visitor,)) for visitor in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.perf_counter() - begun
        children.end()
    above = _status("VmHWM") - before + children.most
    return {"stored": stored, "above": above, "seconds": seconds, "said": sorted(set(said))}


class _Children:
    """The most megabytes that children have at a time, looked at now and then."""

    def __init__(self) -> None:
        self.most = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def end(self) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(0.01):
            ids = " ".join(file.read_text() for file in Path("/proc/self/task").glob("*/children")).split()
            with contextlib.suppress(OSError):
                self.most = max(self.most, sum(_status("VmRSS", each) for each in ids))


def _status(field: str, process: str = "self") -> float:
    """Return megabytes of a process, by the kernel's count."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return int(next((line for line in lines if line.startswith(field)), f"{field}: 0").split()[1]) / 2**10


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.hostile_files", description=__doc__)
    parser.add_argument("--only", help="files whose names contain this")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("path", nargs="?", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        print(json.dumps(measure(asked.measure[0], int(asked.measure[1]))))
        return
    worst = 0.0
    print(f"{'file':44}{'stored':>10}{'alone':>10}{'four':>10}{'seconds':>14}  what is said")
    for name, make in made.items():
        if asked.only and asked.only not in name:
            continue
        with tempfile.NamedTemporaryFile() as file:
            file.write(make())
            file.flush()
            found = []
            for count in _AT_ONCE:
                command = [sys.executable, "-m", "tools.hostile_files", "--measure", name, str(count), file.name]
                ran = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
                if ran.returncode or ran.stderr:
                    found.append({"stored": 0, "above": 0, "seconds": 0, "said": [f"FAULT {ran.stderr[-300:]}"]})
                else:
                    found.append(json.loads(ran.stdout))
        worst = max(worst, *(each["above"] for each in found))
        seconds = "/".join(f"{each['seconds']:.1f}" for each in found)
        above = "".join(f"{each['above']:7.0f} MB" for each in found)
        print(f"{name:44}{found[0]['stored'] / 2**10:7.0f} kB{above}{seconds:>14}  {found[-1]['said'][0]}", flush=True)
        for each in found:
            for said in each["said"][1:]:
                print(f"{'':44}{said}")
    print(f"at most {worst:.0f} MB above what was there")


if __name__ == "__main__":
    main()
