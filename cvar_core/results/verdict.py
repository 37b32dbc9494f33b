"""Whether one step size is safe, for what, for how many starts, and by how much."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .robustness import UsableRange


@dataclass(frozen=True)
class Verdict:
    """Whether one λ is safe for one method: whether it lies in a usable stretch of step sizes for every start.

    ``below`` and ``above`` are the decades of margin to the ends of the usable range: how far λ may be divided
    or multiplied, for the median start. They are negative on the side on which an unsafe λ is out, and ``None`` if
    nothing is usable.

    Attributes
    ----------
    measure
        Safe for what: "risk", the model's, or "objective", that of model and threshold together.
    starts, seeds
        For how many starts λ is usable, and out of how many.
    range
        The median over starts of the stretch that λ lies in; of a start for which it lies in none, the one around its
        best λ. ``None`` if most starts have none.
    gap
        The median over starts at λ; between two points of the grid, on the line in log–log through theirs.
    left
        The median over starts of the share of the gap at the start that is left; more than 1 if it grew.
    diverged
        How many starts diverged (between two points of the grid, at the worse one).
    iteration
        How far every run had come; at 0 nothing is known yet.
    between
        The neighbours of a λ that the grid does not have.
    nothing_to_close
        How far the start is above F*, as a share of it, if that is so little that there is no verdict; else ``None``.
    """

    method: str
    lam: float
    measure: str
    starts: int
    seeds: int
    range: UsableRange | None
    epsilon: float
    gap: float
    left: float
    diverged: int
    iteration: int
    best_lambda: float | None
    between: tuple[float, float] | None = None
    nothing_to_close: float | None = None

    @property
    def safe(self) -> bool:
        """Whether every start that was tried is fine with λ."""
        return self.nothing_to_close is None and self.starts == self.seeds

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
