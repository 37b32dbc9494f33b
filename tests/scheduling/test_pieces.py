"""A piece of work is data: whoever gets it, wherever, finds the same bits."""

import pickle

import pytest
import torch

from cvar_core import Problem, ProblemSpec, SweepSpec
from cvar_core.cancel import Cancelled
from cvar_core.engine import Reached, Shard
from cvar_core.results import Gathered, Result
from cvar_core.scheduling import Draw, Preparation, Solve, Step, Workshop, perform, run
from cvar_core.scheduling.work import Weights, Work, left

PROBLEM = ProblemSpec(loss="absolute", noise="normal", eval_size=1_500)
SPEC = SweepSpec(PROBLEM, methods=("spl", "spl+"), lambdas=(0.1, 1.0), iterations=400, seeds=2, checkpoints=8)


def elsewhere(piece, kept):
    """Perform a piece as another process would: it has the pickled piece, and sends back a pickled finding."""
    workshop = Workshop()
    kept.append(workshop.at(piece.problem))  # a workplace is there as long as somebody keeps it
    return pickle.loads(pickle.dumps(perform(pickle.loads(pickle.dumps(piece)), workshop)))


def test_pieces_performed_anywhere_make_the_result_of_a_sweep():
    kept, gathered = [], Gathered(SPEC)
    for shard in (Shard(method, seed) for method in SPEC.methods for seed in SPEC.seeds):
        state = None
        while state is None or state.recorded < len(SPEC.checkpoint_iterations):
            found = elsewhere(Step(SPEC, shard, state, 1e-5), kept)
            state = found.state
            gathered.put(shard, found.records)
    assert len(kept) > 8
    optimum = elsewhere(Solve(PROBLEM, 60.0), kept).optimum
    direct = run(Problem(PROBLEM), SPEC, workers=1)
    assert (Result.so_far(SPEC, optimum, gathered, {}).suboptimality == direct.suboptimality).all()


def test_drawing_draws_the_points():
    workshop = Workshop()
    place = workshop.at(PROBLEM)
    assert perform(Draw(PROBLEM), workshop).seconds > 0
    assert place.problem.ground._points is not None


def test_a_piece_that_is_no_longer_wanted_is_not_done():
    workshop = Workshop()
    place = workshop.at(PROBLEM)
    for piece in (Draw(PROBLEM), Solve(PROBLEM, 1.0), Step(SPEC, Shard("spl", 0), None, 1.0)):
        with pytest.raises(Cancelled):
            perform(piece, workshop, lambda: True)
    assert place.problem.ground._points is None


def test_a_solve_that_began_after_the_last_user_left_is_stopped(monkeypatch):
    monkeypatch.setattr(Problem, "optimum", lambda self, stop: any(iter(stop, True)))  # goes on until it is stopped
    workshop = Workshop()
    place = workshop.at(PROBLEM)
    preparation = Preparation(place)
    preparation.drawn = True
    preparation.enter("a run")
    piece = preparation.next_piece()
    preparation.leave("a run")
    perform(piece, workshop)
    solving = place._solving
    assert solving is not None
    preparation.ended()
    assert place._solving is None
    solving._thread.join(10)
    assert solving.finished


def test_a_solve_that_is_under_way_is_stopped_when_its_last_user_leaves(monkeypatch):
    monkeypatch.setattr(Problem, "optimum", lambda self, stop: any(iter(stop, True)))  # goes on until it is stopped
    workshop = Workshop()
    place = workshop.at(PROBLEM)
    preparation = Preparation(place)
    preparation.drawn = True
    for user in ("a run", "another"):
        preparation.enter(user)
    perform(Solve(PROBLEM, 0.01), workshop)
    preparation.ended()
    preparation.leave("a run")
    solving = place._solving
    assert solving is not None, "somebody waits for it"
    preparation.leave("another")
    assert place._solving is None
    solving._thread.join(10)
    assert solving.finished


def test_workplaces_are_kept_by_their_users_alone():
    workshop = Workshop()
    place = workshop.bring(Problem(PROBLEM))
    assert workshop.at(PROBLEM) is place
    first = place.problem
    del place
    assert workshop.at(PROBLEM).problem is not first


def test_what_is_left_counts_every_update_and_checkpoint():
    whole = left(SPEC, {}, drawn=False, solved=False)
    assert whole == (1, 1, 4 * 400, 4 * len(SPEC.checkpoint_iterations))
    workshop = Workshop()
    place = workshop.at(PROBLEM)
    found = perform(Step(SPEC, Shard("spl", 0), None, 1e-5), workshop)
    assert place is not None
    rest = left(SPEC, {Shard("spl", 0): found.state.reached}, drawn=True, solved=True)
    assert rest == (0, 0, whole.updates - found.state.iteration, whole.checkpoints - found.state.recorded)


def test_shards_of_some_step_sizes_count_for_what_they_cost():
    spec = SweepSpec(PROBLEM, lambdas=tuple(float(k) for k in range(1, 49)), methods=("sgm",), seeds=1, iterations=100)
    quarter, rest = (Shard.of(spec, "sgm", 0, lams) for lams in (spec.lambdas[:12], spec.lambdas[12:]))
    begun = left(spec, {quarter: Reached(100, len(spec.checkpoint_iterations))}, drawn=True, solved=True)
    assert 0.75 < begun.checkpoints / len(spec.checkpoint_iterations) < 0.95, "one begins for few as for many"
    assert 0.75 * 100 < begun.updates < 0.85 * 100, "samples are drawn for few as for many"
    weights = Weights(spec)
    assert begun == weights.of(rest, 100, len(spec.checkpoint_iterations))
    assert weights.of(Shard("sgm", 0), 7, 3) == Work(updates=7, checkpoints=3)


def test_workers_are_the_parallelism():
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        workshop = Workshop()
        place = workshop.at(PROBLEM)
        perform(Draw(PROBLEM), workshop)
        assert place is not None
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)
