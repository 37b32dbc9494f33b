"""What is kept: within its bound, made once for all who ask at once, and the least recently used goes first."""

import pickle
import threading
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cvar_core.keeping import Kept, once

WAIT = 30  # seconds, for what takes none

asks = st.lists(st.tuples(st.sampled_from(["get", "put", "look", "drop"]), st.integers(0, 5), st.integers(0, 12)))


@given(asks, st.integers(1, 20))
def test_under_any_asking_the_bound_holds_and_the_last_is_there(asked, most):
    kept, model = Kept(most, size=lambda value: value), {}  # the model: the last asked for last, and no bound
    for how, key, value in asked:
        if how == "put":
            kept.put(key, value)
            model.pop(key, None)
            model[key] = value
        elif how == "drop":
            kept.drop(lambda each, key=key: each == key)
            model.pop(key, None)
        else:
            there = key in kept
            found = kept.get(key, lambda value=value: value) if how == "get" else kept.get(key)
            if there or how == "get":
                assert found == (model[key] if there else value)
                model.pop(key, None)
                model[key] = found
            else:
                assert found is None
        there = list(kept)
        assert len(kept) == len(there)
        assert there == list(model)[len(model) - len(there) :], "the least recently used goes first"
        assert sum(model[each] for each in there) <= most or len(there) == 1
        assert how != "put" or there[-1] == key, "the very last is always kept"
        model = {each: model[each] for each in there}


@given(st.lists(st.integers(0, 9)), st.integers(1, 5))
def test_without_a_size_the_values_are_counted(keys, most):
    kept = Kept(most)
    for key in keys:
        assert kept.get(key, lambda key=key: -key) == -key
    latest = list(dict.fromkeys(reversed(keys)))[:most]
    assert list(kept) == latest[::-1]


def test_nothing_goes_while_all_of_it_fits():
    kept = Kept(100, size=len)
    kept.put("a", "x" * 60)
    kept.put("b", "x" * 40)
    kept.put("b", "x" * 39)
    assert list(kept) == ["a", "b"], "what was replaced takes no room"
    kept.put("c", "xx")
    assert list(kept) == ["b", "c"]
    kept.drop(lambda key: key == "b")
    kept.put("d", "x" * 98)
    assert list(kept) == ["c", "d"], "what was let go takes no room"


def test_nothing_is_a_value_too():
    kept, made = Kept(3), []
    for _ in range(2):
        assert kept.get("a", lambda: made.append(1)) is None
    assert made == [1]


class Counted(threading.Event):
    """An event that tells who waits for it."""

    def __init__(self):
        super().__init__()
        self.waiting = threading.Semaphore(0)

    def wait(self, timeout=None):
        self.waiting.release()
        return super().wait(timeout)


@contextmanager
def asking(kept, count, make):
    """Have so many threads ask for "a", the first at work on it and the others waiting; yield what they will get."""
    begun, go_on, found = threading.Event(), threading.Event(), []

    def slow():
        begun.set()
        assert go_on.wait(WAIT)
        return make()

    def ask():
        try:
            found.append(kept.get("a", slow))
        except ValueError as error:
            found.append(error)

    first, *others = [threading.Thread(target=ask) for _ in range(count)]
    first.start()
    assert begun.wait(WAIT)
    over = kept._making["a"].over = Counted()
    for each in others:
        each.start()
        assert over.waiting.acquire(timeout=WAIT)
    yield found
    go_on.set()
    for each in (first, *others):
        each.join(WAIT)
        assert not each.is_alive()


def test_all_who_ask_at_once_wait_for_one_making():
    kept, made = Kept(10), []
    with asking(kept, 8, lambda: made.append(1) or "costly") as found:
        assert kept.get("b", lambda: "cheap") == "cheap", "others do not wait"
        assert kept.get("a") is None, "nor does who only looks"
    assert (made, found) == ([1], ["costly"] * 8)


def test_who_waited_gets_what_had_to_go_since():
    class Crowded(Kept):
        """Another value comes in before anyone who waits is awake."""

        def _put(self, key, sized):
            super()._put(key, sized)
            super()._put("b", sized)

    kept, made = Crowded(1), []
    with asking(kept, 4, lambda: made.append(1) or "costly") as found:
        pass
    assert list(kept) == ["b"]
    assert (made, found) == ([1], ["costly"] * 4)


def test_what_fails_is_not_kept_and_the_next_asker_tries_again():
    kept, tries = Kept(10), []

    def fails_at_first():
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("the first")
        return "made"

    with asking(kept, 5, fails_at_first) as found:
        pass
    assert len(tries) == 2, "one after another, not all at once"
    assert sorted(map(str, found)) == ["made"] * 4 + ["the first"]
    with pytest.raises(ZeroDivisionError):
        kept.get("b", lambda: 1 / 0)
    assert list(kept) == ["a"]
    assert kept.get("b", lambda: 7) == 7


def test_what_is_dropped_while_it_is_made_is_not_kept():
    kept, made = Kept(10), []
    with asking(kept, 1, lambda: made.append("old") or "old") as found:
        kept.drop(lambda key: key == "a")
        assert kept.get("a", lambda: "new") == "new", "who asks after that does not get the old one"
    assert found == ["old"]
    assert kept.get("a") == "new"


def test_a_making_may_ask_for_something_else():
    kept = Kept(10)
    assert kept.get("a", lambda: kept.get("b", lambda: 2) + 1) == 3
    assert list(kept) == ["b", "a"]


def test_what_one_object_makes_keeps_nobody_waiting_who_asks_another():
    made, go_on, begun = [], threading.Event(), threading.Event()

    class Thing:
        def __init__(self, slow):
            self.slow = slow

        @once
        def worth(self):
            """What it is worth."""
            made.append(self.slow)
            if self.slow:
                begun.set()
                assert go_on.wait(WAIT)
            return len(made)

    slow, quick = Thing(True), Thing(False)
    asking = [threading.Thread(target=lambda: slow.worth, daemon=True) for _ in range(3)]
    for each in asking:
        each.start()
    assert begun.wait(WAIT)
    found = []
    beside = threading.Thread(target=lambda: found.append(quick.worth), daemon=True)
    beside.start()
    beside.join(5)
    assert found == [2]
    go_on.set()
    for each in asking:
        each.join(WAIT)
    assert made == [True, False]  # once each
    assert vars(quick) == {"slow": False, "worth": 2}
    assert Thing.worth.__doc__ == "What it is worth."


class Uncertain:
    """Says what it is worth when it is asked a second time, and is sent somewhere whenever it is asked."""

    def __init__(self):
        self.asked = 0

    @once
    def worth(self):
        pickle.dumps(self)
        self.asked += 1
        return 1 / (self.asked - 1)


def test_an_object_travels_while_something_of_it_is_made_and_after_that_has_failed():
    thing = Uncertain()
    with pytest.raises(ZeroDivisionError):
        _ = thing.worth
    assert vars(pickle.loads(pickle.dumps(thing))) == {"asked": 1}
    assert thing.worth == 1
    assert vars(thing) == {"asked": 2, "worth": 1}
    assert Uncertain.worth._making == {}
