"""Run a whole sweep on an executor, chunk by chunk."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from ..cancel import Stop
from ..problem import Optimum, Problem
from ..specs import SweepSpec
from .engine import Records, Shard, advance, next_stop, shards, start


class Progress(NamedTuple):
    """How much of the work is done; shared between the threads of a sweep."""

    stage: str
    share: float


@dataclass(frozen=True)
class Outcome:
    """What a sweep computed."""

    records: dict[Shard, list[Records]]
    optimum: Optimum
    timings: dict[str, float]


def run(
    problem: Problem,
    spec: SweepSpec,
    workers: int,
    report: Callable[[Progress], None] | None = None,
    stop: Stop | None = None,
) -> Outcome:
    """Run every shard and solve for the optimum on ``workers`` threads; stop within a fraction of a second."""
    pool = ThreadPoolExecutor(workers, thread_name_prefix="cvar")
    try:
        return run_on(pool, problem, spec, report, stop)
    finally:
        pool.shutdown(wait=False)  # all is done; or it failed, and the threads end at their next check


def run_on(
    executor: Executor,
    problem: Problem,
    spec: SweepSpec,
    report: Callable[[Progress], None] | None = None,
    stop: Stop | None = None,
) -> Outcome:
    begun = time.perf_counter()
    cancelled = threading.Event()
    done: dict[Shard, float] = dict.fromkeys(shards(spec), 0.0)

    def stopping() -> bool:
        return cancelled.is_set() or (stop is not None and stop())

    def tell(stage: str) -> None:
        if report is not None:
            report(Progress(stage, sum(done.values()) / len(done)))

    def solve() -> tuple[Optimum, float]:
        torch.set_num_threads(1)  # the workers are the parallelism
        started = time.perf_counter()
        optimum = problem.optimum(stopping)
        return optimum, time.perf_counter() - started

    def follow(shard: Shard) -> list[Records]:
        torch.set_num_threads(1)
        state = start(problem, spec, shard)
        gathered: list[Records] = []
        while state.recorded < len(spec.checkpoint_iterations):
            until = next_stop(spec, state)
            state, records = advance(problem, spec, shard, state, until, stopping)
            gathered.append(records)
            done[shard] = _share(spec, state.recorded)
            tell("sweep")
        return gathered

    _ = problem.points  # drawn once, before the threads ask for it
    drawn = time.perf_counter() - begun
    solving = executor.submit(solve)
    following = {shard: executor.submit(follow, shard) for shard in done}
    futures: list[Future[Any]] = [solving, *following.values()]
    try:
        for future in wait(futures, return_when=FIRST_EXCEPTION).done:
            future.result()  # raises what went wrong, so that the others are stopped at once
        records = {shard: future.result() for shard, future in following.items()}
        tell("optimum")
        optimum, solved = solving.result()
    finally:
        cancelled.set()  # a no-op when all is done; else the other threads end at their next check
        for future in futures:
            future.cancel()
    seconds = [part.seconds for parts in records.values() for part in parts]
    timings = {
        "sample": drawn + sum(s.sample for s in seconds),
        "step": sum(s.step for s in seconds),
        "evaluate": sum(s.evaluate for s in seconds),
        "optimum": solved,
        "total": time.perf_counter() - begun,
    }
    return Outcome(records, optimum, timings)


def _share(spec: SweepSpec, recorded: int) -> float:
    return recorded / len(spec.checkpoint_iterations)
