"""A histogram of any finite numbers: of ids whose spread is lost in their size, too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def histogram(values: NDArray[np.float64], bins: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Count values in so many bins of one width, or in one where numbers are too large to be told apart by bins.

    >>> histogram(np.array([1.0, 1.0, 3.0]), 2)
    (array([2, 1]), array([1., 2., 3.]))
    >>> histogram(np.array([1e17, 1e17]), 2)[0]
    array([2])
    """
    size = max(1.0, float(np.abs(values).max(initial=0.0)))
    scaled = values / size if size > 1e150 else values  # the width of all bins together has to be a number
    try:
        counts, edges = np.histogram(scaled, bins)
    except ValueError:
        return np.array([len(values)]), np.array([values.min() - 1e-6 * size, values.max() + 1e-6 * size])
    return counts.astype(np.int64), edges * (size if size > 1e150 else 1.0)
