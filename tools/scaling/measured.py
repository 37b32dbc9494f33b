"""Measure what pieces cost on the way to real dask workers on this machine."""

from __future__ import annotations

import os
import pickle
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from cvar_core import Problem, SweepSpec, sweep
from cvar_core.cluster import Cluster
from cvar_core.engine import Shard
from cvar_core.scheduling import Draw, Step, Workshop, perform
from tools.dask_processes import Dask

from .model import Way

_PORT = 18_765
_MANY = 400


class Measured(NamedTuple):
    workers: int
    seconds: float  # of a sweep
    pieces: int
    scheduler_cpu: float  # seconds


@contextmanager
def workers_of_dask(count: int) -> Iterator[tuple[Cluster, int]]:
    """Start a scheduler and workers of one thread each; yield the cluster, and the scheduler's process."""
    with tempfile.TemporaryDirectory() as logs:
        dask = Dask(Path(logs), _PORT)
        scheduler = dask.start_scheduler()
        for _ in range(count):
            dask.start_worker()
        try:
            cluster = Cluster(dask.address, patience=60)
            while cluster.seen.threads < count:
                time.sleep(0.1)
            yield cluster, scheduler.pid
            cluster.shutdown()
        finally:
            dask.end()


def way(cluster: Cluster) -> Way:
    """Measure with pieces that have nothing to do: one after the other, and many at once."""
    workshop = Workshop()
    place = workshop.bring(Problem.synthetic(eval_size=100))
    piece = Draw(place.problem.spec)
    for _ in range(20):
        cluster.submit(perform, piece, workshop, None).result()
    begun = time.perf_counter()
    for _ in range(50):
        cluster.submit(perform, piece, workshop, None).result()
    alone = (time.perf_counter() - begun) / 50
    begun = time.perf_counter()
    wait([cluster.submit(perform, piece, workshop, None) for _ in range(_MANY)])
    return Way(alone, (time.perf_counter() - begun) / _MANY)


def swept(cluster: Cluster, spec: SweepSpec, scheduler: int) -> Measured:
    """Measure a sweep, whose problem the workers have at hand."""
    sweep(spec, scheduler=cluster)
    used, count, begun = _cpu(scheduler), cluster.pieces, time.perf_counter()
    sweep(spec, scheduler=cluster)
    taken = time.perf_counter() - begun
    return Measured(cluster.seen.workers, taken, cluster.pieces - count, _cpu(scheduler) - used)


def bytes_of_a_piece(spec: SweepSpec) -> tuple[int, int]:
    """Return how many bytes go to a worker and come back."""
    workshop = Workshop()
    place = workshop.at(spec.problem)
    first = perform(Step(spec, Shard(spec.methods[0], spec.seeds[0]), None, 0.01), workshop)
    state = first.state  # type: ignore[union-attr]
    sent = pickle.dumps(Step(spec, Shard(spec.methods[0], spec.seeds[0]), state, 0.25))
    assert place is not None
    return len(sent), len(pickle.dumps(first))


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
