"""What a reader should see of a data set before anything is run on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import labels
from .dataset import Dataset
from .histogram import histogram
from .naming import told_apart
from .scales import Scales

_ROWS, _COLUMNS = 8, 12  # of the table
_BINS = 40


@dataclass(frozen=True)
class Preview:
    """Sizes, the first rows, and how the target is spread.

    Attributes
    ----------
    labels
        How many rows have each label, or ``None`` if there are too many labels to be classes.
    counts, edges
        The histogram of the targets, for numbers.
    head
        The first rows: column names to values, the target last, in its own unit.
    scales
        By how much the columns differed before they were scaled.
    """

    rows: int
    columns: int
    test_rows: int
    nonzeros: int
    sparse: bool
    labels: dict[str, int] | None
    counts: NDArray[np.int64]
    edges: NDArray[np.float64]
    head: dict[str, list[Any]]
    notes: tuple[str, ...]
    scales: Scales | None

    @classmethod
    def of(cls, data: Dataset) -> Preview:
        rows, columns = data.shape
        counts, edges = histogram(data.in_own_unit(data.y), _BINS)
        return cls(
            rows=rows,
            columns=columns,
            test_rows=0 if data.test is None else data.test.shape[0],
            nonzeros=data.nonzeros,
            sparse=data.sparse,
            labels=data.label_counts(),
            counts=counts,
            edges=edges,
            head=_head(data),
            notes=data.notes,
            scales=data.scales,
        )

    @property
    def filled(self) -> float:
        """The share of entries that are not zero."""
        return self.nonzeros / (self.rows * self.columns)


def _head(data: Dataset) -> dict[str, list[Any]]:
    """Return the first rows; of sparse ones, the first columns that have something in them."""
    x: Any = data.x[:_ROWS]
    if data.sparse:
        filled = np.unique(x.indices)[:_COLUMNS]
        values, places = x[:, filled].toarray(), filled.tolist()
    else:
        values, places = x[:, :_COLUMNS], list(range(min(_COLUMNS, data.shape[1])))
    names = [data.column_name(place) for place in places]
    target = [labels.written(value, data.texts) for value in data.in_own_unit(data.y[:_ROWS])]
    shown = zip(told_apart(names, taken=["target"]), values.T.tolist(), strict=True)
    return dict(shown) | {"target": target}
