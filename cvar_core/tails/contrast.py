"""How the rows in a tail differ from the rest, column by column."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import Dataset, Standardiser
from .worst import Worst

_AT_ONCE = 2**22  # numbers of dense columns that are copied at a time
_LEVEL = 0.05  # the chance that any column of rows that were drawn blindly differs by more


@dataclass(frozen=True)
class Difference:
    """How one column differs: its means in the file's unit, which are shares where it holds zeros and ones."""

    column: str
    tail: float
    rest: float
    deviations: float  # (tail − rest) in standard deviations over all rows
    share: bool


@dataclass(frozen=True)
class Contrast:
    """The differences of all columns, and last that of the target; arrays of shape (columns + 1,).

    Attributes
    ----------
    chance
        By so many deviations the largest of these differences would be off, in one of twenty cases, for as many rows
        drawn blindly; ∞ where there is no rest to differ from.
    """

    data: Dataset
    target: str
    tail: NDArray[np.float64]
    rest: NDArray[np.float64]
    deviations: NDArray[np.float64]
    shares: NDArray[np.bool_]
    varies: NDArray[np.bool_]
    chance: float

    @property
    def order(self) -> NDArray[np.int64]:
        """The places of the features' columns, those that differ most first; not of those that do not vary."""
        places = self._order
        return places[places < self.data.shape[1]]

    def largest(self, most: int) -> list[Difference]:
        """Return the columns that differ most, the target among them."""
        return [self._difference(place) for place in self._order[:most].tolist()]

    @property
    def _order(self) -> NDArray[np.int64]:
        places = np.argsort(-np.abs(self.deviations), kind="stable")
        return places[self.varies[places]]

    def _difference(self, place: int) -> Difference:
        name = self.target if place == self.data.shape[1] else self.data.column_name(place)
        tail, rest, deviations = (float(part[place]) for part in (self.tail, self.rest, self.deviations))
        return Difference(name, tail, rest, deviations, share=bool(self.shares[place]))


def contrast(data: Dataset, target: NDArray[np.float64], target_name: str, worst: Worst) -> Contrast:
    """Hold the rows of a tail against the rest; the target is in the unit in which it is to be told."""
    rows, columns = data.shape
    weights, mass = worst.weights(rows), worst.mass
    parts = [_moments(part, weights, mass) for part in (*_blocks(data.x), target[:, None])]
    mean, above, deviation, low, high, two = (np.concatenate(each) for each in zip(*parts, strict=True))

    def told(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.append(data.original(values[None, :-1])[0], values[-1])

    # The rest is as far below the mean as the tail is above it, times their sizes.
    below = above * (mass / (rows - mass) if mass < rows else math.nan)
    shares = two & np.isclose(told(low), 0) & np.isclose(told(high), 1)
    differences, varies = (above + below) / deviation, low < high
    chance = _chance(rows, mass, columns + 1)
    return Contrast(data, target_name, told(mean + above), told(mean - below), differences, shares, varies, chance)


def deviations(data: Dataset) -> NDArray[np.float64]:
    """Return the standard deviation of each column, shape (columns,); 0 where it does not vary."""
    found = []
    for part in _blocks(data.x):
        low, high = _ends(part)
        found.append(np.where(low < high, Standardiser.of(part).deviation, 0.0))
    return np.concatenate(found)


def _ends(x: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    ends = x.min(axis=0), x.max(axis=0)
    low, high = (each.toarray().ravel() if hasattr(each, "toarray") else each for each in ends)
    return low, high


def _blocks(x: Any) -> list[Any]:
    """Cut dense columns into blocks, so that no second copy of them all is made; sparse ones stay together."""
    if hasattr(x, "indptr"):
        return [x]
    width = max(1, _AT_ONCE // len(x))
    return [x[:, first : first + width] for first in range(0, x.shape[1], width)]


def _moments(x: Any, weights: NDArray[np.float64], mass: float) -> tuple[NDArray[Any], ...]:
    """Return of each column the mean, by how much the tail's is above it, the deviation, both ends, and if it is all.

    The last is whether every entry is at one of the ends.
    """
    by, (low, high) = Standardiser.of(x), _ends(x)
    if by.mean is None:
        mean = np.asarray(x.mean(axis=0)).ravel()
        between = (x.data != low[x.indices]) & (x.data != high[x.indices])
        two = (np.bincount(x.indices[between], minlength=len(mean)) == 0) & (low * high == 0)
        return mean, x.T @ weights / mass - mean, by.deviation, low, high, two
    return by.mean, weights @ (x - by.mean) / mass, by.deviation, low, high, ((x == low) | (x == high)).all(axis=0)


def _chance(rows: int, mass: float, columns: int) -> float:
    """Return the size that no difference of rows drawn blindly exceeds, with 95%, if columns are about normal.

    The mean of ``mass`` rows of all, drawn without putting back, has a variance that is known.
    """
    from scipy.special import ndtri

    if mass >= rows:
        return math.inf
    variance = rows**2 / ((rows - mass) * mass * (rows - 1))
    return float(ndtri(1 - _LEVEL / (2 * columns)) * math.sqrt(variance))
