"""Many runs and many visitors: who may join and leave a run, and how runs share the workers and the memory."""

import itertools
import threading
import time

import pytest

from cvar_core import Problem
from cvar_core.cancel import Cancelled
from cvar_core.engine import memory
from cvar_core.jobs import Refused, Whereabouts
from cvar_core.jobs import manager as manager_module
from cvar_core.scheduling import preparation
from tests.jobs.running import slow_spec, spec_of


def test_two_visitors_share_one_run_and_one_leaving_does_not_stop_it(still):
    spec = spec_of()
    still.submit(spec, "ada")
    still.submit(spec, "bob")
    assert still.open_jobs == 1
    assert still.view(spec, "ada").others == 1
    assert not still.cancel(spec.id, "ada")
    assert not still.view(spec, "ada").watched
    assert still.view(spec, "bob").live
    assert still.cancel(spec.id, "bob")
    assert still.view(spec, "bob").status == "cancelled"


def test_looking_at_a_run_does_not_keep_its_owner_from_cancelling_it(still):
    spec = spec_of()
    still.submit(spec, "ada")
    assert still.open(spec, "bob").watched is False
    assert [entry.id for entry in still.history("bob")] == [spec.id]
    assert still.cancel(spec.id, "ada")
    assert still.view(spec, "bob").status == "cancelled"


def test_the_number_of_open_runs_is_bounded(made, held):
    manager = made(executor=held, jobs_per_visitor=2, jobs=3)
    specs = [spec_of(seed=k) for k in range(5)]
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
    assert manager.submit(specs[3], "ada").live


def test_one_address_does_not_fill_the_line_as_ever_new_visitors(made, held):
    known = Whereabouts()
    manager = made(executor=held, known=known, jobs_per_visitor=3, jobs=12)
    specs = iter([spec_of(seed=k) for k in range(40)])
    for number in range(7):
        known.note(f"mallory {number}", "192.0.2.1")
    taken = [manager.submit(next(specs), f"mallory {number}").spec for number in range(6)]  # half of all
    with pytest.raises(Refused, match="6 runs are open from your address, which is the most at a time"):
        manager.submit(next(specs), "mallory 6")
    known.note("ada", "192.0.2.2")
    assert [manager.has_place_for(who) for who in ("mallory 6", "ada")] == [False, True]
    assert manager.submit(next(specs), "ada").live
    assert manager.submit(taken[0], "mallory 6").live, "joining costs nothing"
    for who in ("mallory 0", "mallory 6"):
        manager.cancel(taken[0].id, who)
    assert manager.submit(next(specs), "mallory 6").live
    assert not manager.has_place_for("mallory 1")


def test_a_small_run_is_not_kept_waiting_by_a_large_one(made, held, solved_once):
    manager = made(workers=1, executor=held)
    large, small = slow_spec(), spec_of(seed=1)
    manager.submit(large, "ada")
    held.until(lambda: manager.view(large, "ada").result is not None)
    manager.submit(small, "bob")
    held.until(lambda: not manager.view(small, "bob").live)
    assert manager.view(small, "bob").status == "done"
    assert manager.view(large, "ada").live
    assert manager.view(large, "ada").progress > 0


def test_short_runs_are_done_first(made, held, solved_once):
    manager = made(workers=1, executor=held)
    long = [slow_spec(k) for k in range(3)]
    short = [spec_of(10 + k, iterations=5_000, seeds=3) for k in range(4)]
    for k, spec in enumerate((*long, *short)):
        manager.submit(spec, f"visitor {k}")
    held.until(lambda: not any(manager.view(spec, "").live for spec in short))
    shares = [manager.view(spec, "").progress for spec in long]
    assert max(shares) < 0.5, shares


def test_a_long_run_gets_its_share_however_many_short_ones_come(made, held, solved_once):
    manager = made(workers=1, executor=held, jobs_per_visitor=10_000)
    long = slow_spec()
    manager.submit(long, "ada")
    seeds = itertools.count(1)

    def one_more_comes():
        while manager.open_jobs < 4:
            manager.submit(spec_of(next(seeds), iterations=3_000, seeds=1), "bob")
        return manager.view(long, "ada").progress > 0.3

    held.until(one_more_comes)
    assert next(seeds) > 10


def test_a_run_shows_something_before_others_are_done(made, held, solved_once):
    manager = made(workers=1, executor=held)
    specs = [spec_of(k, 20_000, iterations=50_000) for k in range(4)]
    for k, spec in enumerate(specs):
        manager.submit(spec, f"visitor {k}")

    def shown(spec):
        view = manager.view(spec, "")
        some = view.result or view.early
        return some is not None and some.recorded.min() > 0

    held.until(lambda: all(shown(spec) for spec in specs))
    assert max(manager.view(spec, "").progress for spec in specs) < 0.9, "F*, most of the work, is there of the first"


def test_runs_wait_for_memory_in_their_order(made, held, solved_once):
    specs, small = [slow_spec(k, size=100_000) for k in range(3)], spec_of(seed=9)
    room = int(1.3 * sum(memory(specs[0].problem)) + sum(memory(small.problem)))
    manager = made(executor=held, memory=room)
    for k, spec in enumerate(specs):
        manager.submit(spec, f"visitor {k}")
    assert [manager.view(spec, "").status for spec in specs] == ["running", "queued", "queued"]
    assert [manager.view(spec, "").position for spec in specs] == [None, 1, 2]
    manager.submit(small, "eve")  # fits beside the large one
    held.until(lambda: not manager.view(small, "eve").live)
    assert manager.view(specs[0], "").status == "running"
    assert manager.view(specs[1], "").status == "queued"
    manager.cancel(specs[0].id, "visitor 0")
    assert manager.view(specs[1], "").status == "running"
    assert manager.view(specs[2], "").position == 1


def test_who_fits_beside_the_others_passes_who_does_not_only_so_often(made, held, solved_once, monkeypatch):
    monkeypatch.setattr(manager_module, "_MOST_PASSES", 2)
    first, large = slow_spec(0, size=100_000), slow_spec(1, size=100_000)
    small = [spec_of(iterations=300 + k, seed=10) for k in range(4)]  # of one problem, which has its memory once
    room = sum(memory(first.problem)) + sum(memory(small[0].problem))
    manager = made(executor=held, memory=room, jobs_per_visitor=10)
    for spec in (first, large, *small):
        manager.submit(spec, "ada")
    waiting = [manager.view(spec, "").status == "queued" for spec in (large, *small)]
    assert waiting == [True, False, False, True, True], "two have passed it, and no third does"


def test_the_shortest_of_those_who_wait_for_memory_is_next_but_none_is_passed_for_ever(
    made, held, solved_once, monkeypatch
):
    monkeypatch.setattr(manager_module, "_MOST_PASSES", 3)
    first, long = slow_spec(0), slow_spec(1)
    short = [spec_of(10 + k, 60_000) for k in range(6)]
    manager = made(executor=held, memory=sum(memory(first.problem)), jobs_per_visitor=10)  # for one at a time
    for spec in (first, long, *short):
        manager.submit(spec, "ada")
    assert [manager.view(spec, "").position for spec in (long, *short[:2])] == [7, 1, 2]
    ended = []

    def all_ended():
        ended.extend(s for s in (first, long, *short) if s not in ended and not manager.view(s, "").live)
        return len(ended) == 8

    held.until(all_ended)
    assert ended == [first, *short[:3], long, *short[3:]]


def test_the_optimum_takes_turns_with_everything_else(made, held, solved_once, monkeypatch):
    """With one worker, a run whose optimum takes long does not hold up another run."""
    assert preparation.SECONDS <= 0.3
    monkeypatch.setattr(preparation, "SECONDS", 0.01)
    known, enough = Problem.optimum, threading.Event()

    def long(self, stop):
        end = time.monotonic() + 5
        while not enough.is_set() and time.monotonic() < end:
            time.sleep(0.002)
            if stop():
                raise Cancelled
        return known(self, stop)

    manager = made(workers=1, executor=held)
    before, quick, hard = spec_of(seed=3, iterations=50), spec_of(seed=3), spec_of(seed=4)
    manager.submit(before, "bob")  # its problem is solved first
    held.work()
    monkeypatch.setattr(Problem, "optimum", long)
    manager.submit(hard, "ada")
    held.until(lambda: manager.view(hard, "ada").stage == "solving for the optimum F*")
    manager.submit(quick, "bob")
    held.until(lambda: not manager.view(quick, "bob").live)
    assert manager.view(quick, "bob").status == "done"
    assert manager.view(hard, "ada").stage == "solving for the optimum F*"
    enough.set()
    held.work()
    assert manager.view(hard, "ada").status == "done"


def test_many_waiting_runs_are_admitted_at_little_cost(made, held):
    manager = made(executor=held, memory=100 * 2**20, jobs_per_visitor=200)
    specs = [spec_of(seed=k, size=50_000, iterations=10**6) for k in range(120)]
    for spec in specs:
        manager.submit(spec, "ada")
    begun = time.thread_time()
    manager._admission_due = True
    manager._admit()
    assert time.thread_time() - begun < 0.5
    assert sum(manager.view(spec, "").status == "queued" for spec in specs) > 100
