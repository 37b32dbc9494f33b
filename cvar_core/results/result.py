"""The result of a sweep. The objectives are kept; everything else is derived from them when asked for."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Outcome, Records, Shard
from ..problem import Optimum
from ..specs import SpecError, SweepSpec
from .gathered import Gathered
from .grid import neighbours, place
from .robustness import UsableRange, median_between, usable_range, usable_range_with
from .spread import spread
from .verdict import Verdict

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

GAP_TO_CLOSE = 0.9  # a usable λ closes at least this share of the gap that it began with


@dataclass(frozen=True)
class Summary:
    """The suboptimality at one checkpoint over the seeds, arrays of shape (methods, lambdas)."""

    iteration: int
    median: Array  # +∞ where half of the seeds or more diverged
    low: Array
    high: Array
    diverged: NDArray[np.int64]  # how many seeds


@dataclass(frozen=True)
class Result:
    """What a sweep found.

    Attributes
    ----------
    objectives
        F̃_β of the averaged iterates, shape (methods, seeds, checkpoints, lambdas); NaN where diverged.
    recorded
        How many checkpoints each (method, seed) has: all of them, unless the sweep is still running.
    timings
        Seconds: sample, step, evaluate and optimum are summed over the threads; total is on the clock.
    measures
        On data sets, by name: accuracy or losses of the averaged iterates, each of the shape of ``objectives``.
    """

    spec: SweepSpec
    optimum: Optimum
    objectives: Array
    recorded: NDArray[np.int64]
    timings: Mapping[str, float] = field(default_factory=dict)
    measures: Mapping[str, Array] = field(default_factory=dict)

    @classmethod
    def collect(cls, spec: SweepSpec, outcome: Outcome) -> Result:
        return cls.from_records(spec, outcome.optimum, outcome.records, outcome.timings)

    @classmethod
    def from_records(
        cls,
        spec: SweepSpec,
        optimum: Optimum,
        records: Mapping[Shard, list[Records]],
        timings: Mapping[str, float],
    ) -> Result:
        """Put the records of all shards, complete or not, in their places."""
        gathered = Gathered(spec)
        for shard, parts in records.items():
            for part in parts:
                gathered.put(shard, part)
        return cls.so_far(spec, optimum, gathered, timings)

    @classmethod
    def so_far(cls, spec: SweepSpec, optimum: Optimum, gathered: Gathered, timings: Mapping[str, float]) -> Result:
        """Return what has been gathered, copied: records come in all the time, and a result must not change."""
        measures = {name: values.copy() for name, values in gathered.measures.items()}
        return cls(spec, optimum, gathered.objectives.copy(), gathered.recorded.copy(), timings, measures)

    @functools.cached_property
    def reference(self) -> dict[str, float]:
        """The measures of θ*; empty where θ* = 0 in classification, which decides nothing."""
        return dict(zip(self.measures, self.optimum.measures, strict=False))

    @functools.cached_property
    def suboptimality(self) -> Array:
        """F̃_β − F*, of the shape of ``objectives``."""
        return self.objectives - self.optimum.value

    @functools.cached_property
    def checkpoints(self) -> tuple[int, ...]:
        """The iterations that are recorded, kept because a chart asks often."""
        return self.spec.checkpoint_iterations

    # What every chart and verdict of a poll asks for again, as it is made: a result never changes.

    @functools.cached_property
    def _summaries(self) -> dict[int, Summary]:
        return {}  # by checkpoint

    @functools.cached_property
    def _ranges(self) -> dict[float, dict[str, UsableRange | None]]:
        return {}  # by ε

    @functools.cached_property
    def _best(self) -> dict[str, float | None]:
        return {}  # by method

    @functools.cached_property
    def _reached(self) -> int:
        """The place of the last checkpoint that every run has reached."""
        return max(int(self.recorded.min()) - 1, 0)

    @functools.cached_property
    def start_gap(self) -> float:
        """g0, the median suboptimality of the starts that are recorded."""
        starts = np.where(self.recorded > 0, self.suboptimality[:, :, 0, 0], np.nan)
        known = starts[np.isfinite(starts)]
        return float(np.median(known)) if len(known) else np.inf

    @property
    def curves(self) -> pd.DataFrame:
        """One row per record: method, lambda, seed, iteration, objective, suboptimality, status, and any measures."""
        import pandas as pd

        spec = self.spec
        levels = [spec.methods, spec.lambdas, spec.seeds, self.checkpoints]
        index = pd.MultiIndex.from_product(levels, names=["method", "lambda", "seed", "iteration"])
        rows = index.to_frame(index=False)
        rows["objective"] = self.objectives.transpose(0, 3, 1, 2).ravel()
        rows["suboptimality"] = rows["objective"] - self.optimum.value
        rows["status"] = np.where(rows["objective"].isna(), "diverged", "ok")
        for name, values in self.measures.items():
            rows[name] = values.transpose(0, 3, 1, 2).ravel()
        known = np.arange(len(self.checkpoints)) < self.recorded[:, None, :, None]
        return rows[np.broadcast_to(known, (len(spec.methods), len(spec.lambdas), *known.shape[2:])).ravel()]

    def at(self, checkpoint: int = -1) -> Summary:
        """Return the state over seeds at a checkpoint; by default the last one that every run has reached.

        Before every run has recorded its start, that is the start, with what is not known yet as +∞.
        """
        index = self._reached if checkpoint < 0 else min(checkpoint, self._reached)
        if index not in self._summaries:
            gaps = self.suboptimality[:, :, index, :]
            self._summaries[index] = Summary(
                self.checkpoints[index],
                *spread(gaps, axis=1),
                diverged=(np.isnan(gaps) & (self.recorded > index)[:, :, None]).sum(axis=1),
            )
        return self._summaries[index]

    def summary(self) -> pd.DataFrame:
        """One row per (method, lambda): the final suboptimality's median, low and high over seeds, and status.

        On data sets also the median of each measure over the seeds that did not diverge.
        """
        import pandas as pd

        end = self.at()
        index = pd.MultiIndex.from_product([self.spec.methods, self.spec.lambdas], names=["method", "lambda"])
        rows = index.to_frame(index=False)
        for name in ("median", "low", "high"):
            rows[name] = getattr(end, name).ravel()
        some, every = end.diverged > 0, end.diverged == len(self.spec.seeds)
        rows["status"] = np.where(every, "diverged", np.where(some, "partly", "ok")).ravel()
        for name in self.measures:
            rows[name] = self.measured(name).ravel()
        return rows

    def measured(self, name: str, checkpoint: int = -1) -> Array:
        """Return a measure's median over the seeds that did not diverge, shape (methods, lambdas); NaN if all did."""
        values = self.measures[name][:, :, self.checkpoints.index(self.at(checkpoint).iteration), :]
        none = np.asarray(np.isnan(values).all(axis=1, keepdims=True))
        return np.where(none[:, 0], np.nan, np.nanmedian(np.where(none, 0.0, values), axis=1))

    def epsilon(self, closed: float = GAP_TO_CLOSE) -> float:
        """Return the suboptimality at which a share ``closed`` of the gap at the start is closed."""
        if not 0 < closed < 1:
            raise SpecError(f"the share of the gap to close is {closed:g}, but it must lie between 0 and 1")
        floor = 1e-6 * (self.spec.problem.scale + abs(self.optimum.value))  # in the loss's unit, as all of this
        return max((1 - closed) * self.start_gap, floor)

    def ranges(self, epsilon: float | None = None) -> dict[str, UsableRange | None]:
        """Return the range of λ that each method forgives, around its best."""
        end, limit = self.at(), self.epsilon() if epsilon is None else epsilon
        if limit not in self._ranges:
            self._ranges[limit] = {
                method: usable_range(self.spec.lambdas, end.median[m], end.diverged[m] == 0, limit)
                for m, method in enumerate(self.spec.methods)
            }
        return dict(self._ranges[limit])

    def robustness(self, epsilon: float | None = None) -> pd.DataFrame:
        """One row per method: best_lambda, low_lambda, high_lambda, decades, open_low, open_high, holes.

        A λ is usable when no seed diverged and the median final suboptimality is at most ``epsilon``, by default
        a tenth of the median suboptimality of the start. The range is the contiguous stretch around the best λ.
        """
        import pandas as pd

        rows = []
        for method, found in self.ranges(epsilon).items():
            rows.append(
                {
                    "method": method,
                    "best_lambda": self.best_lambda(method),
                    "low_lambda": found.low if found else None,
                    "high_lambda": found.high if found else None,
                    "decades": found.decades if found else None,
                    "open_low": found.open_low if found else False,
                    "open_high": found.open_high if found else False,
                    "holes": found.holes if found else False,
                }
            )
        return pd.DataFrame(rows)

    def best_lambda(self, method: str) -> float | None:
        """Return the λ with the least median final suboptimality, or ``None`` if all diverged.

        A λ at which any seed diverged is the best only if every λ is like that.
        """
        if method not in self._best:
            end, m = self.at(), self._method(method)
            whole = np.where(end.diverged[m] == 0, end.median[m], np.inf)
            medians = whole if np.isfinite(whole).any() else end.median[m]
            best = int(np.argmin(medians))
            self._best[method] = self.spec.lambdas[best] if np.isfinite(medians[best]) else None
        return self._best[method]

    def _method(self, name: str) -> int:
        if name not in self.spec.methods:
            raise SpecError(f"method is {name!r}, but this sweep ran {', '.join(self.spec.methods)}")
        return self.spec.methods.index(name)

    def place(self, lam: float) -> int | None:
        """Return where a λ stands in the grid, or ``None`` if the sweep did not run it."""
        return place(self.spec.lambdas, lam)

    def iterations_to(self, epsilon: float) -> Array:
        """Return the first recorded iteration with suboptimality ≤ ε, shape (methods, seeds, lambdas); ∞ if none."""
        reached = self.suboptimality <= epsilon  # NaN compares false
        first = np.array(self.checkpoints, dtype=float)[reached.argmax(axis=2)]
        return np.where(reached.any(axis=2), first, np.inf)

    def verdict(self, method: str, lam: float, epsilon: float | None = None) -> Verdict:
        """Judge a λ of the grid, or one between two of its points by the medians of its neighbours.

        Between two points the median is read off the line in log–log that also gives the usable range its ends, so
        that a λ is safe exactly if it lies in a usable stretch.
        """
        m, lambdas = self._method(method), self.spec.lambdas
        beside = neighbours(lambdas, lam)
        if beside is None:
            ran = f"from {lambdas[0]:g} to {lambdas[-1]:g}" if len(lambdas) > 1 else f"{lambdas[0]:g} alone"
            raise SpecError(f"lambda is {lam:g}, but this sweep ran {ran}; it cannot be judged outside")
        left, right = beside
        lam = lambdas[left] if left == right else lam
        end, limit = self.at(), self.epsilon() if epsilon is None else epsilon
        medians, all_ok = end.median[m], end.diverged[m] == 0
        found = usable_range_with(lam, beside, lambdas, medians, all_ok, limit)
        return Verdict(
            method=method,
            lam=lam,
            safe=found is not None,
            range=found or self.ranges(limit)[method],
            epsilon=limit,
            suboptimality=median_between(lam, beside, lambdas, medians, limit),
            diverged=int(end.diverged[m, [left, right]].max()),
            seeds=len(self.spec.seeds),
            iteration=end.iteration,
            best_lambda=self.best_lambda(method),
            between=None if left == right else (lambdas[left], lambdas[right]),
        )

    def to_dict(self, epsilon: float | None = None) -> dict[str, Any]:
        """Return the summary as JSON types; what is not finite is null."""
        limit = self.epsilon() if epsilon is None else epsilon
        robustness = self.robustness(limit).set_index("method")
        summary = self.summary()
        per_method: dict[str, dict[str, Any]] = {}
        for method in self.spec.methods:
            rows = summary[summary["method"] == method]
            names = ("lambda", "median", "low", "high", "status", *self.measures)
            lists = {name: rows[name].tolist() for name in names}
            per_method[method] = {str(name): value for name, value in robustness.loc[method].items()} | lists
        report = {
            "spec": self.spec.to_dict(),
            "id": self.spec.id,
            "f_star": self.optimum.value,
            "f_star_gap": self.optimum.gap,
            "alpha_star": self.optimum.alpha,
            "epsilon": limit,
            "methods": per_method,
            "timings": dict(self.timings),
        }
        if self.measures:
            report["f_star_attained"] = self.optimum.attained
            report["optimum_measures"] = dict(self.reference) or None  # of θ*
        plain: dict[str, Any] = _plain(report)
        return plain


def _plain(value: Any) -> Any:
    """Turn numpy's numbers into Python's, and what is not finite into ``None``."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
