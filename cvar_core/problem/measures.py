"""What a θ is worth on a data set beside the objective: accuracy in classification, losses in regression."""

from __future__ import annotations

import torch
from torch import Tensor

from ..cancel import Stop, check
from ..catalogue import Loss, losses
from ..specs import ProblemSpec
from .objective import cvar
from .points import Points

_MOST_PREDICTIONS = 2**23


def names(spec: ProblemSpec) -> tuple[str, ...]:
    """Return the names of the measures of a problem, in order; a synthetic one has none."""
    if spec.data is None:
        return ()
    if losses[spec.loss].task == "classification":
        return ("train_accuracy",) if spec.test is None else ("train_accuracy", "test_accuracy")
    return ("train_mean_loss",) if spec.test is None else ("train_mean_loss", "test_mean_loss", "test_cvar")


def measure(
    points: Points, test: Points | None, loss: Loss, spec: ProblemSpec, thetas: Tensor, stop: Stop | None
) -> Tensor:
    """Return the measures of thetas (runs, dim), shape (runs, measures)."""
    most = max(points.count, 0 if test is None else test.count)
    group = max(1, min(_MOST_PREDICTIONS // most, int(2e9 // points.work)))
    found = []
    for first in range(0, len(thetas), group):
        check(stop)
        here = thetas[first : first + group]
        if loss.task == "classification":
            columns = [_accuracy(each, here) for each in (points, test) if each is not None]
        else:
            zero = torch.zeros(len(here), dtype=torch.float64)
            columns = [spec.scale * points.tail_sums(loss, here, zero) / points.count]  # no loss is below 0
            if test is not None:
                values = spec.scale * loss.value(test.predictions(here), test.target).contiguous()
                columns.append(torch.from_numpy(values.numpy().mean(axis=1)))
                columns.append(torch.tensor([_cvar(each, spec.beta) for each in values], dtype=torch.float64))
        found.append(torch.stack(columns, dim=1))
    return torch.cat(found)


def _accuracy(points: Points, thetas: Tensor) -> Tensor:
    """Return the share of points on the right side; a prediction of exactly 0 decides nothing, and is wrong."""
    right = (points.predictions(thetas) * points.target > 0).sum(1)
    return right.to(torch.float64) / points.count


def _cvar(values: Tensor, beta: float) -> float:
    return cvar(values, beta) if bool(torch.isfinite(values).all()) else torch.inf
