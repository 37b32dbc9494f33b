"""Numbers too large or too small to compute with: refused with a sentence, before they give a wrong answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch import Tensor

from ..specs import SpecError

_LARGEST = 1e150  # of a feature, and 1 / this of a column's largest: every step needs the square
_FURTHEST = 1e170  # between a column and the targets: beyond it θ, or the bound on F*, is lost in rounding


def ensure_magnitudes(matrix: Any, target: Tensor) -> None:
    """Raise unless every column of X, a tensor of rows or a CSR array, can be worked with beside the targets."""
    sizes, beside = _sizes(matrix), float(target.abs().max())
    large = int(sizes.argmax())
    small = int(np.where(sizes > 0, sizes, np.inf).argmin())
    if sizes[large] > min(_LARGEST, beside * _FURTHEST or np.inf):
        raise SpecError(
            f"column {large + 1} of X has values up to {sizes[large]:.3g}, too large to compute with beside targets up "
            f"to {beside:.3g}; standardise the features, or scale them down"
        )
    if 0 < sizes[small] < max(1 / _LARGEST, beside / _FURTHEST):
        raise SpecError(
            f"column {small + 1} of X has no value beyond {sizes[small]:.3g}, too small to compute with beside targets "
            f"up to {beside:.3g}; standardise the features, or scale them up"
        )


def _sizes(matrix: Any) -> np.ndarray:
    """Return the largest |x| of each column."""
    if isinstance(matrix, Tensor):
        return np.asarray(np.maximum(matrix.amax(0).numpy(), -matrix.amin(0).numpy()))
    high, low = (np.asarray(part.toarray()).ravel() for part in (matrix.max(axis=0), matrix.min(axis=0)))
    return np.asarray(np.maximum(high, -low))
