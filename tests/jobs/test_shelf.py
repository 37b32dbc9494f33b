"""The shelf: who makes a thing says how many bytes it holds, and so much is kept. The rest is ``Kept``'s."""

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


def test_what_is_unwanted_is_let_go():
    shelf = Shelf(100)
    for key in "ab":
        shelf.get(key, lambda: ("old", 10))
    shelf.drop(lambda key: key == "a")
    assert [shelf.get(key, lambda: ("new", 10)) for key in "ab"] == ["new", "old"]
