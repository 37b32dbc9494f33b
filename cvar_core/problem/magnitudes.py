"""Numbers too large or too small to compute with: refused with a sentence, before they give a wrong answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from torch import Tensor

from ..specs import SpecError

_LARGEST = 1e150  # of a feature, and 1 / this of a column's largest: every step needs the square
_FURTHEST = 1e170  # between a column and the targets: beyond it θ, or the bound on F*, is lost in rounding


def ensure_magnitudes(matrix: Any, target: Tensor, columns: Sequence[str] | None = None) -> None:
    """Raise unless every column of X, a tensor of rows or a CSR array, can be worked with beside the targets."""
    sizes, beside = _sizes(matrix), float(target.abs().max())
    large = int(sizes.argmax())
    small = int(np.where(sizes > 0, sizes, np.inf).argmin())
    if sizes[large] > min(_LARGEST, beside * _FURTHEST or np.inf):
        raise SpecError(
            f"column {_name(large, columns)} of X has values up to {sizes[large]:.3g}, too large to compute with "
            f"beside targets up to {beside:.3g}; standardise the features, or scale them down"
        )
    if 0 < sizes[small] < max(1 / _LARGEST, beside / _FURTHEST):
        raise SpecError(
            f"column {_name(small, columns)} of X has no value beyond {sizes[small]:.3g}, too small to compute with "
            f"beside targets up to {beside:.3g}; standardise the features, or scale them up"
        )


def _name(place: int, columns: Sequence[str] | None) -> str:
    return str(place + 1) if columns is None else repr(columns[place])


def _sizes(matrix: Any) -> np.ndarray:
    """Return the largest |x| of each column."""
    if isinstance(matrix, Tensor):
        return np.asarray(np.maximum(matrix.amax(0).numpy(), -matrix.amin(0).numpy()))
    high, low = (np.asarray(part.toarray()).ravel() for part in (matrix.max(axis=0), matrix.min(axis=0)))
    return np.asarray(np.maximum(high, -low))
