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
# How the names of threads begin, by what they do; the pages have all others.
THREADS = {"workers": "cvar", "studio": "studio"}


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
            if re.search(
                r"Traceback|\bERROR\b|\blevel=(error|critical)\b|^[\w.]*(Error|Exception|Warning|Disconnected?|Closed\w*)\b",
                line,
            )
        ]

    def cpu_of_threads(self, kind: str) -> dict[str, float]:
        """Seconds of processor time of every thread of a kind, while it lives, by its id."""
        found = {}
        for task in (self._proc / "task").iterdir():
            try:
                if (task / "comm").read_text().startswith(THREADS[kind]):
                    found[task.name] = _cpu(task / "stat")
            except (FileNotFoundError, ProcessLookupError):  # it has just ended
                continue
        return found


class Watch:
    """Tells the processor time of the runs and of the drawing from that of the pages, which is all the rest."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._begun = server.cpu
        self._before = {kind: server.cpu_of_threads(kind) for kind in THREADS}
        self._seen: dict[str, dict[str, float]] = {kind: {} for kind in THREADS}

    async def go_on(self) -> None:
        while True:  # often: the thread that solves for an optimum ends with it
            self.look()
            await asyncio.sleep(0.1)

    def look(self) -> None:
        for kind, seen in self._seen.items():
            seen |= self._server.cpu_of_threads(kind)

    @property
    def cpu(self) -> dict[str, float]:
        """Seconds of processor time since it began, of all and by what they were for."""
        self.look()
        all_of_it = self._server.cpu - self._begun
        parts = {
            kind: sum(seconds - self._before[kind].get(thread, 0.0) for thread, seconds in seen.items())
            for kind, seen in self._seen.items()
        }
        return {"all": all_of_it, **parts, "pages": all_of_it - sum(parts.values())}


@contextmanager
def serving() -> Iterator[Server]:
    """Serve the dashboard on a free port, with an empty store, until the block ends."""
    with tempfile.TemporaryDirectory(prefix="cvar-load-") as folder:
        server = start(free_port(), Path(folder, "log"), {"CVAR_DATA_DIR": str(Path(folder, "data"))})
        try:
            await_health(server)
            yield server
        finally:
            end(server)


def start(port: int, log: Path, settings: dict[str, str], by: str = "tools.load.named_threads") -> Server:
    """Start the dashboard by a module that has Streamlit's command; its output is added to the log."""
    command = [sys.executable, "-m", by, "run", "app.py", "--server.port", str(port), "--server.address", "127.0.0.1"]
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **settings}, stdout=output, stderr=subprocess.STDOUT
        )
    return Server(f"http://127.0.0.1:{port}", process, log)


def end(server: Server) -> int:
    """Ask the server to end, make it if it does not, and return its exit code."""
    server.process.terminate()
    try:
        return server.process.wait(20)
    except subprocess.TimeoutExpired:
        server.process.kill()
        return server.process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def await_health(server: Server) -> None:
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
