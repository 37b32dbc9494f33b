"""Where the best classifier is none: at a high level β, θ* = 0 may be the optimum of a classification."""

from __future__ import annotations

import torch

from ..catalogue import losses
from ..problem import Optimum
from ..specs import ProblemSpec
from .readable import number, risk_in_words
from .result import Result

_ROUNDING = 1e-9  # of the value at θ = 0: as far as F* is known on many points
_DECIDING = 0.5  # a level at which most classifications have a θ* that decides


def best_is_none(problem: ProblemSpec, optimum: Optimum) -> bool:
    """Tell whether θ = 0, which decides nothing, is a minimum of a classification.

    All losses tie at θ = 0, so that their CVaR is that one loss at every β. It is never below F*, and θ = 0 is a
    minimum if and only if it is F*.
    """
    loss = losses[problem.full_loss]
    if loss.task != "classification":
        return False
    none, one = torch.zeros(1, dtype=torch.float64), torch.ones(1, dtype=torch.float64)
    return optimum.value >= (1 - _ROUNDING) * problem.scale * float(loss.value(none, one))


def deciding_level(beta: float) -> float | None:
    """Return a lower level to try where the best classifier is none; ``None`` at the mean, where there is no lower one.

    Where θ = 0 is the minimum at some β it is so at every higher one, so that only a lower one can help.
    """
    return _DECIDING if beta > _DECIDING else 0.0 if beta > 0 else None


def undecided(result: Result) -> str:
    """Say that the best classifier is θ = 0, and what that makes of a safe λ; empty where it is not."""
    problem = result.spec.problem
    if not best_is_none(problem, result.optimum):
        return ""
    lower = deciding_level(problem.beta)
    advice = "" if lower is None else f". A lower β, such as {lower:g}, averages more of the losses"
    return (
        f"At β = {problem.beta:g} the best classifier is θ = 0, which decides nothing: whatever θ is, the "
        f"{risk_in_words(problem)} is "
        f"at least {number(result.optimum.value)}, which θ = 0 pays everywhere. A λ that is safe here leads "
        f"there{advice}"
    )
