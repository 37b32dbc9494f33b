"""How the rows in a tail differ from the rest, column by column."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..data import Dataset
from .columns_at_a_glance import Columns
from .worst import Worst

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


def contrast(data: Dataset, columns: Columns, target: NDArray[np.float64], target_name: str, worst: Worst) -> Contrast:
    """Hold the rows of a tail against the rest; the target is in the unit in which it is to be told."""
    rows, mass = data.shape[0], worst.mass
    every = columns.and_those_of(target[:, None])
    above = np.append(worst.mean_above(data.x, columns.mean), worst.mean_above(target[:, None], every.mean[-1:]))

    def told(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.append(data.original(values[None, :-1])[0], values[-1])

    # The rest is as far below the mean as the tail is above it, times their sizes.
    below = above * (mass / (rows - mass) if mass < rows else math.nan)
    return Contrast(
        data=data,
        target=target_name,
        tail=told(every.mean + above),
        rest=told(every.mean - below),
        deviations=np.where(every.varies, (above + below) / np.where(every.varies, every.deviation, 1.0), 0.0),
        shares=every.two & np.isclose(told(every.low), 0) & np.isclose(told(every.high), 1),
        varies=every.varies,
        chance=_chance(rows, mass, len(every.mean)),
    )


def _chance(rows: int, mass: float, columns: int) -> float:
    """Return the size that no difference of rows drawn blindly exceeds, with 95%, if columns are about normal.

    The mean of ``mass`` rows of all, drawn without putting back, has a variance that is known.
    """
    from scipy.special import ndtri

    if mass >= rows:
        return math.inf
    variance = rows**2 / ((rows - mass) * mass * (rows - 1))
    return float(ndtri(1 - _LEVEL / (2 * columns)) * math.sqrt(variance))
