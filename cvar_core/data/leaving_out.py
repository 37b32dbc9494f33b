"""Columns from which nothing can be learnt: they are left out unless somebody asks for them, and the reason is said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .bounds import shortened
from .table_part import Part

if TYPE_CHECKING:
    import pandas as pd

MOST_TEXTS = 1_000  # each of them becomes a column
_MANY_TEXTS = 100
_FEWEST_ROWS = 20  # in fewer, any column may differ from row to row; and of fewer little can be learnt about a text
_DISTINCT = 0.5  # of the rows: a text that two rows share at most says nothing of a third

_ID = re.compile(
    r"(?i:(.*[_\W])?(id|ids|uid|uuid|guid|index|idx)|row[_\W]?(id|num|number|nr|no|names?)|unnamed: 0)|.*[a-z](Id|ID)"
)


def reason(part: Part, name: str) -> str | None:
    """Say why a column would be left out, judged by these rows alone; ``None`` if it is of use."""
    column = part.column(name)
    there = column.notna().to_numpy()
    if not there.any():
        return "it has no value"
    if column.dtype.kind == "f":
        return _of_numbers(name, column.to_numpy(), part.places, bool(there.all()))
    return _of_texts(column, int(there.sum()))


def _of_numbers(name: str, values: NDArray[np.float64], places: NDArray[np.int64], whole: bool) -> str | None:
    if not whole or len(values) < 2:
        return None
    if (values == values[0]).all():
        return f"it is {values[0]:g} in every row"
    if len(values) < _FEWEST_ROWS or (values != np.floor(values)).any():
        return None
    offset = values[0] - places[0]
    if offset in (0, -1) and (values - places == offset).all():
        return "it counts the rows"
    if _ID.fullmatch(name) and len(np.unique(values)) == len(values):
        return "it is named like an id, and differs in every row"
    return None


def _of_texts(column: pd.Series[Any], there: int) -> str | None:
    distinct = int(column.nunique())
    if distinct == 1 and there == len(column) > 1:
        return f"it is {shortened(column.iloc[0], 20)} in every row"
    if distinct > MOST_TEXTS:
        return f"it holds {distinct:,} different texts"
    few = distinct > _MANY_TEXTS and there < _FEWEST_ROWS * distinct
    if few or (there >= _FEWEST_ROWS and distinct >= _DISTINCT * there):
        return f"it holds {distinct:,} different texts in {there:,} rows"
    return None
