"""What a user calls: ``sweep`` and ``check``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from numbers import Integral
from typing import Any, overload

import torch

from .cancel import Stop
from .catalogue import losses
from .cluster import AHEAD, Cluster, connected, cut
from .problem import Problem
from .processors import processors
from .progress_bar import Report, shown
from .results import RISK, Result, Verdict, Verdicts, criterion, remarks
from .scheduling import WAITING, Progress, run, run_on
from .scheduling import Keeper as Keeping
from .specs import (
    USUAL_METHOD,
    USUAL_SEEDS,
    ProblemSpec,
    SpecError,
    SweepSpec,
    paper_grid,
    step_size,
    usual_methods,
)
from .store import Keeper, Store, opened

_FIELDS = ("methods", "lambdas", "iterations", "seeds", "schedule", "checkpoints")
# What ``sweep`` takes them for.
_USUAL = (SweepSpec.methods, None, SweepSpec.iterations, USUAL_SEEDS, SweepSpec.schedule, SweepSpec.checkpoints)


def sweep(
    problem: Problem | ProblemSpec | SweepSpec,
    methods: Iterable[str] = SweepSpec.methods,
    lambdas: Iterable[float] | None = None,
    iterations: int = SweepSpec.iterations,
    seeds: int | Iterable[int] = USUAL_SEEDS,
    schedule: str = SweepSpec.schedule,
    workers: int | None = None,
    *,
    checkpoints: int = SweepSpec.checkpoints,
    progress: bool = False,
    report: Report | None = None,
    stop: Stop | None = None,
    store: Store | str | os.PathLike[str] | None = None,
    scheduler: Cluster | str | None = None,
) -> Result:
    """Run every method with every step size from every seed.

    Parameters
    ----------
    problem
        A problem; or the spec of a synthetic one, or of a whole sweep, which then says all that is to be run.
    lambdas
        The step sizes; the paper's grid by default.
    seeds
        How many seeds, or a list of them. A seed fixes a run's start and its stream of samples.
    schedule
        "decreasing" takes λ/√(t+1) at update t = 0, 1, …; "constant" takes λ/√iterations throughout.
    workers
        Threads; by default as many as there are processors, or as a container may use. The result is the same.
    progress
        Whether to show a bar, in a terminal or a notebook.
    report, stop
        Called with the progress, by this thread; asked several times a second whether to stop, which raises
        ``Cancelled`` with what is known by then as its ``result``. Ctrl-C raises ``KeyboardInterrupt``, with the same.
    store
        A file in which what is computed is kept, also of a sweep that is stopped. What any sweep has left there is not
        computed again: one with further seeds, step sizes or methods takes the others' from it, bit for bit.
    scheduler
        The address of a dask scheduler, such as ``"tcp://10.0.0.5:8786"``, or a ``Cluster``: its workers compute
        instead of threads, and find the same bits. While it has none, or cannot be reached, the sweep waits.

    >>> problem = Problem.synthetic(loss="absolute", noise="normal", eval_size=1_000)
    >>> result = sweep(problem, methods=["spl+"], lambdas=[0.1, 1], iterations=100, seeds=2)
    >>> list(result.summary()["status"])
    ['ok', 'ok']
    >>> sweep(result.spec) == result
    True
    """
    problem, spec = asked(problem, methods, lambdas, iterations, seeds, schedule, checkpoints)
    threads = thread_count(workers, scheduler)
    with shown(progress, report) as told:
        if store is None:
            return _run(problem, spec, threads, scheduler, told, stop)
        with opened(store) as kept:
            keeper = Keeper(kept, spec)
            try:
                result = _run(problem, spec, threads, scheduler, told, stop, keeper)
            except BaseException:
                keeper.ended("interrupted")
                raise
            keeper.ended("done", result.timings)
            return result


def _run(
    problem: Problem,
    spec: SweepSpec,
    threads: int,
    scheduler: Cluster | str | None,
    report: Report,
    stop: Stop | None,
    keeper: Keeping | None = None,
) -> Result:
    """Run a sweep on threads, or on the workers of a cluster."""
    if scheduler is None:
        return run(problem, spec, threads, report, stop, keeper)
    with connected(scheduler) as cluster:
        cluster.ensure_fits(problem)
        pieces = cut(spec, cluster.threads())

        def told(progress: Progress) -> None:
            report(progress._replace(stage=WAITING) if cluster.trouble else progress)

        return run_on(cluster, cluster.threads, problem, spec, told, stop, keeper, pieces, AHEAD)


@overload
def check(  # type: ignore[overload-overlap]  # a text is a list of letters, too
    problem: Problem | ProblemSpec,
    lam: float,
    method: str = ...,
    iterations: int = ...,
    seeds: int | Iterable[int] = ...,
    schedule: str = ...,
    workers: int | None = ...,
    *,
    lambdas: Iterable[float] | None = ...,
    measure: str = ...,
    epsilon: float | None = ...,
    closed: float | None = ...,
    checkpoints: int = ...,
    progress: bool = ...,
    report: Report | None = ...,
    stop: Stop | None = ...,
    store: Store | str | os.PathLike[str] | None = ...,
    scheduler: Cluster | str | None = ...,
) -> Verdict: ...


@overload
def check(
    problem: Problem | ProblemSpec,
    lam: float,
    method: Iterable[str],
    iterations: int = ...,
    seeds: int | Iterable[int] = ...,
    schedule: str = ...,
    workers: int | None = ...,
    *,
    lambdas: Iterable[float] | None = ...,
    measure: str = ...,
    epsilon: float | None = ...,
    closed: float | None = ...,
    checkpoints: int = ...,
    progress: bool = ...,
    report: Report | None = ...,
    stop: Stop | None = ...,
    store: Store | str | os.PathLike[str] | None = ...,
    scheduler: Cluster | str | None = ...,
) -> Verdicts: ...


def check(
    problem: Problem | ProblemSpec,
    lam: float,
    method: str | Iterable[str] = USUAL_METHOD,
    iterations: int = SweepSpec.iterations,
    seeds: int | Iterable[int] = USUAL_SEEDS,
    schedule: str = SweepSpec.schedule,
    workers: int | None = None,
    *,
    lambdas: Iterable[float] | None = None,
    measure: str = RISK,
    epsilon: float | None = None,
    closed: float | None = None,
    checkpoints: int = SweepSpec.checkpoints,
    progress: bool = False,
    report: Report | None = None,
    stop: Stop | None = None,
    store: Store | str | os.PathLike[str] | None = None,
    scheduler: Cluster | str | None = None,
) -> Verdict | Verdicts:
    """Tell whether λ is safe for a method, and how many decades of margin it has on each side.

    λ is tried together with the paper's grid, or with ``lambdas``. It is safe when every start closes 90% of its own
    gap (or the share ``closed``; or ends with a gap of at most ``epsilon``). The gap is the excess risk of the model,
    or, with ``measure="objective"``, the suboptimality of model and threshold together. The others are those of
    ``sweep``.

    A verdict is true if λ is safe. Of several methods there is one each, by name, and all together are true if λ is
    safe for every one.

    >>> problem = Problem.synthetic(loss="absolute", noise="normal", noise_params={"std": 0.3}, dim=4, eval_size=1_000)
    >>> found = check(problem, 1.0, ["sgm", "spl+"], iterations=1_000, seeds=2, lambdas=[0.1, 10])
    >>> [(method, verdict.state) for method, verdict in found.items()]
    [('sgm', 'not safe'), ('spl+', 'safe so far')]
    >>> bool(found["spl+"]), bool(found)
    (True, False)
    """
    by = criterion(measure, closed, epsilon)  # what is wrong with it is said before the work, not after it
    lam = step_size("lam", lam)
    names = (method,) if isinstance(method, str) else tuple(method)
    problem, spec = asked(problem, names, lambdas, iterations, seeds, schedule, checkpoints)
    result = sweep(
        problem,
        spec.methods,
        {*spec.lambdas, lam},
        iterations,
        spec.seeds,
        schedule,
        workers,
        checkpoints=checkpoints,
        progress=progress,
        report=report,
        stop=stop,
        store=store,
        scheduler=scheduler,
    )
    judged = result.judged(by)
    found = {name: judged.verdict(name, lam) for name in spec.methods}
    told = {name: replace(each, remarks=remarks(judged, name, each.lam)) for name, each in found.items()}
    return told[method] if isinstance(method, str) else Verdicts(told)


def asked(
    problem: Any,
    methods: Any,
    lambdas: Any,
    iterations: Any,
    seeds: Any,
    schedule: Any,
    checkpoints: Any,
) -> tuple[Problem, SweepSpec]:
    """Return the problem and the spec of a call, in which a spec may stand for the problem or for all of it."""
    given = (methods, lambdas, iterations, seeds, schedule, checkpoints)
    if isinstance(problem, SweepSpec):
        for name, value, usual in zip(_FIELDS, given, _USUAL, strict=True):
            if value != usual:
                raise SpecError(f"{name} is given beside a SweepSpec, which has its own: change it there")
        return Problem(problem.problem), problem
    if isinstance(problem, ProblemSpec):
        problem = Problem(problem)
    if not isinstance(problem, Problem):
        raise SpecError(
            f"problem is {_kind(problem)}, but it must be a Problem, made with Problem.synthetic or "
            "Problem.from_arrays, or a spec of a synthetic one"
        )
    return problem, SweepSpec(problem.spec, methods, paper_grid() if lambdas is None else lambdas, *given[2:])


def _kind(value: Any) -> str:
    return f"of type {type(value).__name__}"


def thread_count(workers: Any, scheduler: object = None) -> int:
    """Return how many threads compute; a scheduler has workers of its own."""
    if workers is not None and scheduler is not None:
        raise SpecError("workers are threads of this machine: beside a scheduler, which has its own, leave them out")
    if workers is None:
        return processors()
    if isinstance(workers, bool) or not isinstance(workers, Integral) or not 1 <= int(workers) <= 256:
        raise SpecError(f"workers is {workers!r}, but it must be a whole number from 1 to 256")
    return int(workers)


def compile_kernels() -> list[str]:
    """Compile what every loss with the usual methods needs, so that nobody's first run waits for it; return the losses.

    What few ask for is compiled when somebody does, once: another model, or a mix with the mean.
    """
    from scipy.sparse import csr_array

    for loss in losses.names():
        synthetic = Problem.synthetic(loss=loss, eval_size=300)
        rows, target = synthetic.ground.points.rows(torch.arange(300)), synthetic.ground.points.target
        for problem in (synthetic, Problem.from_arrays(csr_array(rows.numpy()), target, loss)):
            sweep(problem, usual_methods(on_data=True), lambdas=(0.1, 1.0), iterations=10, seeds=1, workers=1)
    return list(losses.names())
