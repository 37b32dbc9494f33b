"""The nine panels of the paper's synthetic study, as specs: three losses, each under three noises."""

from __future__ import annotations

from typing import Any

from ...specs import PAPER_EVAL_SIZE, PAPER_ITERATIONS, USUAL_SEEDS, ProblemSpec, SweepSpec

LOSSES = ("squared", "absolute", "logistic")  # the rows
NOISES = ("normal", "gumbel", "lognormal")  # the columns


def panels(
    iterations: int = PAPER_ITERATIONS, seeds: Any = USUAL_SEEDS, eval_size: int = PAPER_EVAL_SIZE
) -> tuple[SweepSpec, ...]:
    """Return the panels row by row, at the paper's settings unless told otherwise."""
    return tuple(
        SweepSpec(ProblemSpec(loss=loss, noise=noise, eval_size=eval_size), iterations=iterations, seeds=seeds)
        for loss in LOSSES
        for noise in NOISES
    )


def name(spec: SweepSpec) -> str:
    """Return what sets a panel apart from the others.

    >>> name(panels()[2])
    'squared loss, lognormal noise'
    """
    return f"{spec.problem.loss} loss, {spec.problem.noise} noise"
