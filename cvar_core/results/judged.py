"""A result seen through a criterion: gaps by one measure, usable step sizes start by start, verdicts."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..keeping import once
from ..specs import SpecError
from .certainty import Interval, median_interval
from .compared import Comparison
from .criterion import RISK, Criterion
from .grid import neighbours
from .readable import number
from .recommended import NEGLIGIBLE, Choice, Recommended, middles, taken_of
from .robustness import Forgiven, UsableRange, gap_between, usable, usable_range, usable_range_with
from .spread import spread
from .verdict import Verdict

if TYPE_CHECKING:
    from .result import Result

Array = NDArray[np.float64]

_NOTHING = 0.01  # of F*: a start whose excess risk is less leaves nothing worth closing
_CLEAR = 5.0  # floors: below so many, the points cannot tell runs apart


@dataclass(frozen=True)
class Summary:
    """The gap at one checkpoint over the seeds, arrays of shape (methods, lambdas)."""

    iteration: int
    median: Array  # +∞ where half of the seeds or more diverged
    low: Array
    high: Array
    diverged: NDArray[np.int64]  # how many seeds


class Judged:
    """What a result says by one criterion. Made by ``Result.judged``, which keeps it: a result never changes."""

    def __init__(self, result: Result, criterion: Criterion) -> None:
        self.gaps = result.gaps(criterion.measure)
        # A twin that knows of no judgement: a result and what is judged of it must not keep each other alive.
        self.result, self.criterion = copy.copy(result), criterion
        self.result.__dict__.pop("_judged", None)
        self._summaries: dict[int, Summary] = {}
        self._best: dict[str, float | None] = {}
        self._recommended: dict[str, Recommended | None] = {}

    @once
    def starts(self) -> Array:
        """The gap at the start of each seed, shape (seeds,); NaN where none is recorded yet."""
        known: Array = np.where(self.result.recorded > 0, self.gaps[:, :, 0, 0], np.nan)
        first: Array = np.fmax.reduce(known, axis=0)  # the methods of a seed share its start, and some may be ahead
        return first

    @once
    def start(self) -> float:
        """The median gap of the starts that are recorded; ∞ if none is."""
        known = self.starts[np.isfinite(self.starts)]
        return float(np.median(known)) if len(known) else np.inf

    @once
    def limits(self) -> Array:
        """ε of each seed, shape (seeds,); ∞ where its start is not known yet."""
        if self.criterion.epsilon is not None:
            return np.full(len(self.starts), self.criterion.epsilon)
        return self.limits_at(self.criterion.closed)

    def limits_at(self, closed: float) -> Array:
        """Return ε of each seed if it had to close this share of its gap."""
        problem, best = self.result.spec.problem, self.result.optimum
        least = 1e-6 * (problem.scale + abs(best.value))  # in the loss's unit, as all of this
        wanted = np.maximum((1 - closed) * self.starts, least)
        return np.where(np.isfinite(self.starts), wanted, np.inf)

    @once
    def epsilon(self) -> float:
        """The median ε over the seeds whose start is known; ∞ if none is."""
        known = self.limits[np.isfinite(self.limits)]
        return float(np.median(known)) if len(known) else np.inf

    @once
    def nothing_to_close(self) -> float | None:
        """How far the start is above F*, as a share of it, where that is less than 1%; else ``None``.

        Only the model's own part is judged so: α can always be far off.
        """
        worth = abs(self.result.optimum.value)
        if self.criterion.measure != RISK or not self.start <= _NOTHING * worth:
            return None
        return max(self.start, 0.0) / worth if worth else 0.0

    @once
    def floor(self) -> float | None:
        """What even the population's minimiser shows as a gap on the points; ``None`` where there is no such floor."""
        exact = self.criterion.measure == RISK and self.result.true_excess_risk is not None
        return None if exact else self.result.optimum.floor or None

    @once
    def points_needed(self) -> int | None:
        """How many points could tell runs apart at ε, where those that there are cannot; else ``None``."""
        if self.floor is None or not _CLEAR * self.floor > self.epsilon:
            return None
        return int(np.ceil(self.result.spec.problem.eval_size * _CLEAR * self.floor / self.epsilon))

    def at(self, checkpoint: int = -1) -> Summary:
        """Return the state over seeds at a checkpoint; by default the last one that every run has reached.

        Before every run has recorded its start, that is the start, with what is not known yet as +∞.
        """
        reached = self.result.reached
        index = reached if checkpoint < 0 else min(checkpoint, reached)
        if index not in self._summaries:
            gaps = self.gaps[:, :, index, :]
            self._summaries[index] = Summary(
                self.result.checkpoints[index],
                *spread(gaps, axis=1),
                diverged=(np.isnan(gaps) & (self.result.recorded > index)[:, :, None]).sum(axis=1),
            )
        return self._summaries[index]

    @once
    def forgiven(self) -> dict[str, Forgiven]:
        """What each method forgives, start by start."""
        lambdas, ends = self.result.spec.lambdas, self.gaps[:, :, self.result.reached, :]
        return {
            method: Forgiven(
                tuple(usable_range(lambdas, gaps, limit) for gaps, limit in zip(ends[m], self.limits, strict=True))
            )
            for m, method in enumerate(self.result.spec.methods)
        }

    @once
    def usable(self) -> NDArray[np.int64]:
        """For how many starts each step size of the grid is usable, shape (methods, lambdas)."""
        ends = self.gaps[:, :, self.result.reached, :]
        counts: NDArray[np.int64] = usable(ends, self.limits[:, None]).sum(axis=1)
        return counts

    def best_lambda(self, method: str) -> float | None:
        """Return the λ with the least median final gap, or ``None`` if all diverged.

        A λ at which any seed diverged is the best only if every λ is like that.
        """
        if method not in self._best:
            end, m = self.at(), self.result.method(method)
            whole = np.where(end.diverged[m] == 0, end.median[m], np.inf)
            medians = whole if np.isfinite(whole).any() else end.median[m]
            best = int(np.argmin(medians))
            self._best[method] = self.result.spec.lambdas[best] if np.isfinite(medians[best]) else None
        return self._best[method]

    def best_interval(self, method: str) -> Interval | None:
        """Return the interval of the starts' own best λ, of those with a finite gap; ``None`` if most have none."""
        ends = self.gaps[self.result.method(method), :, self.result.reached, :]
        known: NDArray[np.bool_] = np.isfinite(ends).max(axis=1)
        if 2 * known.sum() <= len(known):
            return None
        places = np.where(np.isfinite(ends[known]), ends[known], np.inf).argmin(axis=1)
        low, high = median_interval([self.result.spec.lambdas[place] for place in places.tolist()])
        best = self.best_lambda(method)  # of the medians, which may lie beside those of most starts
        return Interval(low, high) if best is None else Interval(min(low, best), max(high, best))

    def compare(self, first: str, second: str) -> Comparison:
        """Compare the decades that two methods forgive, start by start."""
        one, other = (self.forgiven[self.result.spec.methods[self.result.method(name)]] for name in (first, second))
        differences = tuple(here - there for here, there in zip(one.each, other.each, strict=True))
        return Comparison(first, second, self.criterion.measure, differences, one.cut, other.cut)

    def iterations(self) -> Array:
        """Return the first recorded iteration with a gap ≤ ε, shape (methods, seeds, lambdas); ∞ if none."""
        reached = (self.gaps <= self.limits[:, None, None]) & (self.gaps < np.inf)  # NaN compares false
        first = np.array(self.result.checkpoints, dtype=float)[reached.argmax(axis=2)]
        return np.where(reached.any(axis=2), first, np.inf)

    def verdict(self, method: str, lam: float) -> Verdict:
        """Judge a λ of the grid, or one between two of its points by its neighbours, start by start.

        Between two points the gap is read off the line in log–log that also gives the usable range its ends, so that a
        λ is usable for a start exactly if it lies in a usable stretch.
        """
        m, lambdas = self.result.method(method), self.result.spec.lambdas
        beside = neighbours(lambdas, lam)
        if beside is None:
            low, high = number(lambdas[0]), number(lambdas[-1])
            ran = f"from {low} to {high}" if len(lambdas) > 1 else f"{low} alone"
            raise SpecError(f"lam is {number(lam)}, but this sweep ran {ran}; it cannot be judged outside")
        left, right = beside
        lam = lambdas[left] if left == right else lam
        end, ends = self.at(), self.gaps[m, :, self.result.reached, :]
        here = [usable_range_with(lam, beside, lambdas, *one) for one in zip(ends, self.limits, strict=True)]
        around = Forgiven(tuple(mine or best for mine, best in zip(here, self.forgiven[method].starts, strict=True)))
        gaps = np.array([gap_between(lam, beside, lambdas, *one) for one in zip(ends, self.limits, strict=True)])
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(np.isnan(gaps), np.inf, gaps / np.where(self.starts > 0, self.starts, np.nan))
        return Verdict(
            method=method,
            lam=lam,
            measure=self.criterion.measure,
            starts=sum(each is not None for each in here),
            seeds=len(ends),
            range=around.typical,
            below_interval=_margins(around, lambda found: math.log10(lam / found.low)),
            above_interval=_margins(around, lambda found: math.log10(found.high / lam)),
            epsilon=self.epsilon,
            gap=float(spread(gaps, axis=0).median),
            left=float(spread(shares, axis=0).median),
            diverged=int(end.diverged[m, [left, right]].max()),
            iteration=end.iteration,
            best_lambda=self.best_lambda(method),
            between=None if left == right else (lambdas[left], lambdas[right]),
            nothing_to_close=self.nothing_to_close,
            alone=len(lambdas) == 1,
            going=end.iteration < self.result.spec.iterations,
            rival=self._rival(method),
        )

    def _rival(self, method: str) -> tuple[str, float] | None:
        """Return which of the other methods comes nearest to the optimum at its best λ, and how near."""
        others = [(self._lowest(name), name) for name in self.result.spec.methods if name != method]
        gap, name = min(others, default=(math.inf, ""))
        return (name, gap) if gap < math.inf else None

    def recommended(self, method: str) -> Recommended | None:
        """Return the λ of the grid to take: usable for the most starts, and with the most room on both sides.

        ``None`` where no λ is usable for most starts, where there is nothing to close, and before the runs have moved.
        """
        if method not in self._recommended:
            self._recommended[method] = self._recommend(method)
        return self._recommended[method]

    def _recommend(self, method: str) -> Recommended | None:
        end, m = self.at(), self.result.method(method)
        if end.iteration == 0 or self.nothing_to_close is not None:
            return None
        found = middles(self.result.spec.lambdas, self.gaps[m, :, self.result.reached, :], self.limits, end.median[m])
        first: Recommended | None = None
        for lam, shared in found:  # the first, but for a λ near an end of the median start's range
            here = Recommended(self.verdict(method, lam), shared)
            if here.verdict.safe:
                return here
            first = first or here
        return first

    @once
    def choice(self) -> Choice | None:
        """Which method to take, and at which λ; ``None`` where nothing can be recommended."""
        names = self.result.spec.methods
        each = [found for found in map(self.recommended, names) if found is not None]
        if not each:
            return None
        taken, dear = taken_of(each, max(NEGLIGIBLE * self.epsilon, _CLEAR * (self.floor or 0.0)))
        lowest = min(names, key=self._lowest)
        best = self.best_lambda(lowest)
        assert best is not None  # what is recommended has not diverged
        return Choice(taken, self.verdict(lowest, best), dear)

    def _lowest(self, method: str) -> float:
        """Return the median final gap at a method's best λ."""
        best, m = self.best_lambda(method), self.result.method(method)
        return math.inf if best is None else float(self.at().median[m, self.result.spec.lambdas.index(best)])


def _margins(around: Forgiven, of: Callable[[UsableRange], float]) -> Interval | None:
    """Return the interval of the median margin, of the starts with a usable range; ``None`` if most have none."""
    if around.typical is None:
        return None
    return median_interval([of(found) for found in around.starts if found is not None])
