"""A first approach to the minimum of the risk: L-BFGS, warm-started on growing subsamples.

α is not a variable here: it is always put at the quantile, so that the function is the risk R(θ) itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ...cancel import Stop, check
from ...catalogue import Loss
from ..objective import tail_mass, var
from ..points import Points

MANY = 100_000  # points


class Tail(NamedTuple):
    """The tail of the losses at one θ."""

    value: float  # the risk: CVaR_β, or a mix of it with the mean
    alpha: float  # VaR_β
    losses: Tensor  # (count,)
    weights: Tensor  # (count,) each loss's share in the risk: they sum to 1, ties share what is left
    gradient: Tensor  # (dim,) a subgradient of the risk


def tail_at(points: Points, loss: Loss, beta: float, theta: Tensor, mix: float = 1.0) -> Tail:
    """Return the tail at θ, over all points, of (1 − μ)·mean + μ·CVaR_β for the mix μ."""
    prediction = points.predict(theta)
    losses = loss.value(prediction, points.target)
    if not bool(torch.isfinite(losses).all()):  # so far out that nothing can be said but that it is too far
        nothing = torch.zeros_like(losses)
        return Tail(torch.inf, torch.inf, losses, nothing, torch.zeros_like(theta))
    alpha = var(losses, beta)
    mass = tail_mass(points.count, beta)
    excess = (losses - alpha).clamp(min=0)
    above = losses > alpha
    tied = losses == alpha
    left = (mass - float(above.sum())) / float(tied.sum())
    weights = (above.to(losses) + left * tied) / mass
    value = alpha + float(excess.numpy().sum()) / mass
    if mix != 1:
        weights = mix * weights + (1 - mix) / points.count
        value = mix * value + (1 - mix) * float(losses.numpy().mean())
    gradient = points.combine(weights * loss.slope(prediction, points.target))
    return Tail(value, alpha, losses, weights, gradient)


def descend(
    points: Points, loss: Loss, beta: float, theta: Tensor, stop: Stop | None, most: int = 100, mix: float = 1.0
) -> Tensor:
    """Return a θ near the minimum, shape (dim,); over very many points after at most ``most`` calls of all of them."""
    smallest = max(2_000, 20 * points.dim, int(50 / (1 - beta)))
    for stride in (100, 10, 1):
        if stride > 1 and points.count < stride * smallest:
            continue
        sample = points.subset(torch.arange(0, points.count, stride)) if stride > 1 else points
        calls = most if sample.count > MANY else 400  # the polish does the rest
        theta = _lbfgs(sample, loss, beta, theta, stop, calls, mix)
    return theta


def _lbfgs(points: Points, loss: Loss, beta: float, theta: Tensor, stop: Stop | None, calls: int, mix: float) -> Tensor:
    from scipy.optimize import minimize

    best = (np.inf, theta)

    def evaluate(x: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal best
        check(stop)
        here = torch.from_numpy(x.copy())
        tail = tail_at(points, loss, beta, here, mix)
        if tail.value < best[0]:
            best = (tail.value, here)
        return tail.value, tail.gradient.numpy()

    options = {"maxiter": calls, "maxfun": calls, "ftol": 1e-10, "gtol": 1e-12, "maxcor": 20}
    minimize(evaluate, theta.numpy(), jac=True, method="L-BFGS-B", options=options)
    return best[1]  # where the line search gives up at a kink, the best point seen is still kept
