"""Visitors' sharpenings: each asks the manager for one sweep after another, also when nobody looks."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ..engine import cost
from ..problem import Problem
from ..results import Criterion, Sharpened, Sharpening, asked_words, largest
from ..specs import SweepSpec
from .limits import Limits
from .refused import Refused
from .view import View

log = logging.getLogger(__name__)

_MOST = 500  # that are remembered; others are found again in what is stored
_SWEEPS = 30  # that a method takes, about, at the most,
_EACH = 0.1  # and seconds for each, however small
_LOOK = 5.0  # seconds after which a run is looked at though it has not told of a change


class Runs(Protocol):
    """What a sharpening needs of the manager of all runs."""

    limits: Limits

    def submit(
        self,
        spec: SweepSpec,
        visitor: str,
        problem: Problem | None = None,
        recipe: str | None = None,
        *,
        listed: bool = True,
        behind: float = 0.0,
    ) -> View: ...

    def cancel(self, run_id: str, visitor: str) -> bool: ...

    def view(self, spec: SweepSpec, visitor: str) -> View | None: ...

    def is_live(self, run_id: str) -> bool: ...

    def watch(self, run_id: str, tell: Callable[[], None]) -> Callable[[], None]: ...

    def estimate(self, spec: SweepSpec) -> float: ...


class Key(NamedTuple):
    """Whose sharpening of which run, judged by what."""

    visitor: str
    run_id: str
    by: Criterion


@dataclass(frozen=True)
class SharpenView:
    """A sharpening at one moment.

    Attributes
    ----------
    status
        "running", "done", "cancelled", "interrupted" if what comes next is not stored, or "failed".
    doing
        What is being run, in a few words.
    error
        Why it failed.
    """

    status: str
    known: Sharpened
    doing: str = ""
    error: str = ""

    @property
    def live(self) -> bool:
        return self.status == "running"


class Sharpener:
    """Sharpens runs for visitors, a thread for each that is under way. Any thread may call anything."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._lock = threading.Lock()
        self._known: OrderedDict[Key, _Course] = OrderedDict()
        self._closed = False

    def start(self, base: SweepSpec, by: Criterion, visitor: str, problem: Problem | None = None) -> None:
        """Sharpen a run, or go on with it: what is stored is taken from there."""
        self._begin(base, by, visitor, problem, stored_only=False)

    def recall(self, base: SweepSpec, by: Criterion, visitor: str) -> None:
        """Find out how far anybody has come with it, and compute nothing; where that is known, do nothing."""
        if self.view(base, by, visitor) is None:
            self._begin(base, by, visitor, None, stored_only=True)

    def cancel(self, base: SweepSpec, by: Criterion, visitor: str) -> None:
        course = self._known.get(Key(visitor, base.id, by))
        if course is not None:
            course.stop("cancelled")

    def view(self, base: SweepSpec, by: Criterion, visitor: str) -> SharpenView | None:
        """Return a sharpening as it is now, or ``None`` if nothing is known of it."""
        course = self._known.get(Key(visitor, base.id, by))
        return None if course is None else course.view

    def seen(self, key: Key) -> SharpenView | None:
        """Return the same by its key."""
        course = self._known.get(key)
        return None if course is None else course.view

    def watch(self, key: Key, tell: Callable[[], None]) -> Callable[[], None]:
        """Have ``tell`` called, from any thread, when there may be something new; what is returned ends that."""
        course = self._known.get(key)
        return (lambda: None) if course is None else course.watch(tell)

    def price(self, base: SweepSpec) -> float:
        """Return about how many seconds a sharpening takes at the most."""
        most = largest(base)
        share = min(1.0, self._runs.limits.seconds / cost(most).of_sweep(most))
        return share * self._runs.estimate(most) + _EACH * _SWEEPS * len(base.methods)

    def close(self) -> None:
        """Ask for no further runs."""
        with self._lock:
            self._closed = True
            courses = list(self._known.values())
        for course in courses:
            course.stop("interrupted")

    def _begin(self, base: SweepSpec, by: Criterion, visitor: str, problem: Problem | None, stored_only: bool) -> None:
        key = Key(visitor, base.id, by)
        with self._lock:
            before = self._known.get(key)
            if self._closed or (before is not None and (before.view.live or before.view.status == "done")):
                return
            course = _Course(self._runs, base, by, visitor, problem, stored_only)
            if before is not None:
                course.take_watchers(before)
            self._known[key] = course
            self._known.move_to_end(key)
            while len(self._known) > _MOST:
                oldest = next((each for each, known in self._known.items() if not known.view.live), None)
                if oldest is None:
                    break
                del self._known[oldest]
        course.begin()


class _Course:
    """One sharpening, in a thread of its own."""

    def __init__(
        self,
        runs: Runs,
        base: SweepSpec,
        by: Criterion,
        visitor: str,
        problem: Problem | None,
        stored_only: bool,
    ) -> None:
        self._runs, self._base, self._visitor, self._problem = runs, base, visitor, problem
        self._stored_only = stored_only
        self._sharpening = Sharpening(base, by)
        self._spent = 0.0  # seconds of one processor, by the estimate
        self._stopped_as = ""
        self._news = threading.Event()
        self._watchers: dict[object, Callable[[], None]] = {}
        self.view = SharpenView("running", self._sharpening.known)

    def begin(self) -> None:
        threading.Thread(target=self._go, name="sharpen", daemon=True).start()

    def stop(self, status: str) -> None:
        self._stopped_as = self._stopped_as or status
        self._news.set()

    def watch(self, tell: Callable[[], None]) -> Callable[[], None]:
        key = object()
        self._watchers[key] = tell
        return lambda: self._watchers.pop(key, None) and None

    def take_watchers(self, other: _Course) -> None:
        self._watchers = other._watchers

    def _go(self) -> None:
        try:
            status, error = self._sharpen()
        except Refused as why:
            status, error = "failed", str(why)
        except Exception:
            log.exception("sharpen run=%s failed", self._base.id)
            status, error = "failed", "Something went wrong inside; the server's log has the details."
        self._show(status, error=error)
        log.info("sharpen run=%s visitor=%s status=%s", self._base.id, self._visitor[:8], status)

    def _sharpen(self) -> tuple[str, str]:
        """Ask for one sweep after another; return how it ended, and why if that was an error."""
        while not self._stopped_as:
            spec = self._sharpening.next(self._allowed)
            if spec is None:
                return "done", ""
            self._show("running", asked_words(spec, self._base))
            view = self._stored(spec) if self._stored_only else self._computed(spec)
            if view is None or view.result is None or view.status != "done":
                ended = "interrupted" if view is None else view.status
                return self._stopped_as or ended, (view.error or "") if view is not None else ""
            self._sharpening.take(view.result)
            self._spent += _seconds(spec)
        return self._stopped_as, ""

    def _stored(self, spec: SweepSpec) -> View | None:
        view = self._runs.view(spec, self._visitor)
        return view if view is not None and view.status == "done" else None

    def _computed(self, spec: SweepSpec) -> View | None:
        """Run a sweep, and wait for its end."""
        unwatch = self._runs.watch(spec.id, self._news.set)
        try:
            self._runs.submit(spec, self._visitor, self._problem, listed=False, behind=self._spent)
            while self._runs.is_live(spec.id):
                if self._stopped_as:
                    self._runs.cancel(spec.id, self._visitor)
                    return None
                self._news.wait(_LOOK)
                self._news.clear()
            return None if self._stopped_as else self._runs.view(spec, self._visitor)
        finally:
            unwatch()

    def _allowed(self, spec: SweepSpec) -> bool:
        """Tell whether a sweep is, for itself and with all that came before it."""
        limits = self._runs.limits
        return self._spent + _seconds(spec) <= limits.seconds and not limits.faults(spec.to_dict())

    def _show(self, status: str, doing: str = "", error: str = "") -> None:
        self.view = SharpenView(status, self._sharpening.known, doing, error)
        for tell in list(self._watchers.values()):
            tell()


def _seconds(spec: SweepSpec) -> float:
    return len(spec.seeds) * len(spec.methods) * cost(spec).of_shard(spec)
