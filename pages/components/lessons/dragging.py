"""A lesson's slider that answers while it is dragged: where it stands is kept in the URL, as that of a control is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from ..asking import links


def stands(key: str, values: Sequence[str], usual: str, *, arrived: bool) -> int:
    """Return the place at which the slider stands: where it was let go, or else what the link says.

    Who has just arrived on the page comes by a link, whatever the slider was at before.
    """
    if arrived:
        st.session_state.pop(key, None)
    links.recall(key, values, usual)
    value = st.session_state[key]
    links.keep(key, value, usual)
    return values.index(value)


def let_go(key: str, values: Sequence[str]) -> Callable[[int], None]:
    """Return what keeps the place at which the slider was let go."""

    def keep(place: int) -> None:
        st.session_state[key] = values[place]

    return keep


def html_table(rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return rows, each with a label and its cells, as a table; the first row has the heads."""
    (corner, heads), *others = rows
    top = "".join(f'<th scope="col">{text}</th>' for text in (corner, *heads))
    body = "".join(
        f'<tr><th scope="row">{label}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for label, cells in others
    )
    return f'<table class="cvar-table"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'
