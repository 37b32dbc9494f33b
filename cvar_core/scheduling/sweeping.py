"""Run one sweep to its end, on threads of its own or on an executor."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple, Protocol

from ..cancel import Cancelled, Stop
from ..engine import Records, Shard, State
from ..problem import Optimum, Problem
from ..results import Result
from ..specs import SweepSpec
from .piece import Piece, Solve
from .preparation import Preparation
from .scheduler import Scheduler
from .under_way import Cut, Run

WAITING = "waiting for workers"  # the stage of a sweep while its cluster has none, or cannot be reached
_ASKED = 0.05  # seconds between two questions whether to stop


class Progress(NamedTuple):
    """How much of the work is done."""

    stage: str
    share: float
    updates: int = 0  # that were taken, of single runs; what was known before is not among them

    def within(self, stage: str, share: float, updates: int = 0) -> Progress:
        """Return the progress of something larger, which waits where this does.

        >>> Progress("sweep", 0.5, 10).within("5 starts", 0.25, 90)
        Progress(stage='5 starts', share=0.25, updates=90)
        >>> Progress(WAITING, 0.5).within("5 starts", 0.25).stage
        'waiting for workers'
        """
        return Progress(self.stage if self.stage == WAITING else stage, share, updates)


class Keeper(Protocol):
    """Who keeps what a sweep finds, and has what was found before."""

    @property
    def optimum(self) -> Optimum | None: ...

    @property
    def states(self) -> Mapping[Shard, State]: ...

    @property
    def records(self) -> Mapping[Shard, list[Records]]: ...

    def save(self, shard: Shard, state: State, records: Records) -> None:
        """Called by any thread, whenever a shard has got ahead."""

    def solved(self, optimum: Optimum) -> None:
        """Called once F* is found."""


def run(
    problem: Problem,
    spec: SweepSpec,
    workers: int,
    report: Callable[[Progress], None] | None = None,
    stop: Stop | None = None,
    keeper: Keeper | None = None,
) -> Result:
    """Run every shard and solve for the optimum on ``workers`` threads; stop within a fraction of a second."""
    pool = ThreadPoolExecutor(workers, thread_name_prefix="cvar")
    try:
        return run_on(pool, workers, problem, spec, report, stop, keeper)
    finally:
        pool.shutdown(wait=False)  # all is done; or it failed, and the threads end at their next check


def run_on(
    executor: Executor,
    workers: int | Callable[[], int],
    problem: Problem,
    spec: SweepSpec,
    report: Callable[[Progress], None] | None = None,
    stop: Stop | None = None,
    keeper: Keeper | None = None,
    cut: Cut | None = None,
    ahead: int = 1,
) -> Result:
    """Do the same on an executor, which others may use, too; ``workers`` and ``ahead`` are those of ``Scheduler``."""
    sweeping = _Sweeping(executor, workers, problem, spec, keeper, cut or Cut(), ahead)
    try:
        while sweeping.goes_on():
            if stop is not None and stop():
                raise Cancelled("asked to stop", result=sweeping.so_far())
            if report is not None:
                report(sweeping.progress)
        if report is not None:
            report(sweeping.progress)
        found = sweeping.so_far()
        assert found is not None
        return found
    except KeyboardInterrupt as interrupt:
        interrupt.result = sweeping.so_far()  # type: ignore[attr-defined]  # as of ``Cancelled``
        raise
    finally:
        sweeping.end()


class _Sweeping:
    """The owner of a scheduler that has one run."""

    def __init__(
        self,
        executor: Executor,
        workers: int | Callable[[], int],
        problem: Problem,
        spec: SweepSpec,
        keeper: Keeper | None,
        cut: Cut,
        ahead: int,
    ) -> None:
        self._begun = time.perf_counter()
        self._lock = threading.RLock()
        self._news = threading.Event()
        self._error: Exception | None = None
        self._scheduler = Scheduler(executor, workers, self._lock, self, ahead)
        self._keeper, self._problem = keeper, problem
        place = self._scheduler.workshop.bring(problem)
        if keeper is None:
            self._run = Run(spec, Preparation(place), cut)
        else:
            known = Preparation(place, keeper.optimum)
            self._run = Run(spec, known, cut, keeper.states, keeper.records, keeper.save)
        with self._lock:
            self._run.preparation.enter(self._run.id)
            self._scheduler.add(self._run)
            self._scheduler.move()

    @property
    def progress(self) -> Progress:
        with self._lock:
            stage = "optimum" if self._run.stepped else "sweep"
            return Progress(stage, self._run.progress, self._run.updates)

    def goes_on(self) -> bool:
        """Wait until something has happened, or for a moment; tell whether there is more to come."""
        self._news.wait(_ASKED)
        self._news.clear()
        with self._lock:
            if self._error is not None:
                raise self._error
            return not self._run.complete

    def so_far(self) -> Result | None:
        """Return what is known; ``None`` before F* is."""
        preparation, sample = self._run.preparation, self._run.seconds.sample
        timings = {
            **self._run.seconds._asdict(),
            "sample": preparation.drawing_seconds + sample,
            "optimum": preparation.solving_seconds,
            "total": time.perf_counter() - self._begun,
        }
        found = self._run.result(timings)
        return None if found is None else replace(found, problem=self._problem)

    def end(self) -> None:
        """Do nothing further; what is being worked on ends at its next check."""
        with self._lock:
            self._scheduler.closed = True
            self._run.stopping.set()
            self._run.preparation.leave(self._run.id)

    def settle(self) -> None:
        if self._run.complete or self._error is not None:
            self._scheduler.remove(self._run)

    def changed(self, run: Run, piece: Piece) -> None:
        if self._keeper is not None and isinstance(piece, Solve) and run.preparation.optimum is not None:
            self._keeper.solved(run.preparation.optimum)
        self._news.set()

    def failed(self, run: Run, piece: Piece, error: Exception) -> None:
        self._error = self._error or error
