"""Median and range over the seeds: the one way in which runs that diverged are counted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Spread(NamedTuple):
    """Over the seeds; ∞ where those that decide diverged."""

    median: Array
    low: Array
    high: Array


def spread(values: Array, axis: int) -> Spread:
    """Return median, low and high over an axis; NaN counts as ∞."""
    # One sort gives all three, at a fraction of what np.median costs on arrays as small as a chart's.
    ordered = np.sort(np.where(np.isnan(values), np.inf, values), axis=axis)
    ordered = np.moveaxis(ordered, axis, 0)
    half, odd = divmod(len(ordered), 2)
    if odd:
        median = ordered[half]
    else:
        with np.errstate(over="ignore"):  # halfway between two huge values may be ∞
            median = (ordered[half - 1] + ordered[half]) / 2
    return Spread(median, ordered[0], ordered[-1])
