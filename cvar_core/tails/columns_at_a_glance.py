"""What is to be known of each column of some rows, whichever of them are looked at: found once, and small."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..problem import Standardiser

_AT_ONCE = 2**22  # numbers of dense columns that are copied at a time


@dataclass(frozen=True)
class Columns:
    """Each of shape (columns,)."""

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]  # 0 where a column does not vary
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    two: NDArray[np.bool_]  # whether every entry is at one of the ends

    @classmethod
    def of(cls, x: Any) -> Columns:
        """Look at features of shape (rows, columns), dense or sparse; no second copy of them all is made."""
        if hasattr(x, "indptr"):
            return cls(*_of_sparse(x))
        width = max(1, _AT_ONCE // len(x))
        blocks = (np.asfortranarray(x[:, first : first + width]) for first in range(0, x.shape[1], width))
        return cls(*map(np.concatenate, zip(*map(_of_dense, blocks), strict=True)))

    @property
    def varies(self) -> NDArray[np.bool_]:
        return self.low < self.high

    def and_those_of(self, x: NDArray[np.float64]) -> Columns:
        """Return these, followed by those of further dense columns."""
        both = zip(astuple(self), astuple(Columns.of(x)), strict=True)
        return Columns(*(np.concatenate(each) for each in both))


def _of_dense(x: NDArray[np.float64]) -> tuple[NDArray[Any], ...]:
    by, low, high = Standardiser.of(x), x.min(axis=0), x.max(axis=0)
    assert by.mean is not None
    return by.mean, np.where(low < high, by.deviation, 0.0), low, high, ((x == low) | (x == high)).all(axis=0)


def _of_sparse(x: Any) -> tuple[NDArray[Any], ...]:
    low, high = (each.toarray().ravel() for each in (x.min(axis=0), x.max(axis=0)))
    between = (x.data != low[x.indices]) & (x.data != high[x.indices])
    filled = np.bincount(x.indices, minlength=len(low)) == x.shape[0]  # else there are zeros, which must be an end
    two = (np.bincount(x.indices[between], minlength=len(low)) == 0) & (filled | (low * high == 0))
    mean = np.asarray(x.mean(axis=0)).ravel()
    return mean, np.where(low < high, Standardiser.of(x).deviation, 0.0), low, high, two
