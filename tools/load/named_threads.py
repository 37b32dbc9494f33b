"""Streamlit's own command with threads that the system knows by name, so that /proc tells workers from pages."""

import threading
from pathlib import Path

from streamlit.web.cli import main

_begin = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]


def _begin_named(thread: threading.Thread) -> None:
    Path("/proc/thread-self/comm").write_text(thread.name[:15])
    _begin(thread)


def name_threads() -> None:
    threading.Thread._bootstrap_inner = _begin_named  # type: ignore[attr-defined]


if __name__ == "__main__":
    name_threads()
    main(prog_name="streamlit")
