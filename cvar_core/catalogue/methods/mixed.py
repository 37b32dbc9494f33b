"""SPL's model of a mix, (1 − μ)·mean + μ·CVaR, as the paper's conclusion suggests; the model of the mean is ours.

With κ = 1 − μ and u = ℓ_t + ⟨v_t, θ − θ_t⟩, the sample's loss linearised,

    m_t(θ, α) = κ max{u, 0} + μ (α + max{u − α, 0}/(1 − β)).

Losses are never negative, so that u may be cut at 0: the model is nearer to the objective, and still below it where the
loss is convex. Without the cut the mean's part is a plain gradient step, which overshoots at a large λ.

The proximal step gives the mean's max a multiplier ξ ∈ [0, κ] and the tail's an η ∈ [0, μ/(1 − β)]: θ moves by
−λ_θ (ξ + η) m∘v_t and α by −λ_α μ + λ_α η. With S = λ_θ Σ_j m_j v_j² the loss gets to u = ℓ_t − S (ξ + η), where ξ is κ
if u > 0 and 0 if u < 0. So u is the middle one of ℓ_t − S (κ + η), 0 and ℓ_t − S η, and η is where it meets
α = α_t − λ_α μ + λ_α η. Each of the three falls with η, hence the middle one meets α at the middle one of

    (ℓ_t − κS − α_t + λ_α μ)/(S + λ_α),   (λ_α μ − α_t)/λ_α   and   (ℓ_t − α_t + λ_α μ)/(S + λ_α),

clipped to what η may be. For μ = 1 the first and the last are one, and the step is the paper's; for μ = 0, η = 0, and
θ makes the gradient step on the mean that does not go beyond a loss of 0, and α stays.
"""

from __future__ import annotations

from torch import Tensor

from .method import Linearisation, Point, StepSizes


def model(theta: Tensor, alpha: Tensor, at: Linearisation) -> Tensor:
    """m_t = κ max{u, 0} + μ (α + max{u − α, 0}/(1 − β))."""
    u = at.loss + (at.v * (theta - at.theta)).sum(-1)
    tail = alpha + (u - alpha).clamp(min=0) / (1 - at.beta)
    return (1 - at.mix) * u.clamp(min=0) + at.mix * tail


def step(at: Linearisation, sizes: StepSizes) -> Point:
    kappa, mu, along = 1 - at.mix, at.mix, sizes.along(at.v)
    excess = at.loss - at.alpha + sizes.alpha * mu
    first = (excess - kappa * along) / (along + sizes.alpha)
    last = excess / (along + sizes.alpha)
    zero = mu - at.alpha / sizes.alpha
    eta = first.maximum(last.minimum(zero)).clamp(0, mu / (1 - at.beta))
    room = at.loss - along * eta
    xi = (room.clamp(min=0) / along).nan_to_num(nan=kappa).clamp(max=kappa)  # 0/0: nothing moves, whatever ξ is
    theta = at.theta - sizes.moved(xi + eta, at.v)
    alpha = at.alpha - sizes.alpha * mu + sizes.alpha * eta
    return Point(theta, alpha)


def weight(loss: float, slope_term: float, alpha: float, lam_alpha: float, c: float, mix: float) -> tuple[float, float]:
    """ξ + η, and μ + ξ: what θ moves by has ξ in it, and what α moves by has not."""
    kappa = 1.0 - mix
    capped = kappa * slope_term
    excess = loss - alpha + lam_alpha * mix
    first = (excess - capped) / (slope_term + lam_alpha)
    last = excess / (slope_term + lam_alpha)
    zero = mix - alpha / lam_alpha
    last = last if last < zero else zero
    eta = first if first > last else last
    eta = eta if eta > 0.0 else 0.0
    eta = eta if eta < mix * c else mix * c
    room = loss - slope_term * eta
    room = room if room > 0.0 else 0.0
    xi = kappa if room >= capped else room / slope_term
    return xi + eta, mix + xi
