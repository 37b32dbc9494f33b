"""SPL, the stochastic prox-linear method: it linearises inside the max, with one step size for θ and α."""

from __future__ import annotations

import torch
from torch import Tensor

from . import mixed
from .explanation import Explanation, latex
from .method import PAPERS, Distances, Linearisation, Look, Method, Model, Point, StepSizes
from .mixed import weight as mixed_weight
from .rules import ONE


def model(theta: Tensor, alpha: Tensor, at: Linearisation) -> Tensor:
    """m_t = α + max{ℓ_t + ⟨v_t, θ − θ_t⟩ − α, 0}/(1 − β)."""
    if at.mix != 1:
        return mixed.model(theta, alpha, at)
    inside = at.loss + (at.v * (theta - at.theta)).sum(-1) - alpha
    return alpha + inside.clamp(min=0) / (1 - at.beta)


def step(at: Linearisation, sizes: StepSizes) -> Point:
    """Take the closed-form update of Lemma 1, for any pair λ_θ, λ_α."""
    if at.mix != 1:
        return mixed.step(at, sizes)
    excess = (at.loss - at.alpha + sizes.alpha).clamp(min=0)
    gamma = excess / (sizes.along(at.v) + sizes.alpha)
    eta = gamma.clamp(max=1 / (1 - at.beta))
    theta = at.theta - sizes.moved(eta, at.v)
    alpha = at.alpha - sizes.alpha + sizes.alpha * eta
    return Point(theta, alpha)


def bound(start: Distances, sizes: StepSizes, beta: float, n: int) -> Tensor:
    """Theorem 1 for SPL+, which is SPL at λ_θ = λ_α."""
    ratio = (sizes.theta / sizes.alpha).unsqueeze(-1)
    lipschitz_squared = ((ratio * start.lipschitz**2 + 1) / (1 - beta) ** 2).mean(-1)
    travel = start.theta**2 / (2 * sizes.theta) + start.alpha**2 / (2 * sizes.alpha)
    return torch.as_tensor((travel + sizes.alpha * lipschitz_squared) / n**0.5)


def weight(loss: float, slope_term: float, alpha: float, lam_alpha: float, c: float, mix: float) -> tuple[float, float]:
    if mix != 1.0:
        return mixed_weight(loss, slope_term, alpha, lam_alpha, c, mix)
    excess = loss - alpha + lam_alpha
    excess = excess if excess > 0.0 else 0.0
    gamma = excess / (slope_term + lam_alpha)
    return (gamma if gamma < c else c), 1.0


_CASES = {
    "too big": "**α is too big.** It is so far above the loss that the sample says nothing about θ: only α comes down.",
    "too small": "**α is too small.** The loss is far above it, and the step is that of the subgradient method.",
    "middle": "**α is in the middle range.** The step ends on the kink of the model, and not beyond it.",
}


def explain(at: Linearisation, sizes: StepSizes) -> Explanation:
    c, loss, lam_alpha = 1 / (1 - at.beta), float(at.loss), float(sizes.alpha)
    excess, steepness = max(loss - float(at.alpha) + lam_alpha, 0.0), float(sizes.along(at.v)) + lam_alpha
    gamma = excess / steepness
    case = "too big" if gamma <= 0 else "too small" if gamma >= c else "middle"
    formulas = (
        r"$\gamma = \max(\ell_t-\alpha_t+\lambda_\alpha,\,0)\,/\,(\lambda_\theta v_t^2+\lambda_\alpha)$",
        rf"$\phantom{{\gamma}} = {latex(excess)}\,/\,{latex(steepness)} = {latex(gamma)}$, at most ${latex(c)}$",
    )
    middle = (loss + lam_alpha - c * steepness, loss + lam_alpha)
    return Explanation(case, _CASES[case], formulas, {"γ": gamma}, middle)


PROX_LINEAR = Model("spl", "SPL", model, step, bound, weight, explain, PAPERS)

SPL = Method(
    name="spl",
    label="SPL",
    summary="stochastic prox-linear method: the max is kept in the model",
    model=PROX_LINEAR,
    rule=ONE,
    look=Look("#0072B2", "#56B4E9", "dash", "circle"),
    short="prox-linear",
)
