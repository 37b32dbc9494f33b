"""SGM, the stochastic subgradient method (Algorithm 1): its model is linear."""

from __future__ import annotations

import torch
from torch import Tensor

from .method import Distances, Linearisation, Method, Point, StepSizes


def model(theta: Tensor, alpha: Tensor, at: Linearisation) -> Tensor:
    """Linearise all of the sampled objective, its max included."""
    above = (at.loss > at.alpha).to(at.loss)
    c = 1 / (1 - at.beta)
    here = at.alpha + c * above * (at.loss - at.alpha)
    slope_theta = c * above * (at.v * (theta - at.theta)).sum(-1)
    slope_alpha = (1 - c * above) * (alpha - at.alpha)
    return here + slope_theta + slope_alpha


def step(at: Linearisation, sizes: StepSizes) -> Point:
    """x_{t+1} = x_t − λ_t g_t; where α_t ≥ ℓ_t, θ does not move."""
    u = (at.loss > at.alpha).to(at.loss) / (1 - at.beta)
    theta = at.theta - sizes.moved(u, at.v)
    alpha = at.alpha - sizes.alpha + sizes.alpha * u
    return Point(theta, alpha)


def step_sizes(lam: Tensor, initial_loss: Tensor) -> StepSizes:
    return StepSizes(lam, lam)


def bound(start: Distances, sizes: StepSizes, beta: float, n: int) -> Tensor:
    """Theorem 1 for SGM, where λ_θ = λ_α = λ."""
    lam = sizes.alpha
    lipschitz_squared = ((start.lipschitz**2 + 1) / (1 - beta) ** 2 + 1).mean(-1)
    travel = (start.theta**2 + start.alpha**2) / (2 * lam)
    return torch.as_tensor((travel + lam * lipschitz_squared) / n**0.5)


def weight(loss: float, slope_term: float, alpha: float, lam_alpha: float, c: float, mix: float) -> tuple[float, float]:
    return (c if loss > alpha else 0.0), 1.0


SGM = Method(
    name="sgm",
    label="SGM",
    summary="stochastic subgradient method: a linear model",
    model=model,
    step=step,
    step_sizes=step_sizes,
    bound=bound,
    weight=weight,
)
