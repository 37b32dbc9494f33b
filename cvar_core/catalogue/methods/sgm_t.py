"""Truncated SGM: SGM's linear model, cut off where no objective can be. It is Asi and Duchi's, not the paper's.

From H. Asi and J. C. Duchi, "Stochastic (approximate) proximal point methods: convergence, optimality, and adaptivity"
(2019). No loss is below 0, and so neither is F(θ, α; z) = α + max(ℓ(θ; z) − α, 0)/(1 − β), which is at least ℓ. With
F_t = F(θ_t, α_t; z) the model is

    m_t = max{F_t + ⟨g_θ, θ − θ_t⟩ + g_α (α − α_t), 0},   g_θ = u v_t/(1 − β),  g_α = 1 − u/(1 − β),  u = 1[ℓ_t > α_t],

and its proximal step goes SGM's way, but no further than to where the model is 0: it is τ times SGM's with

    τ = min{1, F_t/(λ_θ‖g_θ‖² + λ_α g_α²)}.

Where ℓ_t ≤ α_t that lowers α by λ_α, but not below 0. The model is convex, below the objective for a convex loss, and
at x_t = (θ_t, α_t) as high as it, with SGM's slope g among its own. SGM's bounds need no more than that: the proximal
step gives, in the norm that belongs to the step sizes,

    ‖x_{t+1} − x‖² ≤ ‖x_t − x‖² − 2 (m_t(x_{t+1}) − m_t(x)) − ‖x_{t+1} − x_t‖²,

where m_t(x) ≤ F(x; z) and m_t(x_{t+1}) ≥ F(x_t; z) + ⟨g, x_{t+1} − x_t⟩, so that this is at most
‖x_t − x‖² − 2 (F(x_t; z) − F(x; z)) + ‖g‖², as it is for SGM.
"""

from __future__ import annotations

import torch
from torch import Tensor

from . import sgm
from .explanation import Explanation, latex
from .method import ASI_AND_DUCHIS, Linearisation, Look, Method, Model, Point, StepSizes
from .rules import ONE


def model(theta: Tensor, alpha: Tensor, at: Linearisation) -> Tensor:
    """Cut SGM's model off at 0."""
    return sgm.model(theta, alpha, at).clamp(min=0)


def _slopes(at: Linearisation) -> tuple[Tensor, Tensor, Tensor]:
    """Return F_t, how often v_t stands in g_θ, and g_α."""
    u = (at.loss > at.alpha).to(at.loss) / (1 - at.beta)
    here = (1 - at.mix) * at.loss + at.mix * (at.alpha + u * (at.loss - at.alpha))
    return here, (1 - at.mix) + at.mix * u, at.mix * (1 - u)


def step(at: Linearisation, sizes: StepSizes) -> Point:
    """Go τ times as far as SGM."""
    here, pull, slope_alpha = _slopes(at)
    here, steepness = here.clamp(min=0), sizes.along(at.v) * pull**2 + sizes.alpha * slope_alpha**2
    tau = torch.where(here < steepness, here / steepness, 1.0)  # without a slope SGM's step is 0, too
    theta = at.theta - sizes.moved(tau * pull, at.v)
    alpha = at.alpha - sizes.alpha * tau + sizes.alpha * (tau * pull)
    return Point(theta, alpha)


def weight(loss: float, slope_term: float, alpha: float, lam_alpha: float, c: float, mix: float) -> tuple[float, float]:
    u = c if loss > alpha else 0.0
    here = (1.0 - mix) * loss + mix * (alpha + u * (loss - alpha))
    here = here if here > 0.0 else 0.0
    pull = (1.0 - mix) + mix * u
    slope_alpha = mix * (1.0 - u)
    steepness = slope_term * (pull * pull) + lam_alpha * (slope_alpha * slope_alpha)
    tau = here / steepness if here < steepness else 1.0
    return tau * pull, tau


_CASES = {
    "whole": "**The plane stays above 0.** No objective is below that, nothing is cut off, and the step is SGM's.",
    "cut": "**The plane is cut off at 0.** No objective is below that, so the step ends where the model reaches it.",
}


def explain(at: Linearisation, sizes: StepSizes) -> Explanation:
    here, pull, slope_alpha = _slopes(at)
    steepness = float(sizes.along(at.v) * pull**2 + sizes.alpha * slope_alpha**2)
    tau = float(here) / steepness if float(here) < steepness else 1.0
    case = "cut" if tau < 1 else "whole"
    formulas = (
        r"$\tau = \min\{1,\;F_t\,/\,(\lambda_\theta g_\theta^2+\lambda_\alpha g_\alpha^2)\}$",
        rf"$\phantom{{\tau}} = \min\{{1,\;{latex(float(here))}\,/\,{latex(steepness)}\}} = {latex(tau)}$",
    )
    return Explanation(case, _CASES[case], formulas, {"τ": tau})


TRUNCATED = Model("sgm-t", "Truncated SGM (Asi–Duchi)", model, step, sgm.bound, weight, explain, whose=ASI_AND_DUCHIS)

SGM_T = Method(
    name="sgm-t",
    label=TRUNCATED.label,
    summary="SGM whose model is cut off at 0, below which no loss is: Asi and Duchi's, not the paper's",
    model=TRUNCATED,
    rule=ONE,
    look=Look("#332288", "#A59BEF", "longdashdot", "x"),
    short="subgradient, cut off at 0",
)
