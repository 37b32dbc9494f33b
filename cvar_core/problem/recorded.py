"""What a θ is worth on a data set beside the objective: accuracy in classification, losses in regression."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ..catalogue import Loss, losses
from ..specs import ProblemSpec
from .objective import cvar
from .points import Points


def names(spec: ProblemSpec) -> tuple[str, ...]:
    """Return the names of the measures of a problem, in order; a synthetic one has none."""
    if spec.data is None:
        return ()
    if losses[spec.loss].task == "classification":
        return ("train_accuracy",) if spec.test is None else ("train_accuracy", "test_accuracy")
    return ("train_mean_loss",) if spec.test is None else ("train_mean_loss", "test_mean_loss", "test_cvar")


def recorded(spec: ProblemSpec) -> tuple[str, ...]:
    """Return the names of what is recorded of a run beside its objective, in order.

    Where samples are fresh and the task is regression, the distance ‖θ − θ_gen‖ tells the population's excess risk.
    """
    return ("risk", *(("distance",) if fresh_regression(spec) else ()), *names(spec))


def fresh_regression(spec: ProblemSpec) -> bool:
    """Tell whether P is the synthetic distribution itself, with θ_gen its minimiser."""
    return spec.data is None and spec.sample_size is None and losses[spec.loss].task == "regression"


def on_test(test: Points, loss: Loss, spec: ProblemSpec, thetas: Tensor) -> list[Tensor]:
    """Return the measures of thetas (runs, dim) on the test points, each of shape (runs,)."""
    predictions = test.predictions(thetas)
    if loss.task == "classification":  # a prediction of exactly 0 decides nothing, and is wrong
        return [(predictions * test.target > 0).sum(1).to(torch.float64) / test.count]
    values = spec.scale * loss.value(predictions, test.target).contiguous()
    with np.errstate(over="ignore"):  # the loss of a run that is about to diverge
        mean = torch.from_numpy(values.numpy().mean(axis=1))
    return [mean, torch.tensor([_cvar(each, spec.beta) for each in values], dtype=torch.float64)]


def _cvar(values: Tensor, beta: float) -> float:
    return cvar(values, beta) if bool(torch.isfinite(values).all()) else torch.inf
