"""Runs that are cancelled, interrupted or forgotten: they stop soon, keep what they have, and go on bit for bit."""

import threading
import time

from cvar_core import Problem
from cvar_core.cancel import Cancelled
from cvar_core.engine import advance
from cvar_core.scheduling import performing
from cvar_core.store import Store
from tests.jobs.running import direct, same_bits, slow_spec, spec_of, under_way, wait, waited_for


def test_cancelling_stops_half_way_and_keeps_what_was_computed(manager):
    spec = slow_spec()
    manager.submit(spec, "ada")
    under_way(manager, spec)
    assert manager.cancel(spec.id, "ada")
    view = manager.view(spec, "ada")
    assert view.status == "cancelled"
    wait(lambda: manager._scheduler.in_flight == 0)
    view = manager.view(spec, "ada")
    assert 0 < view.result.recorded.min() < len(spec.checkpoint_iterations)


def test_a_cancelled_job_resumes_bit_for_bit(manager):
    spec = slow_spec()
    manager.submit(spec, "ada")
    for _ in range(3):
        under_way(manager, spec)
        before = manager.view(spec, "ada").result.recorded.sum()
        manager.cancel(spec.id, "ada")
        assert manager.view(spec, "ada").result.recorded.sum() >= before
        view = manager.submit(spec, "ada")  # at once, while pieces of the first are still being worked on
        assert view.live
        assert view.result.recorded.sum() >= before
    same_bits(waited_for(manager, spec).result, direct(spec))


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
    wait(lambda: manager._scheduler.in_flight == 0)
    monkeypatch.undo()
    manager.submit(spec, "ada")
    same_bits(waited_for(manager, spec).result, direct(spec))


def test_a_run_outlives_its_server(made, tmp_path):
    spec = slow_spec()
    first = made(Store.open(tmp_path / "runs.sqlite"))
    first.submit(spec, "ada")
    under_way(first, spec)
    first.close()
    second = made(Store.open(tmp_path / "runs.sqlite"))
    view = second.view(spec, "ada")
    assert view.status == "interrupted"
    assert 0 < view.result.recorded.min() < len(spec.checkpoint_iterations)
    assert [(entry.id, entry.status) for entry in second.history("ada")] == [(spec.id, "interrupted")]
    second.submit(spec, "ada")
    same_bits(waited_for(second, spec).result, direct(spec))


def test_forgetting_deletes_what_nobody_else_has(still, held):
    spec = slow_spec()
    still.submit(spec, "ada")
    held.until(lambda: still.view(spec, "ada").result is not None)
    assert still._scheduler.in_flight == 2
    still.forget(spec.id, "ada")
    assert still.view(spec, "ada") is None
    assert still.history("ada") == []
    held.work()
    assert still.view(spec, "ada") is None  # a piece that was being worked on did not bring it back
    still.submit(spec, "ada")
    assert still.view(spec, "ada").live


def test_forgetting_leaves_the_run_to_others(still, held):
    spec = spec_of()
    for visitor in ("ada", "bob"):
        still.submit(spec, visitor)
    held.work()
    still.forget(spec.id, "ada")
    assert still.history("ada") == []
    assert still.view(spec, "bob").status == "done"


def test_a_run_that_is_cancelled_in_its_last_piece_still_ends(made, held, solved_once, monkeypatch):
    manager = made(workers=1, executor=held)
    before, spec = spec_of(iterations=50), spec_of(seeds=1, methods=("spl",))
    manager.submit(before, "ada")  # then F* is known, and the only shard is all there is to do
    held.work()

    def cancelled_at_the_end(*args):
        state, records = advance(*args)
        if state.recorded == len(spec.checkpoint_iterations):
            manager.cancel(spec.id, "ada")
        return state, records

    manager.submit(spec, "ada")
    monkeypatch.setattr(performing, "advance", cancelled_at_the_end)
    held.work()
    view = manager.view(spec, "ada")
    assert (view.status, view.progress) == ("cancelled", 1)
    manager.submit(spec, "ada")
    held.work()
    assert manager.view(spec, "ada").status == "done"


def test_a_stored_run_that_is_not_whole_can_be_resumed(still, held, monkeypatch):
    spec = spec_of()
    still.submit(spec, "ada")
    held.work()
    whole = still.store.load(spec.id)
    lost = next(iter(whole.states))
    part = type(whole)(
        {shard: state for shard, state in whole.states.items() if shard != lost},
        {shard: records for shard, records in whole.records.items() if shard != lost},
    )
    still._results.drop(lambda _: True)
    monkeypatch.setattr(still.store, "load", lambda run_id: part)
    view = still.view(spec, "ada")
    assert view.status == "interrupted"
    assert view.progress < 1
    still.submit(spec, "ada")
    held.work()
    same_bits(still.view(spec, "ada").result, direct(spec))


def test_progress_means_the_same_before_and_after_a_stop(still, held):
    spec = spec_of(iterations=30_000, checkpoints=8)
    still.submit(spec, "ada")
    held.until(lambda: still.view(spec, "ada").progress >= 0.3)
    held.work(2 - len(held.waiting) if len(held.waiting) < 2 else 0)
    still.cancel(spec.id, "ada")
    before = still.view(spec, "ada").progress
    held.work()
    after = still.view(spec, "ada").progress
    assert spec.id not in still._jobs
    assert before <= after <= before + 0.2


def test_a_run_that_was_dropped_meanwhile_is_stored_again(still, held):
    spec = spec_of()
    still.submit(spec, "ada")
    held.until(lambda: still.view(spec, "ada").result is not None)
    still.cancel(spec.id, "ada")  # with pieces being worked on
    still.store.forget("ada", spec.id)
    still.submit(spec, "ada")
    held.work()
    assert still.view(spec, "ada") is not None
    assert [entry.id for entry in still.history("ada")] == [spec.id]
