"""Studies on the server's workers: each once, a piece at a time, the shortest first, while somebody wants it."""

import gc

import pytest

from cvar_core.lessons.your_model import DigitStudy
from cvar_core.own_model import growing_study
from pages.components.sending import studies as module
from pages.components.sending.answers import Asker
from pages.components.sending.studies import DONE, FAILED, RUNNING, STOPPED, UNKNOWN, WAITING, Studies

SHORT, LONG = DigitStudy(steps=50, seeds=1), DigitStudy(steps=500, seeds=5)


class Growing:
    """A study of so many pieces, which are counted."""

    def __init__(self, asked, done):
        self.asked, self.done, self.count = asked, done, asked.seeds * 2
        self.trainings, self.seconds = 0, 0.0

    @property
    def complete(self):
        return self.trainings == self.count

    def advance(self, seconds, stop):
        growing_study.check(stop)
        assert seconds <= 0.3
        self.trainings += 1
        self.seconds += seconds
        self.done.append(self.asked)

    def so_far(self):
        return self


@pytest.fixture
def done():
    return []


@pytest.fixture
def some(held, done, monkeypatch):
    monkeypatch.setattr(module, "begin", lambda asked: Growing(asked, done))
    return Studies(held)


def test_who_asks_for_the_same_shares_it(some, held, done):
    first, second = Asker(), Asker()
    assert some.view(SHORT).status == UNKNOWN
    some.ask(SHORT, first)
    some.ask(SHORT, second)
    assert (len(held.waiting), some.view(SHORT).others) == (1, 1)
    held.work(1)
    assert (some.view(SHORT).status, some.view(SHORT).share) == (RUNNING, 0.5)
    held.work()
    assert (some.view(SHORT).status, done) == (DONE, [SHORT, SHORT])
    some.ask(SHORT, second)
    held.work()
    assert done == [SHORT, SHORT], "what is done is not done again"


def test_there_is_one_piece_at_a_time_and_the_shortest_goes_first(some, held, done):
    first, second = Asker(), Asker()
    some.ask(LONG, first)
    held.work(1)
    some.ask(SHORT, second)
    assert len(held.waiting) == 1, "whatever is asked for"
    held.work(1)
    assert some.view(LONG).status == WAITING
    held.work()
    assert done == [LONG, SHORT, SHORT, *[LONG] * 9]


def test_what_nobody_wants_stops_and_goes_on_where_it_was(some, held, done):
    asker, told = Asker(), []
    some.watch(lambda: told.append(None))
    some.ask(LONG, asker)
    held.work(3)
    some.leave(asker)
    held.work()
    assert (some.view(LONG).status, some.view(LONG).share, len(done)) == (STOPPED, 0.3, 3)
    assert len(told) >= 5
    some.ask(LONG, asker)
    held.work()
    assert (some.view(LONG).status, len(done)) == (DONE, 10)


def test_who_stays_keeps_it_going_and_a_closed_tab_does_not(some, held, done):
    first, second = Asker(), Asker()
    some.ask(LONG, first)
    some.ask(LONG, second)
    some.leave(first)
    held.work(2)
    assert some.view(LONG).status == RUNNING
    del second
    gc.collect()
    held.work()
    assert (some.view(LONG).status, len(done)) == (STOPPED, 2)


def test_a_failure_is_told_and_tried_again(some, held, monkeypatch, caplog):
    def fail(asked):
        raise ValueError("no")

    good, asker = module.begin, Asker()
    monkeypatch.setattr(module, "begin", fail)
    some.ask(SHORT, asker)
    held.work()
    assert some.view(SHORT).status == FAILED
    assert SHORT.text in caplog.text
    monkeypatch.setattr(module, "begin", good)
    some.ask(SHORT, asker)
    held.work()
    assert some.view(SHORT).status == DONE


def test_a_server_that_ends_does_no_more(some, held, done):
    some.ask(LONG, asker := Asker())
    held.work(1)
    some.close()
    held.work()
    assert (len(done), held.waiting) == (1, type(held.waiting)())
    assert asker
