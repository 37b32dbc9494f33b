"""What takes longer than a blink, computed beside the pages: each thing once, for all who ask for it."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import streamlit as st

from cvar_core.jobs import threads

log = logging.getLogger(__name__)

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

OFTEN = 0.25  # seconds between two looks at what is under way


class Asker:
    """A visitor's tab. It ends with its session, and its wish with it."""


class Outcome(NamedTuple, Generic[Value]):
    value: Value | None
    failed: bool = False


class Background(Generic[Key, Value]):
    """Computes ``work(key)`` on one thread, one key after another, and keeps the last values. Any thread may ask.

    There is no line but the wishes, and an asker has one wish at a time: who moves a slider on wishes for something
    else instead, so that there is never more to do than there are visitors.
    """

    def __init__(self, work: Callable[[Key], Value], kept: int) -> None:
        self._work, self._kept, self._executor = work, kept, threads(1)
        self._lock, self._busy = threading.Lock(), False
        self._wishes: WeakKeyDictionary[Asker, Key] = WeakKeyDictionary()  # the oldest first
        self._found: OrderedDict[Key, Outcome[Value]] = OrderedDict()  # what was not asked for longest first

    def found(self, key: Key) -> Outcome[Value] | None:
        return self._found.get(key)

    def wish(self, key: Key, asker: Asker) -> bool:
        """Ask for what was not found, or once more for what failed; tell whether there is something to wait for."""
        with self._lock:
            waited = self._wishes.pop(asker, None) == key
            found = self._found.pop(key, None)
            if found is not None and (waited or not found.failed):  # who waited is told of a failure first
                self._found[key] = found
                return False
            self._wishes[asker] = key
            idle, self._busy = not self._busy, True
        if idle:
            self._executor.submit(self._compute_next)
        return True

    def _compute_next(self) -> None:
        with self._lock:
            key = next((each for each in self._wishes.values() if each not in self._found), None)
            self._busy = key is not None
        if key is None:
            return
        try:
            found = Outcome(self._work(key))
        except Exception:
            log.exception("background key=%r failed", key)
            found = Outcome(None, failed=True)
        with self._lock:
            self._found[key] = found
            while len(self._found) > self._kept:
                self._found.popitem(last=False)
        self._executor.submit(self._compute_next)  # piece by piece: a server that ends need not wait for all of them


def glance(background: Background[Key, Value], key: Key) -> Value | None:
    """Return the value, if it is there; tell of a failure."""
    found = background.found(key)
    if found is None:
        return None
    if found.failed:
        st.error("This could not be computed. The next change of a control tries again.", icon=":material/error:")
    return found.value


def await_(background: Background[Key, Value], key: Key) -> None:
    """Have the page drawn anew as soon as the value is there.

    Call it when all else is drawn: a script that shares the interpreter with other work takes several times as long.
    """
    if background.wish(key, st.session_state.setdefault("asker", Asker())):
        st.fragment(_look, run_every=OFTEN)(background, key)


def _look(background: Background[Key, Value], key: Key) -> None:
    if background.found(key) is not None:
        st.rerun()
