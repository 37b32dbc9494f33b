"""CSV: text with separators, read into a table."""

from __future__ import annotations

import csv
import io
import itertools
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .bounds import DataError, Limits, shortened
from .content import Content
from .table import Form, Table

if TYPE_CHECKING:
    import pandas as pd

_LOOKED_AT = 200  # lines, to tell a header from a first row


def read(content: Content, limits: Limits, header: bool | None, like: Form | None = None) -> Table:
    """Return the table in a file; by ``like``, if that is given."""
    text = _text(content)
    separator = _separator(text) if like is None else like.separator
    if like is not None:
        header = like.header
    elif header is None:
        header = _has_header(text, separator)
    frame = _frame(content, text, separator, header, limits)
    return Table(content.name, _typed(content, frame), Form(separator, header))


def columns(content: Content) -> tuple[str, ...]:
    """Return the names of a table's columns, without reading all of it; raises as ``read`` does."""
    import pandas as pd

    text = _text(content)
    separator = _separator(text)
    header = _has_header(text, separator)
    try:
        top = pd.read_csv(io.StringIO(text), sep=separator, header=0 if header else None, nrows=1, index_col=False)
    except (ValueError, OverflowError) as problem:
        raise DataError(f"{content.name} is not a table: {str(problem).splitlines()[0].strip()}") from None
    return _names(top, header)


def _names(frame: pd.DataFrame, header: bool) -> tuple[str, ...]:
    return tuple(str(name) if header else f"column {k + 1}" for k, name in enumerate(frame.columns))


def _text(content: Content) -> str:
    if b"\x00" in content.data:
        raise DataError(f"{content.name} is not a text file: it holds zero bytes")
    try:
        text = content.data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.data.count(b"\n", 0, problem.start) + 1
        raise DataError(f"{content.name} is not UTF-8 text (line {line:,}); save it as UTF-8") from None
    if not text.strip():
        raise DataError(f"{content.name} has no rows")
    return text


def _separator(text: str) -> str:
    first = text.lstrip().partition("\n")[0]
    return max(",;\t", key=first.count)


def _rows(text: str, separator: str) -> Iterator[list[str]]:
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    return (row for row in lines if row)


def _has_header(text: str, separator: str) -> bool:
    """Tell whether the first row names the columns: a name over numbers, or texts that do not occur below."""
    try:
        first, *others = itertools.islice(_rows(text, separator), _LOOKED_AT)
    except (csv.Error, ValueError):
        return True
    if all(_is_number(cell) for cell in first):
        return False
    below = [[row[k] for row in others if k < len(row)] for k in range(len(first))]
    texts = [(cell, column) for cell, column in zip(first, below, strict=True) if not _is_number(cell)]
    if any(column and all(_is_number(cell) for cell in column) for _, column in texts):
        return True
    return len(texts) == len(first) and not any(cell in column for cell, column in texts)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return not cell.strip()  # an empty cell is a number that is missing
    return True


def _frame(content: Content, text: str, separator: str, header: bool, limits: Limits) -> pd.DataFrame:
    import pandas as pd

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # it warns when it drops a row's last fields
            frame = pd.read_csv(
                io.BytesIO(content.data),
                encoding="utf-8-sig",
                sep=separator,
                header=0 if header else None,
                index_col=False,
                skipinitialspace=True,
                low_memory=False,
            )
    except (ValueError, OverflowError, pd.errors.ParserWarning, csv.Error) as problem:
        reason = _ragged(text, separator) or str(problem).splitlines()[0].strip()
        raise DataError(f"{content.name} is not a table: {reason}") from None
    frame.columns = pd.Index(_names(frame, header))
    if not len(frame):
        raise DataError(f"{content.name} has a header but no rows")
    if frame.shape[1] < 2:
        raise DataError(f"{content.name} has one column, but it needs a target and at least one feature")
    if frame.shape[1] > limits.columns:
        raise DataError(f"{content.name} has {frame.shape[1]:,} columns, but the limit is {limits.columns:,}")
    if frame.isna().to_numpy().any() and (ragged := _ragged(text, separator)):
        raise DataError(f"{content.name} is not a table: {ragged}")
    return frame


def _ragged(text: str, separator: str) -> str | None:
    try:
        rows = _rows(text, separator)
        width = len(next(rows))
        for number, row in enumerate(rows, start=2):
            if len(row) != width:
                return f"row {number:,} has {len(row):,} fields, but the first has {width:,}"
    except (csv.Error, StopIteration):
        return None
    return None


def _typed(content: Content, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns as numbers or as texts."""
    import pandas as pd

    return pd.DataFrame({name: _column(content, str(name), frame[name]) for name in frame.columns})


def _column(content: Content, name: str, column: pd.Series[Any]) -> pd.Series[Any]:
    import pandas as pd

    if column.dtype.kind in "biuf":
        return column.astype(np.float64)
    numbers = pd.to_numeric(column, errors="coerce")
    there = column.notna().to_numpy()
    texts_at = numbers.isna().to_numpy() & there
    if not texts_at.any():
        return numbers.astype(np.float64)
    if texts_at.sum() < 0.5 * there.sum():  # mostly numbers: a slip, not a category
        row = int(np.argmax(texts_at))
        odd = f"{shortened(column.iloc[row])} in row {row + 1:,}"
        raise DataError(f"column {shortened(name)} of {content.name} holds numbers, but {odd}")
    texts = column.astype(str).astype(object)
    return texts.where(there, None)
