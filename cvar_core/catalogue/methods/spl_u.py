"""SPL-U: SPL's model with the unit-free step sizes. They are ours, not the paper's."""

from __future__ import annotations

from .method import Look, Method
from .spl import PROX_LINEAR
from .unit_free import UNIT_FREE

SPL_U = Method(
    name="spl-u",
    label="SPL-U (ours)",
    summary="SPL with a step size for each coordinate, free of all units: ours, not the paper's",
    model=PROX_LINEAR,
    rule=UNIT_FREE,
    look=Look("#AA4499", "#DD8FCF", "dashdot", "cross"),
    short="prox-linear, λ free of all units",
)
