"""A piece of work, as data: small enough that runs share the workers and that a stop comes soon.

Whoever has a ``Workshop`` can ``perform`` a piece, in this process or in another: all that it needs is in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ..engine import Shard, State
from ..specs import ProblemSpec, SweepSpec

SECONDS = 0.25  # at most, about; drawing points cannot be cut


@dataclass(frozen=True)
class Draw:
    """Draw the points of a problem."""

    problem: ProblemSpec


@dataclass(frozen=True)
class Solve:
    """Go on solving for a problem's optimum for some seconds, where that was begun."""

    problem: ProblemSpec
    seconds: float


@dataclass(frozen=True)
class Step:
    """Advance a shard for some seconds from a state; ``None`` is the start."""

    spec: SweepSpec
    shard: Shard
    state: State | None
    seconds: float

    @property
    def problem(self) -> ProblemSpec:
        return self.spec.problem


Piece: TypeAlias = Draw | Solve | Step
