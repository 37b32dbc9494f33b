"""CSV: numbers as they are, texts one-hot encoded, and one column that is the target."""

from __future__ import annotations

import csv
import difflib
import io
import itertools
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .bounds import DataError, Limits, shortened
from .content import Content

if TYPE_CHECKING:
    import pandas as pd

_MOST_CATEGORIES = 1_000
_LOOKED_AT = 200  # lines, to tell a header from a first row


@dataclass(frozen=True)
class Layout:
    """How the columns of a table became numbers, so that a second file can be read the same way."""

    names: tuple[str, ...]  # the features' columns, in order
    target: str
    categories: dict[str, tuple[str, ...]]  # of the columns of texts, the target's among them
    separator: str
    header: bool
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the encoded columns."""
        parts = (
            [f"{name}={text}" for text in self.categories[name]] if name in self.categories else [name]
            for name in self.names
        )
        return tuple(itertools.chain.from_iterable(parts))


def read(
    content: Content, limits: Limits, target: str | int | None, header: bool | None, like: Layout | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64], Layout]:
    """Return features, targets (codes, where they are texts) and the layout; by ``like``, if that is given."""
    text = _text(content)
    if like is None:
        separator = _separator(text)
        has_header = _has_header(text, separator) if header is None else header
    else:
        separator, has_header = like.separator, like.header
    frame = _frame(content, text, separator, has_header, limits)
    layout = like or _layout(content, frame, target, separator, has_header)
    absent = [name for name in (*layout.names, layout.target) if name not in frame.columns]
    if absent:
        raise DataError(f"{content.name} has no column {shortened(absent[0])}, which the training data have")
    width = len(layout.columns)
    if width > limits.columns or width * len(frame) > limits.cells:
        most = f"{limits.columns:,} columns and {limits.cells:,} cells"
        raise DataError(f"{content.name} becomes {len(frame):,} rows × {width:,} columns, but the limit is {most}")
    encoded = np.empty((len(frame), width))
    at = 0
    for name in layout.names:
        at += _encode(content, frame, name, layout, encoded[:, at:])
    targets = np.empty((len(frame), 1))
    if layout.target in layout.categories:
        codes = _codes(frame[layout.target], layout.categories[layout.target])
        if (codes < 0).any():
            unseen = frame[layout.target].iloc[int(np.argmax(codes < 0))]
            raise DataError(f"{content.name} has the label {shortened(unseen)}, which the training data do not have")
        return encoded, codes.astype(np.float64), layout
    _encode(content, frame, layout.target, layout, targets)
    return encoded, targets[:, 0], layout


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
    if frame.isna().to_numpy().any():
        ragged = _ragged(text, separator)
        raise DataError(f"{content.name} {'is not a table: ' + ragged if ragged else _missing(frame)}")
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


def _missing(frame: pd.DataFrame) -> str:
    counts = frame.isna().sum()
    counts = counts[counts > 0]
    named = ", ".join(f"{shortened(name)} ({count:,})" for name, count in counts.iloc[:5].items())
    more = f" and {len(counts) - 5:,} more" if len(counts) > 5 else ""
    return f"has missing values in {named}{more}; fill them in or leave those rows or columns out"


def _layout(content: Content, frame: pd.DataFrame, target: str | int | None, separator: str, header: bool) -> Layout:
    names = [str(name) for name in frame.columns]
    chosen = _target(content, names, target)
    notes = [] if target is not None else [f"the target is the last column, {shortened(chosen)}"]
    categories = {}
    for name in names:
        found = _categories(content, name, frame[name], name == chosen)
        if found is None:
            continue
        categories[name] = found
        if name != chosen:
            some = ", ".join(shortened(text, 20) for text in found[:4]) + (", …" if len(found) > 4 else "")
            notes.append(f"column {shortened(name)} holds texts: one column for each of its {len(found):,} ({some})")
    features = tuple(name for name in names if name != chosen)
    return Layout(features, chosen, categories, separator, header, tuple(notes))


def _target(content: Content, names: list[str], target: str | int | None) -> str:
    """Find a column by name, or by its place: 1 is the first and −1 the last."""
    if target is None:
        return names[-1]
    if target in names:
        return str(target)
    try:
        place = int(target)
    except (TypeError, ValueError):
        place = None
    if place is not None and 1 <= abs(place) <= len(names):
        return names[place - 1 if place > 0 else place]
    near = difflib.get_close_matches(str(target), names, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(map(shortened, names[:8]))}"
    more = ", …" if not near and len(names) > 8 else ""
    raise DataError(f"{content.name} has no column {shortened(target)}; {hint}{more}")


def _categories(content: Content, name: str, column: pd.Series[Any], is_target: bool) -> tuple[str, ...] | None:
    """Return the texts in a column, in order, or ``None`` if it holds numbers."""
    import pandas as pd

    if column.dtype.kind in "biuf":
        return None
    texts_at = pd.to_numeric(column, errors="coerce").isna().to_numpy()
    if not texts_at.any():
        return None
    if texts_at.mean() < 0.5:  # mostly numbers: a slip, not a category
        row = int(np.argmax(texts_at))
        odd = f"{shortened(column.iloc[row])} in row {row + 1:,}"
        raise DataError(f"column {shortened(name)} of {content.name} holds numbers, but {odd}")
    texts = sorted({str(value) for value in column.unique()})
    if len(texts) > _MOST_CATEGORIES and not is_target:
        raise DataError(
            f"column {shortened(name)} of {content.name} holds {len(texts):,} different texts; leave it out"
            f" (up to {_MOST_CATEGORIES:,} become columns of their own)"
        )
    return tuple(texts)


def _encode(content: Content, frame: pd.DataFrame, name: str, layout: Layout, out: NDArray[np.float64]) -> int:
    """Put a column, encoded, into the first columns of ``out``; return how many it took."""
    import pandas as pd

    column = frame[name]
    if name in layout.categories:
        texts = layout.categories[name]
        codes = _codes(column, texts)  # a text that training has not seen is in none of the columns
        for k in range(len(texts)):
            out[:, k] = codes == k
        return len(texts)
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64)
    odd = ~np.isfinite(numbers)
    if odd.any():
        row = int(np.argmax(odd))
        shown = column.iloc[row]
        shown = shortened(shown) if isinstance(shown, str) else f"{shown}"
        raise DataError(
            f"column {shortened(name)} of {content.name} has {shown} in row {row + 1:,}; every entry must be finite"
        )
    out[:, 0] = numbers
    return 1


def _codes(column: pd.Series[Any], texts: tuple[str, ...]) -> NDArray[np.int64]:
    import pandas as pd

    return pd.Index(texts).get_indexer(pd.Index(column.astype(str))).astype(np.int64)  # −1 for any other text
