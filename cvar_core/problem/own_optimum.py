"""The least risk under a loss of one's own: by smoothing and L-BFGS, with a bound from below if it is convex."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from scipy.optimize import minimize
from scipy.special import expit
from torch import Tensor

from ..cancel import Stop, check
from .objective import tail_mass, var
from .optimum import Optimum
from .own_ground import OwnGround

_SHARPER = (1e-1, 1e-2, 1e-4, 1e-6)  # of the mean loss at the start: how wide the smoothed corner is


_REACH = 10.0


class _Ended(NamedTuple):
    theta: Tensor  # (dim,)
    value: float
    steepness: float  # the norm of the slope


def minimise_own(ground: OwnGround, convex: bool, stop: Stop | None = None) -> Optimum:
    """Return the best (θ, α) that was found, from θ_0 of seed 0.

    For a convex loss, any weights q of a tail give R(θ) ≥ g(θ), the mean loss under them. With those of the smoothed
    tail at the θ that was found, L-BFGS looks for the minimum of g. Where it ends, at θ′, g is convex: within a
    distance D of θ′ it is nowhere below g(θ′) − D‖∇g(θ′)‖. That is the bound, with D = 10 (1 + ‖θ′‖): for every θ that
    near. Without the word that the loss is convex there is none.
    """
    begin, spec = ground.start(0), ground.spec
    theta, unit = begin.theta, begin.initial_loss
    for width in _SHARPER:
        ended = _descended(lambda at, w=width: _smoothed(ground, at, w * unit), theta, unit, stop)  # type: ignore[misc]
        theta = ended.theta
    value, alpha = _risk(ground, theta)
    gap = None
    if convex:
        weights = _tail_weights(ground.losses(theta.unsqueeze(0))[0], _SHARPER[-1] * unit, spec.beta)
        weights = spec.tail_weight * weights + (1 - spec.tail_weight) / len(weights)
        ended = _descended(lambda at: weights @ ground.losses(at.unsqueeze(0))[0], theta, unit, stop)
        reach = _REACH * (1 + float(torch.linalg.vector_norm(ended.theta)))
        gap = max(value - ended.value + reach * ended.steepness, 0.0)
    measures = tuple(ground.measures(theta.unsqueeze(0), stop)[0].tolist())
    return Optimum(value, theta, alpha, gap, True, measures)


def known_optimum(ground: OwnGround, theta: Tensor) -> Optimum:
    """Return the optimum at a θ* that the caller knows."""
    value, alpha = _risk(ground, theta)
    return Optimum(value, theta, alpha, None, True, tuple(ground.measures(theta.unsqueeze(0))[0].tolist()))


def _risk(ground: OwnGround, theta: Tensor) -> tuple[float, float]:
    losses = ground.losses(theta.unsqueeze(0))[0]
    return float(ground.risks(theta.unsqueeze(0))), var(losses, ground.spec.beta)


def _tail_weights(losses: Tensor, width: float, beta: float) -> Tensor:
    """Return q of the smoothed tail: at most 1/((1 − β)N) each, and 1 in all."""
    shares = torch.sigmoid((losses - _quantile(losses.numpy(), width, beta)) / width)
    return shares.clamp(max=1) / max(float(shares.sum()), tail_mass(len(losses), beta))


def _smoothed(ground: OwnGround, theta: Tensor, width: float) -> Tensor:
    """Return the risk with softplus for the max, at the best threshold of the smoothed losses, found by bisection."""
    losses = ground.losses(theta.unsqueeze(0))[0]
    spec = ground.spec
    low = _quantile(losses.detach().numpy(), width, spec.beta)
    tail = low + width * torch.nn.functional.softplus((losses - low) / width).mean() / (1 - spec.beta)
    return spec.tail_weight * tail + (1 - spec.tail_weight) * losses.mean()


def _quantile(losses: np.ndarray, width: float, beta: float) -> float:
    """Return the threshold above which the smoothed share of the losses is 1 − β."""
    low, high = float(losses.min()) - 40 * width, float(losses.max()) + 40 * width
    while low < (middle := (low + high) / 2) < high and high - low > 1e-9 * width:
        low, high = (middle, high) if expit((losses - middle) / width).mean() > 1 - beta else (low, middle)
    return low


def _descended(value: Callable[[Tensor], Tensor], theta: Tensor, unit: float, stop: Stop | None) -> _Ended:
    """Return where L-BFGS ends, which has tolerances: so that the unit of the loss does not matter, it sees none."""

    def both(at: np.ndarray) -> tuple[float, np.ndarray]:
        check(stop)
        here = torch.from_numpy(at).requires_grad_()
        with torch.enable_grad():
            found = value(here) / unit
            (slope,) = torch.autograd.grad(found, here)
        return float(found.detach()), slope.numpy()

    found = minimize(
        both,
        theta.numpy().copy(),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 500, "ftol": 1e-15, "gtol": 1e-10},
    )
    return _Ended(torch.from_numpy(found.x), unit * float(found.fun), unit * float(np.linalg.norm(found.jac)))
