"""SPL+ (Algorithm 2): SPL with λ_θ = λ/ℓ_0 and λ_α = λ ℓ_0, so that λ has no unit.

ℓ_0 is the mean loss at the start. Multiply the loss by any factor, and the path of θ stays the same.
"""

from __future__ import annotations

from torch import Tensor

from . import spl
from .method import Method, StepSizes


def step_sizes(lam: Tensor, initial_loss: Tensor) -> StepSizes:
    return StepSizes(lam / initial_loss, lam * initial_loss)


SPL_PLUS = Method(
    name="spl+",
    label="SPL₊",
    summary="SPL with separate step sizes for θ and α, free of the loss's unit",
    model=spl.model,
    step=spl.step,
    step_sizes=step_sizes,
    bound=spl.bound,
    weight=spl.weight,
)
