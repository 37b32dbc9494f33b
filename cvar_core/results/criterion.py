"""What counts as usable: by which measure a run is judged, and how far it has to come."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

from ..specs import SpecError

GAP_TO_CLOSE = 0.9  # a usable λ closes at least this share of the gap that it began with

RISK, OBJECTIVE = MEASURES = ("risk", "objective")


@dataclass(frozen=True)
class Criterion:
    """A run is usable when it does not diverge and ends with a gap of at most ε.

    Attributes
    ----------
    measure
        "risk" judges the model: the gap is its excess risk, R(θ̄) − F* with R the CVaR of its losses. "objective" judges
        model and threshold together, as the paper does: the gap is the suboptimality F̃(θ̄, ᾱ) − F*.
    closed
        The share of its own gap at the start that a run has to close; what then remains is its ε.
    epsilon
        ε outright, the same for every start, in the place of a share.
    """

    measure: str = RISK
    closed: float = GAP_TO_CLOSE
    epsilon: float | None = None

    def __post_init__(self) -> None:
        ensure_measure(self.measure)
        if not (is_number(self.closed) and 0 < self.closed < 1):
            raise SpecError(f"closed is {self.closed!r}, but the share of the gap to close must lie between 0 and 1")
        if self.epsilon is not None and not (is_number(self.epsilon) and 0 < self.epsilon < math.inf):
            raise SpecError(f"epsilon is {self.epsilon!r}, but it must be a finite number above 0")


def criterion(measure: str = RISK, closed: float | None = None, epsilon: float | None = None) -> Criterion:
    """Make a criterion, with the default share where none is given."""
    return Criterion(measure, GAP_TO_CLOSE if closed is None else closed, epsilon)


def ensure_measure(measure: Any) -> None:
    if measure not in MEASURES:
        raise SpecError(f"measure is {measure!r}, but it must be one of {', '.join(MEASURES)}")


def is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
