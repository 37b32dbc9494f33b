"""What the unit of the loss does to a method: the same problem with its loss in dollars and in cents.

Two things tell the methods apart: the model, and whether θ and α share one step size λ or have the pair
λ_θ = λ/ℓ_0 and λ_α = λ ℓ_0. All four combinations run here, so that the two effects can be seen apart; three of
them are SGM, SPL and SPL+, and the fourth is SGM with SPL+'s pair, which the catalogue does not have.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .. import engine as engine  # registers torch.ops.cvar_core.steps
from ..catalogue import StepSizes, methods, schedules
from ..problem import Problem, Samples, Start
from ..results import GAP_TO_CLOSE, Spread, UsableRange, spread
from ..results.robustness import usable_range
from ..specs import ProblemSpec

Array = NDArray[np.float64]

ITERATIONS = 2_000
SEEDS = (0, 1, 2, 3, 4)
EVAL_SIZE = 10_000
LEFT = 1 - GAP_TO_CLOSE  # of the objective's gap at the start: what a usable λ leaves at most

_POINTS = 60  # of a path
_SCHEDULE = "decreasing"


def half_decades(low: int, high: int) -> tuple[float, ...]:
    """Return round numbers, two a decade.

    >>> half_decades(-1, 1)
    (0.1, 0.3, 1.0, 3.0, 10.0)
    """
    steps = [float(f"{mantissa}e{power}") for power in range(low, high) for mantissa in (1, 3)]
    return (*steps, 10.0**high)


SCALES = half_decades(-3, 3)
LAMBDAS = half_decades(-6, 4)


@dataclass(frozen=True)
class Variant:
    """A model with a rule for the step sizes; both are those of methods in the catalogue."""

    name: str
    label: str
    model: str  # the method whose step is taken
    sizes: str  # the method whose λ_θ and λ_α are taken

    @property
    def has_pair(self) -> bool:
        return self.sizes == "spl+"


SGM = Variant("sgm", "SGM", "sgm", "sgm")
SGM_PAIR = Variant("sgm-pair", "SGM with the pair", "sgm", "spl+")
SPL = Variant("spl", "SPL", "spl", "spl")
SPL_PLUS = Variant("spl+", "SPL₊", "spl", "spl+")
VARIANTS = (SGM, SGM_PAIR, SPL, SPL_PLUS)  # the rows of a table: one model each, one λ first


class _Course(NamedTuple):
    """The runs with one model, side by side, somewhere on their way."""

    model: str
    sizes: StepSizes  # (runs,) each, before any decay
    runs: tuple[Tensor, ...]  # θ_t, α_t, the sums of θ and of α over the updates taken, and whether it diverged


@dataclass(frozen=True)
class Path:
    """One variant's θ_t in the first unit and in another one.

    Attributes
    ----------
    iterations
        The updates after which it was looked at, (points,).
    distances
        ‖θ_t − θ*‖ in both units, (2, points); not finite once a run has diverged.
    apart
        The largest ‖θ_t − θ'_t‖ over the points where both are finite.
    share
        The same with each ‖θ_t − θ'_t‖ as a share of ‖θ_t − θ*‖, or of ‖θ_0 − θ*‖ if that is more.
    share_at_power
        That for the power of two nearest to the scale.
    diverged
        Whether the run in the first unit, and the one in the other unit, diverged.
    start
        ‖θ_0 − θ*‖.
    """

    variant: Variant
    lam: float
    scale: float
    iterations: tuple[int, ...]
    distances: Array
    apart: float
    share: float
    share_at_power: float
    diverged: tuple[bool, bool]
    start: float

    @property
    def power(self) -> float:
        """The power of two nearest to the scale, by which a number is multiplied without rounding."""
        return nearest_power(self.scale)

    @property
    def same(self) -> bool:
        """Whether the two paths are one, up to rounding that has not grown."""
        return self.share <= 1e-6 and self.diverged[0] == self.diverged[1]


@dataclass(frozen=True)
class Tolerance:
    """What each variant makes of each λ in each unit.

    Attributes
    ----------
    left
        The objective's gap F̃(θ̄, ᾱ) − F* as a share of that at the start, which has no unit, over the seeds: arrays
        of shape (variants, scales, lambdas). It has the model's part, R(θ̄) − F*, and the threshold's.
    diverged
        How many seeds diverged.
    way
        ‖θ̄ − θ*‖/‖θ_0 − θ*‖, the median over the seeds.
    initial_loss
        ℓ_0 in the first unit, the median over the seeds.
    """

    scales: tuple[float, ...]
    lambdas: tuple[float, ...]
    left: Spread
    diverged: NDArray[np.int64]
    way: Array
    initial_loss: float

    @property
    def meeting(self) -> float:
        """The unit in which ℓ_0 is 1, where one λ and the pair are the same."""
        return 1 / self.initial_loss

    def range(self, variant: Variant, scale: float) -> UsableRange | None:
        """Return the usable λ around the best one, or ``None`` if there is none."""
        v, k = VARIANTS.index(variant), self.scales.index(scale)
        return usable_range(self.lambdas, np.where(self.diverged[v, k] == 0, self.left.median[v, k], np.nan), LEFT)

    def best(self, variant: Variant, scale: float) -> int | None:
        """Return the place of the best λ, or ``None`` if none is usable."""
        v, k = VARIANTS.index(variant), self.scales.index(scale)
        medians = np.where(self.diverged[v, k] == 0, self.left.median[v, k], np.inf)
        best = int(np.argmin(medians))
        return best if medians[best] <= LEFT else None

    def best_lambdas(self, variant: Variant) -> tuple[float | None, ...]:
        """Return the best λ in each unit; ``None`` where none is usable."""
        places = (self.best(variant, scale) for scale in self.scales)
        return tuple(None if place is None else self.lambdas[place] for place in places)

    def without_theta(self, variant: Variant) -> tuple[float, float, float] | None:
        """Return a unit in which the best λ is usable though θ̄ stays near θ_0: it closed the threshold's part alone.

        The scale, the share of the objective's gap that is left, and that of the distance to θ*; the smallest such
        scale.
        """
        v = VARIANTS.index(variant)
        for k, scale in enumerate(self.scales):
            place = self.best(variant, scale)
            if place is not None and self.way[v, k, place] > 0.9:
                return scale, float(self.left.median[v, k, place]), float(self.way[v, k, place])
        return None


@dataclass(frozen=True)
class _Ground:
    """What the runs of one problem share in the first unit."""

    starts: tuple[Start, ...]
    samples: tuple[Samples, ...]
    theta: Tensor  # θ*
    value: float  # F*


def problem_of(loss: str, noise: str) -> ProblemSpec:
    """Return the small problem on which units are tried."""
    return ProblemSpec(loss=loss, noise=noise, eval_size=EVAL_SIZE)


def nearest_power(scale: float) -> float:
    """Return the power of two nearest to a scale.

    >>> nearest_power(100), nearest_power(0.001)
    (128.0, 0.0009765625)
    """
    return 2.0 ** round(math.log2(scale))


def walk(problem: ProblemSpec, lam: float, scale: float, iterations: int = ITERATIONS) -> tuple[Path, ...]:
    """Follow θ in the first unit, and in the one in which the loss is ``scale`` times as large.

    Start, samples and λ are the same. A path for each of ``VARIANTS``.
    """
    ground = _ground(problem, iterations)
    stops = _stops(iterations)
    power = nearest_power(scale)
    seen = {unit: _thetas(problem, lam, unit, iterations) for unit in (1.0, scale, power)}
    start = float(torch.linalg.vector_norm(ground.starts[0].theta - ground.theta))
    found = []
    for v, variant in enumerate(VARIANTS):
        first, other, exact = (seen[unit][:, v] for unit in (1.0, scale, power))
        distances = np.stack([_lengths(thetas - ground.theta) for thetas in (first, other)])
        sizes = np.maximum(distances[0], start)
        between, rounded = _lengths(first - other), _lengths(first - exact)
        with np.errstate(invalid="ignore"):  # a run that explodes is ∞ from home before it is not finite itself
            shares = between / sizes, rounded / sizes
        found.append(
            Path(
                variant, lam, scale, stops, distances,
                apart=_largest(between), share=_largest(shares[0]), share_at_power=_largest(shares[1]),
                diverged=(not np.isfinite(distances[0]).all(), not np.isfinite(distances[1]).all()), start=start,
            )
        )  # fmt: skip
    return tuple(found)


def tolerance(
    problem: ProblemSpec,
    scales: Sequence[float] = SCALES,
    lambdas: Sequence[float] = LAMBDAS,
    iterations: int = ITERATIONS,
) -> Tolerance:
    """Run every variant with every λ in every unit, from every seed."""
    ground, points = _ground(problem, iterations), Problem(problem)
    shape = (len(SEEDS), len(VARIANTS), len(scales), len(lambdas))
    gaps, way, begun = np.full(shape, np.nan), np.full(shape, np.nan), []
    for seed, (start, samples) in enumerate(zip(ground.starts, ground.samples, strict=True)):
        length = float(torch.linalg.vector_norm(start.theta - ground.theta))
        begun.append(points.objective(start.theta, start.alpha) - ground.value)
        for k, scale in enumerate(scales):
            courses = _advance(_courses(start, scale, lambdas), problem, samples, scale, 0, iterations)
            _, _, theta_sum, alpha_sum, diverged = map(torch.cat, zip(*(each.runs for each in courses), strict=True))
            theta, alpha = theta_sum / iterations, alpha_sum / iterations
            finite = ~diverged & torch.isfinite(theta).all(1) & torch.isfinite(alpha)
            gap = torch.full_like(alpha, torch.nan)
            # Every unit's points are worth as much as their images in the first unit, a factor aside.
            gap[finite] = points.ground.objectives(theta[finite], alpha[finite] / scale) - ground.value
            gap[~torch.isfinite(gap)] = torch.nan
            gaps[seed, :, k] = gap.reshape(len(VARIANTS), -1).numpy()
            way[seed, :, k] = (_lengths(theta - ground.theta) / length).reshape(len(VARIANTS), -1)
    with np.errstate(over="ignore"):
        left = spread(gaps / np.median(begun), axis=0)
    losses = [start.initial_loss for start in ground.starts]
    return Tolerance(
        tuple(scales),
        tuple(lambdas),
        left,
        np.isnan(gaps).sum(axis=0),
        spread(way, axis=0).median,
        float(np.median(losses)),
    )


@functools.lru_cache(maxsize=32)  # a megabyte each
def _ground(spec: ProblemSpec, iterations: int) -> _Ground:
    assert spec.scale == 1, "the first unit is the one in which the scale is 1"
    problem = Problem(spec)
    best = problem.optimum()
    drawn = (problem.ground.samples(seed, 0, iterations) for seed in SEEDS)
    samples = tuple(Samples(*(part.clone() for part in one)) for one in drawn)  # not the whole block they are cut from
    return _Ground(tuple(problem.start(seed) for seed in SEEDS), samples, best.theta, best.value)


def _stops(iterations: int) -> tuple[int, ...]:
    spaced = np.geomspace(1, iterations, _POINTS).round().astype(int)
    return tuple(sorted(set(spaced.tolist())))


@functools.lru_cache(maxsize=512)  # 20 kB each: a slider goes over the same units again and again
def _thetas(problem: ProblemSpec, lam: float, scale: float, iterations: int) -> Tensor:
    """Return θ_t of the first seed at the stops, shape (stops, variants, dim)."""
    ground, stops = _ground(problem, iterations), _stops(iterations)
    courses = _courses(ground.starts[0], scale, (lam,))
    thetas = []
    for first, last in zip((0, *stops), stops, strict=False):
        courses = _advance(courses, problem, ground.samples[0], scale, first, last)
        theta, diverged = (torch.cat([course.runs[part] for course in courses]) for part in (0, 4))
        thetas.append(torch.where(diverged.unsqueeze(1), torch.nan, theta))
    return torch.stack(thetas)


def _courses(start: Start, scale: float, lambdas: Sequence[float]) -> list[_Course]:
    """Return the runs before their first update: for each variant in turn, one with each λ."""
    initial_loss = torch.tensor(scale * start.initial_loss, dtype=torch.float64)
    lam = torch.tensor(lambdas, dtype=torch.float64)
    courses = []
    for model, variants in itertools.groupby(VARIANTS, lambda variant: variant.model):
        sizes = [methods[variant.sizes].step_sizes(lam, initial_loss) for variant in variants]
        count = len(sizes) * len(lam)
        theta = start.theta.repeat(count, 1)
        alpha = torch.full((count,), scale * start.alpha, dtype=torch.float64)
        none = torch.zeros(count, dtype=torch.bool)
        courses.append(
            _Course(
                model,
                StepSizes(torch.cat([size.theta for size in sizes]), torch.cat([size.alpha for size in sizes])),
                (theta, alpha, torch.zeros_like(theta), torch.zeros_like(alpha), none),
            )
        )
    return courses


def _advance(
    courses: list[_Course], problem: ProblemSpec, samples: Samples, scale: float, first: int, last: int
) -> list[_Course]:
    """Take the updates first … last−1."""
    here = [part[first:last] for part in samples]
    factors = schedules[_SCHEDULE].factors(first, last, len(samples.y))
    return [
        course._replace(
            runs=torch.ops.cvar_core.steps.default(
                *here, factors, *course.sizes[:2], *course.runs, problem.beta, scale, problem.loss, course.model
            )
        )
        for course in courses
    ]


def _lengths(thetas: Tensor) -> Array:
    """Return the norms of the rows; not finite where a run has diverged."""
    lengths: Array = torch.linalg.vector_norm(thetas, dim=-1).numpy()
    return lengths


def _largest(lengths: Array) -> float:
    return float(lengths[np.isfinite(lengths)].max(initial=0.0))
