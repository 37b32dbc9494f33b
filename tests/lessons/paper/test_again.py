"""Computing panels again: one after another, within what the server allows, and compared with what was known."""

import pytest

from cvar_core import ProblemSpec, SweepSpec
from cvar_core.jobs import Limits, Manager
from cvar_core.lessons.paper import Recomputation
from cvar_core.scheduling import performing
from cvar_core.store import Store
from tests.pages.held import Held

ADA = "ada"


@pytest.fixture
def held():
    return Held()


@pytest.fixture
def jobs(held, solved_once):
    manager = Manager(Store.open(None), held, 1, Limits())
    yield manager
    manager.close()


@pytest.fixture
def specs(small):
    return [result.spec for result in small]


def test_all_are_computed_one_after_another(jobs, held, small, specs):
    again = Recomputation()
    again.ask(specs)
    for k, known in enumerate(small.results):
        assert again.move(jobs, ADA)
        assert (again.current, len(again.waiting), jobs.open_jobs) == (known.spec, 2 - k, 1)
        assert not again.move(jobs, ADA), "nothing has happened since"
        assert again.words(known, jobs, ADA).startswith("Is being computed")
        assert again.result(known.spec, jobs, ADA) is None
        held.work()
    assert again.move(jobs, ADA)
    assert not again.busy
    for known in small.results:
        words = again.words(known, jobs, ADA)
        assert words.startswith("Computed here in ")
        assert words.endswith(" s: the same bits as shipped.")
        assert again.result(known.spec, jobs, ADA) is not None


def test_asking_twice_computes_once(jobs, specs):
    again = Recomputation()
    again.ask(specs)
    again.move(jobs, ADA)
    again.ask(specs)
    assert again.waiting == specs[1:]


def test_progress_says_what_and_what_is_to_come(jobs, held, specs):
    again = Recomputation()
    assert again.progress() == ""
    again.ask(specs)
    again.move(jobs, ADA)
    assert again.progress() == "Squared loss, normal noise · 2 more to come"


def test_what_the_server_has_is_there_at_once(jobs, held, small, specs):
    jobs.submit(specs[0], "another")
    held.work()
    again = Recomputation()
    again.ask(specs[:1])
    assert again.move(jobs, ADA)
    assert not again.busy
    assert "the same bits" in again.words(small.results[0], jobs, ADA)


def test_a_visitor_with_enough_open_runs_waits_and_goes_on(jobs, held, specs):
    others = [SweepSpec(ProblemSpec(eval_size=300, seed=seed), iterations=50, seeds=1) for seed in (1, 2, 3)]
    for spec in others:
        jobs.submit(spec, ADA)
    again = Recomputation()
    again.ask(specs[:2])
    assert not again.move(jobs, ADA)
    assert again.busy
    assert again.refused == "You have 3 runs open, which is the most at a time. Cancel one, or wait for it."
    jobs.cancel(others[0].id, ADA)
    assert again.move(jobs, ADA)
    assert (again.refused, again.current) == (None, specs[0])


def test_what_is_too_large_for_the_server_is_not_asked_for_again(jobs, specs, monkeypatch):
    monkeypatch.setattr(jobs, "limits", Limits(iterations=10))
    again = Recomputation()
    again.ask(specs)
    again.move(jobs, ADA)
    assert not again.busy
    assert "this server allows at most 10" in again.refused
    again.ask(specs)
    assert again.refused is None


def test_stopping_keeps_what_is_done(jobs, held, small, specs):
    again = Recomputation()
    again.ask(specs)
    again.move(jobs, ADA)
    held.work()
    again.move(jobs, ADA)
    again.stop(jobs, ADA)
    assert not again.busy
    assert jobs.open_jobs == 0
    assert again.result(specs[0], jobs, ADA) is not None
    assert again.words(small.results[1], jobs, ADA) == "Stopped at 0%; this is the shipped result."
    assert again.words(small.results[2], jobs, ADA) == "Shipped with the project."


def test_a_failure_is_told_and_the_others_go_on(jobs, held, small, specs, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("a secret of the server")

    again = Recomputation()
    again.ask(specs[:2])
    again.move(jobs, ADA)
    with monkeypatch.context() as patch:
        patch.setattr(performing, "advance", broken)
        held.work()
    assert again.move(jobs, ADA)
    assert again.current == specs[1]
    words = again.words(small.results[0], jobs, ADA)
    assert words.startswith("Could not be computed. Something went wrong inside (ZeroDivisionError)")
    assert "secret" not in words


def test_a_run_cancelled_elsewhere_makes_room_for_the_next(jobs, small, specs):
    again = Recomputation()
    again.ask(specs[:2])
    again.move(jobs, ADA)
    jobs.submit(specs[0], "another")
    jobs.cancel(specs[0].id, ADA)  # it goes on without Ada
    assert again.move(jobs, ADA)
    assert again.current == specs[1]
