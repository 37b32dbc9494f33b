"""The paper's two rules for step sizes: one λ for θ and α, and SPL+'s pair (Algorithm 2)."""

from __future__ import annotations

from torch import Tensor

from .method import PAPERS, Rule, StepSizes


def one(lam: Tensor, initial_loss: Tensor) -> StepSizes:
    """λ_θ = λ_α = λ."""
    return StepSizes(lam, lam)


def pair(lam: Tensor, initial_loss: Tensor) -> StepSizes:
    """λ_θ = λ/ℓ_0 and λ_α = λ ℓ_0, with ℓ_0 the mean loss at the start, so that λ has no unit of the loss.

    Multiply the loss by any factor, and the path of θ stays the same.
    """
    return StepSizes(lam / initial_loss, lam * initial_loss)


ONE = Rule("one", "one λ", one, whose=PAPERS)
PAIR = Rule("pair", "the pair", pair, whose=PAPERS)
