"""A long computation moves only in its turns."""

import threading
import time

import pytest

from cvar_core.cancel import Cancelled, check
from cvar_core.scheduling.turns import Turns


def counting(steps, seen):
    def count(stop):
        for k in range(steps):
            check(stop)
            seen.append(k)
            time.sleep(0.002)
        return "counted"

    return count


def test_it_moves_in_its_turns_and_rests_between_them():
    seen = []
    computation = Turns(counting(100, seen))
    time.sleep(0.02)
    assert seen == []
    turns = 0
    while not seen:  # a busy machine may give it nothing in its first turns
        assert computation.turn(0.02) is None
        turns += 1
    after = len(seen)
    assert after < 100
    time.sleep(0.02)
    assert len(seen) == after
    while computation.turn(0.02) is None:
        turns += 1
    assert seen == list(range(100))
    assert turns > 2


def test_closing_ends_it_whether_it_rests_or_moves():
    seen = []
    before = threading.active_count()
    resting = Turns(counting(10_000, seen))
    resting.turn(0.01)
    resting.close()
    moves = threading.Event()

    def endless(stop):
        while True:
            check(stop)
            moves.set()

    moving = Turns(endless)
    closer = threading.Thread(target=lambda: moves.wait() and moving.close())
    closer.start()
    with pytest.raises(Cancelled):
        moving.turn(600)
    closer.join()
    with pytest.raises(Cancelled):
        moving.turn(60)  # nobody waits for a thread that has ended
    unborn = Turns(counting(10, seen))
    unborn.close()
    unborn.turn(1)
    end = time.monotonic() + 60
    while threading.active_count() > before:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_what_it_raises_is_raised_by_the_turn():
    def broken(stop):
        raise ZeroDivisionError("inside")

    with pytest.raises(ZeroDivisionError, match="inside"):
        Turns(broken).turn(1)
