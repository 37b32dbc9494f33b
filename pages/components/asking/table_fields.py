"""What is asked of a table's columns: the target, which of the others are used, and what is done about gaps in them."""

from __future__ import annotations

from typing import Any

import streamlit as st

from cvar_core.data import WAYS, Column, first_target

from .column_choice import ColumnChoice, Told
from .column_table import MOST
from .fields import Fields
from .links import keep

_GAPS = dict(zip(WAYS, ("fill with the median", "leave those rows out", "refuse"), strict=True))


class TableFields(Fields):
    """Fields on columns. After they were asked, ``columns`` and ``target`` say what to draw in a table to tick."""

    columns: ColumnChoice | None = None
    target = ""

    def choose_columns(self, name: str, choice: ColumnChoice) -> None:
        """Take another choice of the columns of a data set; to be called by a callback."""
        self._note_columns(name, choice.told(self.target))

    def aim(self, target: str) -> None:
        """Take another column for the target; to be called by a callback."""
        st.session_state[self._key("target")] = target

    def _chosen_columns(self, name: str, columns: tuple[Column, ...], known: bool) -> dict[str, Any]:
        """Draw the fields of a table, and return what they say for the recipe; nothing for what is none.

        Of a file that is not ``known`` yet the link may say something, and keeps it until the file has come.
        """
        if not columns:
            for field in (*Told._fields, "missing") if known else ():
                keep(self._key(field), None, None)
            return {}
        target = self._target(name, columns)
        told = self._told(name, columns)
        for field, names in told._asdict().items():
            keep(self._key(field), list(names), [])
        return {"target": target, "missing": self._missing(name), **told._asdict()}

    def _target(self, name: str, columns: tuple[Column, ...]) -> str | None:
        names = [column.name for column in columns]
        usual, _ = first_target(names)
        some = names if len(names) <= MOST else [*names[: MOST // 2], *names[-MOST // 2 :]]
        wanted = st.session_state.get(self._key("target"), st.query_params.get(self._key("target"), usual))
        options = list(dict.fromkeys([*some, usual, *([wanted] if wanted in names else [])]))
        about = "The column to predict. Which of the others are used is ticked in the table of columns."
        self.target = self._depending("target", "Target column", options, usual, name, about)
        return None if self.target == usual else self.target

    def _told(self, name: str, columns: tuple[Column, ...]) -> Told:
        """Return which columns are used: as noted, or at first as the link has it."""
        linked = Told(*(tuple(st.query_params.get_all(self._key(field))) for field in Told._fields))
        of, told = st.session_state.get(self._noted, (name, linked))
        self.columns = ColumnChoice.of(columns, told if of == name else Told())
        told = self.columns.told(self.target)
        self._note_columns(name, told)
        return told

    def _note_columns(self, name: str, told: Told) -> None:
        st.session_state[self._noted] = name, told

    @property
    def _noted(self) -> str:
        return f"{self._page}-columns"

    def _missing(self, name: str) -> str:
        assert self.columns is not None
        used = {self.target, *(column.name for column in self.columns.features(self.target))}
        gaps = sum(bool(column.missing) for column in self.columns.columns if column.name in used)
        if not gaps:
            keep(self._key("missing"), None, None)
            return WAYS[0]
        about = "By the median of the rows that are trained on, with a column of zeros and ones that says where."
        label = f"Missing values, in {gaps:,} column{'s' * (gaps > 1)}"
        return self._depending("missing", label, WAYS, WAYS[0], name, about, _GAPS.__getitem__)
