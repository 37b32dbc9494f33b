"""When a page's script fails: a sentence for the visitor, and a line in the log for whoever runs the server."""

from __future__ import annotations

import logging
import secrets
import traceback
from pathlib import Path

import streamlit as st

from .. import internals

log = logging.getLogger(__name__)

ROOT = Path(__file__).parents[3]
_OURS = ("app.py", "pages", "cvar_core")
_LONGEST = 500  # characters of an error's message


def show(error: Exception) -> bool:
    """Log an error of the script that runs, and say on its page what can be told; nothing else need be shown."""
    number = secrets.token_hex(3)
    said = " ".join(str(error).split())[:_LONGEST]
    told = internals.page_name(), number, type(error).__name__, where(error), said
    log.error("failed page=%s number=%s error=%s at=%s message=%s", *told)
    st.error(
        "Something went wrong on this page. Reload it, or change what you did last. Whoever runs this server finds "
        f"the reason in its log under {number}.",
        icon=":material/error:",
    )
    return True


def where(error: BaseException) -> str:
    """Return the innermost line of ours that an error came through."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(ROOT) and (ours := path.relative_to(ROOT)).parts[0] in _OURS:
            return f"{ours.as_posix()}:{line}"
    return "elsewhere"
