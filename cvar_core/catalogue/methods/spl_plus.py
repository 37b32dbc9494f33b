"""SPL+ (Algorithm 2): SPL's model with the pair λ_θ = λ/ℓ_0 and λ_α = λ ℓ_0, so that λ has no unit."""

from __future__ import annotations

from .method import Look, Method
from .rules import PAIR
from .spl import PROX_LINEAR

SPL_PLUS = Method(
    name="spl+",
    label="SPL₊",
    summary="SPL with separate step sizes for θ and α, free of the loss's unit",
    model=PROX_LINEAR,
    rule=PAIR,
    look=Look("#009E73", "#2BC79A", "solid", "diamond"),
    short="prox-linear, scaled by ℓ₀",
)
