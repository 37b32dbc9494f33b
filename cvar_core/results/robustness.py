"""Which step sizes are usable: the range of λ that a method forgives, and the margin of one λ in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class UsableRange:
    """A contiguous stretch of usable step sizes.

    An end where the grid stops is *open*: the true range may go on. ``holes`` tells that the method also has
    usable step sizes outside the stretch, with unusable ones in between.
    """

    low: float
    high: float
    open_low: bool
    open_high: bool
    holes: bool

    @property
    def decades(self) -> float:
        return math.log10(self.high / self.low)


def usable(medians: Array, all_ok: NDArray[np.bool_], epsilon: float) -> NDArray[np.bool_]:
    """Tell which step sizes are usable: no seed diverged, and the median suboptimality is at most ε."""
    return all_ok & (medians <= epsilon)


def usable_range(
    lambdas: Sequence[float], medians: Array, all_ok: NDArray[np.bool_], epsilon: float, around: int | None = None
) -> UsableRange | None:
    """Return the stretch around grid point ``around`` (default: the best one), or ``None`` if it is not usable.

    The ends are where the median crosses ε, interpolated in log–log towards the unusable neighbour; if that
    neighbour diverged in any seed, the end is the last usable grid point itself.
    """
    good = usable(medians, all_ok, epsilon)
    if around is None:
        around = int(np.argmin(np.where(good, medians, np.inf)))
    if not good[around]:
        return None
    first = last = around
    while first > 0 and good[first - 1]:
        first -= 1
    while last < len(good) - 1 and good[last + 1]:
        last += 1
    outside = np.concatenate([good[:first], good[last + 1 :]])

    def end(inside: int, beyond: int) -> float:
        if not 0 <= beyond < len(good) or not all_ok[beyond]:
            return lambdas[inside]
        return _crossing(lambdas[inside], medians[inside], lambdas[beyond], medians[beyond], epsilon)

    return UsableRange(
        low=end(first, first - 1),
        high=end(last, last + 1),
        open_low=first == 0,
        open_high=last == len(good) - 1,
        holes=bool(outside.any()),
    )


def _crossing(inside: float, below: float, beyond: float, above: float, epsilon: float) -> float:
    """Return the λ between two grid points at which the median is ε, on a line in log–log."""
    low, mid, high = (math.log(max(value, 1e-300)) for value in (below, epsilon, above))
    share = (mid - low) / (high - low) if high > low else 0.0
    return math.exp(math.log(inside) + share * (math.log(beyond) - math.log(inside)))
