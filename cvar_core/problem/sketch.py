"""A synthetic problem for a picture: its optimum is there in a few hundredths of a second.

``Problem.optimum`` looks everywhere and goes on to ten digits, which takes ten times as long. Of a synthetic problem
the parameters that generated the data are known, and they are near: from there no descent has to find the way first,
and Newton's method with its certificate is all that is left.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ..cancel import Stop
from ..single_thread import one_thread
from .objective import cvar, tail_mass
from .optimum import Optimum, _bound_at_origin, _smoothing
from .optimum.descent import Tail, tail_at
from .optimum.polish import Split, solve, stand_ins
from .points import Points
from .problem import Problem

TOLERANCE = 1e-7  # of CVaR_β at θ = 0 and F*: three digits are shown
_OPEN = 2_000  # points in the first round, which as a rule is the last
_ROUNDS = 5
_HALVINGS = 6


class Sketch(Problem):
    """A synthetic problem whose optimum is certified to ``TOLERANCE`` only."""

    def optimum(self, stop: Stop | None = None) -> Optimum:
        if self._optimum is None:
            with one_thread():
                self._optimum = self._nearly(stop)
        return self._optimum or super().optimum(stop)

    def _nearly(self, stop: Stop | None) -> Optimum | None:
        """Return a point whose value is certified, and θ = 0 itself where that is best; ``None`` if none was found."""
        points, loss, beta, scale = self.ground.points, self.loss, self.spec.beta, self.spec.scale
        local, theta = stand_ins(loss)[0], self.theta_gen
        if self.spec.mix is not None:
            return None
        origin, lower = torch.zeros_like(theta), 0.0
        at_origin = tail_at(points, loss, beta, origin)
        if loss.task == "classification":
            if self._lowest_margins(theta) <= 0:  # if not, θ = 0 can be left in the direction of θ_gen
                lower = max(_bound_at_origin(points, loss, beta, stop, False), 0.0)
            # Noise shortens the best θ much more than it turns it.
            theta = min((theta / 2**k for k in range(_HALVINGS)), key=lambda each: cvar(self.losses(each), beta))
        at_zero, best = (origin, at_origin), (theta, tail_at(points, loss, beta, theta))
        if at_origin.value - lower <= TOLERANCE * at_origin.value:
            best = at_zero
        for k in range(_ROUNDS):
            theta, tail = best
            tolerance = TOLERANCE * (at_origin.value + tail.value)
            if tail.value - lower <= tolerance:
                return Optimum(scale * tail.value, theta, scale * tail.alpha, scale * max(tail.value - lower, 0.0))
            split = _split(points, tail, beta, _OPEN * 3**k)
            smoothing = _smoothing(split, local, theta, tail.alpha)
            found, _, bound = solve(split, local, theta, tail.alpha, smoothing, 0.5 * tolerance, stop)
            there = found, tail_at(points, loss, beta, found)
            best, lower = min(at_zero, best, there, key=lambda each: each[1].value), max(lower, bound)
        return None

    def _lowest_margins(self, direction: Tensor) -> float:
        """Return the mean of the lowest 1 − β of y x·d; along a d where it is above 0, CVaR_β falls from θ = 0 on."""
        return -cvar(-self.ground.points.predict(direction) * self.ground.points.target, self.spec.beta)


def _split(points: Points, tail: Tail, beta: float, count: int) -> Split:
    """Keep the tail and the ``count`` points whose losses are nearest to α, each of them once."""
    mass = tail_mass(points.count, beta)
    near = (tail.losses - tail.alpha).abs().argsort()[: 0 if mass == points.count else count]
    sure = tail.losses > (tail.alpha if len(near) else -torch.inf)  # for β = 0 the tail is everything
    sure[near] = False
    chosen = torch.cat([torch.nonzero(sure).squeeze(1), near])
    return Split(points.rows(chosen), points.target[chosen], int(sure.sum()), mass)
