"""The result of a sweep. The objectives are kept; everything else is derived from them when asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..engine import Averaged, Records, Shard
from ..keeping import once
from ..problem import Optimum, Problem, measure_names, population_risk
from ..sameness import same
from ..specs import SpecError, SweepSpec
from .chosen import Chosen
from .compared import Comparison
from .criterion import OBJECTIVE, RISK, Criterion, criterion, ensure_measure
from .gathered import Gathered
from .grid import place
from .in_json import summarised
from .judged import Judged, Summary
from .plotting import plot
from .saving import load, save
from .showing import html_table, one_line
from .verdict import Verdict

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from .frames import Curves

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """What a sweep found. Two are equal when they have the same spec and the same numbers, however long it took.

    >>> from cvar_core import Problem, sweep
    >>> problem = Problem.synthetic(noise="normal", eval_size=500)
    >>> result = sweep(problem, lambdas=[0.01, 0.1, 1, 10], iterations=200, seeds=2)
    >>> list(result.curves().columns[:4]), len(result.summary()), list(result.robustness()["method"])
    (['method', 'lambda', 'seed', 'iteration'], 12, ['sgm', 'spl', 'spl+'])
    >>> result.theta("spl+", lam=1, seed=0).shape, result == sweep(result.spec)
    (torch.Size([10]), True)

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
    problem
        What ``sweep`` ran on; ``None`` of a result on data that comes from a file, in which they are not.
    """

    spec: SweepSpec
    optimum: Optimum
    objectives: Array
    recorded: NDArray[np.int64]
    beside: Mapping[str, Array]
    timings: Mapping[str, float] = field(default_factory=dict)
    problem: Problem | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        names = ("spec", "optimum", "objectives", "recorded", "beside")
        return all(same(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        return hash(self.spec.id)

    def __repr__(self) -> str:
        return one_line(self)

    def _repr_html_(self) -> str:
        return html_table(self)

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

    @once
    def measures(self) -> dict[str, Array]:
        """On data sets, accuracy or losses by name; empty for a synthetic problem."""
        return {name: self.beside[name] for name in measure_names(self.spec.problem)}

    @once
    def reference(self) -> dict[str, float]:
        """The measures of θ*; empty where θ* = 0 in classification, which decides nothing."""
        return dict(zip(self.measures, self.optimum.measures, strict=False))

    @once
    def suboptimality(self) -> Array:
        """F̃_β − F*, of the shape of ``objectives``."""
        return self.objectives - self.optimum.value

    @once
    def excess_risk(self) -> Array:
        """R(θ̄) − F*, the model's part of the suboptimality, of the shape of ``objectives``."""
        return self.risks - self.optimum.value

    @once
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

    @once
    def checkpoints(self) -> tuple[int, ...]:
        """The iterations that are recorded, kept because a chart asks often."""
        return self.spec.checkpoint_iterations

    @once
    def reached(self) -> int:
        """The place of the last checkpoint that every run has reached."""
        return max(int(self.recorded.min()) - 1, 0)

    @once
    def _judged(self) -> dict[Criterion, Judged]:
        return {}

    def judged(self, by: Criterion | None = None) -> Judged:
        """Return what the result says by a criterion, kept: every chart and verdict asks for it again."""
        by = Criterion() if by is None else by
        if by not in self._judged:
            self._judged[by] = Judged(self, by)
        return self._judged[by]

    @property
    def curves(self) -> Curves:
        """One row per record: method, lambda, seed, iteration, then what the averaged iterate is worth.

        objective and suboptimality are those of θ̄ and ᾱ, risk and excess_risk those of the model θ̄ on the points;
        synthetic regression also has true_excess_risk, the population's. Then status, and any measures of data sets.
        """
        from .frames import curves

        return curves(self)

    def at(self, checkpoint: int = -1, measure: str = RISK) -> Summary:
        """Return the state over seeds at a checkpoint; by default the last one that every run has reached."""
        return self.judged(Criterion(measure)).at(checkpoint)

    def summary(self, measure: str = RISK) -> pd.DataFrame:
        """One row per (method, lambda): the final gap's median, low and high over seeds, and status.

        On data sets also the median of each measure over the seeds that did not diverge.
        """
        from .frames import summary

        return summary(self, measure)

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
        from .frames import robustness

        return robustness(self, epsilon, measure, closed)

    @overload
    def best_lambda(self, method: str, measure: str = RISK) -> float | None: ...

    @overload
    def best_lambda(self, method: None = None, measure: str = RISK) -> dict[str, float | None]: ...

    def best_lambda(self, method: str | None = None, measure: str = RISK) -> float | dict[str, float | None] | None:
        """Return the λ with the least median final gap, or ``None`` if all diverged; of each method if none is named.

        A λ at which any seed diverged is the best only if every λ is like that.
        """
        judged = self.judged(Criterion(measure))
        if method is None:
            return {name: judged.best_lambda(name) for name in self.spec.methods}
        return judged.best_lambda(method)

    def theta(
        self,
        method: str | None = None,
        lam: float | None = None,
        seed: int | None = None,
        *,
        problem: Problem | None = None,
    ) -> Tensor:
        """Return the averaged model θ̄ that a run ends with, shape (dim,); NaN if it diverged.

        What is not named is chosen: the recommended method and λ, and the start that ends with the median risk. The run
        is stepped again, with the same bits, which on data takes the problem: that of ``sweep``, or the one given.
        """
        return self._end(method, lam, seed, problem).theta

    def alpha(
        self,
        method: str | None = None,
        lam: float | None = None,
        seed: int | None = None,
        *,
        problem: Problem | None = None,
    ) -> float:
        """Return the averaged threshold ᾱ that a run ends with, chosen as in ``theta``; NaN if it diverged."""
        return float(self._end(method, lam, seed, problem).alpha)

    def _end(self, method: str | None, lam: float | None, seed: int | None, problem: Problem | None) -> Averaged:
        chosen, ground = Chosen.of(self, method, lam, seed), problem or self.problem
        if ground is None and self.spec.problem.data is not None:
            raise SpecError("this result comes without its data: give the problem that it was computed on (problem=…)")
        ground = Problem(self.spec.problem) if ground is None else ground
        if ground.spec != self.spec.problem:
            raise SpecError("problem is another one than that of this result")
        if chosen not in self._ends:
            self._ends.clear()  # the last one is asked for again, for its α; all of them would take memory
            self._ends[chosen] = chosen.end(ground)
        return self._ends[chosen]

    @once
    def _ends(self) -> dict[Chosen, Averaged]:
        return {}

    def plot(
        self,
        kind: str = "sensitivity",
        *,
        lam: float | None = None,
        measure: str = RISK,
        closed: float | None = None,
        epsilon: float | None = None,
        theme: str = "light",
    ) -> go.Figure:
        """Return a plotly figure.

        Parameters
        ----------
        kind
            "sensitivity", the final gap against λ; "curves", the gap along the runs, and "parts", its two parts;
            "iterations", those it takes to reach ε; on data also "measures" such as accuracy against λ, and
            "measures along" the runs.
        lam
            A λ to point at; along the runs, the one to show in the place of each method's best.
        measure, closed, epsilon
            Those of ``robustness``.
        theme
            "light" or "dark".
        """
        return plot(self, kind, lam, measure, closed, epsilon, theme)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result to one file (.npz), from which ``Result.load`` has it again bit for bit; data are not in it.

        A picture is written by plotly: ``result.plot().write_html("picture.html")``.
        """
        save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Result:
        """Read a result that ``save`` has written. What else a file holds, or that it is damaged, is said."""
        return load(path)

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
        return summarised(self, by)
