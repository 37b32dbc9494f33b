"""How two computations of one sweep compare: the same bits, or how far apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...results import Result, number

Array = NDArray[np.float64]

STABLE = 10.0  # the largest λ up to which rounding stays rounding; beyond, unstable runs amplify it without bound


@dataclass(frozen=True)
class Difference:
    """Between the records of two results of one spec.

    Attributes
    ----------
    same
        Whether all objectives, what is recorded beside them, and the optimum have the same bits.
    stable, beyond
        The largest relative difference of two objectives, at λ up to ``STABLE`` and at larger ones.
    diverged
        How many runs diverged in one result only.
    """

    same: bool
    stable: float
    beyond: float
    diverged: int

    def words(self) -> str:
        if self.same:
            return "the same bits as shipped"
        words = f"within {number(self.stable)} (relative) of what is shipped at λ ≤ {STABLE:g}"
        if self.beyond > self.stable:
            words += f" and {number(self.beyond)} at larger λ, where unstable runs amplify rounding"
        if self.diverged:
            words += f"; {self.diverged} run{'s' * (self.diverged > 1)} diverged in one of the two only"
        return words


def difference(first: Result, second: Result) -> Difference:
    """Compare two complete results of one spec."""
    if first.spec != second.spec:
        raise ValueError("only two results of one spec can be compared")
    known, other = first.objectives, second.objectives
    pairs = [(known, other), *((values, second.beside[name]) for name, values in first.beside.items())]
    same = first.optimum.value == second.optimum.value
    same = same and all(np.array_equal(*pair, equal_nan=True) for pair in pairs)
    apart = relative(known, other)
    stable = np.array(first.spec.lambdas) <= STABLE
    optimum = float(relative(np.array([first.optimum.value]), np.array([second.optimum.value]))[0])
    ends = np.isnan(known[:, :, -1]) != np.isnan(other[:, :, -1])
    return Difference(
        same=same,
        stable=max(float(apart[..., stable].max(initial=0.0)), optimum),
        beyond=float(apart[..., ~stable].max(initial=0.0)),
        diverged=int(ends.sum()),
    )


def relative(first: Array, second: Array) -> Array:
    """Return |a − b| / max(|a|, |b|); 0 where a number is missing, because divergence is counted by itself."""
    scale = np.maximum(np.abs(first), np.abs(second))
    with np.errstate(invalid="ignore"):
        apart = np.abs(first / np.where(scale > 0, scale, 1.0) - second / np.where(scale > 0, scale, 1.0))
    return np.nan_to_num(apart, nan=0.0)
