"""SGM-U: SGM's model with the unit-free step sizes. They are ours, not the paper's."""

from __future__ import annotations

from .method import Look, Method
from .sgm import LINEAR
from .unit_free import UNIT_FREE

SGM_U = Method(
    name="sgm-u",
    label="SGM-U (ours)",
    summary="SGM with a step size for each coordinate, free of all units: ours, not the paper's",
    model=LINEAR,
    rule=UNIT_FREE,
    look=Look("#8C6D00", "#E6C229", "longdash", "pentagon"),
    short="subgradient, λ free of all units",
)
