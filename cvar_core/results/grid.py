"""Where a step size lies in a grid: on one of its points, between two of them, or outside."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

SAME = 1e-9  # relative: a λ that went through a text or a chart is still that of the grid


def place(lambdas: Sequence[float], lam: float) -> int | None:
    """Return the place of a λ in a grid in rising order, or ``None`` if it is not one of its points."""
    right = bisect_left(lambdas, lam)
    near = [k for k in (right - 1, right) if 0 <= k < len(lambdas) and math.isclose(lambdas[k], lam, rel_tol=SAME)]
    return min(near, key=lambda k: abs(lambdas[k] - lam), default=None)


def neighbours(lambdas: Sequence[float], lam: float) -> tuple[int, int] | None:
    """Return the places of the points on both sides of a λ, twice the same if it is on the grid; ``None`` outside.

    >>> neighbours([0.1, 1, 10], 1), neighbours([0.1, 1, 10], 2), neighbours([0.1, 1, 10], 20)
    ((1, 1), (1, 2), None)
    """
    exact = place(lambdas, lam)
    if exact is not None:
        return exact, exact
    right = bisect_left(lambdas, lam)
    return (right - 1, right) if lambdas[0] < lam < lambdas[-1] else None
