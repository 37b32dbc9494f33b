"""Runs in the background: shared fairly, stopped soon, resumed bit for bit."""

import threading
import time

import numpy as np
import pytest

from cvar_core import Problem, ProblemSpec, SpecError, SweepSpec, sweep
from cvar_core.cancel import Cancelled
from cvar_core.engine import advance
from cvar_core.jobs import Limits, Manager, Refused, threads
from cvar_core.jobs import job as job_module
from cvar_core.jobs import shared as shared_module
from cvar_core.store import Store
from tests.pages.held import Held

QUICK = {"iterations": 300, "seeds": 2, "lambdas": (0.1, 1.0, 10.0)}
SLOW = {
    "iterations": 20_000,
    "seeds": 3,
    "checkpoints": 60,
    "lambdas": tuple(10 ** (k / 8) for k in range(-20, 20)),
}  # seconds


def spec_of(seed=0, size=2_000, **fields):
    return SweepSpec(ProblemSpec(eval_size=size, seed=seed), **{**QUICK, **fields})


@pytest.fixture
def made():
    """Makes managers, and closes them."""
    managers = []

    def make(store=None, workers=2, **limits):
        manager = Manager(store or Store.open(None), threads(workers), workers, Limits(**limits))
        managers.append(manager)
        return manager

    yield make
    for manager in managers:
        manager.close()


@pytest.fixture
def manager(made):
    return made()


def wait(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)
    return found


def ended(manager, spec, visitor="ada"):
    view = wait(lambda: (v := manager.view(spec, visitor)) and not v.live and v)
    assert view.status == "done", view.error
    return view


def direct(spec):
    return sweep(
        Problem(spec.problem), spec.methods, spec.lambdas, spec.iterations, spec.seeds, spec.schedule, 1,
        checkpoints=spec.checkpoints,
    )  # fmt: skip


def same_bits(result, other):
    assert result.optimum.value == other.optimum.value
    np.testing.assert_array_equal(result.objectives.view(np.int64), other.objectives.view(np.int64))
    np.testing.assert_array_equal(result.recorded, other.recorded)


def test_a_job_computes_what_a_sweep_does(manager):
    spec = spec_of()
    manager.submit(spec, "ada")
    view = ended(manager, spec)
    same_bits(view.result, direct(spec))
    assert view.progress == 1
    assert set(view.result.timings) == {"sample", "step", "evaluate", "optimum", "total"}


def test_nobody_has_asked_for_an_unknown_run(manager):
    assert manager.view(spec_of(), "ada") is None


def test_a_running_job_shows_records_before_it_ends(manager):
    spec = spec_of(size=100_000, **SLOW)
    manager.submit(spec, "ada")
    shares = []
    view = wait(lambda: (v := manager.view(spec, "ada")).result and v.result.recorded.min() > 2 and v)
    assert view.status == "running"
    assert view.stage == "running the methods"
    assert 0 < view.progress < 1
    before = view.result.recorded.copy()
    wait(lambda: shares.append(manager.view(spec, "ada").progress) or not manager.view(spec, "ada").live)
    assert shares == sorted(shares)
    np.testing.assert_array_equal(view.result.recorded, before)  # a result does not change under its reader
    same_bits(ended(manager, spec).result, direct(spec))


def test_all_curves_of_a_run_grow_together(manager):
    spec = spec_of(size=100_000, **SLOW)
    manager.submit(spec, "ada")
    spreads = []

    def sampled():
        view = manager.view(spec, "ada")
        if view.result is not None:
            spreads.append(int(np.ptp(view.result.recorded)))
        return not view.live

    wait(sampled)
    assert np.median(spreads) <= 15  # of 61 checkpoints


def test_cancelling_is_quick_and_keeps_what_was_computed(manager):
    spec = spec_of(size=100_000, **SLOW)
    manager.submit(spec, "ada")
    wait(lambda: (v := manager.view(spec, "ada")).result is not None and v.result.recorded.min() > 0)
    begun = time.monotonic()
    assert manager.cancel(spec.id, "ada")
    view = manager.view(spec, "ada")
    assert view.status == "cancelled"
    wait(lambda: manager._in_flight == 0, 0.5)
    assert time.monotonic() - begun < 0.5
    view = manager.view(spec, "ada")
    assert 0 < view.result.recorded.min() < len(spec.checkpoint_iterations)
    assert view.resumable


def test_a_cancelled_job_resumes_bit_for_bit(manager):
    spec = spec_of(size=100_000, **SLOW)
    manager.submit(spec, "ada")
    for _ in range(3):
        wait(lambda: (v := manager.view(spec, "ada")).result is not None and v.result.recorded.min() > 0)
        before = manager.view(spec, "ada").result.recorded.sum()
        manager.cancel(spec.id, "ada")
        assert manager.view(spec, "ada").result.recorded.sum() >= before
        view = manager.submit(spec, "ada")  # at once, while pieces of the first are still being worked on
        assert view.live
        assert view.result.recorded.sum() >= before
    same_bits(ended(manager, spec).result, direct(spec))


def test_cancelling_while_the_optimum_is_solved_for(manager, monkeypatch):
    inside = threading.Event()

    def endless(self, stop):
        while not stop():
            inside.set()
            time.sleep(0.005)
        raise Cancelled

    monkeypatch.setattr(Problem, "optimum", endless)
    spec = spec_of()
    manager.submit(spec, "ada")
    assert inside.wait(20)
    assert manager.view(spec, "ada").stage == "solving for the optimum F*"
    manager.cancel(spec.id, "ada")
    wait(lambda: manager._in_flight == 0, 0.5)
    monkeypatch.undo()
    manager.submit(spec, "ada")
    same_bits(ended(manager, spec).result, direct(spec))


def test_two_visitors_share_one_run_and_one_leaving_does_not_stop_it(manager):
    spec = spec_of(size=100_000, **SLOW)
    manager.submit(spec, "ada")
    manager.submit(spec, "bob")
    assert manager.open_jobs == 1
    assert manager.view(spec, "ada").others == 1
    assert not manager.cancel(spec.id, "ada")
    assert not manager.view(spec, "ada").watched
    assert manager.view(spec, "bob").live
    assert manager.cancel(spec.id, "bob")
    assert manager.view(spec, "bob").status == "cancelled"


def test_a_finished_run_is_there_at_once_for_everybody(manager):
    spec = spec_of()
    manager.submit(spec, "ada")
    ended(manager, spec)
    view = manager.submit(spec, "bob")
    assert view.status == "done"
    assert view.result is not None
    assert [entry.id for entry in manager.history("bob")] == [spec.id]


def test_a_small_run_is_not_kept_waiting_by_a_large_one(made):
    manager = made(workers=1)
    large, small = spec_of(size=200_000, **SLOW), spec_of(seed=1)
    manager.submit(large, "ada")
    wait(lambda: manager.view(large, "ada").result)
    manager.submit(small, "bob")
    ended(manager, small, "bob")
    assert manager.view(large, "ada").live
    manager.cancel(large.id, "ada")


def test_runs_share_the_workers_evenly(made):
    manager = made(workers=1)
    specs = [spec_of(seed=k, size=100_000, **SLOW) for k in range(4)]
    for k, spec in enumerate(specs):
        manager.submit(spec, f"visitor {k}")
    wait(lambda: min(manager.view(spec, "").progress for spec in specs) > 0.4)
    shares = [manager.view(spec, "").progress for spec in specs]
    assert max(shares) - min(shares) < 0.3, shares
    for k, spec in enumerate(specs):
        manager.cancel(spec.id, f"visitor {k}")


def test_runs_wait_for_memory_in_their_order(made):
    from cvar_core.engine import memory

    specs = [spec_of(seed=k, size=100_000, **SLOW) for k in range(3)]
    small = spec_of(seed=9)
    manager = made(memory=int(1.3 * sum(memory(specs[0].problem)) + sum(memory(small.problem))))
    for k, spec in enumerate(specs):
        manager.submit(spec, f"visitor {k}")
    assert [manager.view(spec, "").status for spec in specs] == ["running", "queued", "queued"]
    assert [manager.view(spec, "").position for spec in specs] == [None, 1, 2]
    manager.submit(small, "eve")  # fits beside the large one
    ended(manager, small, "eve")
    assert manager.view(specs[1], "").status == "queued"
    manager.cancel(specs[0].id, "visitor 0")
    assert manager.view(specs[1], "").status == "running"
    assert manager.view(specs[2], "").position == 1
    for k in (1, 2):
        manager.cancel(specs[k].id, f"visitor {k}")


def test_the_number_of_open_runs_is_bounded(made):
    manager = made(jobs_per_visitor=2, jobs=3)
    specs = [spec_of(seed=k, size=100_000, **SLOW) for k in range(5)]
    for spec in specs[:2]:
        manager.submit(spec, "ada")
    with pytest.raises(Refused, match="You have 2 runs open"):
        manager.submit(specs[2], "ada")
    manager.submit(specs[2], "bob")
    with pytest.raises(Refused, match="server has 3 runs open"):
        manager.submit(specs[3], "eve")
    manager.submit(specs[2], "eve")  # joining costs nothing
    assert [entry.id for entry in manager.history("ada")] == [specs[1].id, specs[0].id]
    manager.cancel(specs[0].id, "ada")
    manager.submit(specs[3], "ada")
    for spec in specs:
        for visitor in ("ada", "bob", "eve"):
            manager.cancel(spec.id, visitor)


def test_what_is_too_large_is_refused_with_a_sentence(manager):
    with pytest.raises(Refused, match="at most 1,000,000"):
        manager.submit(spec_of(iterations=2_000_000), "ada")
    assert manager.history("ada") == []


def test_a_failure_is_told_and_can_be_tried_again(manager, monkeypatch, caplog):
    def broken(*_):
        raise ZeroDivisionError("deep inside")

    spec = spec_of()
    monkeypatch.setattr(job_module, "advance", broken)
    manager.submit(spec, "ada")
    view = wait(lambda: (v := manager.view(spec, "ada")).status == "failed" and v)
    assert "ZeroDivisionError" in view.error
    assert "deep inside" not in view.error
    assert spec.id in view.error
    assert "deep inside" in caplog.text  # the log has it all
    monkeypatch.setattr(job_module, "advance", advance)
    manager.submit(spec, "ada")
    same_bits(ended(manager, spec).result, direct(spec))


def test_a_problem_that_cannot_be_solved_says_why(manager, monkeypatch):
    def broken(self, stop):
        raise SpecError("the targets are too large")

    monkeypatch.setattr(Problem, "optimum", broken)
    spec = spec_of()
    manager.submit(spec, "ada")
    view = wait(lambda: (v := manager.view(spec, "ada")).status == "failed" and v)
    assert view.error == "The targets are too large."


def test_the_optimum_is_solved_once_for_all_runs_on_a_problem(manager, monkeypatch):
    solved = []
    real = Problem.optimum

    def counting(self, stop=None):
        solved.append(self.spec)
        return real(self, stop)

    monkeypatch.setattr(Problem, "optimum", counting)
    specs = [spec_of(seed=5, iterations=n) for n in (200, 250, 300)]
    for spec in specs:
        manager.submit(spec, "ada")
    for spec in specs:
        ended(manager, spec)
    later = spec_of(seed=5, iterations=350)
    manager.submit(later, "bob")
    assert ended(manager, later, "bob").result.optimum.value == manager.view(specs[0], "").result.optimum.value
    assert len(solved) == 1


def test_a_run_outlives_its_server(made, tmp_path):
    spec = spec_of(size=100_000, **SLOW)
    first = made(Store.open(tmp_path / "runs.sqlite"))
    first.submit(spec, "ada")
    wait(lambda: (v := first.view(spec, "ada")).result is not None and v.result.recorded.min() > 0)
    first.close()
    second = made(Store.open(tmp_path / "runs.sqlite"))
    view = second.view(spec, "ada")
    assert view.status == "interrupted"
    assert 0 < view.result.recorded.min() < len(spec.checkpoint_iterations)
    assert [(entry.id, entry.status) for entry in second.history("ada")] == [(spec.id, "interrupted")]
    second.submit(spec, "ada")
    same_bits(ended(second, spec).result, direct(spec))


def test_forgetting_deletes_what_nobody_else_has(manager):
    spec = spec_of(size=100_000, **SLOW)
    manager.submit(spec, "ada")
    wait(lambda: manager.view(spec, "ada").result)
    manager.forget(spec.id, "ada")
    assert manager.view(spec, "ada") is None
    assert manager.history("ada") == []
    wait(lambda: manager._in_flight == 0)
    assert manager.view(spec, "ada") is None  # a piece that was being worked on did not bring it back
    manager.submit(spec, "ada")
    assert manager.view(spec, "ada").live
    manager.cancel(spec.id, "ada")


def test_forgetting_leaves_the_run_to_others(manager):
    spec = spec_of()
    for visitor in ("ada", "bob"):
        manager.submit(spec, visitor)
    ended(manager, spec)
    manager.forget(spec.id, "ada")
    assert manager.history("ada") == []
    assert manager.view(spec, "bob").status == "done"


def test_the_estimate_follows_the_work(manager):
    small, large = spec_of(), spec_of(size=1_000_000, iterations=100_000)
    assert manager.estimate(large) > 20 * manager.estimate(small)
    manager.submit(small, "ada")
    ended(manager, small)
    assert manager.estimate(small) < 1


def test_the_optimum_takes_turns_with_everything_else(made, monkeypatch):
    """With one worker, a run whose optimum takes long does not hold up another run."""

    def long(self, stop):
        end = time.monotonic() + 3
        while time.monotonic() < end:
            time.sleep(0.01)
            if stop():
                raise Cancelled
        return real(self, stop)

    real = Problem.optimum
    manager = made(workers=1)
    quick = spec_of(seed=3)
    manager.submit(spec_of(seed=3, iterations=50), "bob")  # its problem is solved first
    ended(manager, spec_of(seed=3, iterations=50), "bob")
    monkeypatch.setattr(Problem, "optimum", long)
    manager.submit(spec_of(seed=4), "ada")
    wait(lambda: manager.view(spec_of(seed=4), "ada").stage == "solving for the optimum F*")
    manager.submit(quick, "bob")
    ended(manager, quick, "bob")
    assert manager.view(spec_of(seed=4), "ada").stage == "solving for the optimum F*"
    assert shared_module.SECONDS <= 0.3
    ended(manager, spec_of(seed=4))


def held_manager(workers=2):
    """A manager whose pieces are done only when the test says so."""
    held = Held()
    return Manager(Store.open(None), held, workers), held


def test_a_solve_that_fails_fails_every_run_that_waits_for_it(monkeypatch):
    manager, held = held_manager()
    runs = [spec_of(iterations=n) for n in (200, 250)]
    real = Problem.optimum

    def broken(self, stop):
        raise SpecError("no optimum")

    monkeypatch.setattr(Problem, "optimum", broken)
    for spec in runs:
        manager.submit(spec, "ada")
    held.work(50)
    assert [manager.view(spec, "ada").status for spec in runs] == ["failed", "failed"]
    monkeypatch.setattr(Problem, "optimum", real)
    manager.submit(runs[1], "ada")
    held.work()
    same_bits(manager.view(runs[1], "ada").result, direct(runs[1]))
    manager.close()


def test_a_run_that_is_cancelled_in_its_last_piece_still_ends(monkeypatch):
    manager, held = held_manager(workers=1)  # F* comes before the only shard
    spec = spec_of(seeds=1, methods=("spl",))

    def cancelled_at_the_end(*args):
        state, records = advance(*args)
        if state.recorded == len(spec.checkpoint_iterations):
            manager.cancel(spec.id, "ada")
        return state, records

    manager.submit(spec, "ada")
    monkeypatch.setattr(job_module, "advance", cancelled_at_the_end)
    held.work()
    view = manager.view(spec, "ada")
    assert (view.status, view.progress) == ("cancelled", 1)
    manager.submit(spec, "ada")
    held.work()
    assert manager.view(spec, "ada").status == "done"
    manager.close()


def test_looking_at_a_run_does_not_keep_its_owner_from_cancelling_it():
    manager, _ = held_manager()
    spec = spec_of()
    manager.submit(spec, "ada")
    assert manager.open(spec, "bob").watched is False
    assert [entry.id for entry in manager.history("bob")] == [spec.id]
    assert manager.cancel(spec.id, "ada")
    assert manager.view(spec, "bob").status == "cancelled"
    manager.close()


def test_a_stored_run_that_is_not_whole_can_be_resumed(monkeypatch):
    manager, held = held_manager()
    spec = spec_of()
    manager.submit(spec, "ada")
    held.work()
    whole = manager.store.load(spec.id)
    lost = next(iter(whole.states))
    part = type(whole)(
        {shard: state for shard, state in whole.states.items() if shard != lost},
        {shard: records for shard, records in whole.records.items() if shard != lost},
    )
    manager._results.clear()
    monkeypatch.setattr(manager.store, "load", lambda run_id: part)
    view = manager.view(spec, "ada")
    assert view.status == "interrupted"
    assert view.progress < 1
    manager.submit(spec, "ada")
    held.work()
    same_bits(manager.view(spec, "ada").result, direct(spec))
    manager.close()


def test_progress_means_the_same_before_and_after_a_stop():
    manager, held = held_manager()
    spec = spec_of(iterations=30_000, checkpoints=8)
    manager.submit(spec, "ada")
    while manager.view(spec, "ada").progress < 0.3:
        held.work(1)
    held.work(2 - len(held.waiting) if len(held.waiting) < 2 else 0)
    manager.cancel(spec.id, "ada")
    before = manager.view(spec, "ada").progress
    held.work()
    after = manager.view(spec, "ada").progress
    assert spec.id not in manager._jobs
    assert before <= after <= before + 0.2
    manager.close()


def test_time_goes_on_where_it_stopped():
    manager, held = held_manager()
    spec = spec_of()
    manager.submit(spec, "ada")
    held.work(4)
    time.sleep(0.3)
    manager.cancel(spec.id, "ada")
    held.work()
    manager.submit(spec, "ada")
    held.work()
    assert manager.view(spec, "ada").result.timings["total"] >= 0.3
    manager.close()


def test_a_run_that_was_dropped_meanwhile_is_stored_again():
    manager, held = held_manager()
    spec = spec_of()
    manager.submit(spec, "ada")
    while manager.view(spec, "ada").result is None:
        held.work(1)
    manager.cancel(spec.id, "ada")  # with pieces being worked on
    manager.store.erase(spec.id)
    manager.store.forget("ada", spec.id)
    manager.submit(spec, "ada")
    held.work()
    assert manager.view(spec, "ada") is not None
    assert [entry.id for entry in manager.history("ada")] == [spec.id]
    manager.close()


def test_many_waiting_runs_are_admitted_at_little_cost(made):
    manager = made(memory=100 * 2**20, jobs_per_visitor=200)
    for k in range(120):
        manager.submit(spec_of(seed=k, size=50_000, iterations=10**6), "ada")
    begun = time.thread_time()
    manager._admission_due = True
    manager._admit()
    assert time.thread_time() - begun < 0.5
    for k in range(120):
        manager.cancel(spec_of(seed=k, size=50_000, iterations=10**6).id, "ada")
