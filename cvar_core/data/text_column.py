"""A column that does not hold plain numbers: its different texts, where they stand, and what they turn out to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .bounds import shortened
from .dates import DAY_FIRST, MONTH_FIRST, days, order_of
from .growing import Growing
from .numbers import MISSING, numbers
from .table import Form

if TYPE_CHECKING:
    import pandas as pd

_OF_EACH = 150  # bytes that a text takes beside its letters
_SLIPS = 5  # cells of a column of numbers that may be none by mistake, or a tenth of it; more, as in tickets, are texts


@dataclass(frozen=True)
class Typed:
    """What a column turned out to be."""

    values: NDArray[Any]  # float64, or objects: texts, and None where one is missing
    fault: str | None = None
    order: str | None = None  # of the parts of its dates
    note: str | None = None
    as_texts: bool = False  # what was read as numbers above should be read again, as texts


class TextColumn:
    """The texts of one column from some row on; above it, there were numbers."""

    def __init__(self, begin: int) -> None:
        self.begin = begin
        self.bytes = 0
        self._places: dict[str, int] = {}
        self._codes = Growing(np.int32)

    def add(self, cells: pd.Series[Any]) -> None:
        import pandas as pd

        codes, words = pd.factorize(cells)
        places = np.empty(len(words) + 1, np.int32)
        places[-1] = -1  # missing
        for k, word in enumerate(words.tolist()):
            known = self._places.get(word)
            if known is None:
                known = self._places[word] = len(self._places)
                self.bytes += len(word) + _OF_EACH
            places[k] = known
        self._codes.add(places[codes])

    def typed(self, name: str, file: str, above: NDArray[np.float64], form: Form, second: bool) -> Typed:
        """Say what the column is: numbers, dates or texts.

        Parameters
        ----------
        above
            The numbers in the rows before ``begin``.
        second
            Whether this is a second file, whose columns are what the first file's are.
        """
        codes, words = self._trimmed()
        column = f"column {shortened(name)} of {file}"
        counts = np.bincount(codes[codes >= 0], minlength=len(words))
        if second and name in form.texts:
            return _texts(codes, words, above)
        order = form.dates.get(name) if second else None
        values = numbers(words, form.decimal) if order is None else np.full(len(words), np.nan)
        numeric = int(np.isfinite(above).sum()) + int(counts[~np.isnan(values)].sum())
        there = int(np.isfinite(above).sum()) + int(counts.sum())
        mostly = 2 * numeric > there and there - numeric <= max(_SLIPS, there // 10)
        if order is None and not (second or mostly):
            order = order_of(words)
            if order is not None and above.size and np.isfinite(above).any():
                return Typed(above, as_texts=True)
        if order is not None:
            values = days(words, order)
            if second or 2 * int(counts[~np.isnan(values)].sum()) > there:
                fault = _slip(column, "dates", codes, words, values, self.begin)
                return Typed(_taken(above, values, codes), fault, order, _on_dates(name, words, order))
        elif second or mostly or (values.size and not np.isnan(values).any()):
            fault = _slip(column, "numbers", codes, words, values, self.begin)
            return Typed(_taken(above, values, codes), fault)
        return _texts(codes, words, above)

    def _trimmed(self) -> tuple[NDArray[np.int32], list[str]]:
        """Return the codes and the texts without blanks around them."""
        places: dict[str, int] = {}
        moved = np.empty(len(self._places) + 1, np.int32)
        moved[-1] = -1
        for k, word in enumerate(self._places):
            text = word.strip()
            moved[k] = -1 if text in MISSING else places.setdefault(text, len(places))
        codes = self._codes.done()
        return (codes if len(places) == len(self._places) else moved[codes]), list(places)


def _texts(codes: NDArray[np.int32], words: list[str], above: NDArray[np.float64]) -> Typed:
    if above.size and not np.isnan(above).all():
        return Typed(above, as_texts=True)
    found = np.empty(len(words) + 1, dtype=object)
    found[: len(words)] = words
    values = np.empty(len(above) + len(codes), dtype=object)
    values[len(above) :] = found[codes]
    return Typed(values)


def _taken(above: NDArray[np.float64], values: NDArray[np.float64], codes: NDArray[np.int32]) -> NDArray[np.float64]:
    return np.concatenate([above, np.append(values, np.nan)[codes]])


def _slip(
    column: str, kind: str, codes: NDArray[np.int32], words: list[str], values: NDArray[np.float64], begin: int
) -> str | None:
    """Say which cells are not what the others are: a slip, not a category."""
    wrong = np.append(np.isnan(values), False)[codes]
    if not wrong.any():
        return None
    row = int(np.argmax(wrong))
    more = int(wrong.sum()) - 1
    others = f", and {more:,} more such cell{'s' if more > 1 else ''}" if more else ""
    return f"{column} holds {kind}, but {shortened(words[codes[row]])} in row {begin + row + 1:,}{others}"


def _on_dates(name: str, words: list[str], order: str) -> str:
    how = f", read with the {order.removesuffix(' first')} first" if order in (DAY_FIRST, MONTH_FIRST) else ""
    example = shortened(words[0], 30) if words else "none"
    return f"column {shortened(name)} holds dates ({example}{how}): they become days since 1970-01-01"
