"""Whether θ = 0 is the minimum: in classification all losses tie there, a kink that swallows it when β is large.

It is iff there are weights w_i ∈ [0, 1] with sum (1−β)N and Σ w_i ∇ℓ_i(0) = 0. For (1−μ)·mean + μ·CVaR_β the weights
have to balance the mean's gradients, too: μ Σ w_i ∇ℓ_i(0)/((1−β)N) + (1−μ) Σ ∇ℓ_i(0)/N = 0. That takes all points.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ...cancel import Stop, check
from ...catalogue import Loss, Smoothed
from ..objective import tail_mass
from ..points import Points
from .polish import Split, gram, newton

_BALANCED = 1e-10  # of the columns' lengths: what is left of a balance may be rounding
_EXACTLY = 1e-13
_ROUNDS = 60


def bound_on_data(points: Points, loss: Loss, beta: float, stop: Stop | None, mix: float = 1.0) -> float:
    """Return the value at θ = 0, less what may be rounding, if that is the minimum; −∞ if not, or if it is not known.

    The weights nearest to even ones are looked for. Real data need that: rows in which a column is not zero in one
    class alone must get no weight at all, which smoothed weights only tend to.
    """
    mass = tail_mass(points.count, beta)
    if mass == points.count or mix == 0:
        return -torch.inf
    for size in _parts(points, mass, mix):
        part = thinned(points, size)
        zero = torch.zeros(part.count, dtype=torch.float64)
        slopes = loss.slope(zero, part.target)
        missing, way = _balance(slopes.unsqueeze(1) * part.rows(torch.arange(part.count)), mass, stop, mix)
        if missing <= _BALANCED:
            return (1 - missing) * float(loss.value(zero, part.target).min())
        if part.count == points.count:
            break
        everywhere = torch.zeros(points.count, dtype=torch.float64)
        if _falls(loss.slope(everywhere, points.target) * points.predict(way), mass, mix):
            break
    return -torch.inf


def _parts(points: Points, mass: float, mix: float) -> tuple[int, ...]:
    """Return how many points to try: weights of the tail on a part of them prove it for all, the mean's do not."""
    return (max(int(5 * mass), 1_000), points.count) if mix == 1 else (points.count,)


def _balance(rows: Tensor, mass: float, stop: Stop | None, mix: float) -> tuple[float, Tensor]:
    """Look for weights w_i ∈ [0, 1] with sum ``mass`` that balance the a_i; return what is missing, and a way.

    They balance if Σ w_i a_i is 0, or what undoes the mean's part.
    Of all such weights, the nearest to even ones have the form w_i = clip(even + a_i·λ + ν, 0, 1), where λ and ν
    minimise a function made of parabolas: Newton's method gets there in finitely many steps, whatever the units are.
    Where there are none, that function falls for ever along a way λ on which the mean of the largest a_i·λ is
    negative: all those losses fall along it, so θ = 0 is not the minimum.
    """
    count, dim = rows.shape
    a = torch.cat([rows, rows.new_ones(count, 1)], dim=1)
    wanted = a.new_zeros(dim + 1)
    wanted[-1] = mass
    if mix != 1:
        wanted[:-1] = -(1 - mix) * mass / (mix * count) * rows.sum(0)
    lengths = torch.linalg.vector_norm(a, dim=0)
    scale = torch.where(lengths > 0, 1 / lengths, 0.0)
    at, u = torch.zeros_like(wanted), a.new_full((count,), mass / count)
    missing = torch.inf
    for _ in range(_ROUNDS):
        check(stop)
        weights = u.clamp(0, 1)
        gradient = a.T @ weights - wanted
        missing = min(missing, float((scale * gradient).abs().max()) / math.sqrt(mass))
        if missing <= _EXACTLY or _falls(a[:, :-1] @ at[:-1], mass, mix):
            break
        step = _newton_step(a, (u > 0) & (u < 1), scale, gradient)
        gain, along = -float(gradient @ step), a @ step
        here = _parabolas(u) - float(wanted @ at)
        length = 1.0
        # Where the gain is lost in rounding, Newton's step is right by itself.
        while gain > 1e-12 * abs(here) and (
            _parabolas(u + length * along) - float(wanted @ (at + length * step)) > here - 1e-4 * length * gain
        ):
            length *= 0.5
            if length < 1e-10:
                return missing, at[:-1]
        at, u = at + length * step, u + length * along
    return missing, at[:-1]


def _newton_step(a: Tensor, is_open: Tensor, scale: Tensor, gradient: Tensor) -> Tensor:
    scaled = gram(a, is_open.to(a)) * scale[:, None] * scale[None, :]
    for ridge in (1e-12, 1e-9, 1e-6):
        factor, failed = torch.linalg.cholesky_ex(scaled + ridge * torch.eye(len(scaled), dtype=scaled.dtype))
        if not failed:
            break
    return -scale * torch.cholesky_solve((scale * gradient).unsqueeze(1), factor).squeeze(1)


def _parabolas(u: Tensor) -> float:
    """Return the sum of the integrals of clip(u, 0, 1)."""
    clipped = u.clamp(0, 1)
    return float((clipped * (u - 0.5 * clipped)).sum())


def _falls(slopes: Tensor, mass: float, mix: float) -> bool:
    """Tell whether the risk falls along the ``slopes`` of the losses at θ = 0, by more than rounding.

    Its slope is the mean of the largest ``mass`` of them, the last one in part, mixed with the mean of all.
    """
    level = float(slopes.kthvalue(max(len(slopes) - math.floor(mass), 1)).values)
    mean = level + float((slopes - level).clamp(min=0).sum()) / mass
    if mix != 1:
        mean = mix * mean + (1 - mix) * float(slopes.mean())
    return mean < -1e-12 * float(slopes.abs().max())


def thinned(points: Points, size: int) -> Points:
    if size >= points.count:
        return points
    return points.subset(torch.arange(size) * points.count // size)


def bound_by_smoothing(
    points: Points, loss: Loss, beta: float, tolerance: float, stop: Stop | None, mix: float = 1.0
) -> float:
    """Return the value at θ = 0 if that is the minimum of a synthetic problem, and −∞ if not.

    With each loss replaced by its tangent, the smoothed problem is stationary at just such weights, whatever μ is.
    """
    mass = tail_mass(points.count, beta)
    if mass == points.count or mix == 0:
        return -torch.inf
    few = thinned(points, 10_000)
    if _tangent_bound(few, loss, tail_mass(few.count, beta), tolerance, stop, mix) == -torch.inf:
        return -torch.inf  # a cheap look first: most minima are elsewhere
    for size in _parts(points, mass, mix):
        bound = _tangent_bound(thinned(points, size), loss, mass, tolerance, stop, mix)
        if bound > -torch.inf:
            return bound
    return -torch.inf


def _tangent_bound(points: Points, loss: Loss, mass: float, tolerance: float, stop: Stop | None, mix: float) -> float:
    zero = torch.zeros(points.count, dtype=torch.float64)
    values, slopes = loss.value(zero, points.target), loss.slope(zero, points.target)

    def tangent(p: Tensor, y: Tensor, mu: float) -> Smoothed:
        return Smoothed(values + slopes * p, slopes, torch.zeros_like(p), values)

    split = Split(points.rows(torch.arange(points.count)), points.target, 0, mass, mix)
    scale = float(values.max())
    mu = 0.1 * scale
    at = torch.zeros(points.dim + 1, dtype=torch.float64)
    slack = 1 - 2 * min(mass / points.count, 1 - 1e-6)
    at[-1] = scale + 2 * mu * slack / math.sqrt(1 - slack**2)  # where the smoothed weights sum to 1
    _, lower, reached = newton(split, tangent, at, mu, 1e-6 * tolerance * mu / split.finest, stop)
    return lower if reached else -torch.inf
