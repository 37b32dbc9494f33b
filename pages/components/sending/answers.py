"""What takes longer than a blink, computed beside the pages: each thing once, for all who ask for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable
from typing import Any, Generic, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from cvar_core.jobs import threads
from cvar_core.keeping import Kept

log = logging.getLogger(__name__)

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Asker:
    """A visitor's tab. It ends with its session, and its wish with it."""


class Outcome(NamedTuple, Generic[Value]):
    value: Value | None
    failed: bool = False


class Answers(Generic[Key, Value]):
    """Computes ``work(key)`` on one thread, one key after another, and keeps the last values. Any thread may ask.

    There is no line but the wishes, and an asker has one wish at a time: who moves a slider on wishes for something
    else instead, so that there is never more to do than there are visitors.

    Parameters
    ----------
    name
        By which a ticket says whose answer it is for.
    text
        Returns a key as a ticket has it.
    """

    def __init__(self, name: str, work: Callable[[Key], Value], text: Callable[[Key], str], kept: int) -> None:
        self.name, self._work, self._text, self._executor = name, work, text, threads(1)
        self._lock, self._busy = threading.Lock(), False
        self._wishes: WeakKeyDictionary[Asker, Key] = WeakKeyDictionary()  # the oldest first
        self._found: Kept[Key, Outcome[Value]] = Kept(kept)
        self._watchers: set[Callable[[], None]] = set()

    def found(self, key: Key) -> Outcome[Value] | None:
        return self._found.get(key)

    def ticket(self, key: Key) -> tuple[str, ...]:
        """Return what a live element listens to that waits for this key."""
        return "answer", self.name, self._text(key)

    def there(self, text: str) -> bool:
        """Tell whether there is an answer to what a ticket names."""
        with self._lock:
            return any(self._text(key) == text for key in self._found)

    def watch(self, tell: Callable[[], None]) -> Callable[[], None]:
        """Have ``tell`` called after each answer; return what ends that."""
        with self._lock:
            self._watchers.add(tell)
        return lambda: self._watchers.discard(tell)

    def wish(self, key: Key, asker: Asker) -> bool:
        """Ask for what was not found, or once more for what failed; tell whether there is something to wait for."""
        with self._lock:
            waited = self._wishes.pop(asker, None) == key
            found = self._found.get(key)
            if found is not None and (waited or not found.failed):  # who waited is told of a failure first
                return False
            self._found.drop(lambda each: each == key)
            self._wishes[asker] = key
            idle, self._busy = not self._busy, True
        if idle:
            self._executor.submit(self._compute_next)
        return True

    def _compute_next(self) -> None:
        with self._lock:
            key = next((each for each in self._wishes.values() if self._found.get(each) is None), None)
            self._busy = key is not None
        if key is None:
            return
        try:
            found = Outcome(self._work(key))
        except Exception:
            log.exception("answer of=%s key=%r failed", self.name, key)
            found = Outcome(None, failed=True)
        with self._lock:
            self._found.put(key, found)
            watchers = list(self._watchers)
        for tell in watchers:
            tell()
        self._executor.submit(self._compute_next)  # piece by piece: a server that ends need not wait for all of them


_rooms: dict[str, Answers[Any, Any]] = {}
_entering = threading.Lock()


def answers(name: str, work: Callable[[Key], Value], text: Callable[[Key], str], kept: int) -> Answers[Key, Value]:
    """Return the answers of that name, which all visitors share."""
    with _entering:
        return _rooms.setdefault(name, Answers(name, work, text, kept))


def forget() -> None:
    """Begin anew with all answers."""
    with _entering:
        _rooms.clear()


def answers_named(name: str) -> Answers[Any, Any] | None:
    return _rooms.get(name)
