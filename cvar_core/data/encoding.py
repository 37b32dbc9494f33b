"""From a table to features and a target: numbers as they are, texts one-hot encoded, NaN where something is missing."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .bounds import DataError, Limits, shortened
from .choosing import Wanted, chosen
from .naming import told_apart
from .table import Form
from .table_part import Part

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Layout:
    """How the columns of a table became numbers, so that other rows are encoded the same way."""

    names: tuple[str, ...]  # the features' columns, in order
    target: str
    categories: dict[str, tuple[str, ...]]  # of the columns of texts, the target's among them
    form: Form
    notes: tuple[str, ...] = field(default=(), compare=False)
    dates: frozenset[str] = frozenset()

    @classmethod
    def of(cls, part: Part, wanted: Wanted) -> Layout:
        """Choose the columns, and find which texts there are, in these rows alone."""
        target, features, notes = chosen(part, wanted)
        categories, said = {}, []
        for name in (*features, target):
            column = part.column(name)
            if column.dtype.kind == "f":
                continue
            found = categories[name] = tuple(sorted(column.dropna().unique()))
            if name != target:
                some = ", ".join(shortened(text, 20) for text in found[:4]) + (", …" if len(found) > 4 else "")
                said.append(f"column {shortened(name)} holds texts: one column for each of its {len(found):,} ({some})")
        return cls(features, target, categories, part.table.form, (*part.table.notes, *notes, *said), part.table.dates)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the encoded columns."""
        parts = (
            [f"{name}={text}" for text in self.categories[name]] if name in self.categories else [name]
            for name in self.names
        )
        return told_apart([*itertools.chain.from_iterable(parts)])

    def width(self, name: str) -> int:
        """Return how many encoded columns a feature has."""
        return len(self.categories[name]) if name in self.categories else 1


def ensure_fits(name: str, rows: int, columns: int, limits: Limits) -> None:
    if columns > limits.columns or columns * rows > limits.cells:
        most = f"{limits.columns:,} columns and {limits.cells:,} cells"
        raise DataError(f"{name} becomes {rows:,} rows × {columns:,} columns, but the limit is {most}")


def encode(
    part: Part, layout: Layout, limits: Limits
) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[str, ...] | None]:
    """Return features, targets, and the texts that the targets are places in: the layout's, then any others."""
    table = part.table
    absent = [name for name in (*layout.names, layout.target) if name not in table.frame.columns]
    if absent:
        raise DataError(f"{table.name} has no column {shortened(absent[0])}, which the training data have")
    table.check((*layout.names, layout.target))
    width = len(layout.columns)
    ensure_fits(table.name, part.rows, width, limits)
    encoded = np.empty((part.rows, width))
    at = 0
    for name in layout.names:
        end = at + layout.width(name)
        if name in layout.categories:
            _one_hot(_texts(part, name), layout.categories[name], encoded[:, at:end])
        else:
            encoded[:, at] = _numbers(part, name)
        at = end
    if layout.target not in layout.categories:
        return encoded, _numbers(part, layout.target), None
    texts = _texts(part, layout.target)
    known = layout.categories[layout.target]
    every = (*known, *sorted(set(texts.dropna().unique()).difference(known)))
    codes = _codes(texts, every).astype(np.float64)
    codes[codes < 0] = np.nan
    return encoded, codes, every


def _one_hot(column: pd.Series[Any], texts: tuple[str, ...], out: NDArray[np.float64]) -> None:
    """Put zeros and ones into ``out``: all zeros for a text that is not among them, NaN for none at all."""
    codes = _codes(column, texts)
    for k in range(len(texts)):
        out[:, k] = codes == k
    out[column.isna().to_numpy()] = np.nan


def _codes(column: pd.Series[Any], texts: tuple[str, ...]) -> NDArray[np.int64]:
    import pandas as pd

    return pd.Index(texts, dtype=object).get_indexer(pd.Index(column, dtype=object)).astype(np.int64)


def _texts(part: Part, name: str) -> pd.Series[Any]:
    """Return a column as texts; of numbers, where training has texts, as they would be written."""
    column = part.column(name)
    return column if column.dtype.kind != "f" else column.map("{:.15g}".format, na_action="ignore").astype(object)


def _numbers(part: Part, name: str) -> NDArray[np.float64]:
    column = part.column(name)
    if column.dtype.kind != "f":
        row = int(np.argmax(column.notna().to_numpy()))
        shown = f"{shortened(column.iloc[row])} in row {part.places[row]:,}, but the training data have numbers there"
        raise DataError(f"column {shortened(name)} of {part.table.name} has {shown}")
    numbers: NDArray[np.float64] = column.to_numpy()
    odd = np.isinf(numbers)
    if odd.any():
        row = int(np.argmax(odd))
        where = f"{numbers[row]} in row {part.places[row]:,}"
        raise DataError(f"column {shortened(name)} of {part.table.name} has {where}; every entry must be finite")
    return numbers
