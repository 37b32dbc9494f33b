"""An hour, or ten minutes, of thirty students on a server to which accidents happen: ``python -m tools.soak``.

Students start runs, change, cancel and resume them, reload, close tabs, upload files, add seeds and open each other's
links, while faults happen by a plan that the seed fixes. At the end stands a verdict, and the exit code says whether it
is good.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import tempfile
import time
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .faults import happen
from .house import STORE, House
from .inspecting import gave_way, reach
from .ledger import Ledger
from .picture import figure, write
from .plan import plan
from .sameness import Compared, compare
from .student import Student
from .troubles import tracebacks
from .verdict import Verdict, judge
from .watching import watch
from .wishes import a_file
from .words import told

_ARRIVE = 15.0  # seconds over which students come


def main() -> None:
    arguments = _parser().parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))  # and all that was started with it
    faults = plan(arguments.seed, arguments.minutes)
    print(f"{arguments.visitors} visitors, {arguments.minutes:g} minutes, seed {arguments.seed}; the plan:")
    for fault in faults:
        print(f"{fault.at:7.0f} s  {fault.kind} {fault.how}".rstrip() + f", {fault.seconds:g} s")
    with tempfile.TemporaryDirectory(prefix="cvar-soak-", ignore_cleanup_errors=True) as folder:
        house = House(Path(folder), arguments.port)
        try:
            verdict, ledger = asyncio.run(_class(arguments, house, faults))
            if arguments.log:
                arguments.log.write_bytes(house.log.read_bytes())
        finally:
            house.close()
    print(told(verdict))
    arguments.json.write_text(json.dumps(_written(verdict, ledger), indent=1, ensure_ascii=False), "utf-8")
    title = f"{arguments.visitors} visitors, {arguments.minutes:g} minutes, seed {arguments.seed}"
    write(figure(ledger, verdict, title), arguments.plot)
    print(f"written: {arguments.json}, {arguments.plot}")
    sys.exit(0 if verdict.good else 1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--visitors", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=0, help="of the plan, and of what students do")
    parser.add_argument("--check", type=float, default=300, help="seconds of work to compute finished runs anew")
    parser.add_argument("--links", type=int, default=100, help="so many links, at the most, are opened at the end")
    parser.add_argument("--port", type=int, help="for visitors, and the next one for the server; otherwise free ones")
    parser.add_argument("--json", type=Path, default=Path("soak.json"), help="where the figures go")
    parser.add_argument("--plot", type=Path, default=Path("soak.html"), help="where the picture goes")
    parser.add_argument("--log", type=Path, help="where the server's log goes, if it is wanted")
    return parser


async def _class(arguments: argparse.Namespace, house: House, faults: list[Any]) -> tuple[Verdict, Ledger]:
    await house.open()
    print(f"the server is at {house.url}, its data on {house.disk}", flush=True)
    ledger = Ledger()
    students = [Student(house.url, ledger, arguments.seed, number) for number in range(arguments.visitors)]
    watching = asyncio.create_task(watch(house, ledger))
    living = [
        asyncio.create_task(student.live(_ARRIVE * place / len(students))) for place, student in enumerate(students)
    ]
    happening = asyncio.create_task(happen(faults, house, students, ledger))
    await asyncio.wait({happening, *living}, timeout=60 * arguments.minutes, return_when=asyncio.FIRST_EXCEPTION)
    for task in (happening, *living):
        if task.done() and not task.cancelled() and (error := task.exception()) is not None:
            raise error
    await happening  # the last one may be late
    for task in living:
        task.cancel()
    await asyncio.gather(*living, return_exceptions=True)
    print(f"{ledger.now:7.0f} s  the students have left", flush=True)
    opened, unreachable = await reach(house, ledger.owed, arguments.links, arguments.seed)
    watching.cancel()
    exit_code = await asyncio.to_thread(house.end_server)
    stored = house.stored()
    gone = {run: told for run, told in ledger.owed.items() if run not in stored}
    given_up = gave_way(gone, house.log.read_text(errors="replace"))
    lost = unreachable | dict.fromkeys(gone.keys() - given_up, "it is not in the store")
    print(f"{ledger.now:7.0f} s  the server has ended; finished runs are computed anew", flush=True)
    compared = await asyncio.to_thread(_compared, arguments, house, students, stored)
    verdict = judge(ledger, lost, compared.different, tracebacks(house.log), exit_code)
    verdict.facts |= {"links_opened": opened, "runs_done": compared.done, "runs_compared": compared.compared}
    verdict.facts |= {"runs_given_up_unseen": sorted(given_up)}
    return verdict, ledger


def _compared(
    arguments: argparse.Namespace, house: House, students: list[Student], stored: Collection[str]
) -> Compared:
    files = dict(a_file(student.number) for student in students)
    visitors = [student.visitor for student in students]
    return compare(house.disk.folder / STORE, stored, arguments.check, arguments.seed, visitors, files)


def _written(verdict: Verdict, ledger: Ledger) -> dict[str, Any]:
    course = asdict(ledger)
    return {
        "good": verdict.good, "wrong": verdict.wrong, **verdict.facts, "written": time.strftime("%Y-%m-%d %H:%M"),
        "course": {name: course[name] for name in ("happened", "samples", "waits", "errors")},
    }  # fmt: skip


if __name__ == "__main__":
    main()
