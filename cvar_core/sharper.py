"""What a user calls to have a question answered rather than a grid filled: ``sharpen`` and ``decide``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace

from .api import asked, sweep
from .cancel import Cancelled, Stop
from .cluster import Cluster, connected
from .problem import Problem
from .progress_bar import Report, shown
from .results import (
    RISK,
    WIDTH,
    Result,
    Sharpened,
    Sharpening,
    Verdict,
    asked_words,
    criterion,
    next_check,
    remarks,
)
from .scheduling import Progress
from .specs import USUAL_METHOD, USUAL_SEEDS, ProblemSpec, SweepSpec, paper_grid, step_size
from .store import Store, opened

Kept = Store | str | os.PathLike[str] | None


@dataclass(frozen=True)
class Decided:
    """A verdict that took the least work, and what it took. It is as true as its verdict.

    Attributes
    ----------
    updates
        Those of all runs that were taken.
    grid_updates
        Those of the paper's grid with λ, from as many starts.
    """

    verdict: Verdict
    updates: int
    grid_updates: int

    def __bool__(self) -> bool:
        return self.verdict.safe


def sharpen(
    problem: Problem | ProblemSpec | SweepSpec,
    methods: Iterable[str] = SweepSpec.methods,
    lambdas: Iterable[float] | None = None,
    iterations: int = SweepSpec.iterations,
    seeds: int | Iterable[int] = USUAL_SEEDS,
    schedule: str = SweepSpec.schedule,
    workers: int | None = None,
    *,
    measure: str = RISK,
    epsilon: float | None = None,
    closed: float | None = None,
    width: float = WIDTH,
    budget: int | None = None,
    checkpoints: int = SweepSpec.checkpoints,
    progress: bool = False,
    report: Report | None = None,
    stop: Stop | None = None,
    store: Kept = None,
    scheduler: Cluster | str | None = None,
) -> Sharpened:
    """Tell how many decades of λ each method forgives, to an interval that is at most ``width`` decades wide.

    Starts are added in stages, from 5 (or as many as ``seeds``) to 20 and 80, and λ is bisected at the ends of the
    usable ranges of those starts on which the interval hangs. The interval holds the median over all starts with 90%,
    whenever one stops, and whatever the grid.

    Parameters
    ----------
    lambdas
        The step sizes that every start is run with; the paper's grid by default.
    budget
        Updates of all runs, after which it ends with what it has; by default a quarter of those of 200 λ × 80 starts.
    progress, report, stop, store, scheduler
        Those of ``sweep``. Without a store nothing is computed twice either, but all is forgotten at the end.

    >>> problem = Problem.synthetic(loss="absolute", noise="normal", dim=4, eval_size=500)
    >>> found = sharpen(problem, ["spl+"], iterations=100, budget=20_000)
    >>> known = found.methods["spl+"]
    >>> known.interval.low <= known.decades <= known.interval.high, found.updates <= 20_000
    (True, True)
    """
    by = criterion(measure, closed, epsilon)
    problem, base = asked(problem, methods, lambdas, iterations, seeds, schedule, checkpoints)
    sharpening = Sharpening(base, by, width, budget)
    with _kept(store) as kept, shown(progress, report) as passed, _crew(scheduler) as crew:
        told = _Report(passed)
        try:
            while (spec := sharpening.next()) is not None:
                told.stage = asked_words(spec, base)
                sharpening.take(_run(problem, spec, workers, told, stop, kept, crew))
        except (Cancelled, KeyboardInterrupt) as ended:
            known = sharpening.known
            ended.result = known if known.methods else None  # type: ignore[union-attr]
            raise
    return sharpening.known


def decide(
    problem: Problem | ProblemSpec,
    lam: float,
    method: str = USUAL_METHOD,
    iterations: int = SweepSpec.iterations,
    seeds: int | Iterable[int] = USUAL_SEEDS,
    schedule: str = SweepSpec.schedule,
    workers: int | None = None,
    *,
    measure: str = RISK,
    epsilon: float | None = None,
    closed: float | None = None,
    checkpoints: int = SweepSpec.checkpoints,
    progress: bool = False,
    report: Report | None = None,
    stop: Stop | None = None,
    store: Kept = None,
    scheduler: Cluster | str | None = None,
) -> Decided:
    """Tell whether λ is safe for a method with the least work that decides it, and without a grid.

    λ itself is run from 5 starts, then 20, then 29: one that fails rules out "safe". If none does, the step sizes
    0.3 decades below and above tell whether λ is on the edge.

    >>> problem = Problem.synthetic(loss="absolute", noise="normal", dim=4, eval_size=500)
    >>> decided = decide(problem, 1e-6, iterations=100)
    >>> decided.verdict.state, decided.updates < decided.grid_updates
    ('not safe', True)
    """
    by = criterion(measure, closed, epsilon)
    lam = step_size("lam", lam)
    problem, base = asked(problem, (method,), (lam,), iterations, seeds, schedule, checkpoints)
    verdict, spec = None, next_check(base, None)
    with _kept(store) as kept, shown(progress, report) as passed, _crew(scheduler) as crew:
        told = _Report(passed)
        while spec is not None:
            told.stage = f"{len(spec.seeds)} starts"
            judged = _run(problem, spec, workers, told, stop, kept, crew).judged(by)
            verdict = judged.verdict(method, lam)
            last, spec = spec, next_check(base, verdict, spec)
    assert verdict is not None
    grid = len({*paper_grid(), lam}) * len(last.seeds) * last.iterations
    return Decided(replace(verdict, remarks=remarks(judged, method, lam)), told.updates, grid)


class _Report:
    """Passes progress on: the updates of all sweeps so far, and what the present one is about."""

    def __init__(self, report: Report) -> None:
        self._report, self._before, self._now = report, 0, 0
        self.stage = ""

    @property
    def updates(self) -> int:
        return self._before + self._now

    def __call__(self, progress: Progress) -> None:
        self._now = progress.updates
        self._report(progress.within(self.stage, progress.share, self.updates))

    def ended(self) -> None:
        self._before, self._now = self.updates, 0


def _run(
    problem: Problem,
    spec: SweepSpec,
    workers: int | None,
    report: _Report,
    stop: Stop | None,
    kept: Store,
    scheduler: Cluster | None,
) -> Result:
    result = sweep(
        problem,
        spec.methods,
        spec.lambdas,
        spec.iterations,
        spec.seeds,
        spec.schedule,
        workers,
        checkpoints=spec.checkpoints,
        report=report,
        stop=stop,
        store=kept,
        scheduler=scheduler,
    )
    report.ended()
    return result


def _crew(scheduler: Cluster | str | None) -> AbstractContextManager[Cluster | None]:
    """Reach a cluster once for all sweeps, if there is to be one."""
    return nullcontext() if scheduler is None else connected(scheduler)


@contextmanager
def _kept(store: Kept) -> Iterator[Store]:
    """Open a store, or one in memory for as long as it takes."""
    with opened(Store.open(None) if store is None else store) as kept:
        try:
            yield kept
        finally:
            if store is None:
                kept.close()
