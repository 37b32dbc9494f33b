"""The model of a mini-batch that needs one backward pass, and the proximal step on it. It is ours, not the paper's.

With c = 1/(1 − β), κ = 1 − μ and losses ℓ_1 … ℓ_b, the batch's objective is

    F(θ, α) = κ mean_i ℓ_i(θ) + μ [α + c mean_i max(ℓ_i(θ) − α, 0)]          (μ = ``mix``; the paper has μ = 1).

The paper's model of one sample keeps the max and linearises the loss in it. For a batch that takes a gradient for each
sample; a weighted sum of gradients is one backward pass. So choose weights 0 ≤ q_i ≤ 1 first (the *cut*, below), and
use that max(x, 0) ≥ q x and max(x, 0) ≥ 0: with v_i a subgradient of ℓ_i at θ_t,

    T(θ, α) = μ c mean_i q_i (ℓ_i + ⟨v_i, θ − θ_t⟩ − α),      M(θ) = κ mean_i (ℓ_i + ⟨v_i, θ − θ_t⟩),
    m(θ, α) = μ α + max{T(θ, α), 0} + max{M(θ), 0}

lies below F for convex losses that are not negative (the last only for M, which μ = 1 has not). Its proximal step: α
enters m linearly, so shift it first, α_s = α_t − λ_α μ. Of two *pieces* max{p_k, 0}, with values p_k at (θ_t, α_s),
slopes g_k in θ and s_k in α, the minimiser of m + ‖θ − θ_t‖²/(2λ_θ) + (α − α_t)²/(2λ_α) is

    θ_{t+1} = θ_t − λ_θ Σ_k γ_k g_k,    α_{t+1} = α_s − λ_α Σ_k γ_k s_k,

where γ in [0, 1]² maximises the dual Σ_k γ_k p_k − ½ ‖λ_θ^½ Σ_k γ_k g_k‖² − ½ λ_α (Σ_k γ_k s_k)². For T alone that is
γ = min{1, p/(λ_θ‖g‖² + λ_α s²)}.

**The cut.** Which q makes the model tight?

- ``shifted``: q_i = 1 where ℓ_i > α_s. With a large λ_α every sample is in, and the step is one on the mean.
- ``now``: q_i = 1 where ℓ_i > α_t, which is tight where the step begins; where none is, as ``shifted``.
- ``implicit``: q_i = 1 where ℓ_i > a, a share at ties, with a the α-part of the proximal step on F itself,
  argmin_a μ(a + c mean_i max(ℓ_i − a, 0)) + (a − α_t)²/(2λ_α): tight where the step would end if θ stood still. As
  λ_α grows, a becomes the batch's own quantile, and the step one on the mean of its worst share of 1 − β.

All were tried, on linear models and on two-layer networks. At a small λ they are the same. At a large one ``shifted``
leaves the least (of a linear model, at 100 times the best λ: a CVaR of 3.2, against 3.6 and 5.0), because the mean of a
whole batch is the steadier direction: it is the default.

For one sample all three give the paper's step, in every case. There q only scales T, and bounds η = μcqγ, the weight of
the sample, by μcq instead of μc. Where ``implicit`` has q < 1, that is (ℓ_t − α_s)/λ_α; the step's η, which is at most
(ℓ_t − α_s)/(λ_θ‖v‖² + λ_α), does not reach it. For a batch the model is not tight at (θ_t, α_t), so that Theorem 1 says
nothing about it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor


class Piece(NamedTuple):
    """A linear function of (θ, α), of which the model has the positive part (or, for SGM, all)."""

    weights: Tensor  # (b,)  of each sample's gradient in the slope in θ
    value: float  # at (θ_t, α_s)
    slope: float  # in α


class Threshold(NamedTuple):
    """α_t, its step size, and what it is the threshold of."""

    alpha: float
    lam: float  # λ_α
    beta: float
    mix: float  # μ

    @property
    def shifted(self) -> float:
        """α_s, where α goes by the linear part of the model alone."""
        return self.alpha - self.lam * self.mix

    @property
    def steepness(self) -> float:
        """μ/(1 − β), the weight of a loss above the threshold."""
        return self.mix / (1 - self.beta)


def cut_shifted(losses: Tensor, at: Threshold) -> Tensor:
    return (losses > at.shifted).to(losses)


def cut_now(losses: Tensor, at: Threshold) -> Tensor:
    above = losses > at.alpha
    return above.to(losses) if above.any() else cut_shifted(losses, at)


def cut_implicit(losses: Tensor, at: Threshold) -> Tensor:
    """Return q of the proximal step in α alone, which solves a = α_s + λ_α μ c · (the share of losses above a).

    With losses from the largest to the smallest, a = min_k max(ℓ_(k+1), α_s + λ_α μ c k/b): each is too large a
    threshold or the right one, and the right one is among them.
    """
    count, pull = len(losses), at.lam * at.steepness  # by how much α rises if all losses are above it
    if pull == 0:
        return cut_shifted(losses, at)
    ordered = losses.sort(descending=True).values
    lowest = losses.new_full((1,), -torch.inf)
    rises = at.shifted + pull * torch.arange(count + 1, dtype=losses.dtype) / count
    threshold = torch.maximum(torch.cat((ordered, lowest)), rises).min()
    above, tied = losses > threshold, losses == threshold
    wanted = count * (threshold - at.shifted) / pull - above.sum()
    share = (wanted / tied.sum().clamp(min=1)).clamp(0, 1)
    return torch.where(tied, share, above.to(losses))


CUTS: dict[str, Callable[[Tensor, Threshold], Tensor]] = {
    "shifted": cut_shifted,
    "now": cut_now,
    "implicit": cut_implicit,
}


def prox_linear_pieces(losses: Tensor, at: Threshold, cut: str) -> list[Piece]:
    """Return the pieces T, and M if there is a mean in the objective, that are not 0 for good; losses (b,) float64."""
    count = len(losses)
    q = CUTS[cut](losses, at)
    weights = at.steepness / count * q
    pieces = [Piece(weights, float(weights @ (losses - at.shifted)), -float(weights.sum()))]
    if at.mix < 1:
        even = torch.full_like(losses, (1 - at.mix) / count)
        pieces.append(Piece(even, float(even @ losses), 0.0))
    return [piece for piece in pieces if piece.value > 0]


def subgradient_pieces(losses: Tensor, at: Threshold) -> list[Piece]:
    """Return the one piece of SGM, a subgradient of the batch's objective at (θ_t, α_t)."""
    tail = at.steepness / len(losses) * (losses > at.alpha).to(losses)
    weights = (1 - at.mix) / len(losses) + tail
    return [Piece(weights, 0.0, -float(tail.sum()))] if weights.any() else []


def dual_weights(values: list[float], gram: list[list[float]]) -> list[float]:
    """Return γ in [0, 1]^k, for k ≤ 2, that maximises Σ γ_k p_k − ½ γ'Aγ; values p (k,), gram A (k, k)."""
    if len(values) < 2:
        return [_clipped(p, row[0]) for p, row in zip(values, gram, strict=True)]
    p, r = values
    (a, b), (_, d) = gram
    found: list[tuple[float, float]] = [(_clipped(p - b * gamma, a), gamma) for gamma in (0.0, 1.0)]
    found += [(gamma, _clipped(r - b * gamma, d)) for gamma in (0.0, 1.0)]
    if (determinant := a * d - b * b) > 0:
        inside = (p * d - r * b) / determinant, (r * a - p * b) / determinant
        if all(0 <= gamma <= 1 for gamma in inside):
            found.append(inside)

    def dual(gamma: tuple[float, float]) -> float:
        first, second = gamma
        return first * p + second * r - (a * first**2 + d * second**2) / 2 - b * first * second

    best: tuple[float, float] = max(found, key=dual)
    return list(best)


def _clipped(value: float, curvature: float) -> float:
    """Return argmax of γ p − ½ γ² a over [0, 1]."""
    if value <= 0:
        return 0.0
    return 1.0 if value >= curvature else value / curvature
