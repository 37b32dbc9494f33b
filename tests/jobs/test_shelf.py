"""The shelf: costly things are made once, and the least recently used are let go."""

import threading

import pytest

from cvar_core.jobs import Shelf


def test_the_least_recently_used_is_let_go():
    shelf, made = Shelf(100), []

    def get(key, size=40):
        return shelf.get(key, lambda: (made.append(key) or key, size))

    assert [get(key) for key in "abab"] == ["a", "b", "a", "b"]
    assert made == ["a", "b"]
    get("a")
    get("c")
    get("a")
    assert made == ["a", "b", "c"], "b was used least recently"
    get("b")
    assert made == ["a", "b", "c", "b"]
    assert get("huge", 1_000) == get("huge") == "huge", "the very last is always kept"
    assert made[-1] == "huge"
    get("a")
    assert made[-1] == "a"


def test_what_fails_is_tried_again():
    shelf = Shelf(100)
    with pytest.raises(ZeroDivisionError):
        shelf.get("a", lambda: 1 / 0)
    assert shelf.get("a", lambda: (7, 1)) == 7
    assert shelf._making == {}


def test_two_who_ask_at_once_wait_for_one():
    shelf, begun, go_on, made, found = Shelf(100), threading.Event(), threading.Event(), [], []

    def make():
        made.append(1)
        begun.set()
        go_on.wait(30)
        return "costly", 1

    askers = [threading.Thread(target=lambda: found.append(shelf.get("a", make))) for _ in range(3)]
    for asker in askers:
        asker.start()
    assert begun.wait(30)
    assert shelf.get("b", lambda: ("cheap", 1)) == "cheap", "others do not wait"
    go_on.set()
    for asker in askers:
        asker.join(30)
    assert (made, found) == ([1], ["costly"] * 3)
