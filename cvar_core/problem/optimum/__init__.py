"""The reference optimum F*: the minimum of the objective over θ and α, with a certified gap where one can be had.

The objective is F̃_β, or (1 − μ)·mean + μ·F̃_β for a ``mix`` μ.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import torch
from torch import Tensor

from ...cancel import Stop
from ...catalogue import Loss
from ...sameness import same
from ...single_thread import one_thread
from ..objective import tail_mass
from ..points import Points, SparsePoints
from .anneal import anneal
from .descent import MANY, Tail, descend, tail_at
from .origin import bound_by_smoothing, bound_on_data, thinned
from .polish import LocalLoss, Split, solve, split_at, stand_ins
from .separable import contradictions, infimum, separates

_TOLERANCE = 1e-10  # of CVaR_β at θ = 0 and |F*|
_ENOUGH = 1e-6  # likewise: what is certified to this is not tried again with a smoother stand-in
_TOLERANCE_OF_MANY = 1e-9  # of a data set with very many points: by no more than this may a run seem to be below F*
_LARGEST_NEWTON = 1_000  # dimensions
_MOST_DENSE = 2**27  # numbers in sparse rows that are made dense at once
_MOST_OPEN = 20_000_000  # numbers in the open points' features


@dataclass(frozen=True, eq=False)
class Optimum:
    """The minimum.

    Attributes
    ----------
    value
        F* = F̃(theta, alpha): the best value found.
    gap
        F* is above the true minimum by at most this, up to rounding and the error of Newton's model at the last
        step (see ``polish``); ``None`` if no certificate was found.
    attained
        Whether there is a minimum. On separable data there is none: the risk → 0 as ‖θ‖ → ∞, and ``value`` is the best
        value found, at a θ so long that it is 0 to within rounding.
    measures
        On data sets, what θ* is worth by the problem's ``measure_names``; empty where θ* = 0 in classification, which
        decides nothing.
    floor
        What R − F* is on the points at the minimiser of the population, which fresh samples lead to; ``None`` where P
        is the points themselves.
    constant
        On data sets, the least risk of predictions that are all the same.
    """

    value: float
    theta: Tensor
    alpha: float
    gap: float | None
    attained: bool = True
    measures: tuple[float, ...] = ()
    floor: float | None = None
    constant: float | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Optimum):
            return NotImplemented
        return all(same(getattr(self, each.name), getattr(other, each.name)) for each in fields(self))

    def __hash__(self) -> int:
        return hash((self.value, self.alpha))


def minimise(
    points: Points,
    loss: Loss,
    beta: float,
    stop: Stop | None = None,
    real_data: bool = False,
    mix: float = 1.0,
) -> Optimum:
    """Minimise (1 − μ)·mean + μ·CVaR_β of the losses over θ, with the same bits whatever the number of threads.

    Real data may be separable, and may have so many columns that only first-order methods are left.
    """
    with one_thread():
        return _minimise(points, loss, beta, stop, real_data, mix)


def _minimise(points: Points, loss: Loss, beta: float, stop: Stop | None, real_data: bool, mix: float) -> Optimum:
    origin = torch.zeros(points.dim, dtype=torch.float64)
    at_origin = tail_at(points, loss, beta, origin, mix)
    best, floor = (origin, at_origin), -torch.inf  # a bound that only ‖θ‖ → ∞ can reach
    smooth = stand_ins(loss)
    polished = _fits_newton(points)
    lower = 0.0
    if loss.task == "classification":
        lower = max(lower, _bound_at_origin(points, loss, beta, stop, real_data, mix))
    if real_data and at_origin.value - lower <= _TOLERANCE * at_origin.value:
        return Optimum(at_origin.value, origin, at_origin.alpha, max(at_origin.value - lower, 0.0))
    if lower < at_origin.value:
        # All losses of a classifier tie at θ = 0: from that kink no descent starts, so the mean's minimum goes first.
        # More columns than rows may fit every target, and what makes the mean 0 makes the tail 0 too.
        by_mean = loss.task == "classification" or (real_data and points.dim > points.count)
        first = _mean_minimum(points, loss, stop, real_data) if by_mean else origin
        if real_data and loss.task == "classification":
            apart = infimum(points, loss, beta, first, mix)
            if apart is not None:
                return apart
            least, only_at_infinity = contradictions(points, loss, beta, mix)
            lower = max(lower, least)
            floor = least if only_at_infinity else floor
        theta = descend(points, loss, beta, first, stop, 10 if real_data and polished else 100, mix)
        tail = tail_at(points, loss, beta, theta, mix)
        best = (theta, tail) if tail.value < best[1].value else best
    unit = at_origin.value  # what is small is judged against this, not against 1: losses have a unit

    if polished:
        many = real_data and points.count > MANY
        for local in smooth:
            best, lower = _polish(points, loss, local, beta, best, lower, unit, many, stop, mix)
            if best[1].value - lower <= _ENOUGH * (unit + best[1].value):
                break
    elif real_data and lower < best[1].value:
        best = anneal(points, loss, smooth[0], beta, best, 0.1 * best[1].value, stop, mix)
    theta, tail = best
    gap = max(tail.value - lower, 0.0)
    certified = gap <= 1e-3 * (unit + abs(tail.value))
    attained = tail.value - floor > 1e-6 * unit
    return Optimum(tail.value, theta, tail.alpha, gap if certified else None, attained)


def _mean_minimum(points: Points, loss: Loss, stop: Stop | None, real_data: bool) -> Tensor:
    """Return a θ near the minimum of the mean loss; a part of very many points is enough, unless it is separable."""
    origin = torch.zeros(points.dim, dtype=torch.float64)
    part = thinned(points, MANY) if real_data else points
    theta = descend(part, loss, 0.0, origin, stop)
    if part is not points and (loss.task == "regression" or separates(part, theta)):
        theta = descend(points, loss, 0.0, theta, stop)
    return theta


def _polish(
    points: Points,
    loss: Loss,
    local: LocalLoss,
    beta: float,
    best: tuple[Tensor, Tail],
    lower: float,
    unit: float,
    many: bool,
    stop: Stop | None,
    mix: float,
) -> tuple[tuple[Tensor, Tail], float]:
    """Tighten both ends until they meet, opening more points in every round."""
    open_points = max(4_000, 100 * points.dim)
    held = torch.zeros(points.count, dtype=torch.bool)
    if many:
        open_points = max(open_points, int(tail_mass(points.count, beta)) // 4)  # cheap beside so large a tail
        held[points.extremes()] = True  # of a rare column's few rows all may be left out, and θ would go anywhere
    for _ in range(8):
        theta, tail = best
        tolerance = (_TOLERANCE_OF_MANY if many else _TOLERANCE) * (unit + abs(tail.value))
        if tail.value - lower <= tolerance:
            break
        split = split_at(points, tail, beta, min(open_points, max(_MOST_OPEN // points.dim, 100)), held, mix)
        smoothing = _smoothing(split, local, theta, tail.alpha)
        theta, _, bound = solve(split, local, theta, tail.alpha, smoothing, 0.5 * tolerance, stop)
        lower = max(lower, bound)
        tail = tail_at(points, loss, beta, theta, mix)
        if tail.value < best[1].value:
            best = theta, tail
        elif open_points >= points.count or mix != 1:
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


def _bound_at_origin(
    points: Points, loss: Loss, beta: float, stop: Stop | None, real_data: bool, mix: float = 1.0
) -> float:
    """Return the value at θ = 0, but for rounding, if that is known to be the minimum; else −∞."""
    if not _fits_newton(points):
        return -torch.inf
    if real_data:
        return bound_on_data(points, loss, beta, stop, mix)
    return bound_by_smoothing(points, loss, beta, _TOLERANCE, stop, mix)
