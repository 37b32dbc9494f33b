"""Section 1d: what an update costs on a loss of one's own, beside the same loss compiled and a loop of autograd."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ..api import sweep
from ..problem import Problem
from ..specs import paper_grid
from .measure import torch_threads
from .sizes import Sizes
from .text_table import Cell, table

_ROWS, _DIM, _BETA = 1_000, 10, 0.95
_LAMBDAS = paper_grid()
_COMPILED, _OWN, _LOOP = "squared loss, compiled", "Problem.from_torch", "a loop of autograd"


def measure(sizes: Sizes, out: Callable[[str], None]) -> dict[str, Any]:
    """Time small sweeps of SGM by the processor's clock, on one thread; F* is found before."""
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(_ROWS, _DIM, generator=rng, dtype=torch.float64)
    y = x.sum(1) + torch.randn(_ROWS, generator=rng, dtype=torch.float64)
    problems = {
        _COMPILED: Problem.from_arrays(x, y, loss="squared", beta=_BETA),
        _OWN: Problem.from_torch(lambda theta, x, y: 0.5 * (x @ theta - y) ** 2, (x, y), dim=_DIM, beta=_BETA),
    }
    few, many = sizes.slice_autograd, 100 * sizes.slice_autograd
    grid = len(_LAMBDAS)
    with torch_threads(1):
        works: dict[str, tuple[int, Callable[[], object]]] = {
            _COMPILED: (many * grid, _sweeping(problems[_COMPILED], many)),
            _OWN: (few * grid, _sweeping(problems[_OWN], few)),
            _LOOP: (few, lambda: _loop(x, y, 0.1, few)),
        }
        for _, work in works.values():
            work()  # compiles, and finds F*
        micro = {name: 1e6 * _processor(work) / updates for name, (updates, work) in works.items()}
    results = {
        name: {"microseconds_per_update": each, "times_compiled": each / micro[_COMPILED]}
        for name, each in micro.items()
    }
    rows: list[list[Cell]] = [[name, *each.values()] for name, each in results.items()]
    out(
        table(
            f"1d. An update of SGM on a loss of your own: squared, {_ROWS:,} rows, {grid} step sizes, one thread",
            ["way", "µs of processor an update", "× compiled"],
            rows,
            ["A sweep steps all its step sizes at once, and records; the loop has one step size, and no records."],
        )
    )
    return results


def _sweeping(problem: Problem, iterations: int) -> Callable[[], object]:
    return lambda: sweep(problem, ["sgm"], _LAMBDAS, iterations, seeds=1, workers=1)


def _processor(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _loop(x: Tensor, y: Tensor, lam: float, updates: int) -> tuple[Tensor, float]:
    """SGM as one would write it: the gradient of each sample's loss, and the threshold beside it."""
    rng = torch.Generator().manual_seed(1)
    theta = torch.randn(_DIM, generator=rng, dtype=torch.float64).requires_grad_()
    alpha, ceiling = 0.0, 1 / (1 - _BETA)
    for t, i in enumerate(torch.randint(len(y), (updates,), generator=rng).tolist()):
        loss = 0.5 * (x[i] @ theta - y[i]) ** 2
        (v,) = torch.autograd.grad(loss, theta)
        size, eta = lam / (t + 1) ** 0.5, ceiling if loss.item() > alpha else 0.0
        with torch.no_grad():
            theta -= size * eta * v
        alpha += size * (eta - 1)
    return theta.detach(), alpha
