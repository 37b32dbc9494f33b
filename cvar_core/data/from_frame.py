"""A DataFrame as a table, which ``load`` takes like that of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .bounds import DataError, Limits, shortened
from .collecting import Collected
from .csv_form import unique
from .dates import YEAR_FIRST
from .table import Form, Table

if TYPE_CHECKING:
    import pandas as pd

NAME = "the DataFrame"
_DAY = 86_400e6  # microseconds
_LARGEST = 2**1023  # of a whole number that a float holds
_NUMBERS = bool | int | float | np.integer | np.floating | np.bool_


def table_of(frame: pd.DataFrame, like: Form | None = None, name: str = NAME) -> Table:
    """Return the columns of a DataFrame as numbers, texts and dates; by ``like``, if that is given.

    Whole and broken numbers and truth values are numbers, durations are seconds, dates become days since 1970-01-01,
    and categories are what they stand for. What else an object may hold is a fault of its column.
    """
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise DataError(f"{name} is of type {type(frame).__name__}, but it must be a pandas DataFrame")
    rows, width = frame.shape
    if width < 2 or not rows:
        raise DataError(f"{name} has {rows:,} rows × {width:,} columns, but it needs rows, a target and a feature")
    names, limits = unique([str(each) for each in frame.columns]), Limits()
    forced = frozenset() if like is None else like.texts
    dates, faults, columns = {}, {}, {}
    for place, title in enumerate(names):
        values, kind = _cells(frame.iloc[:, place])
        if kind == "date" and title not in forced:
            dates[title] = YEAR_FIRST
        if kind not in ("date", "number", "text"):
            faults[title] = f"column {shortened(title)} of {name} holds {kind}, which are neither numbers nor texts"
        texts = title in forced and values.dtype.kind == "f"
        columns[place] = _as_texts(values) if texts else values
    found = Collected(name, names, limits, forced)
    found.add(pd.DataFrame(columns, copy=False))
    return found.table(like or Form("", True), like is not None, (), dates, faults)[0]


def named(frame: pd.DataFrame, asked: Any) -> Any:
    """Return labels of columns as the table calls them; what is no label may be a place, and stays."""
    names = unique([str(each) for each in frame.columns])
    places = [place for place, label in enumerate(frame.columns) if type(label) is type(asked) and label == asked]
    if places:  # of several levels of columns a label is a tuple
        return names[places[0]]
    return [named(frame, each) for each in asked] if isinstance(asked, list | tuple) else asked


def _cells(column: Any) -> tuple[Any, str]:
    """Return the cells of a Series, numbers as floats or texts with ``None`` where there is none, and what they are."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
    if isinstance(column.dtype, pd.SparseDtype):
        column = column.sparse.to_dense()
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    kind, missing = getattr(column.dtype, "kind", "O"), column.isna().to_numpy(bool)
    if kind in "biuf":
        return column.to_numpy(np.float64, na_value=np.nan), "number"
    if kind in "mM":
        unit, what = (1e6, "number") if kind == "m" else (_DAY, "date")
        return np.where(missing, np.nan, column.to_numpy(f"{kind}8[us]").astype(np.int64) / unit), what
    cells = column.to_numpy(object)
    known = cells[~missing]
    if all(isinstance(each, _NUMBERS) for each in known):
        values = np.full(len(cells), np.nan)
        values[~missing] = [float(each) if abs(each) < _LARGEST else np.inf for each in known]
        return values, "number"
    odd = next((each for each in known if not isinstance(each, str | _NUMBERS)), None)
    if odd is not None:
        return np.full(len(cells), np.nan), f"{type(odd).__name__} values"
    texts = np.full(len(cells), None, dtype=object)
    texts[~missing] = [str(each) for each in known]
    return texts, "text"


def _as_texts(cells: Any) -> Any:
    """Return numbers as a table of text would have them."""
    return np.array([None if np.isnan(cell) else f"{cell:.15g}" for cell in cells], dtype=object)
