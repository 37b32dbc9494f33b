"""Which step sizes are usable, start by start: the range of λ that a start allows, and the typical one over starts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..keeping import once
from .certainty import Interval, median_interval

Array = NDArray[np.float64]

ROUNDING = 1e-9  # of ε: smaller gaps, and those below 0, are rounding, and must not bend a line in log–log


@dataclass(frozen=True)
class UsableRange:
    """A contiguous stretch of usable step sizes.

    An end where the grid stops is *open*: the true range may go on. ``holes`` tells that there are also usable step
    sizes outside the stretch, with unusable ones in between.
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


@dataclass(frozen=True)
class Forgiven:
    """What a method forgives: the usable ranges of its starts, and the median of them.

    Attributes
    ----------
    starts
        The usable range of each start around its own best λ; ``None`` where it has none.
    """

    starts: tuple[UsableRange | None, ...]

    @once
    def decades(self) -> float | None:
        """The median over the starts, of which one without a usable λ has 0; ``None`` if most have none."""
        return None if self.typical is None else float(np.median(self.each))

    @once
    def each(self) -> tuple[float, ...]:
        """The decades of each start, 0 where it has no usable λ."""
        return tuple(0.0 if found is None else found.decades for found in self.starts)

    @property
    def decades_low(self) -> float:
        """The lower end of the exact interval for the median of the decades."""
        return median_interval(self.each).low

    @property
    def decades_high(self) -> float:
        return median_interval(self.each).high

    @once
    def typical(self) -> UsableRange | None:
        """The median ends, over the starts that have any, open where that start's is; ``None`` if most have none."""
        found = [each for each in self.starts if each is not None]
        if 2 * len(found) <= len(self.starts):
            return None
        lower, upper = (_middle(found, name) for name in ("low", "high"))
        return UsableRange(
            low=_log_median([each.low for each in lower]),
            high=_log_median([each.high for each in upper]),
            open_low=any(each.open_low for each in lower),
            open_high=any(each.open_high for each in upper),
            holes=2 * sum(each.holes for each in found) > len(found),
        )

    @property
    def at_least(self) -> bool:
        """Whether the median of the decades may be larger: the grid cut a start short that it hangs on."""
        middle = sorted(self.each)[len(self.each) // 2]
        return any(
            found is not None and found.decades <= middle and (found.open_low or found.open_high)
            for found in self.starts
        )

    @property
    def cut(self) -> bool:
        """Whether the grid cut any start short: its decades may be more."""
        return any(found is not None and (found.open_low or found.open_high) for found in self.starts)

    @property
    def low_ends(self) -> Interval | None:
        """The interval of the median lower end, over the starts that have one; ``None`` if most have none."""
        return self._ends("low")

    @property
    def high_ends(self) -> Interval | None:
        return self._ends("high")

    def _ends(self, name: str) -> Interval | None:
        if self.typical is None:
            return None
        return median_interval([getattr(found, name) for found in self.starts if found is not None])


def usable(gaps: Array, epsilon: float | Array) -> NDArray[np.bool_]:
    """Tell which step sizes are usable for a start: the run did not diverge (NaN), and its gap is at most ε."""
    return (gaps <= epsilon) & (gaps < np.inf)  # ε is ∞ while the start is not known


def stretch(gaps: Array, epsilon: float, around: int | None = None) -> tuple[int, int] | None:
    """Return the first and the last place of the usable stretch around a place, by default the best one."""
    mask = usable(gaps, epsilon)
    if around is None:
        around = int(np.argmin(np.where(mask, gaps, np.inf)))
    good: list[bool] = mask.tolist()
    if not good[around]:
        return None
    first = last = around
    while first > 0 and good[first - 1]:
        first -= 1
    while last < len(good) - 1 and good[last + 1]:
        last += 1
    return first, last


def usable_range(
    lambdas: Sequence[float], gaps: Array, epsilon: float, around: int | None = None
) -> UsableRange | None:
    """Return the stretch around grid point ``around`` (default: the best one), or ``None`` if it is not usable.

    The ends are where the gap crosses ε, interpolated in log–log towards the unusable neighbour; if that neighbour
    diverged, the end is the last usable grid point itself.
    """
    found = stretch(gaps, epsilon, around)
    if found is None:
        return None
    good: list[bool] = usable(gaps, epsilon).tolist()
    first, last = found

    def end(inside: int, beyond: int) -> float:
        if not 0 <= beyond < len(good) or not np.isfinite(gaps[beyond]):
            return lambdas[inside]
        share = _crossing(float(gaps[inside]), float(gaps[beyond]), epsilon)
        return float(lambdas[inside] * (lambdas[beyond] / lambdas[inside]) ** share)

    return UsableRange(
        low=end(first, first - 1),
        high=end(last, last + 1),
        open_low=first == 0,
        open_high=last == len(good) - 1,
        holes=sum(good) > last - first + 1,
    )


def usable_range_with(
    lam: float, beside: tuple[int, int], lambdas: Sequence[float], gaps: Array, epsilon: float
) -> UsableRange | None:
    """Return the stretch that a λ lies in, given its neighbours in the grid; ``None`` if it lies in none."""
    for near in beside:
        found = usable_range(lambdas, gaps, epsilon, near)
        if found is not None and lam in found:
            return found
    return None


def gap_between(lam: float, beside: tuple[int, int], lambdas: Sequence[float], gaps: Array, epsilon: float) -> float:
    """Return the gap at a λ on the line in log–log on which ``usable_range`` finds its ends; NaN beside a diverged."""
    left, right = beside
    if left == right:
        return float(gaps[left])
    if not np.isfinite(gaps[[left, right]]).all():
        return math.nan
    share = math.log(lam / lambdas[left]) / math.log(lambdas[right] / lambdas[left])
    start, end = (_logarithm(float(gaps[k]), epsilon) for k in beside)
    return epsilon * math.exp((1 - share) * start + share * end)


def _crossing(inside: float, beyond: float, epsilon: float) -> float:
    """Return the share of the way from a usable gap to an unusable one at which the line in log–log is at ε."""
    start, end = _logarithm(inside, epsilon), _logarithm(beyond, epsilon)
    return -start / (end - start) if end > start else 0.0


def _logarithm(gap: float, epsilon: float) -> float:
    """Return log(gap/ε): of a ratio, which the unit of the loss does not change."""
    return math.log(max(gap / epsilon, ROUNDING))


def _middle(found: list[UsableRange], end: str) -> list[UsableRange]:
    """Return the one or two ranges whose end is the median one."""
    ordered = sorted(found, key=lambda each: float(getattr(each, end)))
    return ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1]


def _log_median(values: list[float]) -> float:
    """Return the median, halfway in the logarithm where two are in the middle."""
    ordered = sorted(values)
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return low if low == high else math.sqrt(low) * math.sqrt(high)
