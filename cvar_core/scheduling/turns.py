"""A long computation that moves only while somebody gives it a turn.

The optimum takes seconds and cannot be cut into pure pieces, but it asks between its pieces whether to stop.
That question is where it waits for its next turn, so that it shares the workers as fairly as everything else.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from ..cancel import Cancelled, Stop

T = TypeVar("T")


class Turns(Generic[T]):
    """Runs ``function(stop)`` in a thread of its own, turn by turn."""

    def __init__(self, function: Callable[[Stop], T]) -> None:
        self._function = function
        self._may_go = threading.Semaphore(0)
        self._has_paused = threading.Semaphore(0)
        self._until = 0.0
        self._closed = False
        self._result: T | None = None
        self._error: BaseException | None = None
        self.finished = False
        self._thread: threading.Thread | None = None

    def turn(self, seconds: float) -> T | None:
        """Let it go on for about ``seconds``; return its result once it has one, and raise what it raised."""
        if self.finished:  # it was closed before this turn came
            raise Cancelled
        self._until = time.perf_counter() + seconds
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="cvar-turns", daemon=True)
            self._thread.start()
        self._may_go.release()
        self._has_paused.acquire()
        if self._error is not None:
            raise self._error
        return self._result

    def close(self) -> None:
        """End it at its next question."""
        self._closed = True
        self._may_go.release()

    def _run(self) -> None:
        self._may_go.acquire()
        try:
            if not self._closed:
                self._result = self._function(self._asked)
        except BaseException as error:  # raised again by the turn, where somebody listens
            self._error = error
        finally:
            self.finished = True
            self._has_paused.release()

    def _asked(self) -> bool:
        if time.perf_counter() >= self._until and not self._closed:
            self._has_paused.release()
            self._may_go.acquire()
        return self._closed
