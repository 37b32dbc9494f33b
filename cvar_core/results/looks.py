"""Looking more than once: how sure an interval is if starts are added only where it was still too wide.

Whoever looks at 5 starts, goes on to 20 if that was not enough, and then to 80, has three chances to be wrong. The
three intervals share the 10%: each look spends what its order statistics leave out. Whatever was seen before, the
interval at which one stops then holds the median with 90%.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from .certainty import LEVEL, Interval, coverage, order_statistic

STAGES = (5, 20, 80)  # how many starts there are at each look, fixed in advance


@functools.cache
def left_out(count: int) -> int:
    """Return how many values at each end the interval of a look at ``count`` starts leaves out.

    Other counts than those of ``STAGES`` are taken for the next look, and more than the last for the last.

    >>> [left_out(count) for count in STAGES]
    [0, 4, 29]
    """
    left = 1 - LEVEL
    for stage in STAGES[:-1]:
        if count <= stage:
            break
        left -= 1 - coverage(stage, order_statistic(stage, 1 - left))
    return order_statistic(count, 1 - left)


def looked(least: Sequence[float], most: Sequence[float]) -> Interval:
    """Return the interval of the median of values that are known between two bounds each.

    The order statistics of the bounds lie around those of the values, so that it holds as often as if they were known.
    """
    skipped = left_out(len(least))
    return Interval(sorted(least)[skipped], sorted(most)[-1 - skipped])
