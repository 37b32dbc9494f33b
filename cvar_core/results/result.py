"""The result of a sweep. The objectives are kept; everything else is derived from them when asked for."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from ..engine import Records, Shard
from ..problem import Optimum, measure_names, population_risk
from ..specs import SpecError, SweepSpec
from .certainty import Interval
from .compared import Comparison
from .criterion import MEASURES, OBJECTIVE, RISK, Criterion, criterion, ensure_measure
from .gathered import Gathered
from .grid import place
from .judged import Judged, Summary
from .recommended import Recommended
from .verdict import Verdict

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]


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
    beside
        What else is recorded of the averaged iterates, by the names of ``problem.recorded_names``: the risk of the
        model and, on data sets, accuracy or losses. Each has the shape of ``objectives``.
    """

    spec: SweepSpec
    optimum: Optimum
    objectives: Array
    recorded: NDArray[np.int64]
    beside: Mapping[str, Array]
    timings: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def from_records(
        cls,
        spec: SweepSpec,
        optimum: Optimum,
        records: Mapping[Shard, list[Records]],
        timings: Mapping[str, float],
    ) -> Result:
        """Return the result of the records of all shards, complete or not."""
        return cls.so_far(spec, optimum, Gathered.of(spec, records), timings)

    @classmethod
    def so_far(cls, spec: SweepSpec, optimum: Optimum, gathered: Gathered, timings: Mapping[str, float]) -> Result:
        """Return what has been gathered, copied: records come in all the time, and a result must not change."""
        return cls(spec, optimum, *gathered.snapshot(), timings)

    @property
    def risks(self) -> Array:
        """R(θ̄), the CVaR_β of the losses of the averaged iterates, of the shape of ``objectives``."""
        return self.beside["risk"]

    @functools.cached_property
    def measures(self) -> dict[str, Array]:
        """On data sets, accuracy or losses by name; empty for a synthetic problem."""
        return {name: self.beside[name] for name in measure_names(self.spec.problem)}

    @functools.cached_property
    def reference(self) -> dict[str, float]:
        """The measures of θ*; empty where θ* = 0 in classification, which decides nothing."""
        return dict(zip(self.measures, self.optimum.measures, strict=False))

    @functools.cached_property
    def suboptimality(self) -> Array:
        """F̃_β − F*, of the shape of ``objectives``."""
        return self.objectives - self.optimum.value

    @functools.cached_property
    def excess_risk(self) -> Array:
        """R(θ̄) − F*, the model's part of the suboptimality, of the shape of ``objectives``."""
        return self.risks - self.optimum.value

    @functools.cached_property
    def true_excess_risk(self) -> Array | None:
        """The excess risk of θ̄ in the population, free of the luck of any points; ``None`` where it is not known.

        It is known for synthetic regression, where it depends on the distance ‖θ̄ − θ_gen‖ alone.
        """
        population = population_risk(self.spec.problem) if "distance" in self.beside else None
        if population is None:
            return None
        distances = self.beside["distance"]
        known = np.isfinite(distances)
        found = np.full(distances.shape, np.nan)
        found[known] = population.excess(torch.from_numpy(distances[known])).numpy()
        return self.spec.problem.scale * found

    def gaps(self, measure: str = RISK) -> Array:
        """Return what a run is judged by, of the shape of ``objectives``: suboptimality, or the model's excess risk.

        The excess risk is the population's where that is known, else that on the points.
        """
        ensure_measure(measure)
        if measure == OBJECTIVE:
            return self.suboptimality
        return self.excess_risk if self.true_excess_risk is None else self.true_excess_risk

    def gap_name(self, measure: str) -> str:
        """Return which column of ``curves`` a measure judges by."""
        if measure == OBJECTIVE:
            return "suboptimality"
        return "excess_risk" if self.true_excess_risk is None else "true_excess_risk"

    @functools.cached_property
    def checkpoints(self) -> tuple[int, ...]:
        """The iterations that are recorded, kept because a chart asks often."""
        return self.spec.checkpoint_iterations

    @functools.cached_property
    def reached(self) -> int:
        """The place of the last checkpoint that every run has reached."""
        return max(int(self.recorded.min()) - 1, 0)

    @functools.cached_property
    def _judged(self) -> dict[Criterion, Judged]:
        return {}

    def judged(self, by: Criterion | None = None) -> Judged:
        """Return what the result says by a criterion, kept: every chart and verdict asks for it again."""
        by = Criterion() if by is None else by
        if by not in self._judged:
            self._judged[by] = Judged(self, by)
        return self._judged[by]

    @property
    def curves(self) -> pd.DataFrame:
        """One row per record: method, lambda, seed, iteration, then what the averaged iterate is worth.

        objective and suboptimality are those of θ̄ and ᾱ, risk and excess_risk those of the model θ̄ on the points;
        synthetic regression also has true_excess_risk, the population's. Then status, and any measures of data sets.
        """
        import pandas as pd

        spec = self.spec
        levels = [spec.methods, spec.lambdas, spec.seeds, self.checkpoints]
        index = pd.MultiIndex.from_product(levels, names=["method", "lambda", "seed", "iteration"])
        rows = index.to_frame(index=False)
        columns = {
            "objective": self.objectives,
            "suboptimality": self.suboptimality,
            "risk": self.risks,
            "excess_risk": self.excess_risk,
            "true_excess_risk": self.true_excess_risk,
            "status": np.where(np.isnan(self.objectives), "diverged", "ok"),
            **self.measures,
        }
        for name, values in columns.items():
            if values is not None:
                rows[name] = values.transpose(0, 3, 1, 2).ravel()
        known = np.arange(len(self.checkpoints)) < self.recorded[:, None, :, None]
        return rows[np.broadcast_to(known, (len(spec.methods), len(spec.lambdas), *known.shape[2:])).ravel()]

    def at(self, checkpoint: int = -1, measure: str = RISK) -> Summary:
        """Return the state over seeds at a checkpoint; by default the last one that every run has reached."""
        return self.judged(Criterion(measure)).at(checkpoint)

    def summary(self, measure: str = RISK) -> pd.DataFrame:
        """One row per (method, lambda): the final gap's median, low and high over seeds, and status.

        On data sets also the median of each measure over the seeds that did not diverge.
        """
        import pandas as pd

        end = self.at(measure=measure)
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

    def epsilon(self, closed: float | None = None, measure: str = RISK) -> float:
        """Return the gap at which a share ``closed`` of that at the start is closed, the median over the starts."""
        return self.judged(criterion(measure, closed)).epsilon

    def robustness(
        self, epsilon: float | None = None, measure: str = RISK, closed: float | None = None
    ) -> pd.DataFrame:
        """One row per method: best_lambda, low_lambda, high_lambda, decades with its interval, and how the range ends.

        A λ is usable for a start when the run does not diverge and closes 90% of that start's own gap (or the share
        ``closed``; or ends with a gap of at most ``epsilon``). A start's range is the contiguous stretch around its
        best λ. Over the starts the ends and the decades are medians; decades_low and decades_high are the exact
        order-statistics interval of that median (five starts: the least to the largest, 94%). best_lambda has the
        least median gap.
        """
        import pandas as pd

        judged = self.judged(criterion(measure, closed, epsilon))
        rows = []
        for method, found in judged.forgiven.items():
            typical = found.typical
            rows.append(
                {
                    "method": method,
                    "best_lambda": judged.best_lambda(method),
                    "low_lambda": typical.low if typical else None,
                    "high_lambda": typical.high if typical else None,
                    "decades": found.decades,
                    "open_low": typical.open_low if typical else False,
                    "open_high": typical.open_high if typical else False,
                    "at_least": found.at_least if typical else False,
                    "holes": typical.holes if typical else False,
                    "decades_low": found.decades_low,
                    "decades_high": found.decades_high,
                    **_named("best_lambda", judged.best_interval(method)),
                    **_named("low_lambda", found.low_ends),
                    **_named("high_lambda", found.high_ends),
                }
            )
        return pd.DataFrame(rows)

    def best_lambda(self, method: str, measure: str = RISK) -> float | None:
        """Return the λ with the least median final gap, or ``None`` if all diverged.

        A λ at which any seed diverged is the best only if every λ is like that.
        """
        return self.judged(Criterion(measure)).best_lambda(method)

    def method(self, name: str) -> int:
        """Return the place of a method in the sweep."""
        if name not in self.spec.methods:
            raise SpecError(f"method is {name!r}, but this sweep ran {', '.join(self.spec.methods)}")
        return self.spec.methods.index(name)

    def place(self, lam: float) -> int | None:
        """Return where a λ stands in the grid, or ``None`` if the sweep did not run it."""
        return place(self.spec.lambdas, lam)

    def verdict(
        self, method: str, lam: float, epsilon: float | None = None, measure: str = RISK, closed: float | None = None
    ) -> Verdict:
        """Judge a λ of the grid, or one between two of its points by its neighbours, start by start."""
        return self.judged(criterion(measure, closed, epsilon)).verdict(method, lam)

    def compare(
        self, first: str, second: str, measure: str = RISK, closed: float | None = None, epsilon: float | None = None
    ) -> Comparison:
        """Tell how many more decades of λ one method forgives than another: the mean over starts, with its interval.

        Methods share starts and samples, so that they are compared start by start.
        """
        return self.judged(criterion(measure, closed, epsilon)).compare(first, second)

    def to_dict(self, by: Criterion | None = None) -> dict[str, Any]:
        """Return the summary as JSON types, by one criterion and beside it by every measure; not finite is null."""
        by = Criterion() if by is None else by
        report = {
            "spec": self.spec.to_dict(),
            "id": self.spec.id,
            "f_star": self.optimum.value,
            "f_star_gap": self.optimum.gap,
            "alpha_star": self.optimum.alpha,
            "floor": self.optimum.floor,
            "measure": by.measure,
            **self._told(by),
            "by_measure": {measure: self._told(replace(by, measure=measure)) for measure in MEASURES},
            "timings": dict(self.timings),
        }
        if self.measures:
            report["f_star_attained"] = self.optimum.attained
            report["best_constant"] = self.optimum.constant
            report["optimum_measures"] = dict(self.reference) or None  # of θ*
        plain: dict[str, Any] = _plain(report)
        return plain

    def _told(self, by: Criterion) -> dict[str, Any]:
        """Return what a summary says by one criterion."""
        judged, summary = self.judged(by), self.summary(by.measure)
        robustness = self.robustness(by.epsilon, by.measure, by.closed).set_index("method")
        per_method: dict[str, dict[str, Any]] = {}
        for m, method in enumerate(self.spec.methods):
            rows = summary[summary["method"] == method]
            names = ("lambda", "median", "low", "high", "status", *self.measures)
            lists = {name: rows[name].tolist() for name in names} | {"usable_starts": judged.usable[m].tolist()}
            advised = {"recommended": _recommended(judged.recommended(method))}
            per_method[method] = {str(name): value for name, value in robustness.loc[method].items()} | lists | advised
        pairs = combinations(self.spec.methods, 2)
        return {
            "gap": self.gap_name(by.measure),
            "closed": by.closed if by.epsilon is None else None,
            "epsilon": judged.epsilon,
            "epsilons": judged.limits.tolist(),
            "start_gaps": judged.starts.tolist(),
            "comparisons": [_compared(judged.compare(*pair)) for pair in pairs],
            "start_gap": judged.start,
            "nothing_to_close": judged.nothing_to_close,
            "points_needed": judged.points_needed,
            "taken": None if judged.choice is None else judged.choice.taken.method,
            "methods": per_method,
        }


def _named(name: str, interval: Interval | None) -> dict[str, float | None]:
    low, high = (None, None) if interval is None else interval
    return {f"{name}_low": low, f"{name}_high": high}


def _compared(found: Comparison) -> dict[str, Any]:
    """Return a comparison as a row of JSON."""
    names = ("first", "second", "difference", "low", "high", "agree", "told_apart")
    return {name: getattr(found, name) for name in names}


def _recommended(found: Recommended | None) -> dict[str, Any] | None:
    """Return the λ to take as JSON, with how far it may be wrong."""
    if found is None:
        return None
    verdict = found.verdict
    return {
        "lambda": found.lam,
        "state": verdict.state,
        "starts": verdict.starts,
        "bound": verdict.bound,
        "factor": found.factor,
        "at_least": found.at_least,
        "low_lambda": found.shared.low,
        "high_lambda": found.shared.high,
        "gap": verdict.gap,
        "left": verdict.left,
    }


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
