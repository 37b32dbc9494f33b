"""Section 1: what a step of all runs of the paper's panel costs, ours and others', on one thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from torch import Tensor

from ..problem import Problem
from .contenders import Run, autograd, eager, eager_tuned, jax_installed, jax_scan, ours
from .measure import seconds, side_by_side, torch_threads
from .panel import Panel, blocks, draw, sweep_spec
from .sizes import Sizes
from .text_table import Cell, table

# Step sizes at which squared loss is stable, so that rounding is not amplified: 10^-3, 10^-2 and 10^-1.
MODERATE = slice(3, 6)
AGREEMENT = 1e-8


class Contender(NamedTuple):
    """A way to take the steps, and the slice of the panel that it is timed on."""

    name: str
    label: str
    ready: Callable[[Panel], Run]
    part: Panel


def measure(sizes: Sizes, out: Callable[[str], None]) -> dict[str, Any]:
    """Time the contenders on the same samples, after checking that they take the same steps."""
    problem = Problem.synthetic(eval_size=min(sizes.eval_size, 100_000))
    spec = sweep_spec(problem, sizes)
    with torch_threads(1):
        panel = draw(problem, spec)
        fresh = Problem(problem.spec)  # nothing drawn yet
        drawing = seconds(lambda: [fresh.ground.samples(seed, *block) for seed in spec.seeds for block in blocks(spec)])
        few = slice(0, 3) if sizes.lambdas else MODERATE
        contenders = [
            Contender("ours", "ours: compiled, tiles of runs", ours, panel),
            Contender(
                "autograd", "PyTorch, one run at a time, autograd", autograd, panel.cut(sizes.slice_autograd, 1, few)
            ),
            Contender("eager", "PyTorch, all runs in one tensor", eager, panel.cut(sizes.slice_eager)),
            Contender("eager_tuned", "the same, tuned by hand", eager_tuned, panel.cut(sizes.slice_eager)),
        ]
        if jax_installed():
            contenders.append(Contender("jax", "JAX, vmap over runs, scan over steps", jax_scan, panel))
        short = panel.cut(sizes.path, 1, few)
        reference = ours(short)()
        differences = {one.name: _difference(one.ready(short)(), reference) for one in contenders}
        took = side_by_side({one.name: one.ready(one.part) for one in contenders}, 3 * sizes.repeats, warm=True)
    results: dict[str, Any] = {}
    for one in contenders:
        results[one.name] = {
            "microseconds_per_step": 1e6 * took[one.name] / one.part.steps * panel.runs / one.part.runs,
            "measured_steps": one.part.steps,
            "measured_runs": one.part.runs,
            "difference": differences[one.name],
            "agrees": differences[one.name] <= AGREEMENT,
        }
    for row in results.values():
        row["times_ours"] = row["microseconds_per_step"] / results["ours"]["microseconds_per_step"]
    results["sampling"] = {"microseconds_per_step": 1e6 * drawing / panel.steps}
    results["runs"], results["steps"] = panel.runs, panel.steps
    out(_table(results, contenders))
    return results


def _difference(theta: Tensor, reference: Tensor) -> float:
    return float(((theta - reference).abs() / (1 + reference.abs())).max())


def _table(results: dict[str, Any], contenders: list[Contender]) -> str:
    rows: list[list[Cell]] = []
    for one in contenders:
        row = results[one.name]
        measured = f"{row['measured_runs']:,} × {row['measured_steps']:,}"
        agrees = "" if row["agrees"] else "DISAGREES "
        cost = row["microseconds_per_step"]
        rows.append([one.label, cost, row["times_ours"], measured, f"{agrees}{row['difference']:.0e}"])
    if "jax" not in results:
        rows.append(["JAX, vmap over runs, scan over steps", "not installed", None, None, None])
    rows.append(["(drawing the samples, once for all)", results["sampling"]["microseconds_per_step"], None, None, None])
    return table(
        f"1. Stepping: {results['runs']:,} runs × {results['steps']:,} steps, dimension 10, squared loss, one thread",
        ["", "µs a step of all runs", "× ours", "measured on", "θ differs by"],
        rows,
        [
            "Timed on that many runs × steps, scaled to all runs. The same samples, drawn before; compiling excluded.",
            "The last column compares final θ with ours on a short path of moderate λ, relative to 1 + |θ|.",
        ],
    )
