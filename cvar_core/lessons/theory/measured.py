"""What runs do with the step sizes that the theorem speaks of: their mean suboptimality over seeds."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from ...catalogue import EVEN, methods
from ...problem import Problem, Sketch
from ...reading import log_range
from ...results import place
from ...scheduling import run
from ...specs import ProblemSpec, SweepSpec
from .theorem import Bound, Bounds, Setting, bounds

Array = NDArray[np.float64]

LAMBDAS = log_range(1e-3, 1e3, 25)
SEEDS = 20
POINTS = 20_000  # that the objective is evaluated on: an answer in a second or two


@dataclass(frozen=True)
class Measured:
    """The final suboptimality of a sweep over its seeds, arrays of shape (methods, lambdas); NaN before it has run.

    Attributes
    ----------
    mean
        What the theorem is about; ∞ where a seed diverged.
    low, high
        The least and the largest of any seed.
    diverged
        How many seeds.
    start
        The mean suboptimality of the starts.
    """

    spec: SweepSpec
    mean: Array
    low: Array
    high: Array
    diverged: NDArray[np.int64]
    start: float

    @property
    def there(self) -> bool:
        """Whether the runs are done."""
        return not np.isnan(self.mean).all()

    def at(self, method: str, lam: float) -> float | None:
        """Return the mean at a λ, between two of the grid by the line in log–log.

        It is ∞ beside a λ at which a seed diverged, and ``None`` outside of the grid.
        """
        lambdas, means = self.spec.lambdas, self.mean[self.spec.methods.index(method)]
        if not lambdas[0] <= lam <= lambdas[-1]:
            return None
        exact = place(lambdas, lam)
        if exact is not None:
            return float(means[exact])
        right = int(np.searchsorted(lambdas, lam))
        beside = slice(right - 1, right + 1)
        if not np.isfinite(means[beside]).all():
            return math.inf if self.there else math.nan
        heights = np.log(means[beside].clip(min=1e-12 * self.start))  # below that all is rounding
        return float(np.exp(np.interp(math.log(lam), np.log(lambdas[beside]), heights)))

    def best(self, method: str) -> tuple[float, float]:
        """Return the λ of the grid with the least mean, and that mean."""
        if not self.there:
            return math.nan, math.nan
        means = self.mean[self.spec.methods.index(method)]
        k = int(np.argmin(means))
        return self.spec.lambdas[k], float(means[k])

    def widest(self, method: str, other: str) -> tuple[float, float]:
        """Return the λ at which two methods differ by the largest factor, and ``method``'s mean by ``other``'s."""
        if not self.there:
            return math.nan, math.nan
        first, second = (self.mean[self.spec.methods.index(name)] for name in (method, other))
        finite = np.isfinite(first) & np.isfinite(second) & (first > 0) & (second > 0)
        factors = np.ones_like(first)
        factors[finite] = first[finite] / second[finite]
        k = int(np.argmax(np.abs(np.log(factors))))
        return self.spec.lambdas[k], float(factors[k])


def looseness(promised: Mapping[str, Bounds], measured: Measured) -> tuple[float, float]:
    """Return the least and the largest factor by which the theorem exceeds a measured mean."""
    if not measured.there:
        return math.nan, math.nan
    lambdas = np.array(measured.spec.lambdas)
    factors = []
    for name, both in promised.items():
        means = measured.mean[measured.spec.methods.index(name)]
        seen = np.isfinite(means) & (means > 0)
        factors.append((both.theorem.travel / lambdas + both.theorem.noise * lambdas)[seen] / means[seen])
    every = np.concatenate(factors)
    return float(every.min()), float(every.max())


def experiment(loss: str, noise: str, beta: float, iterations: int) -> SweepSpec:
    """Return a sweep that the theorem speaks of: the constant schedule, and enough seeds for a mean."""
    problem = ProblemSpec(loss=loss, noise=noise, beta=beta, eval_size=POINTS)
    return SweepSpec(problem, lambdas=LAMBDAS, iterations=iterations, seeds=range(SEEDS), schedule="constant")  # type: ignore[arg-type]


def measure(spec: SweepSpec) -> tuple[Setting, Measured]:
    """Run a sweep; return what the bounds need to know of its problem, and what the runs did."""
    problem = _problem(spec.problem)
    ends = replace(spec, checkpoints=1)
    result = run(problem, ends, workers=1)
    gaps = result.suboptimality[:, :, -1, :]
    lost = np.where(np.isnan(gaps), np.inf, gaps)
    with np.errstate(over="ignore"):  # the mean of huge gaps may be ∞
        means = lost.mean(axis=1)
    begin = float(result.suboptimality[:, :, 0, 0].mean())
    measured = Measured(
        spec, means, lost.min(axis=1), lost.max(axis=1), np.asarray(np.isnan(gaps).sum(axis=1), dtype=np.int64), begin
    )
    return setting_of(problem, spec), measured


def expect(spec: SweepSpec) -> tuple[Setting, Measured]:
    """Return what ``measure`` will, but for the runs, which take longer: NaN stands for them."""
    problem = _problem(spec.problem)
    starts = [problem.start(seed) for seed in spec.seeds]
    alphas = torch.tensor([start.alpha for start in starts], dtype=torch.float64)
    values = problem.ground.objectives(torch.stack([start.theta for start in starts]), alphas)
    begin = float(values.mean()) - problem.optimum().value
    shape = len(spec.methods), len(spec.lambdas)
    unknown, none = np.full(shape, np.nan), np.zeros(shape, dtype=np.int64)
    return setting_of(problem, spec), Measured(spec, unknown, unknown, unknown, none, begin)


def setting_of(problem: Problem, spec: SweepSpec) -> Setting:
    """Return what a problem itself says: the distances of the starts to its optimum, and how steep its losses are."""
    optimum = problem.optimum()
    starts = [problem.start(seed) for seed in spec.seeds]
    steepest = problem.loss.lipschitz
    return Setting(
        theta=tuple(float((start.theta - optimum.theta).norm()) for start in starts),
        alpha=tuple(abs(start.alpha - optimum.alpha) for start in starts),
        initial_loss=tuple(start.initial_loss for start in starts),
        # A loss of x·θ is as steep in θ as in its prediction, times ‖x‖, and every ‖x‖ of a synthetic problem is 1.
        slopes=None if steepest is None else (steepest * problem.spec.scale,),
        beta=problem.spec.beta,
        updates=spec.iterations,
    )


def bounds_on(problem: Problem, spec: SweepSpec, name: str) -> Bounds | None:
    """Return the bounds that hold for a method's runs on a problem, with distances and slopes in the method's metric.

    A metric belongs to a start, so that each start has a bound of its own, and this is their mean.
    """
    metric_of, theta = methods[name].metric, problem.optimum().theta
    rows = problem.ground.points.rows(torch.arange(problem.ground.points.count))
    found = []
    for seed in spec.seeds:
        own = setting_of(problem, replace(spec, seeds=(seed,)))
        if own.slopes is None:
            return None
        metric = EVEN if metric_of is None else metric_of(problem.ground.slope_squares(seed))
        way = (problem.start(seed).theta - theta).square() / metric
        steep = own.slopes[0] * (metric * rows.square()).sum(1).sqrt()
        length = float(way[torch.isfinite(way)].sum().sqrt())  # what no sample moves may be wherever it is
        both = bounds(methods[name], replace(own, theta=(length,), slopes=tuple(steep.tolist())))
        assert both is not None
        found.append(both)
    return Bounds(*(Bound(*np.mean(each, axis=0).tolist()) for each in zip(*found, strict=True)))


@functools.lru_cache(maxsize=8)
def _problem(spec: ProblemSpec) -> Problem:
    """Keep a few problems, so that another number of updates does not solve for the optimum again."""
    return Sketch(spec)
