"""How sure a number of a few starts is: exact intervals for a median, a share and a paired difference.

All are one family of statements, at 90% two-sided or 95% one-sided, that hold whatever the starts are drawn from (the
paired difference: if its mean over starts is about normal).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

LEVEL = 0.9  # of the intervals
_ONE_SIDED = (1 - LEVEL) / 2


class Interval(NamedTuple):
    """From low to high."""

    low: float
    high: float


@functools.cache
def order_statistic(count: int, level: float = LEVEL) -> int:
    """Return how many values at each end an interval for the median leaves out: exact, whatever the distribution.

    The median lies below all but k of n values with the probability that n tosses of a coin show at most k heads.
    With too few values even the smallest and the largest hold it with less than the level: fewer than five, for 90%.

    >>> [order_statistic(n) for n in (1, 5, 8, 20)]
    [0, 0, 1, 5]
    """
    skipped, outside = 0, 2 * 0.5**count
    while skipped < (count - 1) // 2:
        outside += 2 * math.comb(count, skipped + 1) * 0.5**count
        if outside > 1 - level:
            break
        skipped += 1
    return skipped


def coverage(count: int, skipped: int | None = None) -> float:
    """Return the probability with which the interval that leaves out so many values at each end holds the median.

    Unless it is said how many, they are those of ``order_statistic``.

    >>> coverage(5), round(coverage(20), 3)
    (0.9375, 0.959)
    """
    last = order_statistic(count) if skipped is None else skipped
    return 1 - 2 * sum(math.comb(count, k) for k in range(last + 1)) * 0.5**count


def median_interval(values: Sequence[float]) -> Interval:
    """Return the interval for the median that values were drawn around."""
    ordered, skipped = sorted(values), order_statistic(len(values))
    return Interval(ordered[skipped], ordered[-1 - skipped])


def share_at_least(fine: int, count: int) -> float:
    """Return the share of all starts that ``fine`` of ``count`` show, by the exact bound of Clopper and Pearson.

    >>> round(share_at_least(5, 5), 2), round(share_at_least(29, 29), 2), share_at_least(0, 5)
    (0.55, 0.9, 0.0)
    """
    from scipy.special import betaincinv

    return 0.0 if fine == 0 else float(betaincinv(fine, count - fine + 1, _ONE_SIDED))


def mean_interval(values: Sequence[float]) -> Interval:
    """Return Student's interval for the mean that values were drawn around; endless of one value."""
    from scipy.special import stdtrit

    count = len(values)
    if count < 2:
        return Interval(-math.inf, math.inf)
    mean = math.fsum(values) / count
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1))
    reach = float(stdtrit(count - 1, 1 - _ONE_SIDED)) * spread / math.sqrt(count)
    return Interval(mean - reach, mean + reach)
