"""LIBSVM's text format: a label, then index:value pairs with rising indices."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .bounds import DataError, Limits, shortened
from .content import Content

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_PAIR = re.compile(rb"\d+:[-+.\deEnaNif]+")
_LARGEST_INDEX = 2**31 - 2
_PIECE = 2**18  # bytes


def looks_like(content: Content) -> bool:
    """Tell whether some of the first lines have index:value pairs after a label."""
    lines = content.data[: 2**16].splitlines()[:100]
    return any(_PAIR.fullmatch(token) for line in lines for token in line.partition(b"#")[0].split()[1:3])


def read(content: Content, limits: Limits) -> tuple[csr_array, NDArray[np.float64]]:
    """Return features and labels, with column k for index k: whether indices begin at 0 or 1 is seen later."""
    from scipy.sparse import csr_array

    try:
        features, labels = _parsed(content.data)
    except (ValueError, OverflowError, TypeError) as problem:
        raise _fault(content, limits) or DataError(f"{content.name} is not in LIBSVM format ({problem})") from None
    if not len(labels):
        raise DataError(f"{content.name} has no rows")
    if features.shape[1] > limits.columns:
        raise _fault(content, limits) or DataError(f"{content.name} has more than {limits.columns:,} columns")
    if not (np.isfinite(features.data).all() and np.isfinite(labels).all()):
        raise _fault(content, limits) or DataError(f"{content.name} holds NaN or infinite values")
    if not features.nnz:
        raise DataError(f"{content.name} has labels but no index:value pairs")
    narrow = np.int32 if features.nnz < 2**31 else np.int64  # half the memory to read in every step
    parts = (features.data, features.indices.astype(np.int32), features.indptr.astype(narrow))
    return csr_array(parts, shape=features.shape), labels


def _parsed(data: bytes) -> tuple[Any, NDArray[np.float64]]:
    """Parse piece by piece: the parser holds the interpreter, and a server has other visitors."""
    from scipy.sparse import csr_array
    from sklearn.datasets import load_svmlight_file

    parts = [load_svmlight_file(io.BytesIO(piece), zero_based=True) for piece in _pieces(data)]
    rows = [features for features, _ in parts]
    ends = np.cumsum([0, *(each.nnz for each in rows)])
    indptr = np.concatenate([[0], *(each.indptr[1:] + end for each, end in zip(rows, ends, strict=False))])
    values, indices = (np.concatenate([getattr(each, name) for each in rows]) for name in ("data", "indices"))
    shape = (len(indptr) - 1, max(each.shape[1] for each in rows))
    return csr_array((values, indices, indptr), shape=shape), np.concatenate([labels for _, labels in parts])


def _pieces(data: bytes) -> Iterator[bytes]:
    """Yield the lines, a quarter of a megabyte at a time."""
    begin = 0
    while begin < len(data):
        end = data.find(b"\n", begin + _PIECE) + 1 or len(data)
        yield data[begin:end]
        begin = end


def _fault(content: Content, limits: Limits) -> DataError | None:
    """Say what is wrong with the first bad line."""
    for number, raw in enumerate(io.BytesIO(content.data), start=1):
        tokens = raw.partition(b"#")[0].split()
        wrong = _wrong(tokens, limits) if tokens else None
        if wrong:
            return DataError(f"line {number:,} of {content.name} {wrong}")
    return None


def _wrong(tokens: list[bytes], limits: Limits) -> str | None:
    label, *pairs = tokens
    if not math.isfinite(_number(label)):
        return f"begins with {_shown(label)}, but a label must be a finite number"
    last = -1
    for pair in pairs:
        index, colon, value = pair.partition(b":")
        if index == b"qid":
            continue
        if not colon or not index.isdigit() or not value:
            return f"has {_shown(pair)}, which is not index:value"
        if int(index[:20]) >= min(limits.columns, _LARGEST_INDEX) + 1:
            return f"has index {int(index[:20]):,}, but the largest allowed is {limits.columns:,}"
        if int(index) <= last:
            again = "twice" if int(index) == last else f"after {last:,}"
            return f"has index {int(index):,} {again}, but indices must rise within a line"
        last = int(index)
        if not math.isfinite(_number(value)):
            return f"has {_shown(pair)}, but every value must be a finite number"
    return None


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _shown(token: bytes) -> str:
    return shortened(token.decode("utf-8", errors="replace"))
