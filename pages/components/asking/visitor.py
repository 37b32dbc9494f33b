"""Who a visitor is: a random id in a cookie, without a log-in."""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from typing import TypeGuard

import streamlit as st

COOKIE = "cvar_visitor"
_KEY = "cvar-visitor"

_mount = st.components.v2.component(
    "cvar_visitor",
    html='<span class="cvar-visitor" hidden></span>',
    # An element without a height would still leave the gap between two elements.
    css=".stElementContainer:has(.cvar-visitor) { display: none; }",
    js=Path(__file__).with_name("visitor.js").read_text("utf-8"),
    isolate_styles=False,
)


def visitor_id() -> str:
    """Return the visitor's id; call it once in each run of a page, because the browser has to keep a new one.

    The cookie is what the browser sent when the session began. Without a valid one, the session gets an id, and
    the browser keeps it for the next.
    """
    sent = st.context.cookies.get(COOKIE)
    identity = sent if valid(sent) else st.session_state.setdefault(_KEY, secrets.token_hex(16))
    _mount(key=f"{_KEY}-cookie", data={"cookie": COOKIE, "id": identity})
    return identity


def valid(sent: object) -> TypeGuard[str]:
    """Tell whether a cookie's value can be an id; under ``AppTest`` it is not even a text."""
    return isinstance(sent, str) and re.fullmatch(r"[0-9a-f]{32}", sent) is not None
