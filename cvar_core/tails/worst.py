"""The rows that CVaR averages: the worst of them, the last one in part."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..problem import tail_mass

_ALIKE = 1e-6  # of a loss


@dataclass(frozen=True)
class Worst:
    """The rows in the tail of some losses, the worst first; of equal ones, the first in the data.

    Attributes
    ----------
    rows
        Their places, shape (count,).
    shares
        How much of each is in the tail, shape (count,): all of it, but of the last perhaps a part.
    losses
        Shape (count,).
    tied
        How many rows outside lose as much as the last one inside, to six digits. At an optimum there are about as many
        rows at the edge of the tail as there are columns, and which of them is inside is a matter of rounding.
    """

    rows: NDArray[np.int64]
    shares: NDArray[np.float64]
    losses: NDArray[np.float64]
    tied: int

    @classmethod
    def of(cls, losses: NDArray[np.float64], beta: float) -> Worst:
        """Return the tail of losses, shape (rows,), at a level β.

        >>> Worst.of(np.array([1.0, 5.0, 2.0, 4.0]), beta=0.625)
        Worst(rows=array([1, 3]), shares=array([1. , 0.5]), losses=array([5., 4.]), tied=0)
        """
        mass = tail_mass(len(losses), beta)
        count = math.ceil(mass)
        candidates = np.flatnonzero(losses >= np.partition(losses, -count)[-count])  # so few that they can be sorted
        rows = candidates[np.argsort(-losses[candidates], kind="stable")[:count]]
        shares = np.ones(count)
        shares[-1] = mass - (count - 1)
        inside = losses[rows]
        at_edge = [int((np.abs(each - inside[-1]) <= _ALIKE * inside[-1]).sum()) for each in (losses, inside)]
        return cls(rows, shares, inside, at_edge[0] - at_edge[1])

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def mass(self) -> float:
        """How many rows these are, the last one counted in part: (1 − β) of all."""
        return float(self.shares.sum())

    @property
    def level(self) -> bool:
        """Whether no row of the tail is worse than some outside of it."""
        return self.tied > 0 and bool(self.losses[0] <= (1 + _ALIKE) * self.losses[-1])

    @property
    def at_edge(self) -> int:
        """How many rows inside lose as much as the last one."""
        return int((self.losses <= (1 + _ALIKE) * self.losses[-1]).sum())

    @property
    def whole(self) -> bool:
        """Whether the last row is in the tail as a whole."""
        return bool(self.shares[-1] == 1)

    @property
    def cvar(self) -> float:
        return float(self.shares @ self.losses / self.mass)

    def mean_above(self, x: Any, mean: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return by how much the tail's mean of each column of all rows is above ``mean``, shape (columns,)."""
        if hasattr(x, "indptr"):
            return np.asarray(x[self.rows].T @ self.shares / self.mass - mean)
        return np.asarray(self.shares @ (x[self.rows] - mean) / self.mass)

    def shared_with(self, other: Worst) -> int:
        """Return how many rows are in both."""
        return len(np.intersect1d(self.rows, other.rows, assume_unique=True))
