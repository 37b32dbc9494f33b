"""Some rows of a table, without a copy of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .table import Table

if TYPE_CHECKING:
    import pandas as pd


class Part(NamedTuple):
    """The rows of a table at some indices, from 0 in the order of the file."""

    table: Table
    at: NDArray[np.int64]

    @classmethod
    def whole(cls, table: Table) -> Part:
        return cls(table, np.arange(len(table.frame)))

    @property
    def rows(self) -> int:
        return len(self.at)

    @property
    def places(self) -> NDArray[np.int64]:
        """Which rows of the file these are; 1 is the first."""
        return self.at + 1

    def column(self, name: str) -> pd.Series[Any]:
        column = self.table.frame[name]
        return column if self.rows == len(column) else column.iloc[self.at]
