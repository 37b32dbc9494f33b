"""Are the browser tests ever lucky? ``python -m tools.rounds``: again and again, beside processes that burn.

A test that passes by luck fails where a browser gets little of the processors. Each round is all browser tests in new
processes, and none is tried twice; several at once load the machine more. A row stands for each round, what a round
printed that failed is kept, and the exit code is 0 only if nothing failed and something ran.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

ROOT = Path(__file__).parent.parent
_BURN = "while True: pass"
_HEAD = "round  passed  failed  skipped  seconds  load"


class Round(NamedTuple):
    """How one went; ``failed`` names the tests."""

    number: int
    passed: int
    failed: list[str]
    skipped: int
    seconds: float
    load: float

    @property
    def good(self) -> bool:
        return self.passed > 0 and not self.failed

    def __str__(self) -> str:
        counts = f"{self.number:5d}  {self.passed:6d}  {len(self.failed):6d}  {self.skipped:7d}"
        row = f"{counts}  {self.seconds:7.0f}  {self.load:4.1f}"
        return "\n".join([row, *(f"       {name}" for name in self.failed)])


def main() -> None:
    arguments = _parser().parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    print(_HEAD, flush=True)
    rounds = []
    with burning(arguments.burning), ThreadPoolExecutor(arguments.at_once) as pool:
        numbers = range(1, arguments.count + 1)
        for ended in pool.map(lambda number: play(number, arguments.out, arguments.tests), numbers):
            print(ended, flush=True)
            rounds.append(ended)
    bad = [each.number for each in rounds if not each.good]
    print(f"{len(rounds)} rounds, {sum(each.passed for each in rounds)} tests passed, bad rounds: {bad or 'none'}")
    sys.exit(1 if bad else 0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.rounds", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=20, help="so many rounds")
    parser.add_argument("--burning", type=int, default=3, help="so many processes do nothing but burn beside them")
    parser.add_argument("--at-once", type=int, default=1, help="so many rounds at the same time")
    parser.add_argument("--out", type=Path, default=Path("build/rounds"), help="where the output of rounds goes")
    parser.add_argument("tests", nargs="*", help="for pytest, instead of all browser tests")
    return parser


@contextmanager
def burning(count: int) -> Iterator[None]:
    burners = [subprocess.Popen([sys.executable, "-c", _BURN]) for _ in range(count)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def play(number: int, out: Path, tests: list[str]) -> Round:
    """Run the tests once, as ``make test`` does; their output is kept only if something is wrong."""
    begun, notes, printed = time.monotonic(), out / f"{number}.xml", out / f"{number}.txt"
    command = [sys.executable, "-m", "pytest", "-n", "3", "--dist", "worksteal", f"--junitxml={notes.absolute()}"]
    with printed.open("wb") as output:
        wanted = tests or ["-m", "browser"]
        subprocess.run([*command, *wanted], cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, check=False)
    found = counted(number, notes.read_text("utf-8") if notes.exists() else "", time.monotonic() - begun)
    if found.good:
        printed.unlink()
    notes.unlink(missing_ok=True)
    return found


def counted(number: int, notes: str, seconds: float) -> Round:
    """Read what pytest notes in JUnit's format.

    >>> notes = '<testsuites><testsuite><testcase classname="t" name="a"/><testcase classname="t" name="b"><error/>'
    >>> print(counted(1, notes + "</testcase></testsuite></testsuites>", 2.0)._replace(load=0.5))
        1       1       1        0        2   0.5
           t.b
    >>> counted(1, "", 2.0).good  # it did not get that far
    False
    """
    failed, passed, skipped = [], 0, 0
    for case in ElementTree.fromstring(notes).iter("testcase") if notes else ():
        ends = {part.tag for part in case}
        if ends & {"failure", "error"}:
            failed.append(f"{case.get('classname')}.{case.get('name')}")
        elif "skipped" in ends:
            skipped += 1
        else:
            passed += 1
    return Round(number, passed, failed, skipped, seconds, os.getloadavg()[0])


if __name__ == "__main__":
    main()
