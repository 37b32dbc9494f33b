"""SGM, the stochastic subgradient method (Algorithm 1): its model is linear."""

from __future__ import annotations

import torch
from torch import Tensor

from .explanation import Explanation
from .method import PAPERS, Distances, Linearisation, Look, Method, Model, Point, StepSizes
from .rules import ONE


def model(theta: Tensor, alpha: Tensor, at: Linearisation) -> Tensor:
    """Linearise all of the sampled objective, its max included."""
    above = (at.loss > at.alpha).to(at.loss)
    c, mean = 1 / (1 - at.beta), 1 - at.mix
    here = at.mix * (at.alpha + c * above * (at.loss - at.alpha)) + mean * at.loss
    slope_theta = (at.mix * c * above + mean) * (at.v * (theta - at.theta)).sum(-1)
    slope_alpha = at.mix * (1 - c * above) * (alpha - at.alpha)
    return here + slope_theta + slope_alpha


def step(at: Linearisation, sizes: StepSizes) -> Point:
    """x_{t+1} = x_t − λ_t g_t; where α_t ≥ ℓ_t, θ does not move, but for the mean's part in a mix."""
    u = at.mix * (at.loss > at.alpha).to(at.loss) / (1 - at.beta)
    theta = at.theta - sizes.moved(1 - at.mix + u, at.v)
    alpha = at.alpha - sizes.alpha * at.mix + sizes.alpha * u
    return Point(theta, alpha)


def bound(start: Distances, sizes: StepSizes, beta: float, n: int) -> Tensor:
    """Theorem 1 for SGM, where λ_θ = λ_α; for another pair it holds with θ measured in units of √(λ_θ/λ_α)."""
    ratio = (sizes.theta / sizes.alpha).unsqueeze(-1)
    lipschitz_squared = ((ratio * start.lipschitz**2 + 1) / (1 - beta) ** 2 + 1).mean(-1)
    travel = start.theta**2 / (2 * sizes.theta) + start.alpha**2 / (2 * sizes.alpha)
    return torch.as_tensor((travel + sizes.alpha * lipschitz_squared) / n**0.5)


def weight(loss: float, slope_term: float, alpha: float, lam_alpha: float, c: float, mix: float) -> tuple[float, float]:
    return (1.0 - mix) + (mix * c if loss > alpha else 0.0), 1.0


def explain(at: Linearisation, sizes: StepSizes) -> Explanation:
    loss = float(at.loss)
    numbers = {"g": 1 / (1 - at.beta) if loss > float(at.alpha) else 0.0}
    if numbers["g"]:
        words = (
            "**α is below the loss.** The model sees the slope at this point only, and the step follows it all the way."
        )
        return Explanation("too small", words, (), numbers, (loss, loss))
    words = "**α is above the loss.** The model is flat in θ: θ does not move, however large λ is, and α falls by λ."
    return Explanation("too big", words, (), numbers, (loss, loss))


LINEAR = Model("sgm", "SGM", model, step, bound, weight, explain, PAPERS)

SGM = Method(
    name="sgm",
    label="SGM",
    summary="stochastic subgradient method: a linear model",
    model=LINEAR,
    rule=ONE,
    look=Look("#D55E00", "#FF8A3D", "dot", "square"),
    short="stochastic subgradient",
)
