"""SGM-U: SGM's model with the unit-free step sizes. It is ours, not the paper's."""

from __future__ import annotations

from dataclasses import replace

from . import unit_free
from .sgm import SGM

SGM_U = replace(
    SGM,
    name="sgm-u",
    label="SGM-U (ours)",
    summary="SGM with a step size for each coordinate, free of all units: ours, not the paper's",
    step_sizes=unit_free.step_sizes,
    metric=unit_free.metric,
    ours=True,
)
