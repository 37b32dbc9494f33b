"""The models whose tails are looked at: where a run ends, the optimum, and the ordinary fit."""

from __future__ import annotations

import torch
from torch import Tensor

from ..cancel import Stop
from ..problem import Optimum, Problem

RUN, OPTIMUM, MEAN = FITS = ("run", "optimum", "mean")


def mean_fit(problem: Problem, stop: Stop | None = None) -> Optimum:
    """Return the ordinary fit: the minimum of the mean loss, which is CVaR at β = 0."""
    spec = problem.spec
    return problem.under(spec.loss, 0.0, spec.scale, spec.start, spec.loss_params).optimum(stop)


def finite(theta: Tensor) -> bool:
    return bool(torch.isfinite(theta).all())
