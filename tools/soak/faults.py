"""Have faults happen, each until it is over and what was killed is back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from . import plan
from .house import House
from .ledger import Happened, Ledger
from .plan import Fault
from .student import Student

_GREEDY = 0.3  # of all students


async def happen(faults: Sequence[Fault], house: House, students: Sequence[Student], ledger: Ledger) -> None:
    """Follow the plan; one that is late waits for the one before."""
    for fault in faults:
        await asyncio.sleep(max(0.0, fault.at - ledger.now))
        begun = ledger.now
        print(f"{begun:7.0f} s  {fault.kind} {fault.how}".rstrip(), flush=True)
        back = await _have(fault, house, students)
        if fault.kind in (plan.LOCKED, plan.FULL, plan.READ_ONLY):
            back = await house.store_is_back()
        if not back:
            ledger.fail(f"{fault.kind}: what was away has not come back")
        ledger.happened.append(Happened(fault.kind, begun, ledger.now))


async def _have(fault: Fault, house: House, students: Sequence[Student]) -> bool:
    """Tell whether what was killed has come back."""
    assert house.server is not None
    pid = house.server.process.pid
    match fault.kind:
        case plan.SERVER:
            house.kill_server()
            await asyncio.sleep(fault.seconds)
            await house.start_server(fault.how)
        case plan.WORKER:
            house.kill_worker()
            await asyncio.sleep(fault.seconds)
            return await house.restart_worker()
        case plan.SCHEDULER:
            house.kill_scheduler()
            await asyncio.sleep(fault.seconds)
            return await house.restart_cluster()
        case plan.LOCKED:
            await house.lock_store(fault.seconds)
        case plan.FULL:
            await asyncio.to_thread(house.fill_disk)
            await asyncio.sleep(fault.seconds)
            house.disk.make_room(pid)
        case plan.READ_ONLY:  # found so by a server that starts: it keeps the file open as long as it can
            house.kill_server()
            house.disk.forbid_writing()
            await house.start_server()
            await asyncio.sleep(fault.seconds)
            house.disk.allow_writing()
        case plan.CLOCK:
            house.set_clock(float(fault.how.split()[0]))
            await asyncio.sleep(fault.seconds)
            house.set_clock(0)
        case plan.CUT:
            house.wire.cut()
            await asyncio.sleep(fault.seconds)
            house.wire.mend()
        case plan.SILENT:
            house.wire.hold()
            await asyncio.sleep(fault.seconds)
            house.wire.mend()
        case plan.MEMORY:
            for student in students[: max(1, round(_GREEDY * len(students)))]:
                student.greedy = True
            await asyncio.sleep(fault.seconds)
    return True
