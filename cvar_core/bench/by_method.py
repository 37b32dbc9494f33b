"""Section 1b: what a step costs by method, on dense and on sparse rows: a metric should cost next to nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..catalogue import methods
from ..engine import Shard, advance, start
from ..problem import Problem
from ..specs import SweepSpec
from .measure import torch_threads
from .panel import grid
from .sizes import Sizes
from .text_table import Cell, table

_BASE = "spl"
_ROWS, _COLUMNS, _FILLED = 5_000, 20_000, 60  # of the sparse rows: so many columns, and non-zeros in each row


def measure(sizes: Sizes, out: Callable[[str], None]) -> dict[str, Any]:
    """Time the updates alone, the methods taking turns, on one thread."""
    problems = {
        "dense": (Problem.synthetic(eval_size=1_000), sizes.iterations),
        "dense_wide": (Problem.synthetic(eval_size=1_000, dim=200), sizes.growth_steps),
        "sparse": (_sparse(), sizes.iterations),
    }
    with torch_threads(1):
        results = {name: _by_method(*each, sizes) for name, each in problems.items()}
    rows: list[list[Cell]] = [
        [methods[name].label, *(each[name]["times_spl"] for each in results.values())] for name in methods.names()
    ]
    costs = [each[_BASE]["microseconds_per_step"] for each in results.values()]
    out(
        table(
            f"1b. A step by method: {len(grid(sizes))} runs of one seed, one thread",
            ["× SPL", "dimension 10", "dimension 200", f"sparse, {_FILLED} of {_COLUMNS:,}"],
            [*rows, ["(SPL, µs a step of all runs)", *costs]],
            ["Squared loss; the least of several turns. The unit-free rule finds its scales once, before."],
        )
    )
    return results


def _sparse() -> Problem:
    from scipy.sparse import csr_array

    rng = np.random.default_rng(0)
    columns = rng.integers(0, _COLUMNS, (_ROWS, _FILLED)).ravel()
    begins = np.arange(0, columns.size + 1, _FILLED)
    x = csr_array((rng.standard_normal(columns.size) / _FILLED**0.5, columns, begins), shape=(_ROWS, _COLUMNS))
    return Problem.from_arrays(x, rng.standard_normal(_ROWS))


def _by_method(problem: Problem, updates: int, sizes: Sizes) -> dict[str, dict[str, float]]:
    spec = SweepSpec(problem.spec, methods.names(), grid(sizes), updates + 1, seeds=(0,), checkpoints=1)
    took: dict[str, list[float]] = {name: [] for name in spec.methods}
    for _ in range(1 + 3 * sizes.repeats):
        for name, times in took.items():
            begun = start(problem, spec, Shard(name, 0))._replace(recorded=1)  # the start need not be evaluated
            times.append(advance(problem, spec, Shard(name, 0), begun, updates)[1].seconds.step)
    best = {name: min(times[1:]) for name, times in took.items()}  # the first compiles
    return {
        name: {"microseconds_per_step": 1e6 * least / updates, "times_spl": least / best[_BASE]}
        for name, least in best.items()
    }
