"""Arrays as they are given, checked, and copied so that nobody changes them later."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..catalogue import losses
from ..specs import SpecError
from .scaling import Standardiser, with_intercept
from .two_labels import Labels


class Given(NamedTuple):
    """Rows as a problem takes them."""

    matrix: Any  # (rows, columns), a float64 tensor or a CSR array
    target: Tensor  # (rows,)
    columns: tuple[str, ...] | None  # the names of a DataFrame's
    labels: Labels | None  # of classification


def checked(X: Any, y: Any, loss: str, like: Given | None = None) -> Given:  # noqa: N803
    """Return features and targets, or say what is wrong; ``like`` those given before, whose labels they share."""
    if loss not in losses:
        raise SpecError(f"loss is {loss!r}, but it must be one of {', '.join(losses.names())}")
    matrix, names = _features(X)
    if len(matrix.shape) != 2 or 0 in matrix.shape:
        raise SpecError(f"X has shape {tuple(matrix.shape)}, but it must have rows and columns, at least one of each")
    labels = None
    if losses[loss].task == "classification":
        labels = Labels.of(y) if like is None or like.labels is None else like.labels
        target = torch.from_numpy(labels.signs(y))
    else:
        try:
            target = torch.from_numpy(_numbers(y))
        except (TypeError, ValueError, RuntimeError) as problem:
            raise SpecError(f"y must hold real numbers only for {loss} loss ({problem})") from None
    if target.shape != (matrix.shape[0],):
        raise SpecError(
            f"y has shape {tuple(target.shape)}, but X has {matrix.shape[0]} rows: y needs shape ({matrix.shape[0]},)"
        )
    if not np.isfinite(matrix.numpy() if isinstance(matrix, Tensor) else matrix.data).all():
        raise SpecError("X holds NaN or infinite values; every entry must be finite")
    if not torch.isfinite(target).all():
        raise SpecError("y holds NaN or infinite values; every entry must be finite")
    return Given(matrix, target, names, labels)


def scaled(given: Given, standardise: bool, intercept: bool, by: Standardiser | None) -> tuple[Given, Standardiser]:
    """Return rows with their columns standardised ``by`` the training rows' or their own, and a column of ones."""
    matrix, names = given.matrix, given.columns
    dense = isinstance(matrix, Tensor)
    x = matrix.numpy() if dense else matrix
    if by is None:
        with np.errstate(over="ignore", invalid="ignore"):
            by = Standardiser.of(x)
        if standardise and not np.isfinite(by.deviation).all():
            place = int(np.argmin(np.isfinite(by.deviation)))
            name = f"{place + 1}" if names is None else repr(names[place])
            raise SpecError(f"column {name} of X is too large to be standardised: leave it out")
    if standardise:
        x = by.apply(x, ours=True)
    if intercept:
        x, names = with_intercept(x), None if names is None else (*names, "intercept")
    return given._replace(matrix=torch.from_numpy(x) if dense else x, columns=names), by


def _features(given: Any) -> tuple[Any, tuple[str, ...] | None]:
    """Return a tensor of rows or a CSR array, a copy in either case, and the names of a DataFrame's columns."""
    names = None
    if _of_pandas(given) and hasattr(given, "columns"):
        names = tuple(map(str, given.columns))
        for name, kind in zip(names, given.dtypes, strict=True):
            if getattr(kind, "kind", "O") not in "biuf":
                raise SpecError(
                    f"column {name!r} of X holds {kind} values, but it must hold numbers; "
                    "Dataset.from_frame makes columns of texts and dates"
                )
        given = given.to_numpy(np.float64, na_value=np.nan)
    try:
        if isinstance(given, Tensor) and given.layout != torch.strided:
            return _from_torch(given), names
        if hasattr(given, "tocsr"):
            from scipy.sparse import csr_array

            if np.iscomplexobj(given):
                raise ValueError("complex numbers")
            matrix: Any = csr_array(given.tocsr(), dtype=np.float64, copy=True)
            matrix.sum_duplicates()
            return matrix, names
        return torch.from_numpy(_numbers(given)), names
    except (TypeError, ValueError, RuntimeError) as problem:
        raise SpecError(f"X must hold real numbers only ({problem})") from None


def _from_torch(given: Tensor) -> Any:
    """Return a sparse tensor of any layout as a CSR array."""
    from scipy.sparse import coo_array

    if given.is_complex():
        raise ValueError("complex numbers")
    parts = given.detach().cpu().to_sparse_coo().coalesce()
    if parts.dense_dim():  # rows of a hybrid tensor are dense
        parts = parts.to_dense().to_sparse_coo().coalesce()
    places = parts.indices().numpy()
    if len(places) != 2:
        raise ValueError(f"it has {len(places)} dimensions, not two")
    if max(*parts.shape, parts.values().numel()) < 2**31:
        places = places.astype(np.int32)  # as scipy has them, so that the same matrix has the same digest
    matrix = coo_array(
        (parts.values().to(torch.float64).numpy(), (places[0], places[1])), shape=tuple(parts.shape)
    ).tocsr()
    matrix.sum_duplicates()
    return matrix


def _of_pandas(given: Any) -> bool:
    return type(given).__module__.partition(".")[0] == "pandas"  # without importing it for those who do not use it


def _numbers(given: Any) -> np.ndarray:
    """Return a copy as float64: what the caller does to the original later must not change the problem."""
    if _of_pandas(given):  # whose missing values have a kind of their own
        given = given.to_numpy(np.float64, na_value=np.nan)
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


def column_names(given: Any, count: int) -> tuple[str, ...]:
    """Return names of columns, or say that there are too few or too many."""
    try:
        names = tuple(map(str, (given,) if isinstance(given, str) else given))
    except TypeError:
        raise SpecError(f"columns is {given!r}, but it must list the names of X's columns") from None
    if len(names) != count:
        raise SpecError(f"columns has {len(names):,} names, but X has {count:,} columns")
    return names
