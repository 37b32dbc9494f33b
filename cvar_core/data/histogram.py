"""A histogram of any finite numbers: of ids whose spread is lost in their size, too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def histogram(values: NDArray[np.float64], bins: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Count values in so many bins of one width, whatever their size and however little they differ.

    >>> histogram(np.array([1.0, 1.0, 3.0]), 2)
    (array([2, 1]), array([1., 2., 3.]))
    """
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            counts, edges = np.histogram(values, bins)
        return counts.astype(np.int64), edges
    except ValueError:  # the width is lost beside the values, or overflows: count where they stand between the ends
        low, high = values.min(), values.max()
        wide = high / 2 - low / 2 > np.finfo(float).max / 2
        placed = values / 4 if wide else values
        first, last = placed.min(), placed.max()
        counts, shares = np.histogram((placed - first) / ((last - first) or 1.0), bins, range=(0, 1))
        return counts.astype(np.int64), low * (1 - shares) + high * shares
