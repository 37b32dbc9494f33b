"""What is known of the columns of a table before one is chosen as the target and others are left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .histogram import histogram
from .leaving_out import reason
from .table import Table
from .table_part import Part

NUMBER, TEXT, DATE = "number", "text", "date"
_BARS = 12


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    kind
        "number", "text" or "date".
    missing, distinct
        How many rows have no value, and how many different values the others have.
    low, high
        The ends of numbers and dates.
    counts
        A small histogram: of numbers over bins from low to high, of texts how many rows have the most frequent ones.
    left_out
        Why it is left out unless somebody asks for it; ``None`` if it is used.
    """

    name: str
    kind: str
    missing: int
    distinct: int
    low: float | None
    high: float | None
    counts: tuple[int, ...]
    left_out: str | None


def described(table: Table) -> tuple[Column, ...]:
    whole = Part.whole(table)
    return tuple(_column(table, whole, str(name)) for name in table.frame.columns)


def _column(table: Table, whole: Part, name: str) -> Column:
    import pandas as pd

    column, why = table.frame[name], reason(whole, name)
    if column.dtype.kind != "f":
        often = column.value_counts()
        missing = len(column) - int(often.sum())
        return Column(name, TEXT, missing, len(often), None, None, tuple(map(int, often.iloc[:_BARS])), why)
    kind = DATE if name in table.dates else NUMBER
    there = column.to_numpy()
    there = there[~np.isnan(there)]
    missing, distinct = len(column) - len(there), len(pd.unique(there))
    values = there[np.isfinite(there)]  # an infinity is said when the column is used
    if not len(values):
        return Column(name, kind, missing, 0, None, None, (), why)
    counts = histogram(values, _BARS)[0]
    ends = float(values.min()), float(values.max())
    return Column(name, kind, missing, distinct, *ends, tuple(map(int, counts)), why)
