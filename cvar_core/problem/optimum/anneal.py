"""From a good θ towards the minimum where the dimension is too large for Newton's method.

G_μ of ``polish`` is smooth, so L-BFGS does not stall on it as it does at the kinks of CVaR_β itself. It is minimised
over θ and α for μ falling; every step costs two products with the data, sparse or not.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ...cancel import Stop, check
from ...catalogue import Loss
from ..objective import tail_mass
from ..points import Points
from .descent import Tail, tail_at
from .polish import LocalLoss

_LEVELS = 8  # of μ, each a fifth of the one before
_CALLS = 120  # in each


def anneal(
    points: Points,
    loss: Loss,
    local: LocalLoss,
    beta: float,
    best: tuple[Tensor, Tail],
    smoothing: float,
    stop: Stop | None,
    mix: float = 1.0,
) -> tuple[Tensor, Tail]:
    """Return the best θ found with its tail: never a worse one than was given."""
    from scipy.optimize import minimize

    mass = tail_mass(points.count, beta)
    unit = smoothing or 1.0  # α in units of the loss, so that its curvature is near that of θ

    def evaluate(x: np.ndarray, mu: float) -> tuple[float, np.ndarray]:
        check(stop)
        theta, alpha = torch.from_numpy(x[:-1].copy()), float(x[-1]) * unit
        value, slope, _, _ = local(points.predict(theta), points.target, mu)
        z = value - alpha
        h = torch.hypot(z, z.new_tensor(2 * mu))
        q = 0.5 * (1 + z / h) / mass
        total = alpha + float((0.5 * (z + h)).numpy().sum()) / mass
        if mix != 1:
            q = mix * q + (1 - mix) / points.count
            total = mix * total + (1 - mix) * float(value.numpy().mean())
        gradient = np.empty_like(x)
        gradient[:-1] = points.combine(q * slope).numpy()
        gradient[-1] = unit * (1 - float(q.numpy().sum()))
        return total, gradient

    x = np.append(best[0].numpy(), best[1].alpha / unit)
    options = {"maxiter": _CALLS, "maxfun": _CALLS, "ftol": 1e-12, "gtol": 1e-12, "maxcor": 20}
    for level in range(_LEVELS):
        mu = smoothing / 5**level
        x = minimize(evaluate, x, (mu,), jac=True, method="L-BFGS-B", options=options).x
        theta = torch.from_numpy(x[:-1].copy())
        tail = tail_at(points, loss, beta, theta, mix)
        gained = best[1].value - tail.value
        if gained > 0:
            best = theta, tail
        if level > 2 and gained <= 1e-9 * smoothing:
            break
    return best
