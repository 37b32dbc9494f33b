"""Sections 3 and 4: the optimum F*, and whole panels as a user runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..problem import Problem
from .measure import seconds, sweep_in_new_process, torch_threads
from .panel import grid
from .sizes import Sizes
from .text_table import table

NOISES = ("normal", "gumbel", "lognormal")  # the paper's
PARTS = ("sample", "step", "evaluate", "optimum", "total")


def optimum(sizes: Sizes, out: Callable[[str], None]) -> dict[str, Any]:
    """Time the search for F* for each loss, on one thread as in a sweep."""
    results: dict[str, Any] = {}
    for loss in sizes.losses:
        problem = Problem.synthetic(loss=loss, eval_size=sizes.eval_size)
        _ = problem.ground.points
        with torch_threads(1):
            took = seconds(problem.optimum)
        best = problem.optimum()
        results[loss] = {"seconds": took, "value": best.value, "gap": best.gap}
    out(
        table(
            f"3. The optimum F* on {sizes.eval_size:,} points, lognormal noise, one thread",
            ["", "seconds", "F*", "certified gap"],
            [[loss, row["seconds"], f"{row['value']:.6f}", row["gap"]] for loss, row in results.items()],
        )
    )
    return results


def panels(sizes: Sizes, all_panels: bool, out: Callable[[str], None]) -> dict[str, Any]:
    """Run the paper's panel, or all nine of them, each in a process of its own."""
    chosen = [(loss, noise) for loss in sizes.losses for noise in NOISES] if all_panels else [("squared", "lognormal")]
    lambdas = list(grid(sizes))
    results: dict[str, Any] = {}
    for loss, noise in chosen:
        results[f"{loss} {noise}"] = sweep_in_new_process(
            loss=loss,
            noise=noise,
            eval_size=sizes.eval_size,
            lambdas=lambdas,
            iterations=sizes.iterations,
            seeds=sizes.seeds,
        )
    rows = [[name, *(row["timings"][part] for part in PARTS), row["peak_mb"]] for name, row in results.items()]
    if len(rows) > 1:
        results["total_seconds"] = sum(row["timings"]["total"] for row in results.values())
        rows.append(["all", None, None, None, None, results["total_seconds"], None])
    runs = 3 * len(lambdas) * sizes.seeds
    out(
        table(
            f"4. A whole panel by cvar_core.sweep, all cores: {runs:,} runs × {sizes.iterations:,} steps, "
            f"F̃ on {sizes.eval_size:,} points, with F*",
            ["", *(f"{part} s" for part in PARTS), "peak MB"],
            rows,
            ["Parts are summed over threads, the total is on the clock. MB: the peak of a process that runs only it."],
        )
    )
    return results
