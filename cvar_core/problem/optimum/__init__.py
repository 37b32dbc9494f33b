"""The reference optimum F*: the minimum of F̃_β over θ and α, with a certified gap where one can be had."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from ...cancel import Stop
from ...catalogue import Loss, Smoothed
from ..objective import tail_mass
from ..points import Points, SparsePoints
from .anneal import anneal
from .descent import Tail, descend, tail_at
from .polish import LocalLoss, Split, newton, smooth, solve, split_at
from .separable import contradictions, infimum

_TOLERANCE = 1e-10  # of CVaR_β at θ = 0 and |F*|
_LARGEST_NEWTON = 1_000  # dimensions
_MOST_DENSE = 2**27  # numbers in sparse rows that are made dense at once
_MOST_OPEN = 20_000_000  # numbers in the open points' features


@dataclass(frozen=True)
class Optimum:
    """The minimum.

    Attributes
    ----------
    value
        F* = F̃_β(theta, alpha): the best value found.
    gap
        F* is above the true minimum by at most this, up to rounding and the error of Newton's model at the last
        step (see ``polish``); ``None`` if no certificate was found.
    attained
        Whether there is a minimum. On separable data there is none: CVaR_β → 0 as ‖θ‖ → ∞, and ``value`` is the best
        value found, at a θ so long that it is 0 to within rounding.
    measures
        On data sets, what θ* is worth by the problem's ``measure_names``; empty where θ* = 0 in classification, which
        decides nothing.
    """

    value: float
    theta: Tensor
    alpha: float
    gap: float | None
    attained: bool = True
    measures: tuple[float, ...] = ()


def minimise(points: Points, loss: Loss, beta: float, stop: Stop | None = None, real_data: bool = False) -> Optimum:
    """Minimise CVaR_β of the losses over θ, with the same bits whatever the number of threads.

    Real data may be separable, and may have so many columns that only first-order methods are left.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return _minimise(points, loss, beta, stop, real_data)
    finally:
        torch.set_num_threads(threads)


def _minimise(points: Points, loss: Loss, beta: float, stop: Stop | None, real_data: bool) -> Optimum:
    origin = torch.zeros(points.dim, dtype=torch.float64)
    at_origin = tail_at(points, loss, beta, origin)
    best, floor = (origin, at_origin), -torch.inf  # a bound that only ‖θ‖ → ∞ can reach
    lower = max(0.0, _bound_at_origin(points, loss, beta, stop, real_data)) if loss.task == "classification" else 0.0
    if real_data and at_origin.value - lower <= _TOLERANCE * at_origin.value:
        return Optimum(at_origin.value, origin, at_origin.alpha, max(at_origin.value - lower, 0.0))
    if lower < at_origin.value:
        # All losses of a classifier tie at θ = 0: from that kink no descent starts, so the mean's minimum goes first.
        # More columns than rows may fit every target, and what makes the mean 0 makes the tail 0 too.
        by_mean = loss.task == "classification" or (real_data and points.dim > points.count)
        first = descend(points, loss, 0.0, origin, stop) if by_mean else origin
        if real_data and loss.task == "classification":
            apart = infimum(points, loss, beta, first)
            if apart is not None:
                return apart
            least, only_at_infinity = contradictions(points, loss, beta)
            lower = max(lower, least)
            floor = least if only_at_infinity else floor
        theta = descend(points, loss, beta, first, stop)
        tail = tail_at(points, loss, beta, theta)
        best = (theta, tail) if tail.value < best[1].value else best
    unit = at_origin.value  # what is small is judged against this, not against 1: losses have a unit

    local = smooth(loss)
    if local is not None and _fits_newton(points):
        best, lower = _polish(points, loss, local, beta, best, lower, unit, stop)
    elif local is not None and real_data and lower < best[1].value:
        best = anneal(points, loss, local, beta, best, 0.1 * best[1].value, stop)
    theta, tail = best
    gap = max(tail.value - lower, 0.0)
    certified = gap <= 1e-3 * (unit + abs(tail.value))
    attained = tail.value - floor > 1e-6 * unit
    return Optimum(tail.value, theta, tail.alpha, gap if certified else None, attained)


def _polish(
    points: Points,
    loss: Loss,
    local: LocalLoss,
    beta: float,
    best: tuple[Tensor, Tail],
    lower: float,
    unit: float,
    stop: Stop | None,
) -> tuple[tuple[Tensor, Tail], float]:
    """Tighten both ends until they meet, opening more points in every round."""
    open_points = max(4_000, 100 * points.dim)
    for _ in range(8):
        theta, tail = best
        tolerance = _TOLERANCE * (unit + abs(tail.value))
        if tail.value - lower <= tolerance:
            break
        split = split_at(points, tail, beta, min(open_points, max(_MOST_OPEN // points.dim, 100)))
        smoothing = _smoothing(split, local, theta, tail.alpha)
        theta, _, bound = solve(split, local, theta, tail.alpha, smoothing, 0.5 * tolerance, stop)
        lower = max(lower, bound)
        tail = tail_at(points, loss, beta, theta)
        if tail.value < best[1].value:
            best = theta, tail
        elif open_points >= points.count:
            break
        open_points *= 3
    return best, lower


def _smoothing(split: Split, local: LocalLoss, theta: Tensor, alpha: float) -> float:
    """Return the first μ: a tenth of how far the open losses are from α, or of the losses where none is open."""
    losses = local(split.x @ theta, split.y, 0.0).value
    mean = float(losses.mean())
    spread = mean if split.sure == len(losses) else float((losses[split.sure :] - alpha).abs().mean())
    return 0.1 * (spread if spread > 1e-6 * mean else mean) or 1e-300


def _fits_newton(points: Points) -> bool:
    """Tell whether a Hessian, and sparse rows made dense, are of a size to work with."""
    dense = not isinstance(points, SparsePoints) or points.count * points.dim <= _MOST_DENSE
    return dense and points.dim <= _LARGEST_NEWTON


def _bound_at_origin(points: Points, loss: Loss, beta: float, stop: Stop | None, real_data: bool) -> float:
    """Return the value at θ = 0 if that is the minimum, and −∞ if not.

    In classification all losses tie at θ = 0, a kink that swallows the minimum when β is large. It is the
    minimum iff there are weights q_i ∈ [0, 1/((1−β)N)] with sum 1 and Σ q_i ∇ℓ_i(0) = 0. With each loss replaced
    by its tangent, the smoothed problem is stationary at just such weights, whatever μ is.
    """
    if not _fits_newton(points) or tail_mass(points.count, beta) == points.count:
        return -torch.inf
    mass = tail_mass(points.count, beta)
    if real_data:
        # A column that is not zero in one class alone draws θ to infinity, and Newton's steps shrink by a third: it
        # takes more of them, to a bound that is only good to the tolerance.
        part = _thinned(points, max(int(5 * mass), 1_000))
        return _tangent_bound(part, loss, mass, stop, 0.1 * _TOLERANCE, 100)
    few = _thinned(points, 10_000)
    if _tangent_bound(few, loss, tail_mass(few.count, beta), stop) == -torch.inf:
        return -torch.inf  # a cheap look first: most minima are elsewhere
    for size in (max(int(5 * mass), 1_000), points.count):  # weights on a part of the points prove it for all
        bound = _tangent_bound(_thinned(points, size), loss, mass, stop)
        if bound > -torch.inf:
            return bound
    return -torch.inf


def _thinned(points: Points, size: int) -> Points:
    if size >= points.count:
        return points
    return points.subset(torch.arange(size) * points.count // size)


def _tangent_bound(
    points: Points, loss: Loss, mass: float, stop: Stop | None, tolerance: float | None = None, rounds: int = 40
) -> float:
    zero = torch.zeros(points.count, dtype=torch.float64)
    values, slopes = loss.value(zero, points.target), loss.slope(zero, points.target)

    def tangent(p: Tensor, y: Tensor, mu: float) -> Smoothed:
        return Smoothed(values + slopes * p, slopes, torch.zeros_like(p), values)

    split = Split(points.rows(torch.arange(points.count)), points.target, 0, mass)
    scale = float(values.max())
    mu = 0.1 * scale
    at = torch.zeros(points.dim + 1, dtype=torch.float64)
    slack = 1 - 2 * min(mass / points.count, 1 - 1e-6)
    at[-1] = scale + 2 * mu * slack / math.sqrt(1 - slack**2)  # where the smoothed weights sum to 1
    enough = 1e-6 * _TOLERANCE * mu / mass if tolerance is None else tolerance * scale
    _, lower, reached = newton(split, tangent, at, mu, enough, stop, rounds)
    return lower if reached else -torch.inf
