"""Between which step sizes of the grid the ends of a start's usable range lie: what a finer grid could still move."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .robustness import stretch, usable_range

Array = NDArray[np.float64]


@dataclass(frozen=True)
class End:
    """One end of a usable range, in decades: log₁₀ of step sizes.

    Attributes
    ----------
    inside, beyond
        The last step size of the grid that is usable, and its neighbour that is not; ∓∞ where the grid stops.
    likely
        Where the line in log–log crosses ε.
    """

    inside: float
    beyond: float
    likely: float

    @property
    def open(self) -> bool:
        return math.isinf(self.beyond)

    @property
    def width(self) -> float:
        return abs(self.beyond - self.inside)


@dataclass(frozen=True)
class Bracketed:
    """A start's usable range as far as the grid tells it.

    Attributes
    ----------
    usable
        Whether any step size of the grid is.
    """

    low: End
    high: End
    usable: bool = True

    @property
    def least(self) -> float:
        """The decades from the first usable step size of the grid to the last."""
        return self.high.inside - self.low.inside

    @property
    def most(self) -> float:
        """The decades between the step sizes that are not usable on both sides; ∞ where the grid stops before."""
        return self.high.beyond - self.low.beyond

    @property
    def likely(self) -> float:
        return self.high.likely - self.low.likely


def bracketed(lambdas: Sequence[float], gaps: Array, epsilon: float) -> Bracketed:
    """Return between which step sizes the ends lie; of a start without a usable one, around its best."""
    found = stretch(gaps, epsilon)
    if found is None:
        return _around_best(lambdas, gaps)
    first, last = found
    exact = usable_range(lambdas, gaps, epsilon)
    assert exact is not None
    below = math.log10(lambdas[first - 1]) if first > 0 else -math.inf
    above = math.log10(lambdas[last + 1]) if last < len(lambdas) - 1 else math.inf
    return Bracketed(
        End(math.log10(lambdas[first]), below, math.log10(exact.low)),
        End(math.log10(lambdas[last]), above, math.log10(exact.high)),
    )


def _around_best(lambdas: Sequence[float], gaps: Array) -> Bracketed:
    """A finer grid may find something usable beside the best step size; where all diverged, or at an edge, nothing."""
    best = int(np.argmin(np.where(np.isfinite(gaps), gaps, np.inf)))
    here = math.log10(lambdas[best])
    if not np.isfinite(gaps[best]):
        return Bracketed(End(here, here, here), End(here, here, here), usable=False)
    below, above = (math.log10(lambdas[min(max(best + by, 0), len(lambdas) - 1)]) for by in (-1, 1))
    return Bracketed(End(here, below, here), End(here, above, here), usable=False)
