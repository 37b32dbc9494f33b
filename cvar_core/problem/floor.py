"""The floor: how far above F* the population's minimiser is on the evaluation points.

Fresh samples lead there, not to the minimiser of those points: no run on them can be told from a perfect one by an
excess risk that is not well above the floor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..cancel import Stop, check
from . import draws
from .objective import mixed
from .optimum import Optimum, minimise
from .points import DensePoints

if TYPE_CHECKING:
    from .problem import Problem

_MOST = 5_000  # points of a draw: enough for the order of magnitude, which is all that a floor is for
_DRAWS = 3
_WIDE = 30  # dimensions, from which a draw takes long and one has to do


def floor(problem: Problem, optimum: Optimum, stop: Stop | None = None) -> float | None:
    """Return the risk on the evaluation points at the population's minimiser, above ``optimum``.

    In regression that minimiser is θ_gen. In classification it has no closed form, but the minimiser θ' of N' other
    points scores about c/N' + c/N above F* on N evaluation points, of which c/N is the floor. ``None`` where P is made
    of the points themselves.
    """
    spec = problem.spec
    if spec.data is not None or spec.sample_size is not None:
        return None
    if problem.loss.task == "regression":
        return max(mixed(problem.losses(problem.theta_gen), spec.beta, spec.tail_weight) - optimum.value, 0.0)
    if not bool(optimum.theta.any()):
        return 0.0
    size, draws_made = min(spec.eval_size, _MOST), _DRAWS if spec.dim < _WIDE else 1
    scores = torch.tensor([_score(problem, size, number, stop) for number in range(draws_made)], dtype=torch.float64)
    above = float(scores.mean()) - optimum.value
    return max(above / (1 + spec.eval_size / size), 0.0)


def _score(problem: Problem, size: int, number: int, stop: Stop | None) -> float:
    """Return the risk on the evaluation points at the minimiser of an independent draw."""
    check(stop)
    loss, beta, mix = problem.loss, problem.spec.beta, problem.spec.tail_weight
    columns, target = draws.independent(problem.spec, problem.theta_gen, size, number)
    found = minimise(DensePoints.build(columns, target, loss), loss, beta, stop, mix=mix)
    return mixed(problem.losses(found.theta), beta, mix)
