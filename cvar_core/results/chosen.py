"""One run of a sweep: chosen where it is not named, and its averaged iterate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..cancel import Stop
from ..engine import Averaged, Shard, averaged
from ..problem import Problem
from ..specs import SpecError, SweepSpec
from .criterion import Criterion

if TYPE_CHECKING:
    from .result import Result


@dataclass(frozen=True)
class Chosen:
    """A run of a sweep: a method with one of its step sizes, from one of its starts."""

    spec: SweepSpec
    method: str
    lam: float
    seed: int

    @classmethod
    def of(
        cls,
        result: Result,
        method: str | None = None,
        lam: float | None = None,
        seed: int | None = None,
        by: Criterion | None = None,
    ) -> Chosen:
        """Choose what is not given: what is recommended, and the start that ends with the median risk."""
        spec, judged = result.spec, result.judged(by)
        if method is None:
            method = spec.methods[0] if judged.choice is None else judged.choice.taken.method
        m, advised = result.method(method), judged.recommended(method)
        if lam is None:
            lam = advised.lam if advised is not None else judged.best_lambda(method) or spec.lambdas[0]
        place = result.place(lam)
        if place is None:
            raise SpecError(f"lam is {lam!r}, but this sweep ran {', '.join(f'{each:g}' for each in spec.lambdas)}")
        if seed is None:
            order = np.argsort(result.risks[m, :, result.reached, place], kind="stable")  # what diverged comes last
            seed = spec.seeds[int(order[(len(order) - 1) // 2])]
        elif seed not in spec.seeds:
            raise SpecError(f"seed is {seed!r}, but this sweep ran {', '.join(map(str, spec.seeds))}")
        return cls(spec, method, spec.lambdas[place], seed)

    def end(self, problem: Problem, stop: Stop | None = None) -> Averaged:
        """Return θ̄ and ᾱ, the means of the run's iterates: theta (dim,), alpha (); NaN if it diverged.

        Results hold no iterates, which would take most of their memory. One run is stepped again, with the same bits.
        """
        shard = Shard.of(self.spec, self.method, self.seed, [self.lam])
        theta, alpha = averaged(problem, self.spec, shard, stop)
        return Averaged(theta[0], alpha[0])
