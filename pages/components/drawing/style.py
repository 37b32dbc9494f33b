"""Light or dark, as the visitor has it, and the style sheet of all pages."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from .presenting import SHEET, follow, presenting

_SHEET = "".join(Path(__file__).with_name(name).read_text("utf-8") for name in ("style.css", "lessons.css"))


def theme() -> str:
    return "dark" if st.context.theme.type == "dark" else "light"


def apply_look() -> None:
    """Begin a page with the style sheet."""
    light, dark = (st.get_option(f"theme.{name}.sidebar.backgroundColor") for name in ("light", "dark"))
    follow()
    larger = SHEET if presenting() else ""
    st.html(f"<style>:root {{ --cvar-sidebar: light-dark({light}, {dark}); }}\n{_SHEET}{larger}</style>")
