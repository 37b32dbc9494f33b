"""The unit-free rule for step sizes, which any model can take. It is ours, not the paper's.

SPL+'s pair frees λ of the unit of the loss. This rule frees it of the units of the features, too. With ℓ_0 the mean
loss at the start and ℓ' the slope of a loss in the prediction there,

    λ_α = λ ℓ_0,    λ_j = λ ℓ_0/(√d E[ℓ'²] E[x_j²])   for coordinate j of θ,

where d counts the features that are not always 0; of the others λ_j is 0. Multiply the loss, the target or any feature
by a factor, and the start with it, and the predictions stay the same (the target only where the loss has no scale of
its own, as squared and absolute loss have none). An offset, °C to °F, is no factor: it changes them.

E[ℓ'²] E[x_j²] stands for E[(ℓ' x_j)²], the mean square of the slope in θ_j. The product is never 0 for a feature that
only occurs in rows which the start happens to fit, and a few rows that have both a large loss and a large x_j do not
decide it. For the √d: the bound of Theorem 1, taken coordinate by coordinate, is least at a λ_j in proportion to
a_j/√E[v_j²], with a_j the way to go; and d features that share evenly in the loss at the start have
a_j = ℓ_0/√(d E[v_j²]).
"""

from __future__ import annotations

import torch
from torch import Tensor

from .method import OURS, Rule, StepSizes

_SMALLEST = torch.finfo(torch.float64).tiny  # what is below has no reciprocal


def step_sizes(lam: Tensor, initial_loss: Tensor) -> StepSizes:
    """λ_θ = λ_α = λ ℓ_0; what tells the coordinates apart is in the metric."""
    return StepSizes(lam * initial_loss, lam * initial_loss)


def metric(squares: Tensor) -> Tensor:
    """m_j = 1/(√d E[ℓ'²] E[x_j²])."""
    moving = squares >= _SMALLEST
    return torch.where(moving, 1 / (moving.sum().sqrt() * squares), 0.0)


UNIT_FREE = Rule("unit-free", "the unit-free step sizes (ours)", step_sizes, metric, whose=OURS)
