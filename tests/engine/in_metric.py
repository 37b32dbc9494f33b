"""Metrics for the methods that have one, so that every test of the steps is one in their metric, too."""

import torch
from torch import Tensor

from cvar_core.catalogue import EVEN, StepSizes, losses, methods


def random_metric(method: str, dim: int, rng: torch.Generator) -> Tensor:
    """Return numbers of very different sizes, one of them 0; 1 for a method without a metric."""
    if methods[method].metric is None:
        return EVEN
    drawn = 10 ** torch.randn(dim, dtype=torch.float64, generator=rng)
    drawn[dim // 2] = 0.0
    return drawn


def sizes_at(method: str, lam: Tensor, theta: Tensor, x: Tensor, y: Tensor, loss: str) -> StepSizes:
    """Return a method's step sizes with some ℓ_0, and the slopes of some samples at θ."""
    if methods[method].metric is None:
        return methods[method].step_sizes(lam, torch.tensor(2.5, dtype=torch.float64))
    sizes = methods[method].step_sizes(lam, torch.tensor(0.5, dtype=torch.float64))  # at more, rounding grows
    slopes = losses[loss].slope(x @ theta, y)
    return sizes._replace(metric=methods[method].metric(slopes.square().mean() * x.square().mean(0)))


def norms_in(metric: Tensor, x: Tensor) -> Tensor:
    """Return Σ_j m_j x_j² of rows."""
    return (metric * x * x).sum(1)
