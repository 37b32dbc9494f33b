"""What the unit of one feature does to a method: the same problem with its first feature in metres and in centimetres.

The first feature is multiplied by a factor c, and the start with it: θ_1 is divided by c, so that every prediction is
what it was. Judged by the model's excess risk, for which α does not count.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from .. import engine as engine  # registers torch.ops.cvar_core.steps
from ..catalogue import EVEN, methods, schedules
from ..problem import Problem, Samples
from ..results import GAP_TO_CLOSE, Spread, UsableRange, spread
from ..results.robustness import usable_range
from ..specs import ProblemSpec

METHODS = ("spl", "spl+", "sgm-u", "spl-u")
SEEDS = (0, 1, 2, 3, 4)
ITERATIONS = 2_000
LEFT = 1 - GAP_TO_CLOSE


@dataclass(frozen=True)
class FeatureUnit:
    """What is left of the model's excess risk in one unit of the first feature.

    Attributes
    ----------
    left
        As a share of the start's, over the seeds: arrays of shape (methods, lambdas).
    diverged
        How many seeds diverged.
    """

    factor: float
    lambdas: tuple[float, ...]
    left: Spread
    diverged: NDArray[np.int64]

    def range(self, method: str) -> UsableRange | None:
        """Return the usable λ around the best one, or ``None`` if there is none."""
        m = METHODS.index(method)
        return usable_range(self.lambdas, np.where(self.diverged[m] == 0, self.left.median[m], np.nan), LEFT)


@functools.lru_cache(maxsize=64)  # kilobytes each: a slider goes over the same units again and again
def in_unit(
    problem: ProblemSpec, factor: float, lambdas: tuple[float, ...], iterations: int = ITERATIONS
) -> FeatureUnit:
    """Run the methods with every λ from every seed, with the first feature multiplied by ``factor``."""
    points = _problem(problem)
    best = points.optimum().value
    unit = torch.ones(problem.dim, dtype=torch.float64)
    unit[0] = factor
    lam = torch.tensor(lambdas, dtype=torch.float64)
    factors = schedules["decreasing"].factors(0, iterations, iterations)
    left = np.full((len(SEEDS), len(METHODS), len(lambdas)), np.nan)
    for s, seed in enumerate(SEEDS):
        start, drawn = points.start(seed), points.ground.samples(seed, 0, iterations)
        x = drawn.x * unit
        samples = Samples(x, drawn.y, (x * x).sum(1))
        begun = points.risk(start.theta) - best
        for m, name in enumerate(METHODS):
            method = methods[name]
            sizes = method.step_sizes(lam, torch.tensor(start.initial_loss, dtype=torch.float64))
            # A mean square of a feature is multiplied by the square of the factor.
            metric = EVEN if method.metric is None else method.metric(points.ground.slope_squares(seed) * unit**2)
            theta = (start.theta / unit).repeat(len(lam), 1)
            alpha = torch.full_like(lam, start.alpha)
            none = torch.zeros(len(lam), dtype=torch.bool)
            _, _, theta_sum, _, diverged = torch.ops.cvar_core.steps.default(
                samples.x, samples.y, samples.norms_in(metric), factors, sizes.theta, sizes.alpha,
                theta, alpha, torch.zeros_like(theta), torch.zeros_like(alpha), none,
                problem.beta, 1.0, problem.full_loss, name, metric,
            )  # fmt: skip
            mean = theta_sum / iterations * unit  # in the first unit, where a model is worth the same
            fine = ~diverged & torch.isfinite(mean).all(1)
            risks = torch.full_like(lam, torch.nan)
            risks[fine] = points.ground.risks(mean[fine])
            left[s, m] = torch.where(torch.isfinite(risks), (risks - best) / begun, torch.nan).numpy()
    return FeatureUnit(factor, lambdas, spread(left, axis=0), np.isnan(left).sum(axis=0))


@functools.lru_cache(maxsize=8)
def _problem(spec: ProblemSpec) -> Problem:
    assert spec.scale == 1, "the unit of the loss is another lesson"
    return Problem(spec)
