"""Cells of the shipped atlas by the methods' torch definitions, one update after another.

``python -m tests.lessons.atlas.by_hand [FOLDER]`` does it for five cells; FOLDER has the files that do not ship.
"""

import sys

import numpy as np
import torch

from cvar_core.catalogue import Linearisation, losses, methods, schedules
from cvar_core.catalogue.methods.method import EVEN, StepSizes
from cvar_core.lessons import atlas
from cvar_core.results import MEASURES

CELLS = (
    ("normal noise, squared", "spl+", 1.0),
    ("diabetes, raw, squared", "spl-u", 10**-0.5),
    ("breast cancer, standardised, logistic, β = 0.5", "spl", 1.0),
    ("made rare, raw, absolute", "sgm-u", 10**-1.5),
    ("mortgage, raw, huber", "sgm", 10**-3),
)


def gaps_by_hand(entry: atlas.Entry, method: str, lam: float, seed: int, folder: str | None = None) -> list[float]:
    """Return the final gaps by both measures of one run."""
    problem = entry.make(folder)
    spec, kind = atlas.sweep_of(problem.spec), methods[method]
    begin, loss = problem.start(seed), losses[problem.spec.loss]
    theta, alpha = begin.theta.unsqueeze(0), torch.tensor([begin.alpha], dtype=torch.float64)
    sizes = kind.step_sizes(torch.tensor([lam], dtype=torch.float64), torch.tensor(begin.initial_loss))
    metric = EVEN if kind.metric is None else kind.metric(problem.ground.slope_squares(seed))
    factors = schedules[spec.schedule].factors(0, spec.iterations, spec.iterations)
    theta_sum, alpha_sum, length = torch.zeros_like(theta), torch.zeros_like(alpha), problem.ground.block_length
    for first in range(0, spec.iterations, length):
        block = problem.ground.samples(seed, first, min(first + length, spec.iterations))
        for x, y, factor in zip(block.x, block.y, factors[first:], strict=False):
            prediction = theta @ x
            slope = problem.spec.scale * loss.slope(prediction, y)
            value = problem.spec.scale * loss.value(prediction, y)
            here = Linearisation(theta, alpha, value, slope.unsqueeze(1) * x, problem.spec.beta)
            theta, alpha = kind.step(here, StepSizes(sizes.theta * factor, sizes.alpha * factor, metric))
            theta_sum += theta
            alpha_sum += alpha
    mean, level = theta_sum[0] / spec.iterations, float(alpha_sum) / spec.iterations
    losses_there = problem.losses(mean).numpy()
    beta, best = problem.spec.beta, problem.optimum()
    objective = level + np.maximum(losses_there - level, 0).mean() / (1 - beta)
    alphas = np.quantile(losses_there, beta, method="inverted_cdf")
    risk = alphas + np.maximum(losses_there - alphas, 0).mean() / (1 - beta)
    return [risk - best.value, objective - best.value]


def shipped(name: str, method: str, lam: float, seed: int) -> np.ndarray:
    known = atlas.shipped()
    place = known.place(name)
    assert place is not None
    k = int(np.abs(np.log(np.array(atlas.LAMBDAS) / lam)).argmin())
    return known.gaps[place, :, atlas.METHODS.index(method), seed, k]


if __name__ == "__main__":
    entries = {entry.name: entry for entry in atlas.every_problem()}
    for name, method, lam in CELLS:
        found = gaps_by_hand(entries[name], method, lam, 0, sys.argv[1] if len(sys.argv) > 1 else None)
        known = shipped(name, method, lam, 0)
        for measure, here, there in zip(MEASURES, found, known, strict=True):
            print(f"{name:48}{method:6}λ = {lam:<9.3g}{measure:10} by hand {here:.7g}, shipped {there:.7g}", flush=True)
