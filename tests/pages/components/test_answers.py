"""Work beside the pages: each thing once, only what somebody still waits for, and no more kept than is said."""

import gc

import pytest

from pages.components.sending import answers
from pages.components.sending.answers import Answers, Asker


@pytest.fixture
def done():
    return []


@pytest.fixture
def make(held, done, monkeypatch):
    """Makes one that notes what it works on; what begins with "bad" fails."""
    monkeypatch.setattr(answers, "threads", lambda count: held)

    def work(key):
        done.append(key)
        if key.startswith("bad") and done.count(key) == 1:
            raise ValueError(key)
        return key.upper()

    return lambda kept=10: Answers("some", work, str, kept)


def test_what_two_ask_for_is_computed_once(make, held, done):
    some, first, second = make(), Asker(), Asker()
    assert some.found("a") is None
    assert some.wish("a", first)
    assert some.wish("a", second)
    assert done == [], "nobody waits for it in the script"
    held.work()
    assert some.found("a").value == "A"
    assert not some.wish("a", first)
    held.work()
    assert done == ["a"]


def test_who_moves_on_gives_up_what_has_not_begun(make, held, done):
    some, restless, patient = make(), Asker(), Asker()
    some.wish("a", restless)
    some.wish("b", patient)
    for key in "cdef":
        some.wish(key, restless)
    held.work()
    assert done == ["b", "f"], "the oldest wish first"


def test_what_another_waits_for_is_not_given_up(make, held, done):
    some, restless, patient = make(), Asker(), Asker()
    some.wish("a", restless)
    some.wish("a", patient)
    some.wish("b", restless)
    held.work()
    assert done == ["a", "b"]


def test_a_closed_tab_wishes_for_nothing(make, held, done):
    some, closed, open_ = make(), Asker(), Asker()
    some.wish("a", closed)
    some.wish("b", open_)
    del closed
    gc.collect()
    held.work()
    assert done == ["b"]


def test_thirty_visitors_are_one_piece_of_work_at_a_time(make, held, done):
    some, visitors = make(kept=100), [Asker() for _ in range(30)]
    for round_ in range(5):
        for number, visitor in enumerate(visitors):
            some.wish(f"{number}-{round_}", visitor)
            assert len(held.waiting) == 1
    held.work(1)
    assert len(done) == 1
    assert len(held.waiting) == 1
    held.work()
    assert sorted(done) == sorted(f"{number}-4" for number in range(30))


def test_a_failure_is_told_to_who_waited_and_then_tried_again(make, held, done, caplog):
    some, first, second = make(), Asker(), Asker()
    some.wish("bad", first)
    some.wish("bad", second)
    held.work()
    assert some.found("bad").failed
    assert "ValueError" in caplog.text
    assert not some.wish("bad", first), "told"
    assert not some.wish("bad", second)
    held.work()
    assert done == ["bad"], "by itself it is not tried again"
    assert some.wish("bad", first)
    assert some.found("bad") is None
    held.work()
    assert some.found("bad").value == "BAD"


def test_work_goes_on_after_a_failure(make, held):
    some, first, second = make(), Asker(), Asker()
    some.wish("bad", first)
    some.wish("a", second)
    held.work()
    assert some.found("a").value == "A"


def test_what_was_not_asked_for_longest_is_dropped(make, held):
    some, visitor = make(kept=2), Asker()
    for key in ("a", "b", "a", "c"):
        some.wish(key, visitor)
        held.work()
        some.wish(key, visitor)
    assert [key for key in "abc" if some.found(key)] == ["a", "c"]


def test_who_listens_is_told_when_the_answer_is_there(make, held):
    some, visitor, told = make(), Asker(), []
    stop = some.watch(lambda: told.append(some.there("a")))
    some.wish("a", visitor)
    assert not some.there("a")
    held.work()
    assert told == [True]
    assert some.ticket("a") == ("answer", "some", "a")
    stop()
    some.wish("b", visitor)
    held.work()
    assert told == [True]
