"""Studies of a network, computed on the server's workers: each once, for all who want it, in pieces.

There is one piece at a time, whatever is asked for, so that runs of other pages keep the other workers, and get this
one every fraction of a second. What has the least left goes first.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Executor
from typing import NamedTuple
from weakref import WeakKeyDictionary

from cvar_core.cancel import Cancelled
from cvar_core.keeping import Kept
from cvar_core.lessons.your_model import DigitStudy, begin, seconds_of
from cvar_core.own_model.growing_study import GrowingStudy, SoFar

from .answers import Asker

log = logging.getLogger(__name__)

PIECE = 0.2  # seconds
SHIPPED = "shipped"  # in the place of a study that is computed here
_KEPT = 30  # studies, some 100 kB each

UNKNOWN, WAITING, RUNNING, STOPPED, DONE, FAILED = "unknown", "waiting", "running", "stopped", "done", "failed"


class _UnderWay:
    """A study that somebody has asked for."""

    def __init__(self) -> None:
        self.growing: GrowingStudy | None = None  # begun by a worker, which may have to load the data
        self.so_far: SoFar | None = None
        self.failed = False

    @property
    def over(self) -> bool:
        return self.failed or (self.growing is not None and self.growing.complete)

    def share(self) -> float:
        """Return which part of the trainings is over."""
        return 0.0 if self.growing is None or self.so_far is None else self.so_far.trainings / self.growing.count


class StudyView(NamedTuple):
    """A study as a visitor sees it."""

    status: str
    so_far: SoFar | None = None
    share: float = 0.0
    seconds_left: float | None = None
    others: int = 0  # visitors that want it, but for one

    @property
    def live(self) -> bool:
        return self.status in (WAITING, RUNNING)


class Studies:
    """All of a server's. Any thread may ask.

    As with ``Answers``, there is no line but the wishes: a visitor's tab has one at a time, which ends with it.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._lock = threading.Lock()
        self._wishes: WeakKeyDictionary[Asker, DigitStudy] = WeakKeyDictionary()
        self._known: Kept[DigitStudy, _UnderWay] = Kept(_KEPT)
        self._watchers: set[Callable[[], None]] = set()
        self._at: DigitStudy | None = None  # which a worker is at
        self._busy = self._closed = False

    def ask(self, asked: DigitStudy, asker: Asker) -> None:
        """Have a study computed, or go on with it; what failed is tried once more."""
        with self._lock:
            if self._entry(asked).failed:
                self._known.put(asked, _UnderWay())
            self._wishes[asker] = asked
            idle, self._busy = not self._busy, True
        if idle:
            self._submit()
        self._tell()

    def leave(self, asker: Asker) -> None:
        """Take a visitor's wish back: what nobody wants stops within a fraction of a second, and keeps what it has."""
        with self._lock:
            self._wishes.pop(asker, None)
        self._tell()

    def view(self, asked: DigitStudy) -> StudyView:
        with self._lock:
            found, wanting = self._known.get(asked), list(self._wishes.values()).count(asked)
            at = self._at
        if found is None:
            return StudyView(UNKNOWN)
        if found.over:
            return StudyView(FAILED if found.failed else DONE, found.so_far, found.share())
        status = STOPPED if not wanting else RUNNING if at in (asked, None) else WAITING
        return StudyView(status, found.so_far, found.share(), _seconds_left(asked, found), max(wanting - 1, 0))

    def watch(self, tell: Callable[[], None]) -> Callable[[], None]:
        """Have ``tell`` called, by any thread, when a study may have changed; return what ends that."""
        with self._lock:
            self._watchers.add(tell)
        return lambda: self._watchers.discard(tell)

    def close(self) -> None:
        """Stop, within a fraction of a second."""
        self._closed = True

    def _submit(self) -> None:
        try:
            self._executor.submit(self._work)
        except RuntimeError:  # the server is ending
            self._closed = True

    def _work(self) -> None:
        """Do one piece, and come back for the next in the line of all pieces."""
        with self._lock:
            asked = self._at = None if self._closed else self._next()
            self._busy = asked is not None
        if asked is None:
            return
        found = self._entry(asked)
        try:
            found.growing = found.growing or begin(asked)
            found.growing.advance(PIECE, lambda: self._closed or not self._wanted(asked))
        except Cancelled:
            pass
        except Exception:
            log.exception("study=%s failed", asked.text)
            found.failed = True
        if found.growing is not None:
            found.so_far = found.growing.so_far()
        self._tell()
        self._submit()

    def _next(self) -> DigitStudy | None:
        """Return what is wanted and has the least left."""
        open_ = [(asked, found) for asked in set(self._wishes.values()) if not (found := self._entry(asked)).over]
        return min(open_, key=lambda each: _seconds_left(*each), default=(None, None))[0]

    def _entry(self, asked: DigitStudy) -> _UnderWay:
        return self._known.get(asked, _UnderWay)  # it may have had to go, and begins anew

    def _wanted(self, asked: DigitStudy) -> bool:
        with self._lock:
            return asked in self._wishes.values()

    def _tell(self) -> None:
        with self._lock:
            watchers = list(self._watchers)
        for tell in watchers:
            tell()


def _seconds_left(asked: DigitStudy, found: _UnderWay) -> float:
    """Return about how long it takes, by the estimate and then by what it took so far."""
    growing = found.growing
    if growing is None:
        return seconds_of(asked)
    done = growing.trainings / growing.count
    pace = growing.seconds / done if done > 0.1 else seconds_of(asked)
    return pace * (1 - done)
