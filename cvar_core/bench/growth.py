"""Section 5: how the cost grows with the number of steps, runs, dimensions and points, and what memory does."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any, NamedTuple

from ..engine import advance, next_stop, shards, start
from ..problem import Problem
from ..specs import SweepSpec
from .measure import seconds, sweep_in_new_process, torch_threads
from .panel import grid
from .sizes import Sizes
from .text_table import Cell, table

SMALL = 1_000  # points, where evaluating them is not what is measured
MEDIUM = 10_000
METHODS = ("sgm", "spl", "spl+")


class Case(NamedTuple):
    """One size of what grows, and the sweep that has it."""

    size: int
    problem: dict[str, Any]
    sweep: dict[str, Any]


def measure(sizes: Sizes, out: Callable[[str], None]) -> dict[str, Any]:
    """Let one size grow at a time, on one thread."""
    base: dict[str, Any] = {
        "lambdas": grid(sizes),
        "seeds": tuple(range(sizes.seeds)),
        "iterations": sizes.growth_steps,
    }
    steps = [Case(n, {"eval_size": SMALL}, {**base, "iterations": n}) for n in sizes.growth_iterations]
    shapes = [(("spl+",), 1), *((METHODS, seeds) for seeds in sizes.growth_seeds)]
    runs = [
        Case(
            len(names) * seeds * len(base["lambdas"]), {"eval_size": SMALL}, {**base, "methods": names, "seeds": seeds}
        )
        for names, seeds in shapes
    ]
    dims = [Case(d, {"dim": d, "eval_size": MEDIUM}, base) for d in sizes.growth_dims]
    points = [Case(n, {"eval_size": n}, {**base, "iterations": SMALL, "checkpoints": 4}) for n in sizes.growth_counts]
    with torch_threads(1):
        _parts(dims[0]), _parts(points[0], solve=True)  # warm: kernels are loaded
        results = {
            "iterations": _grow("5a. Growth with the number of steps T", "T", steps, ("step", "sample"), sizes, out),
            "runs": _grow("5b. Growth with the number of runs", "runs", runs, ("step", "sample"), sizes, out),
            "dim": _grow(
                "5c. Growth with the dimension", "dimension", dims, ("step", "sample", "evaluate"), sizes, out
            ),
            "points": _grow("5d. Growth with the points N", "N", points, ("evaluate", "optimum"), sizes, out),
        }
    return {**results, "memory": _memory(sizes, out)}


def _parts(case: Case, solve: bool = False) -> dict[str, float]:
    """Run all shards of a sweep one after another, and return where the time went."""
    problem = Problem.synthetic(**case.problem)
    spec = SweepSpec(problem.spec, **case.sweep)
    spent = []
    for shard in shards(spec):
        state = start(problem, spec, shard)
        while state.recorded < len(spec.checkpoint_iterations):
            state, records = advance(problem, spec, shard, state, next_stop(spec, state))
            spent.append(records.seconds._asdict())
    total = {part: sum(one[part] for one in spent) for part in ("sample", "step", "evaluate")}
    return {**total, "optimum": seconds(problem.optimum)} if solve else total


def _grow(
    title: str, name: str, cases: list[Case], parts: tuple[str, ...], sizes: Sizes, out: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Time each part at each size; show seconds, and ratios to the first size."""
    results: list[dict[str, Any]] = []
    for case in cases:
        times = [_parts(case, solve="optimum" in parts)]
        while len(times) < sizes.repeats and sum(times[0].values()) < 1:
            times.append(_parts(case, solve="optimum" in parts))
        median = {part: statistics.median(one[part] for one in times) for part in parts}
        results.append({"size": case.size, "proportional": case.size / cases[0].size, "seconds": median})
    first = results[0]["seconds"]
    rows: list[list[Cell]] = []
    for row in results:
        row["ratio"] = {part: row["seconds"][part] / first[part] for part in parts}
        pairs = [value for part in parts for value in (row["seconds"][part], row["ratio"][part])]
        rows.append([f"{row['size']:,}", row["proportional"], *pairs])
    header = [name, "proportional", *(text for part in parts for text in (f"{part} s", "ratio"))]
    out(table(title + ", one thread", header, rows))
    return results


def _memory(sizes: Sizes, out: Callable[[str], None]) -> list[dict[str, Any]]:
    """Run sweeps in processes of their own: no sample is kept, so memory must not grow."""
    results = []
    for iterations in sizes.memory_iterations:
        answer = sweep_in_new_process(
            loss="squared",
            noise="lognormal",
            eval_size=MEDIUM,
            lambdas=list(grid(sizes)),
            iterations=iterations,
            seeds=sizes.seeds,
        )
        results.append({"size": iterations, "peak_mb": answer["peak_mb"], "seconds": answer["timings"]["total"]})
    rows = [
        [f"{row['size']:,}", row["peak_mb"], row["peak_mb"] / results[0]["peak_mb"], row["seconds"]] for row in results
    ]
    title = f"5e. Memory and the number of steps, all cores, {MEDIUM:,} points"
    out(table(title, ["T", "peak MB of the process", "ratio", "seconds"], rows))
    return results
