"""A Streamlit server of its own for a test."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

ROOT = Path(__file__).parent.parent.parent
_PATIENCE = 300  # s, for a machine with much else to do


class Server(NamedTuple):
    """A running server; a test may kill its process."""

    url: str
    process: subprocess.Popen[bytes]
    output: IO[bytes]

    def said(self) -> str:
        """Return all that it has printed so far; nothing once it is gone, as after its last test."""
        if self.output.closed:
            return ""
        return os.pread(self.output.fileno(), 2**24, 0).decode(errors="replace")


@contextmanager
def served(
    script: Path, *, env: dict[str, str] | None = None, port: int | None = None, by: str = "streamlit"
) -> Iterator[Server]:
    """Run a script with the project's settings until the block ends; without a port, on a free one."""
    env, port = env or {}, port or free_port()
    command = [sys.executable, "-m", by, "run", str(script), "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1"]
    path = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(path), **env}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=ROOT, env=surroundings, stdout=output, stderr=subprocess.STDOUT)
        url = f"http://127.0.0.1:{port}/{env.get('STREAMLIT_SERVER_BASE_URL_PATH', '')}".rstrip("/")
        server = Server(url, process, output)
        try:
            if not _healthy(server):
                raise RuntimeError(f"{script.name} was not served: {server.said()[-2000:]}")
            yield server
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _healthy(server: Server) -> bool:
    """Wait until the server answers; tell whether it did."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and server.process.poll() is None:
        try:
            urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=1).close()
            return True
        except OSError:
            time.sleep(0.1)
    return False
