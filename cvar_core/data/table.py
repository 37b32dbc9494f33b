"""A table as its file has it: named columns of numbers or texts, some of them missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .bounds import DataError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Form:
    """How a file is written, so that a second one is read the same way."""

    separator: str  # " " for any blanks; "" where the format has columns of its own
    header: bool
    decimal: str = "."
    texts: frozenset[str] = frozenset()  # columns that are texts, whatever a second file has in them
    dates: Mapping[str, str] = field(default_factory=dict)  # columns that are dates, and how these are written


@dataclass(frozen=True)
class Table:
    """What was read of a file.

    Attributes
    ----------
    frame
        Each column either float64, with NaN where a number is missing, or of texts, with None where one is missing.
        Names are texts, trimmed, and no two are the same.
    dates
        The columns that were dates. They are days since 1970-01-01 now, with the time of day as a fraction.
    faults
        What is wrong with a column, which matters only to those who use it. What is wrong with a cell is missing there.
    """

    name: str
    frame: pd.DataFrame
    form: Form
    notes: tuple[str, ...] = ()
    dates: frozenset[str] = frozenset()
    faults: Mapping[str, str] = field(default_factory=dict)

    def check(self, names: Iterable[str]) -> None:
        """Say all that is wrong with these columns, if anything is."""
        wrong = [self.faults[name] for name in names if name in self.faults]
        if wrong:
            raise DataError(*wrong)
