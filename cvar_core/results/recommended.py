"""Which step size to take: the one of the grid that may be wrong by the most on either side, for every start."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .robustness import UsableRange, usable, usable_range
from .verdict import NEAR, Verdict

Array = NDArray[np.float64]

FAR = 10.0  # times what another method leaves: who ends so far above is not taken, however much it forgives
NEGLIGIBLE = 0.01  # of ε: less than that is as good as nothing left
_ALIKE = 9  # digits of decades: the rest is rounding, and must not decide between two step sizes


@dataclass(frozen=True)
class Recommended:
    """The λ to take with one method.

    Attributes
    ----------
    verdict
        On that λ: for how many starts it is usable, the median margins with their intervals, and what it leaves.
    shared
        The stretch around it that is usable for every one of those starts; open where the grid ends before it does.
    """

    verdict: Verdict
    shared: UsableRange

    @property
    def method(self) -> str:
        return self.verdict.method

    @property
    def lam(self) -> float:
        return self.verdict.lam

    @property
    def decades(self) -> float:
        """How far λ may be wrong on either side, for the worst of the starts: the lesser margin."""
        return _room(self.lam, self.shared)

    @property
    def factor(self) -> float:
        """By how much λ may be divided or multiplied."""
        return float(10**self.decades)

    @property
    def at_least(self) -> bool:
        """Whether that may be more: no end that is known is as near as the grid's own."""
        below, above = math.log10(self.lam / self.shared.low), math.log10(self.shared.high / self.lam)
        known = [margin for margin, cut in ((below, self.shared.open_low), (above, self.shared.open_high)) if not cut]
        return all(round(margin - self.decades, _ALIKE) > 0 for margin in known)


@dataclass(frozen=True)
class Choice:
    """Which of several methods to take, each at its recommended λ.

    Attributes
    ----------
    taken
        Of the methods whose λ is safe (if none is: usable for the most starts), and does not end far above what
        another's leaves, the one whose λ may be wrong by the most; a factor of two of that is given up for one that
        leaves half as much, or less.
    least
        The verdict on the best λ of whichever method ends lowest: what could be had, at the price of less room.
    dear
        Those whose λ may be wrong by more, but which leave more.
    """

    taken: Recommended
    least: Verdict
    dear: tuple[Recommended, ...] = ()


def middles(lambdas: Sequence[float], gaps: Array, limits: Array, ends: Array) -> list[tuple[float, UsableRange]]:
    """Return the step sizes that are usable for the most starts, with the most room first; none if not for most.

    In a stretch that starts share, the one with the most room on both sides is the one nearest its geometric middle. Of
    two with the same room the one that ends lower comes first.

    Parameters
    ----------
    gaps, limits
        The final gaps, shape (seeds, lambdas), and ε of each seed.
    ends
        The median final gap of each step size.
    """
    counts = usable(gaps, limits[:, None]).sum(axis=0)
    most = int(counts.max())
    if 2 * most <= len(gaps):
        return []
    starts = [_stretches(lambdas, *one) for one in zip(gaps, limits, strict=True)]
    places = [k for k, count in enumerate(counts.tolist()) if count == most]
    found = {k: _shared([each[k] for each in starts], [lambdas[other] for other in places]) for k in places}
    order = sorted(found, key=lambda k: (-round(_room(lambdas[k], found[k]), _ALIKE), ends[k], k))
    return [(lambdas[k], found[k]) for k in order]


def taken_of(each: Sequence[Recommended], negligible: float) -> tuple[Recommended, tuple[Recommended, ...]]:
    """Return the one to take, and those with more room that leave too much.

    Parameters
    ----------
    negligible
        A gap that is as good as none.
    """
    surest = max((one.verdict.safe, one.verdict.starts) for one in each)
    sure = [one for one in each if (one.verdict.safe, one.verdict.starts) == surest]
    bar = FAR * max(min(one.verdict.gap for one in sure), negligible)
    near = [one for one in sure if one.verdict.gap <= bar]
    widest = max(near, key=lambda one: (round(one.decades, _ALIKE), -one.verdict.gap))
    half = [
        one
        for one in near
        if one.decades >= widest.decades - NEAR and 2 * max(one.verdict.gap, negligible) <= widest.verdict.gap
    ]
    taken = min(half, key=lambda one: one.verdict.gap, default=widest)
    return taken, tuple(one for one in sure if round(one.decades - taken.decades, _ALIKE) > 0)


def _stretches(lambdas: Sequence[float], gaps: Array, epsilon: float) -> list[UsableRange | None]:
    """Return the stretch that each step size lies in for one start."""
    found: list[UsableRange | None] = []
    for k, good in enumerate(usable(gaps, epsilon).tolist()):
        before = found[-1] if found else None
        found.append((before or usable_range(lambdas, gaps, epsilon, k)) if good else None)
    return found


def _shared(stretches: Sequence[UsableRange | None], others: Sequence[float]) -> UsableRange:
    """Return what is in all stretches that there are; with holes, if some of the others is not."""
    known = [each for each in stretches if each is not None]
    low, high = max(each.low for each in known), min(each.high for each in known)
    return UsableRange(
        low=low,
        high=high,
        open_low=all(each.open_low for each in known),
        open_high=all(each.open_high for each in known),
        holes=not all(low <= lam <= high for lam in others),
    )


def _room(lam: float, stretch: UsableRange) -> float:
    return min(math.log10(lam / stretch.low), math.log10(stretch.high / lam))
