"""The scheduler keeps to the order, and the pace learns from every piece that comes back."""

import threading
from concurrent.futures import Future

import pytest

from cvar_core import Optimum, ProblemSpec, SweepSpec
from cvar_core.engine import Seconds, Shard, cost
from cvar_core.scheduling import Draw, Pace, Preparation, Run, Solve, Step, Work, Workshop
from cvar_core.scheduling.order import WAITED
from cvar_core.scheduling.performing import Drawn, Solved, Stepped
from cvar_core.scheduling.scheduler import Scheduler
from cvar_core.scheduling.under_way import Cut
from tests.store.filling import made_up

PROBLEM = ProblemSpec(eval_size=200, dim=3)
SPEC = SweepSpec(PROBLEM, methods=("spl",), lambdas=(0.1, 1.0), iterations=40, seeds=1, checkpoints=5)
SHARD = Shard("spl", 0)
EACH = 0.25  # seconds of a piece


class Endless:
    """A run that always has another piece, and ``updates`` left."""

    def __init__(self, updates):
        self.next_goal, self.cost, self.behind, self.turn = Work(updates=updates), cost(SPEC), 0.0, 0
        self.stopping, self.pieces = threading.Event(), 0

    def next_piece(self):
        self.pieces += 1
        return Step(SPEC, SHARD, None, EACH)

    def expected(self, piece):
        return piece.seconds

    def keep(self, piece, found): ...
    def ended(self, piece): ...
    def take(self, piece, found, pace): ...


class Owner:
    def settle(self): ...
    def changed(self, run, piece): ...
    def failed(self, run, piece, error):
        raise error


class OneByOne:
    """An executor whose only worker has done a piece as soon as the test says so."""

    def submit(self, *_):
        self.future = Future()
        return self.future


def test_the_longest_run_gets_its_share_of_the_pieces_that_are_sent():
    executor = OneByOne()
    scheduler = Scheduler(executor, 1, threading.RLock(), Owner())
    short, long = Endless(10), Endless(10**9)
    for run in (short, long):
        scheduler.add(run)
    scheduler.move()
    for _ in range(399):
        executor.future.set_result(None)
    assert short.pieces + long.pieces == 400
    assert long.pieces / 400 == pytest.approx(WAITED, rel=0.1)


@pytest.fixture
def run():
    preparation = Preparation(Workshop().at(PROBLEM))
    preparation.enter(SPEC.id)
    return Run(SPEC, preparation, Cut())


def learnt(run, piece, found) -> list[float]:
    """Return by which factor each kind of work takes longer than estimated, once a piece has come back."""
    pace = Pace()
    run.take(piece, found, pace)
    return [after / before for after, before in zip(pace.corrected(run.cost), run.cost, strict=True)]


def test_the_pace_learns_from_points_that_were_drawn(run):
    draw, *others = learnt(run, Draw(PROBLEM), Drawn(100.0))
    assert draw > 50
    assert others == [1, 1, 1]


def test_the_pace_learns_from_an_optimum_once_it_is_found(run):
    assert learnt(run, Solve(PROBLEM, EACH), Solved(None, 100.0)) == [1, 1, 1, 1], "it is not over yet"
    optimum = Optimum(1.0, made_up(SPEC, 0, 1)[0].theta[0], 1.0, None)
    draw, solve, *others = learnt(run, Solve(PROBLEM, EACH), Solved(optimum, 100.0))
    assert solve > 100, "all turns count"
    assert [draw, *others] == [1, 1, 1]


def test_the_pace_learns_from_updates_and_checkpoints_each_for_itself(run):
    state, records = made_up(SPEC, 0, 3)
    slow = records._replace(seconds=Seconds(sample=20.0, step=80.0, evaluate=300.0))
    draw, solve, update, checkpoint = learnt(run, Step(SPEC, SHARD, None, EACH), Stepped(state, slow))
    assert (draw, solve) == (1, 1)
    assert 100 < update < 250
    assert checkpoint > 400
