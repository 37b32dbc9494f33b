"""What the server takes from the machine, written down every few seconds."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

from .house import House
from .ledger import Ledger, Sample

_EVERY = 2.0  # seconds


async def watch(house: House, ledger: Ledger) -> None:
    while True:
        if house.server is not None and (taken := _taken(house.server.process.pid)) is not None:
            ledger.samples.append(Sample(ledger.now, house.server.process.pid, *taken, os.getloadavg()[0]))
        await asyncio.sleep(_EVERY)


def _taken(pid: int) -> tuple[float, int, int] | None:
    """Return megabytes in memory, threads and open files of a process; nothing if it is gone."""
    process = Path(f"/proc/{pid}")
    try:
        status = (process / "status").read_text()
        memory, threads = re.search(r"VmRSS:\s+(\d+)", status), re.search(r"Threads:\s+(\d+)", status)
        handles = len(list((process / "fd").iterdir()))
    except OSError:
        return None
    return None if memory is None or threads is None else (int(memory[1]) / 1024, int(threads[1]), handles)
