"""A table as its file has it: named columns of numbers or texts, some of them missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Form:
    """How a file is written, so that a second one is read the same way."""

    separator: str
    header: bool


@dataclass(frozen=True)
class Table:
    """What was read of a file.

    Attributes
    ----------
    frame
        Each column either float64, with NaN where a number is missing, or of texts, with None where one is missing.
        Names are texts, trimmed, and no two are the same.
    """

    name: str
    frame: pd.DataFrame
    form: Form
    notes: tuple[str, ...] = ()
