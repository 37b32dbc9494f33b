"""The updates of many runs under a loss of one's own: the catalogue's steps on slopes from ``torch.func``."""

from __future__ import annotations

import torch
from torch import Tensor

from ..catalogue import Linearisation, StepSizes, methods
from ..problem import OwnGround

Runs = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]


def own_steps(ground: OwnGround, rows: list[int], factors: Tensor, sizes: StepSizes, runs: Runs, method: str) -> Runs:
    """Take one update per sample in every run, as ``steps_in_torch`` does for a linear prediction."""
    theta, alpha, theta_sum, alpha_sum, diverged = (part.clone() for part in runs)
    step, spec = methods[method].step, ground.spec
    for row, factor in zip(rows, factors, strict=True):
        value, v = ground.linearised(theta, row)
        now = StepSizes(sizes.theta * factor, sizes.alpha * factor, sizes.metric)
        theta, alpha = step(Linearisation(theta, alpha, value, v, spec.beta, spec.tail_weight), now)
        theta_sum += theta
        alpha_sum += alpha
        finite = torch.isfinite(value + now.along(v)) & torch.isfinite(alpha) & torch.isfinite(theta).all(1)
        diverged |= ~finite
    return theta, alpha, theta_sum, alpha_sum, diverged
