"""Whether two values are the same, number by number: NaN is NaN's equal, and arrays are compared as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from torch import Tensor


def same(one: Any, other: Any) -> bool:
    """Tell whether two values of fields are the same.

    >>> same(np.array([1.0, np.nan]), np.array([1.0, np.nan])), same({"a": 1.0}, {"a": 2.0})
    (True, False)
    """
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return same(one.detach().cpu().numpy(), other.detach().cpu().numpy())
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == other.dtype.kind == "f")
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) or (one != one and other != other)  # NaN alone differs from itself
