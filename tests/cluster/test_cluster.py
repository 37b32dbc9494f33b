"""The same pieces on a cluster: the same bits, whoever dies on the way."""

import logging
import signal
import threading
from itertools import groupby

import numpy as np
import pytest
import torch
from scipy.sparse import random_array

from cvar_core import Problem, SpecError, check, sharpen, sweep
from cvar_core.cli import main
from cvar_core.cluster import AHEAD, Cluster, connected
from cvar_core.jobs import Limits, Manager
from cvar_core.scheduling import WAITING, Draw, Progress, Workshop, perform
from cvar_core.store import Store
from tests.cluster.conftest import PATIENCE


def on_rows(sparse: bool) -> Problem:
    rng = np.random.default_rng(5)
    rows = random_array((150, 30), density=0.2, rng=rng, format="csr") if sparse else rng.normal(size=(150, 6))
    return Problem.from_arrays(rows, rng.normal(size=150), loss="absolute", beta=0.8)


PROBLEMS = {
    "synthetic": lambda: Problem.synthetic(loss="absolute", noise="normal", eval_size=2_000),
    "data": lambda: on_rows(sparse=False),
    "sparse": lambda: on_rows(sparse=True),
}
RUNS = {"methods": ("sgm", "spl+"), "lambdas": (0.01, 0.1, 1.0), "iterations": 600, "seeds": 2, "checkpoints": 8}
LONG = {**RUNS, "iterations": 300_000, "lambdas": tuple(10.0**k for k in np.linspace(-3, 1, 40))}


@pytest.mark.parametrize("kind", PROBLEMS)
def test_a_cluster_finds_the_bits_of_threads(kind, cluster):
    problem = PROBLEMS[kind]()
    assert sweep(problem, **RUNS, scheduler=cluster) == sweep(problem, **RUNS)


def while_it_runs(problem, cluster, at_half, stages=None):
    """Sweep, and call something once, half way."""
    done = []

    def report(progress: Progress) -> None:
        if stages is not None:
            stages.append(progress.stage)
        if progress.share > 0.3 and not done:
            done.append(progress.share)
            at_half()

    found = sweep(problem, **LONG, scheduler=cluster, report=report)
    assert done
    assert done[0] < 0.9, "it was in the middle"
    return found


def test_a_worker_that_is_killed_costs_a_piece(dask, cluster):
    problem = PROBLEMS["synthetic"]()

    def kill_one() -> None:
        victim = dask.workers.pop()
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        dask.start_worker()

    assert while_it_runs(problem, cluster, kill_one) == sweep(problem, **LONG)


def test_a_scheduler_that_is_away_is_waited_for_and_data_are_sent_again(dask, cluster):
    problem = on_rows(sparse=False)
    told, stages = [], []
    cluster.tell = lambda: told.append(cluster.trouble)

    def kill_all_and_start_again() -> None:
        dask.end()
        gone = threading.Event()
        cluster.tell = lambda: (told.append(cluster.trouble), gone.set())
        assert gone.wait(PATIENCE)
        dask.start_scheduler()
        for _ in range(2):
            dask.start_worker()

    assert while_it_runs(problem, cluster, kill_all_and_start_again, stages) == sweep(problem, **LONG)
    assert [stage for stage, _ in groupby(stages)][:3] == ["sweep", WAITING, "sweep"]
    assert any("cannot be reached. Runs wait, and go on when it is back." in words for words in told)
    assert cluster.trouble == ""


def test_a_server_computes_on_a_cluster_and_keeps_what_it_finds(cluster):
    ended = threading.Event()
    problem = PROBLEMS["synthetic"]()
    local = sweep(problem, **RUNS)
    manager = Manager(
        Store.open(None), cluster, cluster.threads, Limits(), ahead=AHEAD, trouble=lambda: cluster.trouble
    )
    cluster.tell = manager.look_again
    manager.watch(local.spec.id, lambda: manager.is_live(local.spec.id) or ended.set())
    manager.submit(local.spec, "somebody")
    assert ended.wait(PATIENCE)
    view = manager.view(local.spec, "somebody")
    assert view is not None
    assert view.status == "done"
    assert view.result == local
    assert manager.workers == 2
    manager.close()


def test_check_sharpen_and_the_terminal_take_a_scheduler(dask, cluster, capsys):
    problem = PROBLEMS["synthetic"]()
    assert check(problem, 0.1, "spl+", iterations=300, seeds=2, scheduler=cluster) == check(
        problem, 0.1, "spl+", iterations=300, seeds=2
    )
    asked = {"methods": ["spl+"], "iterations": 50, "budget": 5_000}
    assert sharpen(problem, **asked, scheduler=cluster).methods == sharpen(problem, **asked).methods
    flags = [
        "check",
        "--loss",
        "absolute",
        "--eval-size",
        "500",
        "--iterations",
        "50",
        "--seeds",
        "2",
        "--method",
        "spl+",
        "--lambda",
        "1e-6",
    ]
    printed = []
    for further in ([], ["--scheduler", dask.address]):
        assert main([*flags, *further]) == 1
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


def test_what_cannot_be_reached_or_sent_gets_a_sentence(cluster):
    with pytest.raises(SpecError, match=r"^no dask scheduler answers at tcp://127\.0\.0\.1:9"):
        Cluster("tcp://127.0.0.1:9", patience=1.0)
    with (
        pytest.raises(SpecError, match=r"^scheduler is 5, but it must be the address of a dask scheduler"),
        connected(5),
    ):
        pass
    with pytest.raises(SpecError, match=r"^workers are threads of this machine"):
        sweep(PROBLEMS["synthetic"](), workers=2, scheduler=cluster)
    own = Problem.from_torch(lambda theta, x, y: (x @ theta - y) ** 2, (torch.ones(3, 1), torch.ones(3)), dim=1)
    with pytest.raises(SpecError, match="lives in this process: leave the scheduler out"):
        sweep(own, scheduler=cluster)


def test_who_is_there_can_be_seen(cluster):
    assert cluster.seen.workers == cluster.seen.threads == cluster.threads() == 2
    assert cluster.seen.memory > 0
    sweep(PROBLEMS["synthetic"](), **RUNS, scheduler=cluster)
    assert cluster.pieces_a_second > 0


def test_who_is_there_is_not_missed_for_what_dask_asks_beside(dask):
    import dask as settings

    seen = []
    with settings.config.set({"distributed.client.scheduler-info-interval": "1ms"}), connected(dask.address) as cluster:
        sweep(PROBLEMS["synthetic"](), **RUNS, scheduler=cluster)  # somebody is there
        cluster.tell = lambda: seen.append(cluster.seen.threads)
        for _ in range(300):
            cluster._look()
    assert 0 not in seen


def test_of_a_lost_connection_dask_tells_nothing_beside_our_own_line(cluster, caplog):
    """Its callbacks do, by way of tornado, which is heard in all else."""
    from distributed.comm import CommClosedError

    told = logging.getLogger("tornado.application")
    for error in (CommClosedError("Comm <TCP (closed)> already closed."), ValueError("something else")):
        told.error("Exception in callback", exc_info=error)
    assert [str(record.exc_info[1]) for record in caplog.records] == ["something else"]


def test_a_cluster_that_was_left_takes_nothing_more(dask):
    left = Cluster(dask.address, PATIENCE)
    left.shutdown()
    with pytest.raises(RuntimeError, match="was left"):
        left.submit(perform, Draw(PROBLEMS["synthetic"]().spec), Workshop(), None)
