"""The server under load: one process with an empty store, its log, and what it takes from the machine."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
_PATIENCE = 120  # seconds to start
_TICKS = os.sysconf("SC_CLK_TCK")
_WORKERS = "cvar"  # how the names of their threads begin


class Server:
    """A server that this driver has started."""

    def __init__(self, url: str, process: subprocess.Popen[bytes], log: Path) -> None:
        self.url, self.process, self.log = url, process, log
        self._proc = Path(f"/proc/{process.pid}")

    @property
    def cpu(self) -> float:
        """Seconds of processor time so far."""
        return _cpu(self._proc / "stat")

    @property
    def peak_memory(self) -> int:
        """The most bytes that were ever in memory."""
        return 1024 * int(re.search(r"VmHWM:\s+(\d+)", (self._proc / "status").read_text())[1])  # type: ignore[index]

    def troubles(self) -> list[str]:
        """Return the lines of the log that tell of an error, and where a traceback ends."""
        lines = self.log.read_text(errors="replace").splitlines()
        return [
            line
            for line in lines
            if re.search(r"Traceback|\bERROR\b|^[\w.]*(Error|Exception|Warning|Disconnected?|Closed\w*)\b", line)
        ]

    def cpu_of_workers(self) -> dict[str, float]:
        """Seconds of processor time of every thread that computes runs, while it lives, by its id."""
        found = {}
        for task in (self._proc / "task").iterdir():
            try:
                if (task / "comm").read_text().startswith(_WORKERS):
                    found[task.name] = _cpu(task / "stat")
            except (FileNotFoundError, ProcessLookupError):  # it has just ended
                continue
        return found


class Watch:
    """Tells the processor time of the runs from that of the pages, which is all the rest."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._begun = server.cpu
        self._before = server.cpu_of_workers()
        self._seen: dict[str, float] = {}

    async def go_on(self) -> None:
        while True:  # often: the thread that solves for an optimum ends with it
            self._seen |= self._server.cpu_of_workers()
            await asyncio.sleep(0.1)

    @property
    def cpu(self) -> float:
        return self._server.cpu - self._begun

    @property
    def cpu_of_pages(self) -> float:
        return self.cpu - sum(seconds - self._before.get(thread, 0.0) for thread, seconds in self._seen.items())


@contextmanager
def serving(script: str = "app.py") -> Iterator[Server]:
    """Serve the dashboard, or another script, on a free port, with an empty store, until the block ends."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="cvar-load-") as folder:
        log = Path(folder, "log")
        command = [sys.executable, "-m", "tools.load.named_threads", "run", script, "--server.port", str(port)]
        command += ["--server.address", "127.0.0.1"]
        surroundings = {**os.environ, "CVAR_DATA_DIR": str(Path(folder, "data"))}
        with log.open("wb") as output:
            process = subprocess.Popen(command, cwd=ROOT, env=surroundings, stdout=output, stderr=subprocess.STDOUT)
        try:
            server = Server(f"http://127.0.0.1:{port}", process, log)
            _await_health(server)
            yield server
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _await_health(server: Server) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and server.process.poll() is None:
        try:
            urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"Nothing was served: {server.log.read_text(errors='replace')[-2000:]}")


def _cpu(stat: Path) -> float:
    # The name in brackets may hold blanks; user and system time are the 12th and 13th after it.
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
