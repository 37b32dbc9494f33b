"""Present: large text for a projector, on all pages of a visitor, and in the link."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

NAME = "present"  # in the URL
SHEET = Path(__file__).with_name("present.css").read_text("utf-8")

_ON, _DRAWN = "cvar-presenting", "cvar-presented"


def presenting() -> bool:
    """Tell whether the visitor presents: as the link says at first, and then as the button does."""
    return bool(st.session_state.setdefault(_ON, st.query_params.get(NAME) == "1"))


def switch() -> None:
    """Begin or end it; to be called by a callback."""
    st.session_state[_ON] = not presenting()


def follow() -> None:
    """Have the link and the sidebar follow; the visitor may open that again."""
    now = presenting()
    if now:
        st.query_params[NAME] = "1"
    else:
        st.query_params.pop(NAME, None)
    if st.session_state.get(_DRAWN, False) != now:
        st.session_state[_DRAWN] = now
        st.set_page_config(initial_sidebar_state="collapsed" if now else "auto")
