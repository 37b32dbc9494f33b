"""What a user calls: ``sweep`` and ``check``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from numbers import Integral
from typing import Any

import torch

from .cancel import Stop
from .catalogue import losses
from .catalogue import methods as every_method
from .problem import Problem
from .results import RISK, Result, Verdict, criterion, remarks
from .scheduling import Progress, run
from .specs import SpecError, SweepSpec, paper_grid
from .store import Keeper, Store, opened


def sweep(
    problem: Problem,
    methods: Iterable[str] = ("sgm", "spl", "spl+"),
    lambdas: Iterable[float] | None = None,
    iterations: int = 10_000,
    seeds: int | Iterable[int] = 5,
    schedule: str = "decreasing",
    workers: int | None = None,
    *,
    checkpoints: int = 26,
    report: Callable[[Progress], None] | None = None,
    stop: Stop | None = None,
    store: Store | str | os.PathLike[str] | None = None,
) -> Result:
    """Run every method with every step size from every seed.

    Parameters
    ----------
    lambdas
        The step sizes; the paper's grid by default.
    seeds
        How many seeds, or a list of them. A seed fixes a run's start and its stream of samples.
    schedule
        "decreasing" takes λ/√(t+1) at update t = 0, 1, …; "constant" takes λ/√iterations throughout.
    workers
        Threads; as many as there are processors by default. The result does not depend on it.
    report, stop
        Called with the progress; asked several times a second whether to stop, which raises ``Cancelled``.
    store
        A file in which what is computed is kept, also of a sweep that is stopped. What any sweep has left there is not
        computed again: one with further seeds, step sizes or methods takes the others' from it, bit for bit.

    >>> problem = Problem.synthetic(loss="absolute", noise="normal", eval_size=1_000)
    >>> result = sweep(problem, methods=["spl+"], lambdas=[0.1, 1], iterations=100, seeds=2)
    >>> list(result.summary()["status"])
    ['ok', 'ok']
    """
    if not isinstance(problem, Problem):
        raise SpecError("the first argument must be a Problem, made with Problem.synthetic or Problem.from_arrays")
    grid = paper_grid() if lambdas is None else lambdas
    spec = SweepSpec(
        problem=problem.spec,
        methods=methods,  # type: ignore[arg-type]
        lambdas=grid,  # type: ignore[arg-type]
        iterations=iterations,
        seeds=seeds,  # type: ignore[arg-type]
        schedule=schedule,
        checkpoints=checkpoints,
    )
    threads = thread_count(workers)
    if store is None:
        return run(problem, spec, threads, report, stop)
    with opened(store) as kept:
        keeper = Keeper(kept, spec)
        try:
            result = run(problem, spec, threads, report, stop, keeper)
        except BaseException:
            keeper.ended("interrupted")
            raise
        keeper.ended("done", result.timings)
        return result


def check(
    problem: Problem,
    lam: float,
    method: str = "spl+",
    iterations: int = 10_000,
    seeds: int | Iterable[int] = 5,
    schedule: str = "decreasing",
    workers: int | None = None,
    *,
    measure: str = RISK,
    epsilon: float | None = None,
    closed: float | None = None,
    checkpoints: int = 26,
    report: Callable[[Progress], None] | None = None,
    stop: Stop | None = None,
    store: Store | str | os.PathLike[str] | None = None,
) -> Verdict:
    """Tell whether λ is safe for a method, and how many decades of margin it has on each side.

    λ is tried together with the paper's grid. It is safe when every start closes 90% of its own gap (or the share
    ``closed``; or ends with a gap of at most ``epsilon``). The gap is the excess risk of the model, or, with
    ``measure="objective"``, the suboptimality of model and threshold together. ``store`` is that of ``sweep``.
    """
    by = criterion(measure, closed, epsilon)  # what is wrong with it is said before the work, not after it
    (lam,) = SweepSpec(problem.spec, lambdas=(lam,)).lambdas
    result = sweep(
        problem,
        (method,),
        {*paper_grid(), lam},
        iterations,
        seeds,
        schedule,
        workers,
        checkpoints=checkpoints,
        report=report,
        stop=stop,
        store=store,
    )
    judged = result.judged(by)
    verdict = judged.verdict(method, lam)
    return replace(verdict, remarks=remarks(judged, method, verdict.lam))


def thread_count(workers: Any) -> int:
    if workers is None:
        return os.cpu_count() or 1
    if isinstance(workers, bool) or not isinstance(workers, Integral) or not 1 <= int(workers) <= 256:
        raise SpecError(f"workers is {workers!r}, but it must be a whole number from 1 to 256")
    return int(workers)


def compile_kernels() -> list[str]:
    """Compile what every loss needs into the cache, so that nobody's first run waits for it; return the losses."""
    from scipy.sparse import csr_array

    for loss in losses.names():
        synthetic = Problem.synthetic(loss=loss, eval_size=300)
        rows, target = synthetic.ground.points.rows(torch.arange(300)), synthetic.ground.points.target
        for problem in (synthetic, Problem.from_arrays(csr_array(rows.numpy()), target, loss)):
            sweep(problem, every_method.names(), lambdas=(0.1, 1.0), iterations=10, seeds=1, workers=1)
    return list(losses.names())
