"""SPL-U: SPL's model with the unit-free step sizes. It is ours, not the paper's."""

from __future__ import annotations

from dataclasses import replace

from . import unit_free
from .spl import SPL

SPL_U = replace(
    SPL,
    name="spl-u",
    label="SPL-U (ours)",
    summary="SPL with a step size for each coordinate, free of all units: ours, not the paper's",
    step_sizes=unit_free.step_sizes,
    metric=unit_free.metric,
    ours=True,
)
