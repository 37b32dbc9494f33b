"""What a sweep has found before its optimum is known: objectives, but nothing to measure them from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..specs import SweepSpec


@dataclass(frozen=True)
class Early:
    """Arrays over methods, seeds, records and step sizes; NaN where there is no record yet, or a run has diverged."""

    spec: SweepSpec
    objectives: NDArray[np.float64]
    recorded: NDArray[np.int64]
