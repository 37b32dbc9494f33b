"""All that is not a visitor: the server with its disk, its clock and the wire to it, and a dask cluster beside it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from cvar_core import SweepSpec
from tools.dask_processes import Dask
from tools.load.server import Server, await_health, end, free_port, start
from tools.wire import Wire

from .clocked import VARIABLE
from .disk import Disk
from .plan import CLUSTER, THREADS

WORKERS = 2
STORE = "runs.sqlite"
LIMITS = {"CVAR_MAX_MEMORY": "512M", "CVAR_MAX_STORE": "1G", "CVAR_WORKERS": str(WORKERS)}

_BACK = 40.0  # seconds, after which a store or a cluster that is not back will not be
_LOCKING = """
import sqlite3, sys, time
other = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
other.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
time.sleep(float(sys.argv[2]))
"""


class House:
    def __init__(self, folder: Path, port: int | None = None) -> None:
        self.disk = Disk(folder / "data")
        self.log = folder / "server.log"
        self._clock = folder / "clock"
        self._clock.write_text("0")
        self._port = free_port() if port is None else port + 1
        self.wire = Wire(free_port() if port is None else port, self._port)
        self.dask = Dask(folder, free_port())
        self._worker_log = folder / "worker.log"
        self.kind = THREADS
        self._log_begun = 0  # where that of this server begins
        self.server: Server | None = None

    @property
    def url(self) -> str:
        """Where visitors go."""
        return self.wire.url

    async def open(self) -> None:
        self._start_cluster()
        await self.wire.open()
        await self.start_server()

    async def start_server(self, kind: str | None = None) -> None:
        """Start the server, with what computes if that is another, on the same data and port; wait for it."""
        self.kind = kind or self.kind
        settings = {"CVAR_DATA_DIR": str(self.disk.folder), VARIABLE: str(self._clock), **LIMITS}
        if self.kind == CLUSTER:
            settings["CVAR_SCHEDULER"] = self.dask.address
        self._log_begun = self.log.stat().st_size if self.log.exists() else 0
        self.server = start(self._port, self.log, settings, by="tools.soak.clocked")
        await asyncio.to_thread(await_health, self.server)

    def kill_server(self) -> None:
        assert self.server is not None
        self.server.process.kill()
        self.server.process.wait()

    def kill_worker(self) -> None:
        worker = self.dask.workers.pop(0)
        worker.kill()
        worker.wait()

    def kill_scheduler(self) -> None:
        assert self.dask.scheduler is not None
        self.dask.scheduler.kill()
        self.dask.scheduler.wait()

    async def restart_cluster(self) -> bool:
        """Start the scheduler and workers: those of one that is gone end by and by, and are not waited for."""
        self.dask.end()
        before = self._came()
        self._start_cluster()
        return await _within(_BACK, lambda: self._came() >= before + WORKERS)

    async def restart_worker(self) -> bool:
        """Start a worker, and tell whether it has come: at load that takes longer than a fault is felt."""
        before = self._came()
        self.dask.start_worker()
        return await _within(_BACK, lambda: self._came() > before)

    def _came(self) -> int:
        """Return how many workers have ever come to a scheduler."""
        return self._worker_log.read_bytes().count(b"Registered to:")

    def _start_cluster(self) -> None:
        self.dask.start_scheduler()
        for _ in range(WORKERS):
            self.dask.start_worker()

    def fill_disk(self) -> None:
        """Leave no room; nor in the log of the store, in which writing could go on for a while."""
        assert self.server is not None
        with contextlib.closing(sqlite3.connect(self.disk.folder / STORE, timeout=5)) as store:
            store.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self.disk.fill(self.server.process.pid)

    async def lock_store(self, seconds: float) -> None:
        """Have another process hold the store for a while."""
        command = [sys.executable, "-c", _LOCKING, str(self.disk.folder / STORE), str(seconds)]
        await asyncio.to_thread(subprocess.run, command, capture_output=True)

    async def store_is_back(self) -> bool:
        """Wait until the server writes to its file again: before that, the page says that a stop loses results."""
        return await _within(_BACK, self._writes)

    def _writes(self) -> bool:
        told = [line for line in self.log.read_bytes()[self._log_begun :].splitlines() if b"event=store " in line]
        return not told or b"taken over" in told[-1]

    def set_clock(self, hours: float) -> None:
        self._clock.write_text(str(3600 * hours))

    def stored(self) -> dict[str, SweepSpec]:
        """Return the stored runs by their ids."""
        with contextlib.closing(sqlite3.connect(f"file:{self.disk.folder / STORE}?mode=ro", uri=True)) as store:
            found = store.execute("SELECT id, spec FROM runs").fetchall()
        return {run: SweepSpec.from_dict(json.loads(spec)) for run, spec in found}

    def end_server(self) -> int | None:
        """End it as one does, and return its exit code."""
        if self.server is None or self.server.process.poll() is not None:
            return None
        return end(self.server)

    def close(self) -> None:
        if self.server is not None and self.server.process.poll() is None:
            self.kill_server()
        self.dask.end()
        time.sleep(0.2)
        self.disk.close()


async def _within(seconds: float, there: Callable[[], bool]) -> bool:
    """Wait for something, and tell whether it came in time."""
    deadline = time.monotonic() + seconds
    while not there():
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.5)
    return True
