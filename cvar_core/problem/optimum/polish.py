"""From a good θ to the minimum: Newton's method on a smoothed problem, with a certificate from below.

F̃_β is replaced by G_μ, in which max(z, 0) becomes (z + √(z² + 4μ²))/2 and a kinked loss its smooth stand-in.
Where G_μ is stationary, its weights q_i ∈ [0, 1/((1−β)N)] sum to 1 and Σ q_i u_i x_i = 0 for slopes u_i of lines
below the losses. Then, for every θ and α,

    F̃_β(θ, α) ≥ Σ q_i ℓ_i(θ) ≥ Σ q_i · (value of line i at the current θ),

a bound on F* from below that meets F̃_β from above as μ → 0. Points far above α keep weight 1/((1−β)N),
points far below it weight 0: only the ones in between, the *open* ones, are smoothed. Any such split
gives a valid bound, so the split may be guessed and mended.

For a mix (1 − κ)·CVaR_β + κ·mean every weight is κ/N + (1 − κ)q_i: all points count, and all of them are open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from ...cancel import Stop, check
from ...catalogue import Loss, Smoothed
from ..objective import tail_mass
from ..points import Points
from .descent import Tail

LocalLoss = Callable[[Tensor, Tensor, float], Smoothed]

_MOST_AT_ONCE = 2**24  # numbers
_PIECE = 2_048  # rows


@dataclass(frozen=True)
class Split:
    """The points that matter near a θ: those surely in the tail, then the open ones."""

    x: Tensor  # (kept, dim)
    y: Tensor  # (kept,)
    sure: int  # how many of them are surely in the tail
    mass: float  # (1 − β)N, of all points
    mix: float = 1.0  # what CVaR_β counts for; the rest is the mean's, and then all points are kept

    @property
    def mean_weight(self) -> float:
        """What each kept loss counts for in the mean's part."""
        return (1 - self.mix) / len(self.y)

    @property
    def finest(self) -> float:
        """1 over the least weight that any smoothed part has: by this the error of Newton's model is judged."""
        tail = self.mass / self.mix if self.mix else 0.0
        return tail if self.mix == 1 else max(tail, 1 / self.mean_weight)


@dataclass(frozen=True)
class Step:
    """G_μ at a point, with its Newton direction, and the bound from below."""

    value: float
    lower: float  # a bound on F* once the decrement is small
    decrement: float  # gᵀH⁻¹g, twice what Newton's step is expected to gain
    direction: Tensor  # (dim + 1,)


def stand_ins(loss: Loss) -> list[LocalLoss]:
    """Return what may stand in for a loss: itself first, unless it has kinks, and then what is smoother."""
    curvature = loss.curvature or _differentiated(loss.slope)

    def same(p: Tensor, y: Tensor, mu: float) -> Smoothed:
        value = loss.value(p, y)
        return Smoothed(value, loss.slope(p, y), curvature(p, y), value)

    if loss.smoothed is None:
        return [same]
    return [loss.smoothed] if loss.curvature is None else [same, loss.smoothed]


def _differentiated(slope: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the curvature of a loss that does not tell it; 0 where its slope is made of steps."""

    def curvature(p: Tensor, y: Tensor) -> Tensor:
        with torch.enable_grad():
            at = p.detach().clone().requires_grad_()
            found = slope(at, y)
            if not found.requires_grad:
                return torch.zeros_like(p)
            (derivative,) = torch.autograd.grad(found.sum(), at)
        return derivative.nan_to_num(0.0).clamp(min=0)

    return curvature


def split_at(points: Points, tail: Tail, beta: float, open_points: int, held: Tensor, mix: float = 1.0) -> Split:
    """Keep the tail, the ``open_points`` points whose losses are nearest to α, and those that ``held`` marks."""
    mass = tail_mass(points.count, beta)
    distance = (tail.losses - tail.alpha).abs()
    if open_points >= points.count or mass == points.count or mix != 1:
        everything = points.rows(torch.arange(points.count))
        in_tail = points.count if mass == points.count else 0  # β = 0: no tail
        return Split(everything, points.target, in_tail, mass, mix)
    width = float(distance.kthvalue(open_points).values)
    near = torch.nonzero((distance <= width) | (held & (tail.losses < tail.alpha))).squeeze(1)
    # Not "losses > alpha + width", which rounding could make true of a point that is near already.
    sure = torch.nonzero((tail.losses > tail.alpha) & (distance > width)).squeeze(1)
    chosen = torch.cat([sure, near])
    return Split(points.rows(chosen), points.target[chosen], len(sure), mass)


def solve(
    split: Split,
    loss: LocalLoss,
    theta: Tensor,
    alpha: float,
    smoothing: float,
    tolerance: float,
    stop: Stop | None,
) -> tuple[Tensor, float, float]:
    """Return θ, α and a lower bound on F*, for μ falling from ``smoothing`` until they meet."""
    at = torch.cat([theta, theta.new_tensor([alpha])])
    best = (at, -torch.inf)
    mu = smoothing
    while True:
        at, lower, converged = newton(split, loss, at, mu, min(1e-4 * tolerance, 1e-3 * mu / split.finest), stop)
        if lower > best[1]:
            best = (at, lower)
        value = _unsmoothed(split, loss, at)
        if value - best[1] <= tolerance or not converged or mu < 1e-12 * smoothing:
            return best[0][:-1], float(best[0][-1]), best[1]
        mu *= 0.2


def newton(
    split: Split, loss: LocalLoss, at: Tensor, mu: float, tolerance: float, stop: Stop | None, rounds: int = 40
) -> tuple[Tensor, float, bool]:
    """Return a stationary point of G_μ, the bound from below there, and whether it was reached."""
    for _ in range(rounds):
        check(stop)
        step = _expand(split, loss, at, mu)
        if not 0 <= step.decrement < torch.inf:
            return at, -torch.inf, False
        if step.decrement <= tolerance:
            return at, step.lower, True
        length = 1.0
        while _value(split, loss, at + length * step.direction, mu) > step.value - 1e-4 * length * step.decrement:
            length *= 0.5
            if length < 1e-10:  # rounding is all that is left; it is enough if Newton's model is good here
                reached = step.decrement <= 1e-3 * mu / split.finest
                return at, step.lower if reached else -torch.inf, reached
        at = at + length * step.direction
    return at, -torch.inf, False


def _value(split: Split, loss: LocalLoss, at: Tensor, mu: float) -> float:
    theta, alpha = at[:-1], at[-1]
    value = loss(split.x @ theta, split.y, mu).value
    z = (value - alpha)[split.sure :]
    return _total(split, value, alpha, 0.5 * (z + torch.hypot(z, z.new_tensor(2 * mu))))


def _total(split: Split, value: Tensor, alpha: Tensor, hinge: Tensor) -> float:
    """Return G_μ from the losses and the smoothed hinges of the open points."""
    tail = float(alpha + ((value - alpha)[: split.sure].sum() + hinge.sum()) / split.mass)
    return tail if split.mix == 1 else split.mix * tail + split.mean_weight * float(value.sum())


def _unsmoothed(split: Split, loss: LocalLoss, at: Tensor) -> float:
    return _value(split, loss, at, 0.0)


def _expand(split: Split, loss: LocalLoss, at: Tensor, mu: float) -> Step:
    """Expand G_μ around a point to second order."""
    theta, alpha = at[:-1], at[-1]
    value, slope, curvature, touch = loss(split.x @ theta, split.y, mu)
    z = (value - alpha)[split.sure :]
    h = torch.hypot(z, z.new_tensor(2 * mu))
    q = torch.ones_like(value)
    q[split.sure :] = torch.where(z > 0, 0.5 * (h + z), 2 * mu * (mu / (h - z).clamp(min=1e-300))) / h
    bend = torch.zeros_like(value)
    bend[split.sure :] = 2 * (mu / h) ** 2 / h
    q, bend = q / split.mass, bend / split.mass
    if split.mix != 1:
        q, bend = split.mix * q + split.mean_weight, split.mix * bend

    gradient = torch.cat([split.x.T @ (q * slope), (1 - q.sum()).unsqueeze(0)])
    hessian = torch.empty(len(at), len(at), dtype=at.dtype)
    hessian[:-1, :-1] = gram(split.x, q * curvature + bend * slope**2)
    hessian[:-1, -1] = hessian[-1, :-1] = -(split.x.T @ (bend * slope))
    hessian[-1, -1] = bend.sum()
    direction = _solve(hessian, -gradient)
    decrement = float(-gradient @ direction)

    total = _total(split, value, alpha, 0.5 * (z + h))
    # The lines below the losses, at their values here. What the weights are short of 1 is put on losses at α; what
    # the gradient is short of 0 costs the decrement, by Newton's model. Both vanish where G_μ is stationary.
    level = alpha.clamp(touch.min(), touch.max())
    lower = float((q * touch).sum() + (1 - q.sum()) * level) - decrement
    return Step(total, lower, decrement, direction)


def gram(x: Tensor, weights: Tensor) -> Tensor:
    """Return Σ_i w_i x_i x_iᵀ; of many rows in pieces, which stay in the cache."""
    if x.numel() <= _MOST_AT_ONCE:
        return x.T @ (weights.unsqueeze(1) * x)
    total = x.new_zeros(x.shape[1], x.shape[1])
    for rows, w in zip(x.split(_PIECE), weights.split(_PIECE), strict=True):
        total += rows.T @ (w.unsqueeze(1) * rows)
    return total


def _solve(hessian: Tensor, right: Tensor) -> Tensor:
    """Solve with a ridge that is as small as it can be; scaled first, since θ and α have different units.

    A variable that the function does not depend on (α at β = 0) stays where it is; one along which the function is
    a straight slope has no solution.
    """
    diagonal = hessian.diagonal()
    if bool(((diagonal <= 0) & (right.abs() > 1e-9)).any()):
        return torch.full_like(right, torch.nan)
    scale = torch.where(diagonal > 0, diagonal, torch.inf).rsqrt()
    scaled = hessian * scale[:, None] * scale[None, :]
    for ridge in (1e-15, 1e-12, 1e-9, 1e-6):
        factor, failed = torch.linalg.cholesky_ex(scaled + ridge * torch.eye(len(scaled), dtype=scaled.dtype))
        if not failed:
            return scale * torch.cholesky_solve((scale * right).unsqueeze(1), factor).squeeze(1)
    return torch.full_like(right, torch.nan)
