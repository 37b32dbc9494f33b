"""A real dask scheduler and real workers of one thread each, as processes that may be killed and started again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


class Dask:
    """The processes; a scheduler that is started again has the address of the one before."""

    def __init__(self, logs: Path, port: int) -> None:
        self.address = f"tcp://127.0.0.1:{port}"
        self._logs, self._port = logs, port
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        self.scheduler = self._started("scheduler", "--host", "127.0.0.1", "--port", str(self._port))
        return self.scheduler

    def start_worker(self) -> None:
        self.workers.append(self._started("worker", self.address, "--nthreads", "1", "--no-nanny"))

    def end(self) -> None:
        for process in filter(None, (*self.workers, self.scheduler)):
            process.kill()
            process.wait()
        self.workers.clear()

    def _started(self, *what: str) -> subprocess.Popen[bytes]:
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [sys.executable, "-m", "dask", *what, "--no-dashboard"]
        with (self._logs / f"{what[0]}.log").open("ab") as log:
            return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}, stdout=log, stderr=log)
