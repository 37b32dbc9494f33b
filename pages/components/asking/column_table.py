"""The columns of a visitor's table, to read and to tick: which is the target, and which are used."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from cvar_core.data import DATE, Column
from cvar_core.results import number

from ..drawing.text import plain
from .column_choice import ColumnChoice

MOST = 2_000  # columns that a browser is sent; of more, these are the first
_ROW, _TALLEST = 36, 330  # px
_NAMED = 5  # columns in a sentence
_BASE = "column-table"


def draw(
    page: str, choice: ColumnChoice, target: str, choose: Callable[[ColumnChoice], None], aim: Callable[[str], None]
) -> None:
    """Draw the table; ``choose`` is called with another choice, and ``aim`` with another target."""
    shown = choice.columns[:MOST]
    with st.expander("**Columns**: tick those to use, and the one to predict", expanded=True):
        base, key = _base(page, choice, target, shown)

        def edited() -> None:
            edits = st.session_state[key]["edited_rows"]
            use, aims = changes(shown, edits)
            if any("target" in edit for edit in edits.values()):
                st.session_state[f"{page}-{_BASE}"] = None  # one column is the target, whatever was ticked
                aim(aims or target)
            choose(base.using(use))

        st.data_editor(
            _frame(shown, base, target), key=key, on_change=edited, hide_index=True,
            height=min(_ROW * (len(shown) + 1) + 2, _TALLEST), disabled=["column", *_FACTS], column_config=_CONFIG,
        )  # fmt: skip
        st.caption(_about(choice, target))


def changes(shown: tuple[Column, ...], edits: dict[int, dict[str, Any]]) -> tuple[dict[str, bool], str | None]:
    """Return which columns are to be used or not, by what was ticked in the table, and a new target if there is one."""
    use = {shown[row].name: bool(edit["use"]) for row, edit in edits.items() if "use" in edit}
    aims = [shown[row].name for row, edit in edits.items() if edit.get("target")]
    return use, aims[-1] if aims else None


def _base(page: str, choice: ColumnChoice, target: str, shown: tuple[Column, ...]) -> tuple[ColumnChoice, str]:
    """Return the choice that the table began with, and its key.

    What is ticked is kept by the browser, over what the table began with, so that it stays where it is scrolled to. It
    begins anew when it is about something else, or when the choice was changed elsewhere.
    """
    turn = st.session_state.setdefault(f"{page}-{_BASE}-turn", 0)
    began = st.session_state.get(f"{page}-{_BASE}")
    edits = st.session_state.get(f"{page}-{_BASE}-{turn}", {}).get("edited_rows", {})
    if (
        began is None
        or began[1] != target
        or began[0].columns != choice.columns
        or _edited(began[0], shown, edits) != choice
    ):
        began, turn = (choice, target), turn + 1
    st.session_state[f"{page}-{_BASE}"], st.session_state[f"{page}-{_BASE}-turn"] = began, turn
    return began[0], f"{page}-{_BASE}-{turn}"


def _edited(began: ColumnChoice, shown: tuple[Column, ...], edits: dict[int, dict[str, Any]]) -> ColumnChoice:
    use = changes(shown, edits)[0]
    return began.using(use) if began.columns[: len(shown)] == shown else began


def _frame(shown: tuple[Column, ...], base: ColumnChoice, target: str) -> pd.DataFrame:
    rows = [
        {
            "use": each.name == target or base.uses(each), "target": each.name == target, "column": each.name,
            "type": each.kind, "missing": each.missing, "distinct": each.distinct, "range": extent(each),
            "histogram": list(each.counts), "why": each.left_out or "",
        }
        for each in shown
    ]  # fmt: skip
    return pd.DataFrame(rows)


_FACTS = {
    "type": st.column_config.TextColumn("type", width=70),
    "missing": st.column_config.NumberColumn("missing", width=70, format="localized"),
    "distinct": st.column_config.NumberColumn("distinct", width=70, format="localized"),
    "range": st.column_config.TextColumn("range", width=180),
    "histogram": st.column_config.BarChartColumn("spread", width=110, y_min=0),
    "why": st.column_config.TextColumn("left out unless ticked, because", width="large"),
}
_CONFIG = {
    "use": st.column_config.CheckboxColumn("use", width=75),
    "target": st.column_config.CheckboxColumn("target", width=90, help="The column to predict."),
    "column": st.column_config.TextColumn("column", pinned=True),
    **_FACTS,
}


def extent(column: Column) -> str:
    """Say from where to where a column reaches; nothing of texts."""
    if column.low is None or column.high is None:
        return ""
    if column.kind == DATE:
        low, high = (np.datetime64(math.floor(days), "D") for days in (column.low, column.high))
        return f"{low} to {high}"
    return f"{number(column.low)} to {number(column.high)}"


def _about(choice: ColumnChoice, target: str) -> str:
    used, count = len(choice.features(target)), len(choice.columns)
    words = f"{used:,} of {count - 1:,} columns are used to predict {plain(target, 40)}."
    out = [each.name for each in choice.columns if each.left_out and each.name != target and not choice.uses(each)]
    if out:
        named = ", ".join(plain(name, 30) for name in out[:_NAMED])
        more = f" and {len(out) - _NAMED:,} more" if len(out) > _NAMED else ""
        words += f" Left out by themselves: {named}{more}; a tick puts them back."
    return words + (f" The table has the first {MOST:,} of {count:,}." if count > MOST else "")
