"""Theorem 1 as a calculator: what it promises of the mean suboptimality, and what runs of a problem really do."""

from .explained import BEST_STEPS, NOISE, THEOREM, chosen_steps, table, unexplained
from .measured import LAMBDAS, SEEDS, Measured, expect, experiment, looseness, measure, setting_of
from .theorem import (
    Bound,
    Bounds,
    Constants,
    Pair,
    Setting,
    best_pair,
    bounds,
    bounds_by_name,
    constants,
    printed_pair,
    slopes_with,
    updates_to_promise,
    what_if,
)

__all__ = [
    "BEST_STEPS",
    "LAMBDAS",
    "NOISE",
    "SEEDS",
    "THEOREM",
    "Bound",
    "Bounds",
    "Constants",
    "Measured",
    "Pair",
    "Setting",
    "best_pair",
    "bounds",
    "bounds_by_name",
    "chosen_steps",
    "constants",
    "expect",
    "experiment",
    "looseness",
    "measure",
    "printed_pair",
    "setting_of",
    "slopes_with",
    "table",
    "unexplained",
    "updates_to_promise",
    "what_if",
]
