"""The data at a glance: sizes, how the target is spread, the first rows, and what was done to the file."""

from __future__ import annotations

import streamlit as st

from cvar_core.data import Preview
from cvar_core.figures import target

from ..drawing.chart import chart
from ..drawing.style import theme
from ..drawing.text import capital, plain

_HEIGHT = 230


def draw(page: str, name: str, preview: Preview, mapping: str | None, unit: str, expanded: bool) -> None:
    with st.expander(f"**{plain(name, 60)}**: {sizes(preview)}", expanded=expanded):
        spread, table = st.columns([2, 3])
        with spread:
            figure = target(preview.counts.tolist(), preview.edges.tolist(), preview.labels, theme=theme())
            chart(figure, key=f"{page}-target", height=_HEIGHT, label="How the target is spread", name="target")
        with table:
            st.dataframe(preview.head, hide_index=True, height=_HEIGHT)
        notes = [*([f"labels: {mapping}"] if mapping else []), *preview.notes, *([unit] if unit else [])]
        if notes:
            st.caption("  \n".join(f"{plain(capital(note))}." for note in notes))


def sizes(preview: Preview) -> str:
    parts = [f"{preview.rows:,} rows × {preview.columns:,} columns"]
    if preview.test_rows:
        parts.append(f"{preview.test_rows:,} more to test on")
    if preview.sparse:
        parts.append(f"sparse, {100 * preview.filled:.2g}% filled")
    words = ", ".join(parts)
    if preview.labels is None or len(preview.labels) > 3:
        return words
    total = sum(preview.labels.values())
    shares = (f"{plain(label, 20)} ({100 * count / total:.0f}%)" for label, count in preview.labels.items())
    return f"{words} · labels {', '.join(shares)}"
