"""The models whose tails are looked at: where a run ends, the optimum, and the ordinary fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..cancel import Stop
from ..engine import Shard, averaged
from ..problem import Optimum, Problem
from ..results import Criterion, Result
from ..specs import SpecError, SweepSpec

RUN, OPTIMUM, MEAN = FITS = ("run", "optimum", "mean")


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
            raise SpecError(f"lambda is {lam:g}, but this sweep ran {', '.join(f'{each:g}' for each in spec.lambdas)}")
        if seed is None:
            order = np.argsort(result.risks[m, :, result.reached, place], kind="stable")  # what diverged comes last
            seed = spec.seeds[int(order[(len(order) - 1) // 2])]
        elif seed not in spec.seeds:
            raise SpecError(f"seed is {seed!r}, but this sweep ran {', '.join(map(str, spec.seeds))}")
        return cls(spec, method, spec.lambdas[place], seed)

    def model(self, problem: Problem, stop: Stop | None = None) -> Tensor:
        """Return θ̄, the mean of the run's iterates, shape (dim,); NaN if it diverged."""
        shard = Shard.of(self.spec, self.method, self.seed, [self.lam])
        return averaged(problem, self.spec, shard, stop)[0]


def mean_fit(problem: Problem, stop: Stop | None = None) -> Optimum:
    """Return the ordinary fit: the minimum of the mean loss, which is CVaR at β = 0."""
    spec = problem.spec
    return problem.under(spec.loss, 0.0, spec.scale, spec.start, spec.loss_params).optimum(stop)


def finite(theta: Tensor) -> bool:
    return bool(torch.isfinite(theta).all())
