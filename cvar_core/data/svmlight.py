"""LIBSVM's text format: a label, then index:value pairs with rising indices."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .bounds import DataError, Limits, shortened, size
from .content import Content
from .growing import Growing

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_PAIR = re.compile(rb"\d+:[-+.\deEnaNif]+")
_LARGEST_INDEX = 2**31 - 2
_PIECE = 2**18  # bytes
_LONGEST_LINE = 2**24  # bytes


def looks_like(content: Content) -> bool:
    """Tell whether some of the first lines have index:value pairs after a label."""
    lines = content.head.splitlines()[:100]
    return any(_PAIR.fullmatch(token) for line in lines for token in line.partition(b"#")[0].split()[1:3])


def read(content: Content, limits: Limits) -> tuple[csr_array, NDArray[np.float64]]:
    """Return features and labels, with column k for index k: whether indices begin at 0 or 1 is seen later."""
    from scipy.sparse import csr_array

    values, indices, lengths, labels = (Growing(kind) for kind in (np.float64, np.int32, np.int32, np.float64))
    width, line = 0, 1
    for piece in _pieces(content):
        features, marks = _parsed(content, piece, line, limits)
        values.add(features.data)
        indices.add(features.indices)
        lengths.add(np.diff(features.indptr))
        labels.add(marks)
        if 12 * values.length + 16 * labels.length > 12 * limits.cells:  # bytes, of what is kept
            count = f"{labels.length:,} rows and {values.length:,} values or more"
            raise DataError(f"{content.name} has {count}, but the limit is {limits.cells:,} values")
        width = max(width, features.shape[1])
        line += piece.count(b"\n")
    if not labels.length:
        raise DataError(f"{content.name} has no rows")
    if not values.length:
        raise DataError(f"{content.name} has labels but no index:value pairs")
    narrow = np.int32 if values.length < 2**31 else np.int64  # half the memory to read in every step
    ends = np.concatenate([np.zeros(1, narrow), np.cumsum(lengths.done(), dtype=narrow)])
    found = csr_array((values.done(), indices.done(), ends), shape=(len(ends) - 1, width))
    return found, labels.done()


def _parsed(content: Content, piece: bytes, line: int, limits: Limits) -> tuple[Any, NDArray[np.float64]]:
    """Parse some lines: all at once would hold the interpreter, and a server has other visitors."""
    from sklearn.datasets import load_svmlight_file

    try:
        features, labels = load_svmlight_file(io.BytesIO(piece), zero_based=True)
    except (ValueError, OverflowError, TypeError, IndexError) as problem:
        raise _fault(content, piece, line, limits, f"is not in LIBSVM format ({problem})") from None
    if features.shape[1] > limits.columns + 1:
        raise _fault(content, piece, line, limits, f"has more than {limits.columns:,} columns")
    if not (np.isfinite(features.data).all() and np.isfinite(labels).all()):
        raise _fault(content, piece, line, limits, "holds NaN or infinite values")
    return features, labels


def _pieces(content: Content) -> Iterator[bytes]:
    """Yield whole lines, a quarter of a megabyte or more at a time."""
    held = b""
    with content.open() as file:
        while got := file.read(_PIECE):
            held += got
            end = held.rfind(b"\n") + 1
            if len(held) - end > _LONGEST_LINE:
                raise DataError(f"{content.name} has a line of more than {size(_LONGEST_LINE)}, which is the limit")
            if end >= _PIECE:
                yield held[:end]
                held = held[end:]
    if held.strip():
        yield held


def _fault(content: Content, piece: bytes, line: int, limits: Limits, otherwise: str) -> DataError:
    """Say what is wrong with the bad lines of a piece."""
    found = []
    for number, raw in enumerate(io.BytesIO(piece), start=line):
        tokens = raw.partition(b"#")[0].split()
        wrong = _wrong(tokens, limits) if tokens else None
        if wrong:
            found.append(f"line {number:,} of {content.name} {wrong}")
    return DataError(*found) if found else DataError(f"{content.name} {otherwise}")


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
        digits = index.lstrip(b"0")
        most = min(limits.columns, _LARGEST_INDEX)
        if len(digits) > 20:
            return f"has an index of {len(digits):,} digits, but the largest allowed is {most:,}"
        place = int(digits or b"0")
        if place > most:
            return f"has index {place:,}, but the largest allowed is {most:,}"
        if place <= last:
            again = "twice" if place == last else f"after {last:,}"
            return f"has index {place:,} {again}, but indices must rise within a line"
        last = place
        if not math.isfinite(_number(value)):
            return f"has {_shown(pair)}, but every value must be a finite number"
    return None


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _shown(token: bytes) -> str:
    return shortened(token[:80].decode("utf-8", errors="replace"))
