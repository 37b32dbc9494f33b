"""Which step sizes are usable: the range of λ that a method forgives, and what the grid says between its points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_ROUNDING = 1e-9  # of ε: smaller medians, and those below 0, are rounding, and must not bend a line in log–log


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

    def __contains__(self, lam: float) -> bool:
        return self.low <= lam <= self.high


def usable(medians: Array, all_ok: NDArray[np.bool_], epsilon: float) -> NDArray[np.bool_]:
    """Tell which step sizes are usable: no seed diverged, and the median suboptimality is at most ε."""
    return all_ok & (medians <= epsilon) & (medians < np.inf)  # ε is ∞ while no start is known


def usable_range(
    lambdas: Sequence[float], medians: Array, all_ok: NDArray[np.bool_], epsilon: float, around: int | None = None
) -> UsableRange | None:
    """Return the stretch around grid point ``around`` (default: the best one), or ``None`` if it is not usable.

    The ends are where the median crosses ε, interpolated in log–log towards the unusable neighbour; if that
    neighbour diverged in any seed, the end is the last usable grid point itself.
    """
    mask = usable(medians, all_ok, epsilon)
    if around is None:
        around = int(np.argmin(np.where(mask, medians, np.inf)))
    good: list[bool] = mask.tolist()
    if not good[around]:
        return None
    first = last = around
    while first > 0 and good[first - 1]:
        first -= 1
    while last < len(good) - 1 and good[last + 1]:
        last += 1

    def end(inside: int, beyond: int) -> float:
        if not 0 <= beyond < len(good) or not all_ok[beyond]:
            return lambdas[inside]
        share = _crossing(float(medians[inside]), float(medians[beyond]), epsilon)
        return float(lambdas[inside] * (lambdas[beyond] / lambdas[inside]) ** share)

    return UsableRange(
        low=end(first, first - 1),
        high=end(last, last + 1),
        open_low=first == 0,
        open_high=last == len(good) - 1,
        holes=sum(good) > last - first + 1,
    )


def usable_range_with(
    lam: float,
    beside: tuple[int, int],
    lambdas: Sequence[float],
    medians: Array,
    all_ok: NDArray[np.bool_],
    epsilon: float,
) -> UsableRange | None:
    """Return the stretch that a λ lies in, given its neighbours in the grid; ``None`` if it lies in none."""
    for near in beside:
        found = usable_range(lambdas, medians, all_ok, epsilon, near)
        if found is not None and lam in found:
            return found
    return None


def median_between(
    lam: float, beside: tuple[int, int], lambdas: Sequence[float], medians: Array, epsilon: float
) -> float:
    """Return the median at a λ on the line in log–log on which ``usable_range`` finds its ends."""
    left, right = beside
    if left == right:
        return float(medians[left])
    share = math.log(lam / lambdas[left]) / math.log(lambdas[right] / lambdas[left])
    start, end = (_logarithm(float(medians[k]), epsilon) for k in beside)
    return math.exp((1 - share) * start + share * end)


def _crossing(inside: float, beyond: float, epsilon: float) -> float:
    """Return the share of the way from a usable median to an unusable one at which the line in log–log is at ε."""
    start, level, end = (_logarithm(value, epsilon) for value in (inside, epsilon, beyond))
    return (level - start) / (end - start) if end > start else 0.0


def _logarithm(median: float, epsilon: float) -> float:
    return math.log(max(median, _ROUNDING * epsilon, 1e-300))
