"""The step-size schedules: λ_t = λ · factor_t."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from .registry import Registry


@dataclass(frozen=True)
class Schedule:
    """``factors(first, last, n)`` are the factors of updates t = first … last−1 of n in all."""

    name: str
    formula: str
    factors: Callable[[int, int, int], Tensor]


schedules: Registry[Schedule] = Registry("schedule")

schedules.add(
    Schedule(
        name="decreasing",
        formula="λ/√(t+1), t = 0, 1, …",
        factors=lambda first, last, n: torch.arange(first + 1, last + 1, dtype=torch.float64).rsqrt(),
    )
)
schedules.add(
    Schedule(
        name="constant",
        formula="λ/√n for all n updates",
        factors=lambda first, last, n: torch.full((last - first,), n, dtype=torch.float64).rsqrt(),
    )
)
