"""Whether one step size is safe, and by how much."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .robustness import UsableRange


@dataclass(frozen=True)
class Verdict:
    """Whether one λ is safe for one method: whether it lies in a usable stretch of step sizes.

    ``below`` and ``above`` are the decades of margin to the ends of the usable range: how far λ may be divided
    or multiplied. They are negative on the side on which an unsafe λ is out, and ``None`` if nothing is usable.

    Attributes
    ----------
    range
        The stretch that λ lies in; if it lies in none, the one around the method's best λ.
    suboptimality
        The median at λ; between two points of the grid, on the line in log–log through theirs.
    diverged, seeds
        How many seeds diverged (between two points of the grid, at the worse one), and out of how many.
    iteration
        How far every run had come; at 0 nothing is known yet.
    between
        The neighbours of a λ that the grid does not have.
    """

    method: str
    lam: float
    safe: bool
    range: UsableRange | None
    epsilon: float
    suboptimality: float
    diverged: int
    seeds: int
    iteration: int
    best_lambda: float | None
    between: tuple[float, float] | None = None

    @property
    def below(self) -> float | None:
        return None if self.range is None else math.log10(self.lam / self.range.low)

    @property
    def above(self) -> float | None:
        return None if self.range is None else math.log10(self.range.high / self.lam)

    @property
    def open_below(self) -> bool:
        return self.range is not None and self.range.open_low

    @property
    def open_above(self) -> bool:
        return self.range is not None and self.range.open_high
