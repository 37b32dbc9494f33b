"""Arrays as they are given, checked, and copied so that nobody changes them later."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..catalogue import losses
from ..specs import SpecError


def checked(X: Any, y: Any, loss: str) -> tuple[Any, Tensor]:  # noqa: N803
    """Return the features (a float64 tensor of rows, or a CSR array) and the targets, or say what is wrong."""
    if loss not in losses:
        raise SpecError(f"loss is {loss!r}, but it must be one of {', '.join(losses.names())}")
    try:
        target = torch.from_numpy(_numbers(y))
        if hasattr(X, "tocsr"):
            from scipy.sparse import csr_array

            if np.iscomplexobj(X):
                raise ValueError("complex numbers")
            matrix: Any = csr_array(X.tocsr(), dtype=np.float64, copy=True)
            matrix.sum_duplicates()
            values = matrix.data
        else:
            values = _numbers(X)
            matrix = torch.from_numpy(values)
    except (TypeError, ValueError, RuntimeError) as problem:
        raise SpecError(f"X and y must hold real numbers only ({problem})") from None
    if len(matrix.shape) != 2 or 0 in matrix.shape:
        raise SpecError(f"X has shape {tuple(matrix.shape)}, but it must have rows and columns, at least one of each")
    if target.shape != (matrix.shape[0],):
        raise SpecError(
            f"y has shape {tuple(target.shape)}, but X has {matrix.shape[0]} rows: y needs shape ({matrix.shape[0]},)"
        )
    if not np.isfinite(values).all():
        raise SpecError("X holds NaN or infinite values; every entry must be finite")
    if not torch.isfinite(target).all():
        raise SpecError("y holds NaN or infinite values; every entry must be finite")
    if losses[loss].task == "classification" and not bool((target.abs() == 1).all()):
        odd = float(target[target.abs() != 1][0])
        raise SpecError(f"y holds {odd:g}, but {loss} loss needs labels −1 and 1")
    return matrix, target


def _numbers(given: Any) -> np.ndarray:
    """Return a copy as float64: what the caller does to the original later must not change the problem."""
    if isinstance(given, Tensor):
        given = given.detach().cpu().to(torch.float64).numpy()
    if np.iscomplexobj(given):
        raise ValueError("complex numbers")
    return np.array(given, dtype=np.float64, order="C", copy=True)


def digest(matrix: Any, target: Tensor) -> str:
    parts = [matrix] if isinstance(matrix, Tensor) else [matrix.data, matrix.indices, matrix.indptr]
    digest = hashlib.sha256(repr(tuple(matrix.shape)).encode())
    for part in (*parts, target):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:32]


def vector(name: str, given: Any, length: int) -> Tensor:
    """Return what a caller calls ``name`` as float64, shape (length,), or say what is wrong with it."""
    if isinstance(given, Tensor) and given.dtype == torch.float64 and given.shape == (length,):
        return given
    try:
        found = torch.from_numpy(_numbers(given))
    except (TypeError, ValueError, RuntimeError) as problem:
        raise SpecError(f"{name} must hold real numbers only ({problem})") from None
    if found.shape != (length,):
        raise SpecError(f"{name} has shape {tuple(found.shape)}, but it must have shape ({length},)")
    return found
