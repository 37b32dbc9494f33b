"""What a live view needs: a number that grows with every change, a word when there is one, and an early look."""

import gc
import itertools
import threading
import weakref

import numpy as np
import pytest

from cvar_core import Problem
from cvar_core.engine import memory
from cvar_core.jobs import changes
from cvar_core.jobs import job as job_module
from cvar_core.jobs.guard import Guard
from cvar_core.store import Store
from tests.jobs.running import direct, slow_spec, spec_of, wait, waited_for


def seen(view):
    """Everything of a view that a viewer can see change."""
    records = view.result or view.early
    recorded = None if records is None else records.recorded.tolist()
    return view.status, view.stage, view.error, view.others, view.watched, view.result is None, recorded, view.position


def test_the_revision_grows_with_all_that_can_be_seen(made, held, monkeypatch):
    monkeypatch.setattr(job_module, "_SHORTEST", 0.0)
    spec, other = spec_of(), spec_of(1, iterations=200)
    still = made(executor=held, memory=sum(memory(spec.problem)))  # for one at a time
    views = []

    def look(happened=True):
        views.append(still.view(spec, "ada"))
        return happened

    still.submit(other, "eve")
    still.submit(spec, "ada")
    look()
    still.submit(spec, "bob")
    look()
    still.cancel(spec.id, "bob")
    look()
    held.until(lambda: look(views[-1].result is not None and views[-1].result.recorded.min() > 2))
    still.cancel(spec.id, "ada")
    look()
    held.work()
    look()
    still.submit(spec, "ada")
    look()
    held.until(lambda: look(not still.view(spec, "ada").live))
    revisions = [view.revision for view in views]
    assert revisions == sorted(revisions)
    changed = 0
    for before, after in itertools.pairwise(views):
        if seen(before) != seen(after):
            changed += 1
            assert after.revision > before.revision, (seen(before), seen(after))
    assert changed > 15
    assert still.view(spec, "ada").revision == views[-1].revision  # nothing happens any more


def test_a_watcher_hears_of_everything_until_it_leaves(still, held):
    spec, heard = spec_of(), []
    leave = still.watch(spec.id, lambda: heard.append(still.view(spec, "ada")))

    def news():
        found = [view and view.status for view in heard]
        heard.clear()
        return found

    still.submit(spec, "ada")
    assert "running" in news()
    held.work(1)
    assert news()
    still.submit(spec, "bob")
    assert heard[-1].others == 1
    held.work()
    assert news()[-1] == "done"
    for visitor in ("ada", "bob"):
        still.forget(spec.id, visitor)
    assert news()[-1] is None  # it is deleted
    still.submit(spec, "ada")
    assert news()
    leave()
    leave()
    held.work()
    assert heard == []


def test_watchers_are_told_without_the_lock_and_may_fail(still, held, caplog):
    spec, free = spec_of(), []

    def tell():
        def ask():
            still.view(spec, "")
            free.append(True)

        asking = threading.Thread(target=ask)  # another thread gets the lock meanwhile
        asking.start()
        asking.join(5)
        raise ZeroDivisionError("in the watcher")

    still.watch(spec.id, tell)
    still.submit(spec, "ada")
    assert free == [True]
    held.work()
    assert len(free) > 2
    assert still.view(spec, "ada").status == "done"
    assert "in the watcher" in caplog.text


def test_those_who_have_left_are_forgotten(still):
    class Watcher:
        def told(self):
            pass

    watchers = [Watcher() for _ in range(100)]
    leave = [still.watch(f"run {k % 7}", each.told) for k, each in enumerate(watchers)]
    gone = [weakref.ref(each) for each in watchers]
    for each in leave:
        each()
    del watchers, leave, each
    gc.collect()
    assert not any(ref() for ref in gone)
    assert still._changes._watchers == {}


def test_a_revision_never_falls_though_only_the_last_changes_are_known(monkeypatch):
    monkeypatch.setattr(changes, "_MOST", 3)
    found = changes.Changes(Guard())
    last = {}
    for k in range(40):
        found.note(str(k * k % 11))
        for run in map(str, range(11)):
            assert found.revision(run) >= last.get(run, 0)
            last[run] = found.revision(run)
    assert len(found._last) == 3


@pytest.fixture
def unsolved(monkeypatch):
    """The optimum is not found until the test says so."""
    solve, may = Problem.optimum, threading.Event()

    def later(self, stop):
        while not may.wait(0.002):
            if stop():
                break
        return solve(self, stop)

    monkeypatch.setattr(Problem, "optimum", later)
    yield may
    may.set()


def test_what_there_is_before_the_optimum_is_shown(manager, unsolved):
    spec = spec_of()
    assert manager.submit(spec, "ada").early is None
    first = wait(lambda: manager.view(spec, "ada").early)
    kept = first.objectives.copy(), first.recorded.copy()
    whole = len(spec.checkpoint_iterations)
    early = wait(lambda: (e := manager.view(spec, "ada").early) and e.recorded.min() == whole and e)
    assert manager.view(spec, "ada").stage == "solving for the optimum F*"
    np.testing.assert_array_equal(first.objectives, kept[0])
    np.testing.assert_array_equal(first.recorded, kept[1])
    there = np.arange(whole) < first.recorded[..., None]
    assert np.isnan(first.objectives[~there]).all()
    np.testing.assert_array_equal(first.objectives[there], early.objectives[there])
    assert manager.view(spec, "ada").early is early  # the same while nothing is added
    unsolved.set()
    view = waited_for(manager, spec)
    assert view.early is None
    np.testing.assert_array_equal(early.objectives, view.result.objectives)
    np.testing.assert_array_equal(early.objectives, direct(spec).objectives)
    assert early.checkpoints == view.result.checkpoints


def test_an_early_look_outlives_the_server(made, unsolved, tmp_path):
    spec = slow_spec()
    first = made(Store.open(tmp_path / "runs.sqlite"))
    first.submit(spec, "ada")
    wait(lambda: (e := first.view(spec, "ada").early) and e.recorded.min() > 0)
    first.close()
    view = made(Store.open(tmp_path / "runs.sqlite")).view(spec, "ada")
    assert view.status == "interrupted"
    assert view.result is None
    assert view.early.recorded.min() > 0


def test_every_shard_has_a_record_before_much_else_is_done(still, held):
    spec = slow_spec()
    still.submit(spec, "ada")
    held.until(lambda: (e := still.view(spec, "ada").early) is not None and e.recorded.min() > 0)
    assert still.view(spec, "ada").progress < 0.2
