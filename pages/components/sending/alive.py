"""Keeps a page that shows a live run from falling silent."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_mount = st.components.v2.component(
    "cvar_alive",
    html='<span class="cvar-alive" hidden></span>',
    css=".stElementContainer:has(.cvar-alive) { display: none; }",  # or it would leave a gap
    js=Path(__file__).with_name("alive.js").read_text("utf-8"),
    isolate_styles=False,
)


def keep_alive(live: bool, key: str, patience: float) -> None:
    """Run the script again when the page has heard nothing for so many seconds, as long as ``live``.

    Call it outside of fragments: what has to come again is everything, the orders to poll with it.
    """
    _mount(key=key, data={"live": live, "patience": 1000 * patience}, default={"asked": 0}, on_asked_change=_nothing)


def _nothing() -> None:
    """Streamlit wants to be told that the state may change."""
