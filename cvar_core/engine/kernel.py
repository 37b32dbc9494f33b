"""The updates of many runs on one stream of samples, as a torch operator.

``torch.ops.cvar_core.steps`` has two implementations: plain torch, which calls the method's step as the
catalogue defines it and serves every device, loss and method; and, on the CPU, a loop compiled from the
loss's and the method's scalar forms. Runs lie side by side in tiles, so that the compiler turns the inner
loops over runs into vector instructions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..catalogue import EVEN, Linearisation, StepSizes, losses, methods
from ..compiled import jit
from ..linear import ALIKE, LANES, add_rows

TILE = 64  # runs that step together

_library = torch.library.Library("cvar_core", "FRAGMENT")
_library.define(
    "steps(Tensor x, Tensor y, Tensor norms, Tensor factors, Tensor lam_theta, Tensor lam_alpha,"
    " Tensor theta, Tensor alpha, Tensor theta_sum, Tensor alpha_sum, Tensor diverged,"
    " float beta, float scale, str loss, str method, Tensor? metric=None, float mix=1.0)"
    " -> (Tensor, Tensor, Tensor, Tensor, Tensor)"
)


def steps_in_torch(
    x: Tensor,  # (count, dim)
    y: Tensor,  # (count,)
    norms: Tensor,  # (count,)  ‖x‖², in the metric: Σ_j m_j x_j²
    factors: Tensor,  # (count,) of the schedule
    lam_theta: Tensor,  # (runs,)
    lam_alpha: Tensor,  # (runs,)
    theta: Tensor,  # (runs, dim)
    alpha: Tensor,  # (runs,)
    theta_sum: Tensor,  # (runs, dim)
    alpha_sum: Tensor,  # (runs,)
    diverged: Tensor,  # (runs,) of bool
    beta: float,
    scale: float,
    loss: str,
    method: str,
    metric: Tensor | None = None,  # (dim,)  m; none is 1 everywhere
    mix: float = 1.0,  # the share of CVaR in the objective, the rest being the mean
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Take one update per sample in every run: the definition."""
    entry, step, runs = losses[loss], methods[method].step, len(alpha)
    metric = EVEN if metric is None else metric
    theta, alpha, theta_sum, alpha_sum, lam_theta, lam_alpha = map(
        filled_up, (theta, alpha, theta_sum, alpha_sum, lam_theta, lam_alpha)
    )
    diverged = filled_up(diverged)
    for x_t, y_t, factor in zip(x, y, factors, strict=True):
        prediction = (theta * x_t).sum(1)  # as one product of matrices it would be rounded otherwise with other runs
        value = scale * entry.value(prediction, y_t)
        v = (scale * entry.slope(prediction, y_t)).unsqueeze(1) * x_t
        sizes = StepSizes(lam_theta * factor, lam_alpha * factor, metric)
        theta, alpha = step(Linearisation(theta, alpha, value, v, beta, mix), sizes)
        theta_sum += theta
        alpha_sum += alpha
        finite = torch.isfinite(prediction + value + sizes.along(v))
        diverged |= ~(finite & torch.isfinite(alpha) & torch.isfinite(theta).all(1))
    return theta[:runs].clone(), alpha[:runs].clone(), theta_sum[:runs], alpha_sum[:runs], diverged[:runs]


def filled_up(part: Tensor) -> Tensor:
    """Return a copy of what runs have, the last one repeated until whole vector registers are full.

    Torch computes what is left over after them one by one, with other rounding: so a run would see how many others
    there are.
    """
    return torch.cat([part, part[-1:].expand(-len(part) % ALIKE, *part.shape[1:])])


def _steps_compiled(*args: Any) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    given, (beta, scale, loss, method) = args[:_TENSORS], args[_TENSORS : _TENSORS + 4]
    metric, mix = _optional(*args[_TENSORS + 4 :])
    entry, weight = losses[loss], methods[method].weight
    scalar = entry.scalar
    if scalar is None or weight is None:
        return steps_in_torch(*args)
    theta, alpha, theta_sum, alpha_sum, diverged = (
        tensor.clone(memory_format=torch.contiguous_format) for tensor in given[6:]
    )
    inputs = (tensor.contiguous().numpy() for tensor in (*given[:6], flat(metric)))
    outputs = (tensor.numpy() for tensor in (theta, alpha, theta_sum, alpha_sum, diverged))
    _kernel(scalar, weight, mix != 1)(*inputs, *outputs, 1 / (1 - beta), scale, mix, entry.constants)
    return theta, alpha, theta_sum, alpha_sum, diverged


_TENSORS = 11  # of the arguments, before the settings


def _optional(metric: Tensor | None = None, mix: float = 1.0) -> tuple[Tensor | None, float]:
    """Return the last arguments, of which the dispatcher leaves out what has its default."""
    return metric, mix


def flat(metric: Tensor | None = None) -> Tensor:
    """Return a metric as the kernels take it: a number for each coordinate, or a single one for all."""
    return (EVEN if metric is None else metric).reshape(-1)


_library.impl("steps", steps_in_torch, "CompositeExplicitAutograd")
_library.impl("steps", _steps_compiled, "CPU")


@functools.cache
def _kernel(scalar: Callable[..., Any], weight: Callable[..., Any], mixed: bool) -> Callable[..., None]:
    """Compile the updates; without a mix, which takes more arithmetic, no more than CVaR's."""

    def steps(  # type: ignore[no-untyped-def]
        x, y, norms, factors, lam_theta, lam_alpha, metric, theta, alpha, theta_sum, alpha_sum, diverged,
        c, scale, mix, constants,
    ):  # fmt: skip
        runs, dim = theta.shape
        apart = 0 if metric.shape[0] == 1 else 1  # how far apart in ``metric`` two coordinates lie
        lanes = min(TILE, (runs + LANES - 1) // LANES * LANES)
        th = np.empty((dim, lanes))
        th_sum = np.empty((dim, lanes))
        al, al_sum, lt, la = np.empty(lanes), np.empty(lanes), np.empty(lanes), np.empty(lanes)
        prediction, move, odd = np.empty(lanes), np.empty(lanes), np.empty(lanes)
        for first in range(0, runs, lanes):
            for j in range(lanes):
                r = min(first + j, runs - 1)  # lanes beyond the last run repeat it
                for k in range(dim):
                    th[k, j] = theta[r, k]
                    th_sum[k, j] = theta_sum[r, k]
                al[j], al_sum[j] = alpha[r], alpha_sum[r]
                lt[j], la[j] = lam_theta[r], lam_alpha[r]
                odd[j] = 0.0
            for t in range(x.shape[0]):
                add_rows(th, x[t], prediction)
                y_t, norm, factor = y[t], norms[t], factors[t]
                for j in range(lanes):
                    value, slope = scalar(prediction[j], y_t, *constants)
                    value = scale * value
                    slope = scale * slope
                    step_theta, step_alpha = lt[j] * factor, la[j] * factor
                    slope_term = step_theta * (slope * slope * norm)
                    g, down = weight(value, slope_term, al[j], step_alpha, c, mix if mixed else 1.0)
                    al[j] = al[j] - step_alpha * down + step_alpha * g
                    al_sum[j] += al[j]
                    move[j] = step_theta * g * slope
                    # 0 · z is 0 for finite z and NaN for the rest: a test without branches. What these three do not
                    # show (θ or α overflowing in this very step) shows in the next, or at the end below.
                    odd[j] += 0.0 * (prediction[j] + value + slope_term)
                for k in range(dim):
                    x_k = metric[k * apart] * x[t, k]
                    for j in range(lanes):
                        th[k, j] -= move[j] * x_k
                        th_sum[k, j] += th[k, j]
            for j in range(min(lanes, runs - first)):
                r = first + j
                for k in range(dim):
                    theta[r, k] = th[k, j]
                    theta_sum[r, k] = th_sum[k, j]
                    odd[j] += 0.0 * th[k, j]
                alpha[r], alpha_sum[r] = al[j], al_sum[j]
                odd[j] += 0.0 * al[j]
                if odd[j] != 0.0:
                    diverged[r] = True

    return jit(steps)
