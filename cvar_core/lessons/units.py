"""What the unit of the loss does to a method: the same problem with its loss in dollars and in cents.

Two things tell the methods apart: the model, and whether θ and α share one step size λ or have the pair
λ_θ = λ/ℓ_0 and λ_α = λ ℓ_0. All four combinations run here, so that the two effects can be seen apart; three of
them are SGM, SPL and SPL+, and the fourth is SGM with SPL+'s pair, which has no name of its own.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .. import engine
from ..catalogue import Method, methods
from ..engine import Shard, State
from ..problem import Optimum, Problem
from ..results import GAP_TO_CLOSE, Spread, UsableRange, spread
from ..results.robustness import usable_range
from ..specs import ProblemSpec, SweepSpec

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


# The rows of a table: one model each, one λ first.
VARIANTS = SGM, SGM_PAIR, SPL, SPL_PLUS = methods["sgm"], methods.of("sgm", "pair"), methods["spl"], methods["spl+"]


def has_pair(variant: Method) -> bool:
    """Whether θ and α have a step size each."""
    return variant.rule is SPL_PLUS.rule


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

    variant: Method
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

    def range(self, variant: Method, scale: float) -> UsableRange | None:
        """Return the usable λ around the best one, or ``None`` if there is none."""
        v, k = VARIANTS.index(variant), self.scales.index(scale)
        return usable_range(self.lambdas, np.where(self.diverged[v, k] == 0, self.left.median[v, k], np.nan), LEFT)

    def best(self, variant: Method, scale: float) -> int | None:
        """Return the place of the best λ, or ``None`` if none is usable."""
        v, k = VARIANTS.index(variant), self.scales.index(scale)
        medians = np.where(self.diverged[v, k] == 0, self.left.median[v, k], np.inf)
        best = int(np.argmin(medians))
        return best if medians[best] <= LEFT else None

    def best_lambdas(self, variant: Method) -> tuple[float | None, ...]:
        """Return the best λ in each unit; ``None`` where none is usable."""
        places = (self.best(variant, scale) for scale in self.scales)
        return tuple(None if place is None else self.lambdas[place] for place in places)

    def without_theta(self, variant: Method) -> tuple[float, float, float] | None:
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
    best, stops = _best(problem).theta, _stops(iterations)
    power = nearest_power(scale)
    seen = {unit: _thetas(problem, lam, unit, iterations) for unit in (1.0, scale, power)}
    begun = float(torch.linalg.vector_norm(_problem(problem).start(SEEDS[0]).theta - best))
    found = []
    for v, variant in enumerate(VARIANTS):
        first, other, exact = (seen[unit][:, v] for unit in (1.0, scale, power))
        distances = np.stack([_lengths(thetas - best) for thetas in (first, other)])
        sizes = np.maximum(distances[0], begun)
        between, rounded = _lengths(first - other), _lengths(first - exact)
        with np.errstate(invalid="ignore"):  # a run that explodes is ∞ from home before it is not finite itself
            shares = between / sizes, rounded / sizes
        found.append(
            Path(
                variant, lam, scale, stops, distances,
                apart=_largest(between), share=_largest(shares[0]), share_at_power=_largest(shares[1]),
                diverged=(not np.isfinite(distances[0]).all(), not np.isfinite(distances[1]).all()), start=begun,
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
    ours, best = _problem(problem), _best(problem)
    starts = [ours.start(seed) for seed in SEEDS]
    shape = (len(SEEDS), len(VARIANTS), len(scales), len(lambdas))
    gaps, way = np.full(shape, np.nan), np.full(shape, np.nan)
    for k, scale in enumerate(scales):
        unit = ours.in_unit(scale)
        for s, seed in enumerate(SEEDS):
            ends = [_walked(unit, each, seed, lambdas, iterations, (iterations,))[-1] for each in VARIANTS]
            theta, alpha = (
                torch.cat(parts) / iterations
                for parts in zip(*((end.theta_sum, end.alpha_sum) for end in ends), strict=True)
            )
            finite = ~torch.cat([end.diverged for end in ends]) & torch.isfinite(theta).all(1) & torch.isfinite(alpha)
            gap = torch.full_like(alpha, torch.nan)
            # Every unit's points are worth as much as their images in the first unit, a factor aside.
            gap[finite] = ours.ground.objectives(theta[finite], alpha[finite] / scale) - best.value
            gap[~torch.isfinite(gap)] = torch.nan
            gaps[s, :, k] = gap.reshape(len(VARIANTS), -1).numpy()
            length = _lengths(starts[s].theta - best.theta)
            way[s, :, k] = (_lengths(theta - best.theta) / length).reshape(len(VARIANTS), -1)
    begun = [ours.objective(start.theta, start.alpha) - best.value for start in starts]
    with np.errstate(over="ignore"):
        left = spread(gaps / np.median(begun), axis=0)
    losses = [start.initial_loss for start in starts]
    return Tolerance(
        tuple(scales),
        tuple(lambdas),
        left,
        np.isnan(gaps).sum(axis=0),
        spread(way, axis=0).median,
        float(np.median(losses)),
    )


@functools.lru_cache(maxsize=4)  # a visitor has one at a time, of some twenty megabytes
def _problem(spec: ProblemSpec) -> Problem:
    assert spec.scale == 1, "the first unit is the one in which the scale is 1"
    return Problem(spec)


@functools.lru_cache(maxsize=64)
def _best(spec: ProblemSpec) -> Optimum:
    return _problem(spec).optimum()


def _stops(iterations: int) -> tuple[int, ...]:
    spaced = np.geomspace(1, iterations, _POINTS).round().astype(int)
    return tuple(sorted(set(spaced.tolist())))


@functools.lru_cache(maxsize=512)  # 20 kB each: a slider goes over the same units again and again
def _thetas(problem: ProblemSpec, lam: float, scale: float, iterations: int) -> Tensor:
    """Return θ_t of the first seed at the stops, shape (stops, variants, dim)."""
    unit = _problem(problem).in_unit(scale)
    walks = [_walked(unit, variant, SEEDS[0], (lam,), iterations, _stops(iterations)) for variant in VARIANTS]
    thetas = [[torch.where(at.diverged[0], torch.nan, at.theta[0]) for at in walk] for walk in walks]
    return torch.stack([torch.stack(each) for each in thetas], dim=1)


def _walked(
    problem: Problem, variant: Method, seed: int, lambdas: Sequence[float], iterations: int, stops: Iterable[int]
) -> list[State]:
    """Return where the runs of one variant are after so many updates each."""
    spec = SweepSpec(problem.spec, (variant.name,), tuple(lambdas), iterations, (seed,), _SCHEDULE, checkpoints=1)
    shard, states = Shard(variant.name, seed), []
    state = engine.start(problem, spec, shard)
    for stop in stops:
        state = engine.step(problem, spec, shard, state, stop)
        states.append(state)
    return states


def _lengths(thetas: Tensor) -> Array:
    """Return the norms of the rows; not finite where a run has diverged."""
    lengths: Array = torch.linalg.vector_norm(thetas, dim=-1).numpy()
    return lengths


def _largest(lengths: Array) -> float:
    return float(lengths[np.isfinite(lengths)].max(initial=0.0))
