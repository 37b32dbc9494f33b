"""A real dask scheduler with two real workers, each a process."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from cvar_core.cluster import Cluster
from tests.pages.serving import ROOT, free_port

PATIENCE = 120  # s, for a machine with much else to do


class Dask:
    """The processes, which a test may kill, and start again at the same address."""

    def __init__(self, logs: Path) -> None:
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self._logs = logs
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def start_scheduler(self) -> None:
        *_, port = self.address.split(":")
        self.scheduler = self._started("scheduler", "--host", "127.0.0.1", "--port", port)

    def start_worker(self) -> None:
        self.workers.append(self._started("worker", self.address, "--nthreads", "1", "--no-nanny"))

    def end(self) -> None:
        for process in filter(None, (*self.workers, self.scheduler)):
            process.kill()
            process.wait()
        self.workers.clear()

    def _started(self, *what: str) -> subprocess.Popen[bytes]:
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [sys.executable, "-m", "dask", *what, "--no-dashboard"]
        with (self._logs / f"{what[0]}.log").open("ab") as log:
            return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}, stdout=log, stderr=log)


@contextmanager
def dask_at_work(logs: Path, workers: int = 2) -> Iterator[Dask]:
    dask = Dask(logs)
    dask.start_scheduler()
    for _ in range(workers):
        dask.start_worker()
    try:
        yield dask
    finally:
        dask.end()


@pytest.fixture(scope="package")
def dask(tmp_path_factory) -> Iterator[Dask]:
    """One for all tests; those that kill a part of it put another in its place."""
    with dask_at_work(tmp_path_factory.mktemp("dask")) as running:
        yield running


@pytest.fixture
def cluster(dask) -> Iterator[Cluster]:
    reached = Cluster(dask.address, PATIENCE)
    try:
        yield reached
    finally:
        with suppress(Exception):
            reached.shutdown()
