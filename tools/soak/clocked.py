"""Streamlit's own command with a clock that can be set: a file holds by how many seconds it is wrong."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from streamlit.web.cli import main

from tools.load.named_threads import name_threads

VARIABLE = "CVAR_SOAK_CLOCK"
_LOOK = 0.2  # seconds between two looks at the file

_right = time.time
_wrong_by = 0.0


def _shown() -> float:
    return _right() + _wrong_by


def _follow(file: Path) -> None:
    global _wrong_by
    while True:
        _wrong_by = float(file.read_text() or 0)
        time.sleep(_LOOK)


if __name__ == "__main__":
    name_threads()
    time.time = _shown
    threading.Thread(target=_follow, args=[Path(os.environ[VARIABLE])], name="clock", daemon=True).start()
    main(prog_name="streamlit")
