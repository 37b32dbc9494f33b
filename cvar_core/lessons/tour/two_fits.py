"""Two lines through the same deliveries: one with the least mean error, one whose worst errors are the least."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...data import load
from ...data.made_sets import TOWN
from ...problem import Problem, tail_mass

Array = NDArray[np.float64]

SET = "made-deliveries"
LOSS = "absolute"
LEVELS = (0.5, 0.8, 0.9, 0.95)  # β of the second line; the first line's is 0


class Deliveries(NamedTuple):
    """How far each went, how long it took, and whether it went to the hills; arrays of shape (deliveries,)."""

    kilometres: Array
    minutes: Array
    hills: NDArray[np.bool_]


class Fit(NamedTuple):
    """A line: minutes = slope · kilometres + base."""

    slope: float
    base: float

    def errors(self, data: Deliveries) -> Array:
        """Return by how many minutes it is wrong about each delivery."""
        wrong: Array = np.abs(data.minutes - self.slope * data.kilometres - self.base)
        return wrong

    def worst(self, data: Deliveries, beta: float) -> NDArray[np.int64]:
        """Return the places of the deliveries in its tail, the worst first: a share 1 − β of them all."""
        count = math.ceil(tail_mass(len(data.minutes), beta))
        return np.argsort(-self.errors(data), kind="stable")[:count]


@functools.cache
def deliveries() -> Deliveries:
    found = load(SET)
    minutes = np.asarray(found.y, dtype=np.float64)
    return Deliveries(np.asarray(found.x, dtype=np.float64)[:, 0], minutes, np.arange(len(minutes)) >= TOWN)


def fitted(beta: float) -> Fit:
    """Return the line whose worst share 1 − β of the errors has the least mean; β = 0 is the ordinary one."""
    data = deliveries()
    best = Problem.from_arrays(data.kilometres[:, None], data.minutes, LOSS, beta, intercept=True).optimum()
    return Fit(*best.theta.tolist())
