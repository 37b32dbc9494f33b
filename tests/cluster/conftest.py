"""A real dask scheduler with two real workers, each a process."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from cvar_core.cluster import Cluster
from tests.pages.serving import free_port
from tools.dask_processes import Dask

PATIENCE = 120  # s, for a machine with much else to do


@contextmanager
def dask_at_work(logs: Path, workers: int = 2) -> Iterator[Dask]:
    dask = Dask(logs, free_port())
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
