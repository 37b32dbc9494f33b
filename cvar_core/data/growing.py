"""Arrays that grow by rows and are never held twice."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_MORE = 1.125  # what is there moves without being copied (realloc), so small steps are cheap


class Growing:
    """Rows of so many numbers each, or single numbers.

    >>> rows = Growing(np.int64)
    >>> rows.add(np.arange(3)); rows.add(np.arange(2)); rows.done().tolist()
    [0, 1, 2, 0, 1]
    """

    def __init__(self, dtype: DTypeLike, width: int | None = None) -> None:
        self._width = width
        self._rows = np.empty(0, dtype)
        self.length = 0

    def add(self, rows: NDArray[Any]) -> None:
        each = 1 if self._width is None else self._width
        needed = (self.length + len(rows)) * each
        if needed > len(self._rows):
            self._rows.resize(max(needed, int(_MORE * len(self._rows))), refcheck=False)
        self._rows[self.length * each : needed].reshape(rows.shape)[...] = rows
        self.length += len(rows)

    def done(self) -> NDArray[Any]:
        """Return all rows; nothing can be added any more."""
        each = 1 if self._width is None else self._width
        self._rows.resize(self.length * each, refcheck=False)
        return self._rows if self._width is None else self._rows.reshape(self.length, self._width)
