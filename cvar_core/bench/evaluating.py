"""Section 2: F̃ of all averaged iterates of a panel on all points, ours and others', and R beside it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ..api import thread_count
from ..catalogue import Loss, losses
from ..problem import Problem, cvar
from ..problem.evaluation import tail_sums
from ..problem.points import DensePoints
from .measure import multiply_adds_per_second, side_by_side, torch_threads
from .panel import draw, sweep_spec, walk
from .sizes import Sizes
from .text_table import Cell, table

GROUP = 128  # iterates in one call at most, about as many as the engine's chunks hold
SORTED = 20  # every so many iterates all losses are sorted, to compare with
CHUNK = 512  # points in torch's products, the fastest of what was tried

Sums = Callable[[Tensor, Tensor], Tensor]  # (thetas, alphas) ↦ Σ_i max(ℓ_i(θ) − α, 0) for each pair


class Iterates(NamedTuple):
    """Averaged iterates, checkpoint after checkpoint, without those that have diverged."""

    thetas: Tensor  # (count, dim)
    alphas: Tensor  # (count,)


def averaged(problem: Problem, sizes: Sizes) -> list[Iterates]:
    """Run the panel and return its averaged iterates, one entry per checkpoint."""
    spec = sweep_spec(problem, sizes)
    panel = draw(problem, spec)
    stops = spec.checkpoint_iterations[1:]
    shards = [walk(panel, s, m, stops) for s in range(len(spec.seeds)) for m in range(len(spec.methods))]
    checkpoints = []
    for n, together in zip(stops, zip(*shards, strict=True), strict=True):
        thetas = torch.cat([runs.theta_sum for runs in together]) / n
        alphas = torch.cat([runs.alpha_sum for runs in together]) / n
        ok = ~torch.cat([runs.diverged for runs in together]) & torch.isfinite(thetas).all(1) & torch.isfinite(alphas)
        checkpoints.append(Iterates(thetas[ok], alphas[ok]))
    return checkpoints


def ours(points: DensePoints, loss: Loss, skip: bool) -> Sums:
    """Our kernel: prediction, loss and hinge fused over blocks of points."""
    return lambda thetas, alphas: tail_sums(points, loss, thetas, alphas, skip=skip)


def with_risks(problem: Problem) -> Sums:
    """The same as ``ours`` and R(θ) = CVaR_β in one pass, of which R is returned."""
    return lambda thetas, alphas: problem.ground.evaluate(thetas, alphas).risks


def chunked(points: DensePoints, loss: Loss) -> Sums:
    """The same in plain torch, in chunks of points that stay in the cache."""

    def sums(thetas: Tensor, alphas: Tensor) -> Tensor:
        total = torch.zeros_like(alphas)
        for first in range(0, points.count, CHUNK):
            here = slice(first, first + CHUNK)
            values = loss.value(thetas @ points.columns[:, here], points.target[here])
            total += values.sub_(alphas.unsqueeze(1)).clamp_(min=0).sum(1)
        return total

    return sums


def on_all_cores(sums: Sums, at: Iterates) -> Tensor:
    """Evaluate groups of iterates on as many threads as there are cores, each with one thread of torch's."""
    cores = thread_count(None)
    groups = cores * math.ceil(len(at.alphas) / (GROUP * cores))  # a multiple, so that no core waits for another
    with ThreadPoolExecutor(cores, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        return torch.cat(list(pool.map(sums, at.thetas.tensor_split(groups), at.alphas.tensor_split(groups))))


def measure(sizes: Sizes, out: Callable[[str], None]) -> dict[str, Any]:
    """Time the evaluation of a panel for each loss."""
    with torch_threads(thread_count(None)):
        rate = multiply_adds_per_second()
        results: dict[str, Any] = {loss: _one_loss(loss, sizes, rate) for loss in sizes.losses}
    results["multiply_adds_per_second"] = rate
    out(_table(results, sizes))
    return results


def _one_loss(loss: str, sizes: Sizes, rate: float) -> dict[str, Any]:
    problem = Problem.synthetic(loss=loss, eval_size=sizes.eval_size)
    points = problem.ground.points
    assert isinstance(points, DensePoints)
    checkpoints = averaged(problem, sizes)
    everything = _joined(checkpoints)
    # What visits every point costs the same for any iterate, so a few checkpoints tell it all.
    stride = max(1, len(checkpoints) // sizes.slice_checkpoints)
    part = _joined(checkpoints[stride // 2 :: stride][: sizes.slice_checkpoints])
    scale = len(everything.alphas) / len(part.alphas)
    skipping, brute = ours(points, losses[loss], skip=True), ours(points, losses[loss], skip=False)
    plain, risks = chunked(points, losses[loss]), with_risks(problem)
    exact = on_all_cores(brute, part)  # this also warms the kernel
    few = Iterates(part.thetas[::SORTED], part.alphas[::SORTED])
    sorted_risks = torch.tensor(
        [cvar(problem.losses(theta), problem.spec.beta) for theta in few.thetas], dtype=torch.float64
    )
    difference = _difference(on_all_cores(risks, few), sorted_risks)  # and this the one with R
    thirds = [Iterates(everything.thetas[k::3], everything.alphas[k::3]) for k in range(3)]
    next_third, third_with_risks = itertools.cycle(thirds), itertools.cycle(thirds)
    works = {
        "ours": lambda: on_all_cores(skipping, next(next_third)),
        "risks": lambda: on_all_cores(risks, next(third_with_risks)),
        "brute": lambda: on_all_cores(brute, part),
        "torch": lambda: on_all_cores(plain, part),
    }
    median = side_by_side(works, sizes.repeats)
    took = {name: (3 if name in ("ours", "risks") else scale) * median[name] for name in works}
    took["limit"] = len(everything.alphas) * points.count * points.dim / rate
    return {
        "iterates": len(everything.alphas),
        "measured_iterates": len(part.alphas),
        "points": points.count,
        "seconds": took,
        "times_ours": {name: value / took["ours"] for name, value in took.items()},
        "difference": {
            "ours": _difference(on_all_cores(skipping, part), exact),
            "risks": difference,
            "torch": _difference(on_all_cores(plain, part), exact),
        },
    }


def _joined(checkpoints: list[Iterates]) -> Iterates:
    return Iterates(torch.cat([at.thetas for at in checkpoints]), torch.cat([at.alphas for at in checkpoints]))


def _difference(sums: Tensor, reference: Tensor) -> float:
    known = torch.isfinite(reference)
    return float(((sums - reference).abs() / (1 + reference.abs()))[known].max())


def _table(results: dict[str, Any], sizes: Sizes) -> str:
    rows: list[list[Cell]] = []
    names = {
        "ours": "ours",
        "risks": "ours, with the risk R(θ)",
        "brute": "our kernel on every point",
        "torch": "torch, chunks of points",
        "limit": "the machine's limit",
    }
    for loss in sizes.losses:
        found = results[loss]
        for name, label in names.items():
            difference = found["difference"].get(name)
            rows.append(
                [
                    f"{loss}: {label}",
                    found["seconds"][name],
                    found["times_ours"][name],
                    None if difference is None else f"{difference:.0e}",
                ]
            )
    first = results[sizes.losses[0]]
    cores = thread_count(None)
    return table(
        f"2. Evaluation: F̃ of {first['iterates']:,} averaged iterates on {first['points']:,} points, {cores} threads",
        ["", "seconds", "× ours", "differs by"],
        rows,
        [
            "Taking turns, medians: ours on a third of the iterates each time, the others on "
            f"{first['measured_iterates']:,} of them; scaled.",
            "R(θ) = CVaR of the losses at θ, in the same pass as F̃; it differs by so much from CVaR by selection from "
            "all losses.",
            "The limit: iterates × points × dimension multiply-adds at the rate of torch.mm, "
            f"{results['multiply_adds_per_second']:.2g} a second.",
        ],
    )
