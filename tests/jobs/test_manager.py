"""A run from its first piece to its end: what it computes, what it shows meanwhile, and what is told when it fails."""

import time

import numpy as np
import pytest

from cvar_core import Problem, SpecError
from cvar_core.engine import Seconds, advance
from cvar_core.jobs import Refused
from cvar_core.jobs import job as job_module
from cvar_core.scheduling import performing
from tests.jobs.running import direct, same_bits, slow_spec, spec_of, waited_for


def test_a_job_computes_what_a_sweep_does(manager):
    spec = spec_of()
    manager.submit(spec, "ada")
    view = waited_for(manager, spec)
    same_bits(view.result, direct(spec))
    assert view.progress == 1
    assert set(view.result.timings) == {"sample", "step", "evaluate", "optimum", "total"}


def test_nobody_has_asked_for_an_unknown_run(still):
    assert still.view(spec_of(), "ada") is None


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(job_module, "_SHORTEST", 0.0)


def test_a_running_job_shows_records_before_it_ends(still, held, small_pieces):
    spec = spec_of()
    still.submit(spec, "ada")
    views, kept = [], {}

    def ended():
        views.append(still.view(spec, "ada"))
        if views[-1].result is not None:
            kept[len(views) - 1] = views[-1].result.recorded.copy()
        return not views[-1].live

    held.until(ended)
    middle = next(view for view in views if view.result and view.result.recorded.min() > 2)
    assert (middle.status, middle.stage) == ("running", "running the methods")
    assert 0 < middle.progress < 1
    shares = [view.progress for view in views]
    assert shares == sorted(shares)
    for k, recorded in kept.items():
        np.testing.assert_array_equal(views[k].result.recorded, recorded)  # it does not change under its reader
    same_bits(views[-1].result, direct(spec))


def test_all_curves_of_a_run_grow_together(still, held, small_pieces):
    spec = spec_of(iterations=20_000, checkpoints=60, seeds=3)
    still.submit(spec, "ada")
    spreads = []

    def ended():
        view = still.view(spec, "ada")
        if view.result is not None:
            spreads.append(int(np.ptp(view.result.recorded)))
        return not view.live

    held.until(ended)
    assert len(spreads) > 50
    assert np.median(spreads) <= 15  # of 61 checkpoints


def test_a_finished_run_is_there_at_once_for_everybody(still, held):
    spec = spec_of()
    still.submit(spec, "ada")
    held.work()
    view = still.submit(spec, "bob")
    assert view.status == "done"
    assert view.result is not None
    assert [entry.id for entry in still.history("bob")] == [spec.id]


def test_as_many_finished_runs_are_at_hand_as_there_is_room_for(made, held, solved_once, monkeypatch):
    specs = [spec_of(iterations=20, seeds=1, methods=("sgm",), schedule=each) for each in ("decreasing", "constant")]
    specs.append(spec_of(iterations=20, seeds=1, methods=("spl",)))
    first, *_ = (direct(spec) for spec in specs)
    room = sum(each.nbytes for each in (first.objectives, *first.beside.values()))
    monkeypatch.setattr("cvar_core.jobs.manager._RESULTS", int(2.7 * room))
    still = made(executor=held)
    for spec in specs:
        still.submit(spec, "ada")
        held.work()
    assert list(still._results) == [spec.id for spec in specs[1:]]
    same_bits(still.view(specs[0], "ada").result, first)  # from the store
    assert list(still._results) == [specs[2].id, specs[0].id]


def test_what_is_too_large_is_refused_with_a_sentence(still):
    with pytest.raises(Refused, match="at most 1,000,000"):
        still.submit(spec_of(iterations=2_000_000), "ada")
    assert still.history("ada") == []


def test_a_failure_is_told_and_can_be_tried_again(still, held, monkeypatch, caplog):
    def broken(*_):
        raise ZeroDivisionError("deep inside")

    spec = spec_of()
    monkeypatch.setattr(performing, "advance", broken)
    still.submit(spec, "ada")
    held.work()
    view = still.view(spec, "ada")
    assert view.status == "failed"
    assert "ZeroDivisionError" in view.error
    assert "deep inside" not in view.error
    assert spec.id in view.error
    assert "deep inside" in caplog.text  # the log has it all
    monkeypatch.setattr(performing, "advance", advance)
    still.submit(spec, "ada")
    held.work()
    same_bits(still.view(spec, "ada").result, direct(spec))


def test_a_solve_that_fails_says_why_to_every_run_that_waits_for_it(still, held, monkeypatch):
    runs = [spec_of(iterations=n) for n in (200, 250)]
    tried = []

    def broken(self, stop):
        tried.append(self.spec)
        raise SpecError("the targets are too large")

    with monkeypatch.context() as patch:
        patch.setattr(Problem, "optimum", broken)
        for spec in runs:
            still.submit(spec, "ada")
        held.work(50)
    views = [still.view(spec, "ada") for spec in runs]
    assert [(view.status, view.error) for view in views] == [("failed", "The targets are too large.")] * 2
    assert len(tried) == 1
    still.submit(runs[1], "ada")
    held.work()
    same_bits(still.view(runs[1], "ada").result, direct(runs[1]))


def test_the_optimum_is_solved_once_for_all_runs_on_a_problem(still, held, monkeypatch):
    solved = []
    real = Problem.optimum

    def counting(self, stop=None):
        solved.append(self.spec)
        return real(self, stop)

    monkeypatch.setattr(Problem, "optimum", counting)
    *specs, later = (spec_of(iterations=n) for n in (200, 250, 300, 350))
    for spec in specs:
        still.submit(spec, "ada")
    held.work()
    still.submit(later, "bob")
    held.work()
    assert len({still.view(spec, "").result.optimum.value for spec in (*specs, later)}) == 1
    assert len(solved) == 1


def test_the_estimate_follows_the_work(still, held):
    small, large = spec_of(), spec_of(size=1_000_000, iterations=100_000)
    assert still.estimate(large) > 10 * still.estimate(small)
    still.submit(small, "ada")
    held.work()
    assert still.estimate(small) < 1


def test_the_estimate_learns_from_every_piece(still, held, monkeypatch):
    spec, asked = slow_spec(), spec_of(1, iterations=100_000)
    before = still.estimate(asked)
    slowly = performing.advance

    def counted(*args):
        state, records = slowly(*args)
        return state, records._replace(seconds=Seconds(0.0, 50.0, 50.0))

    monkeypatch.setattr(performing, "advance", counted)
    still.submit(spec, "ada")
    held.until(lambda: still.view(spec, "ada").progress > 0)
    still.cancel(spec.id, "ada")  # long before its end
    held.work()
    assert still.estimate(asked) > 5 * before


def test_time_goes_on_where_it_stopped(still, held):
    spec = spec_of()
    still.submit(spec, "ada")
    held.work(4)
    time.sleep(0.3)
    still.cancel(spec.id, "ada")
    held.work()
    still.submit(spec, "ada")
    held.work()
    assert still.view(spec, "ada").result.timings["total"] >= 0.3
