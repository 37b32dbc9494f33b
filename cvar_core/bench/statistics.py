"""Section 6: what a result has to say, from its records: a page asks for all of it each time that a run has grown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import combinations
from typing import Any

from ..api import sweep
from ..problem import Problem
from ..results import MEASURES, Criterion, Result
from .measure import side_by_side
from .panel import grid
from .sizes import Sizes
from .text_table import table

POINTS = 10_000  # the statistics do not depend on how many
LAM = 0.02  # between two points of the paper's grid, which takes longest to judge


def measure(sizes: Sizes, out: Callable[[str], None]) -> dict[str, Any]:
    """Time the statistics of a new result of each loss, by each measure and by both."""
    asked = {**{measure: (measure,) for measure in MEASURES}, "both": MEASURES}
    results: dict[str, Any] = {}
    for loss in sizes.losses:
        problem = Problem.synthetic(loss=loss, eval_size=POINTS)
        result = sweep(problem, lambdas=grid(sizes), iterations=sizes.growth_steps, seeds=sizes.seeds)
        tell(replace(result), MEASURES)  # warm: what a problem, not a result, keeps is there
        works = {name: _work(result, measures) for name, measures in asked.items()}
        results[loss] = side_by_side(works, sizes.statistics_rounds)
    out(
        table(
            f"6. Statistics of a result of {result.objectives[:, :, 0].size} runs, one thread",
            ["", *(f"by {name}, ms" for name in asked)],
            [[loss, *(1_000 * row[name] for name in asked)] for loss, row in results.items()],
            [f"Usable ranges, their intervals, all pairs of methods, and the verdict on λ = {LAM:g} for each method."],
        )
    )
    return results


def tell(result: Result, measures: Iterable[str], lam: float = LAM) -> None:
    """Ask for every number, with its interval, that is told of a result."""
    for measure in measures:
        judged = result.judged(Criterion(measure))
        _ = judged.usable
        for method, found in judged.forgiven.items():
            _ = found.decades, found.decades_low, found.decades_high, found.low_ends, found.high_ends
            _ = judged.best_lambda(method), judged.best_interval(method)
            verdict = judged.verdict(method, lam)
            _ = verdict.state, verdict.bound
        for pair in combinations(result.spec.methods, 2):
            compared = judged.compare(*pair)
            _ = compared.difference, compared.low, compared.high, compared.agree, compared.told_apart


def _work(result: Result, measures: Iterable[str]) -> Callable[[], None]:
    return lambda: tell(replace(result), measures)  # a copy has nothing in its memory yet
