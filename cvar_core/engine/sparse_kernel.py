"""The updates of many runs on sparse rows: a step costs the row's non-zeros, whatever the dimension.

The mean of the iterates would touch every coordinate in every step. But with θ_{t+1} = θ_t − f_t x_t,

    mean(θ_1 … θ_n) = θ_n + B/n,   B = Σ_t t f_t x_t,   t = 0 … n−1,

and B changes only where x_t is not zero. On sparse data a state keeps B in the place of the sum.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..catalogue import Linearisation, StepSizes, losses, methods
from ..compiled import jit
from ..linear import AHEAD, FAR, add_sparse, prefetch
from ..problem.points import SparsePoints
from ..problem.sparse_sums import side_by_side
from .kernel import filled_up, flat

Runs = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]  # θ, α, B, Σα and diverged, as in the engine's state


def sparse_steps_in_torch(
    points: SparsePoints,
    index: Tensor,  # (count,)
    first: int,  # t of the first of them
    factors: Tensor,  # (count,) of the schedule
    sizes: StepSizes,  # (runs,), and (dim,) in the metric
    runs: Runs,
    beta: float,
    scale: float,
    loss: str,
    method: str,
    mix: float = 1.0,  # the share of CVaR in the objective
) -> Runs:
    """Take one update per sample in every run: the definition, in which rows are made dense."""
    entry, step, count = losses[loss], methods[method].step, len(runs[1])
    theta, alpha, lag, alpha_sum, diverged = map(filled_up, runs)
    sizes = StepSizes(filled_up(sizes.theta), filled_up(sizes.alpha), sizes.metric)
    for t, (row, factor) in enumerate(zip(index, factors, strict=True), start=first):
        (x_t,), y_t = points.rows(row.reshape(1)), points.target[row]
        prediction = (theta * x_t).sum(1)
        value = scale * entry.value(prediction, y_t)
        v = (scale * entry.slope(prediction, y_t)).unsqueeze(1) * x_t
        here = StepSizes(sizes.theta * factor, sizes.alpha * factor, sizes.metric)
        moved, alpha = step(Linearisation(theta, alpha, value, v, beta, mix), here)
        lag += t * (theta - moved)
        theta = moved
        alpha_sum += alpha
        finite = torch.isfinite(prediction + value + here.along(v))
        diverged |= ~(finite & torch.isfinite(alpha) & torch.isfinite(theta).all(1))
    return theta[:count], alpha[:count], lag[:count], alpha_sum[:count], diverged[:count]


def sparse_steps(
    points: SparsePoints,
    index: Tensor,
    first: int,
    factors: Tensor,
    sizes: StepSizes,
    runs: Runs,
    beta: float,
    scale: float,
    loss: str,
    method: str,
    mix: float = 1.0,
) -> Runs:
    """Take the same updates in a loop compiled from the loss's and the method's scalar forms."""
    entry, weight = losses[loss], methods[method].weight
    scalar = entry.scalar
    if scalar is None or weight is None:
        return sparse_steps_in_torch(points, index, first, factors, sizes, runs, beta, scale, loss, method, mix)
    count = len(runs[0])
    theta, lag = side_by_side(runs[0]), side_by_side(runs[2])
    alpha, alpha_sum, lam_theta, lam_alpha = (
        side_by_side(part.unsqueeze(1))[0] for part in (runs[1], runs[3], sizes.theta, sizes.alpha)
    )
    odd = torch.zeros_like(alpha)
    state = (part.numpy() for part in (theta, alpha, lag, alpha_sum, odd))
    norms, metric = points.norms_of(index, sizes.metric), flat(sizes.metric)
    inputs = (part.numpy() for part in (points.target, norms, index, factors, lam_theta, lam_alpha, metric))
    settings = 1 / (1 - beta), scale, mix, entry.constants
    _kernel(scalar, weight, mix != 1)(*points.arrays, *inputs, float(first), *state, *settings)
    # Views of (dim, lanes): the next call copies rows that lie as it wants them.
    return (
        theta[:, :count].T,
        alpha[:count].clone(),
        lag[:, :count].T,
        alpha_sum[:count].clone(),
        runs[4] | (odd[:count] != 0),
    )


@functools.cache
def _kernel(scalar: Callable[..., Any], weight: Callable[..., Any], mixed: bool) -> Callable[..., None]:
    def steps(  # type: ignore[no-untyped-def]
        indptr, indices, values, y, norms, index, factors, lam_theta, lam_alpha, metric,
        first, theta, alpha, lag, alpha_sum, odd, c, scale, mix, constants,
    ):  # fmt: skip
        lanes, far = theta.shape[1], theta.shape[0] > FAR
        apart = 0 if metric.shape[0] == 1 else 1
        prediction, move, late = np.empty(lanes), np.empty(lanes), np.empty(lanes)
        for t in range(index.shape[0]):
            i = index[t]
            begin, end = indptr[i], indptr[i + 1]
            add_sparse(begin, end, indices, values, theta, prediction)
            y_i, norm, factor = y[i], norms[t], factors[t]
            for j in range(lanes):
                value, slope = scalar(prediction[j], y_i, *constants)
                value = scale * value
                slope = scale * slope
                step_theta, step_alpha = lam_theta[j] * factor, lam_alpha[j] * factor
                slope_term = step_theta * (slope * slope * norm)
                g, down = weight(value, slope_term, alpha[j], step_alpha, c, mix if mixed else 1.0)
                alpha[j] = alpha[j] - step_alpha * down + step_alpha * g
                alpha_sum[j] += alpha[j]
                move[j] = step_theta * g * slope
                late[j] = (first + t) * move[j]
                # 0 · z is 0 for finite z and NaN for the rest: a test without branches.
                odd[j] += 0.0 * (prediction[j] + value + slope_term + alpha[j])
            moving = 0
            for j in range(lanes):
                moving += move[j] != 0.0
            if moving == 0:  # subtracting zeros would change nothing
                continue
            for e in range(begin, end):
                if far:
                    prefetch(lag, indices[min(e + AHEAD, end - 1)])
                k = indices[e]
                x = metric[k * apart] * values[e]
                th, la = theta[k], lag[k]
                for j in range(lanes):
                    th[j] -= move[j] * x
                    la[j] += late[j] * x
                    odd[j] += 0.0 * th[j]

    return jit(steps)
