"""Streamlit's command with workers that take their time: a test says how long each piece of a run waits.

A run can then be looked at in any state for as long as it takes to look, on a machine of any speed.
"""

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.pages.serving import ROOT, Server, served

VARIABLE = "CVAR_TEST_GATE"
_LOOK = 0.02  # seconds between two looks at the file


class Gate:
    """The test's side: a file that holds the seconds which each piece waits before it is worked on."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.open()

    def open(self) -> None:
        self.pace(0)

    def pace(self, seconds: float) -> None:
        written = self.file.with_suffix(".new")
        written.write_text(repr(float(seconds)))
        written.replace(self.file)

    def hold(self) -> None:
        """Let no further piece begin."""
        self.pace(float("inf"))


@contextmanager
def laboratory(folder: Path, gate: Gate, port: int | None = None, base: str = "") -> Iterator[Server]:
    """Serve the app with its data in a folder, below a base path, and with workers that the gate paces."""
    env = {"CVAR_DATA_DIR": str(folder), VARIABLE: str(gate.file), "STREAMLIT_SERVER_BASE_URL_PATH": base}
    with served(ROOT / "app.py", env=env, port=port, by=__name__) as server:
        yield server


class _Gated(ThreadPoolExecutor):
    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        def wait_and_work() -> Any:
            asked = time.monotonic()
            while time.monotonic() < asked + float(Path(os.environ[VARIABLE]).read_text()):
                time.sleep(_LOOK)
            return work(*args, **kwargs)

        return super().submit(wait_and_work)


def _gated_threads(count: int) -> Executor:
    return _Gated(count)


def main() -> None:
    from streamlit.web.cli import main as streamlit

    from cvar_core.jobs import job
    from pages.components.run import run_page, self_starting
    from pages.components.sending import answers, server, stream, warm

    warm.up = lambda: None  # a test needs little of it, and pays for that when it comes to it
    server.threads = answers.threads = _gated_threads
    job._ROUNDS, job._SHORTEST = 40, 1e-6  # even a small run has many pieces
    stream.OFTEN, stream.SOON = 0.7, 0.3  # seconds: a browser spends more on pictures of growth than on all else
    server.HEARTBEAT = 1.5  # seconds: a lost connection is noticed soon, and a slow browser gets a rest
    # Seconds: which runs start by themselves is no matter of the machine's speed, nor of a gate's that was learnt from.
    self_starting.SHORT = run_page.PATIENCE = 600.0
    streamlit(prog_name="streamlit")


if __name__ == "__main__":
    main()
