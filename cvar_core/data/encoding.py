"""From a table to features and a target: numbers as they are, texts one-hot encoded, one column to predict."""

from __future__ import annotations

import difflib
import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .bounds import DataError, Limits, shortened
from .table import Form, Table

if TYPE_CHECKING:
    import pandas as pd

_MOST_CATEGORIES = 1_000


@dataclass(frozen=True)
class Layout:
    """How the columns of a table became numbers, so that a second file can be encoded the same way."""

    names: tuple[str, ...]  # the features' columns, in order
    target: str
    categories: dict[str, tuple[str, ...]]  # of the columns of texts, the target's among them
    form: Form
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the encoded columns."""
        parts = (
            [f"{name}={text}" for text in self.categories[name]] if name in self.categories else [name]
            for name in self.names
        )
        return tuple(itertools.chain.from_iterable(parts))


def encode(
    table: Table, limits: Limits, target: str | int | None, like: Layout | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64], Layout]:
    """Return features, targets (codes, where they are texts) and the layout; by ``like``, if that is given."""
    frame = table.frame
    layout = like or _layout(table, target)
    absent = [name for name in (*layout.names, layout.target) if name not in frame.columns]
    if absent:
        raise DataError(f"{table.name} has no column {shortened(absent[0])}, which the training data have")
    table.check((*layout.names, layout.target))
    if frame.isna().to_numpy().any():
        raise DataError(f"{table.name} {_missing(frame)}")
    width = len(layout.columns)
    if width > limits.columns or width * len(frame) > limits.cells:
        most = f"{limits.columns:,} columns and {limits.cells:,} cells"
        raise DataError(f"{table.name} becomes {len(frame):,} rows × {width:,} columns, but the limit is {most}")
    encoded = np.empty((len(frame), width))
    at = 0
    for name in layout.names:
        at += _encode(table, name, layout, encoded[:, at:])
    targets = np.empty((len(frame), 1))
    if layout.target in layout.categories:
        codes = _codes(frame[layout.target], layout.categories[layout.target])
        if (codes < 0).any():
            unseen = frame[layout.target].iloc[int(np.argmax(codes < 0))]
            raise DataError(f"{table.name} has the label {shortened(unseen)}, which the training data do not have")
        return encoded, codes.astype(np.float64), layout
    _encode(table, layout.target, layout, targets)
    return encoded, targets[:, 0], layout


def _missing(frame: pd.DataFrame) -> str:
    counts = frame.isna().sum()
    counts = counts[counts > 0]
    named = ", ".join(f"{shortened(name)} ({count:,})" for name, count in counts.iloc[:5].items())
    more = f" and {len(counts) - 5:,} more" if len(counts) > 5 else ""
    return f"has missing values in {named}{more}; fill them in or leave those rows or columns out"


def _layout(table: Table, target: str | int | None) -> Layout:
    names = [str(name) for name in table.frame.columns]
    chosen = _target(table, names, target)
    notes = [] if target is not None else [f"the target is the last column, {shortened(chosen)}"]
    categories = {}
    for name in names:
        found = _categories(table, name, name == chosen)
        if found is None:
            continue
        categories[name] = found
        if name != chosen:
            some = ", ".join(shortened(text, 20) for text in found[:4]) + (", …" if len(found) > 4 else "")
            notes.append(f"column {shortened(name)} holds texts: one column for each of its {len(found):,} ({some})")
    features = tuple(name for name in names if name != chosen)
    return Layout(features, chosen, categories, table.form, (*table.notes, *notes))


def _target(table: Table, names: list[str], target: str | int | None) -> str:
    """Find a column by name, or by its place: 1 is the first and −1 the last."""
    if target is None:
        return names[-1]
    if target in names:
        return str(target)
    try:
        place = int(target)
    except (TypeError, ValueError):
        place = None
    if place is not None and 1 <= abs(place) <= len(names):
        return names[place - 1 if place > 0 else place]
    near = difflib.get_close_matches(str(target), names, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(map(shortened, names[:8]))}"
    more = ", …" if not near and len(names) > 8 else ""
    raise DataError(f"{table.name} has no column {shortened(target)}; {hint}{more}")


def _categories(table: Table, name: str, is_target: bool) -> tuple[str, ...] | None:
    """Return the texts in a column, in order, or ``None`` if it holds numbers."""
    column = table.frame[name]
    if column.dtype.kind == "f":
        return None
    texts = sorted({str(value) for value in column.unique()})
    if len(texts) > _MOST_CATEGORIES and not is_target:
        raise DataError(
            f"column {shortened(name)} of {table.name} holds {len(texts):,} different texts; leave it out"
            f" (up to {_MOST_CATEGORIES:,} become columns of their own)"
        )
    return tuple(texts)


def _encode(table: Table, name: str, layout: Layout, out: NDArray[np.float64]) -> int:
    """Put a column, encoded, into the first columns of ``out``; return how many it took."""
    import pandas as pd

    column = table.frame[name]
    if name in layout.categories:
        texts = layout.categories[name]
        codes = _codes(column, texts)  # a text that training has not seen is in none of the columns
        for k in range(len(texts)):
            out[:, k] = codes == k
        return len(texts)
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64)
    odd = ~np.isfinite(numbers)
    if odd.any():
        row = int(np.argmax(odd))
        shown = column.iloc[row]
        shown = shortened(shown) if isinstance(shown, str) else f"{shown}"
        raise DataError(
            f"column {shortened(name)} of {table.name} has {shown} in row {row + 1:,}; every entry must be finite"
        )
    out[:, 0] = numbers
    return 1


def _codes(column: pd.Series[Any], texts: tuple[str, ...]) -> NDArray[np.int64]:
    import pandas as pd

    return pd.Index(texts).get_indexer(pd.Index(column.astype(str))).astype(np.int64)  # −1 for any other text
