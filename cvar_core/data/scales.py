"""By how much the columns of a data set differ in size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..results import number
from .bounds import shortened

WIDE = 100  # a factor between columns above which they had better be standardised


@dataclass(frozen=True)
class Scales:
    """The columns that reach furthest and least far from 0, those of zeros apart."""

    largest: str
    reaches: float
    smallest: str
    reaches_only: float

    @classmethod
    def of(cls, x: Any, name: Callable[[int], str]) -> Scales | None:
        """Compare columns by their largest values; ``None`` where all are zeros."""
        ends = (x.max(axis=0), x.min(axis=0))
        high, low = (np.asarray(end.toarray() if hasattr(end, "toarray") else end).ravel() for end in ends)
        reach = np.maximum(high, -low)
        some = np.flatnonzero(reach > 0)
        if not len(some):
            return None
        most, least = int(some[reach[some].argmax()]), int(some[reach[some].argmin()])
        return cls(name(most), float(reach[most]), name(least), float(reach[least]))

    @property
    def factor(self) -> float:
        return self.reaches / self.reaches_only

    @property
    def wide(self) -> bool:
        """Whether a step size that suits one column is far from what suits another."""
        return self.factor > WIDE

    def __str__(self) -> str:
        """Say it in words.

        >>> print(Scales("fare", 512.0, "rate", 0.155))
        columns differ by a factor of 3,300: 'fare' reaches 512, 'rate' 0.155
        """
        factor = self.factor
        rounded = float(f"{factor:.2g}")
        told = f"{rounded:,.0f}" if 10 <= rounded < 1e7 else number(rounded)
        ends = f"{shortened(self.largest)} reaches {number(self.reaches)}, {shortened(self.smallest)} "
        return f"columns differ by a factor of {told}: {ends}{number(self.reaches_only)}"
