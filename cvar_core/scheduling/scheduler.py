"""The scheduler: it cuts runs into pieces and gives them to the workers of an executor, in a fair order.

It serves a sweep of its own and the runs of all visitors alike; who owns it decides which runs it has.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Protocol

from ..cancel import Cancelled
from ..single_thread import stay_single
from .order import Order
from .performing import Found, perform
from .piece import Piece
from .under_way import Run
from .work import Pace
from .workshop import Workshop

_GIVE_WAY = 5  # of Unix's niceness: a worker gets a third of what a thread that answers a visitor gets


def threads(count: int) -> Executor:
    """Return a server's workers, in its process: kernels release the interpreter, and there is one copy of the data.

    They give way to the server's other threads, for whose answers somebody waits.
    """
    return ThreadPoolExecutor(count, thread_name_prefix="cvar", initializer=_settle_in)


def _settle_in() -> None:
    stay_single()
    if sys.platform == "linux":  # elsewhere a whole process has a niceness, not a thread
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.nice(0) + _GIVE_WAY)


class Owner(Protocol):
    """Whose runs they are. Called under the lock."""

    def settle(self) -> None:
        """Add and remove runs, before the next piece is chosen."""

    def changed(self, run: Run, piece: Piece) -> None:
        """A piece has come back, with or without a finding."""

    def failed(self, run: Run, piece: Piece, error: Exception) -> None:
        """A piece could not be done: remove the run."""


class Scheduler:
    """Gives pieces of runs to workers. Everything but ``__init__`` is called under the owner's lock.

    Attributes
    ----------
    workshop
        Where pieces are performed.
    pace
        How fast that is.
    runs
        Those that get pieces.
    in_flight
        Pieces that workers have.
    """

    def __init__(
        self,
        executor: Executor,
        workers: int | Callable[[], int],
        lock: AbstractContextManager[Any],
        owner: Owner,
        ahead: int = 1,
    ) -> None:
        """``workers`` is how many pieces are worked on at a time, asked anew where that may change.

        A worker may have pieces ``ahead``, the one that it works on among them, where giving out a piece takes time.
        """
        self.workshop = Workshop()
        self.pace = Pace()
        self.runs: list[Run] = []
        self.in_flight = 0
        self.closed = False
        self._executor = executor
        self._workers = workers
        self._ahead = ahead
        self._lock = lock
        self._owner = owner
        self._order = Order()
        self._moving = False

    def add(self, run: Run) -> None:
        self._order.joined(run)
        self.runs.append(run)

    def remove(self, run: Run) -> None:
        if run in self.runs:
            self.runs.remove(run)

    def move(self) -> None:
        """Give the free workers something to do."""
        if self._moving:  # a piece came back before it was let go; the loop below goes on by itself
            return
        self._moving = True
        try:
            self._owner.settle()
            while self.in_flight < self._room and not self.closed:
                found = self._next()
                if found is None:
                    break
                self._send(*found)
                self._owner.settle()
        finally:
            self._moving = False

    @property
    def _room(self) -> int:
        workers = self._workers if isinstance(self._workers, int) else self._workers()
        return workers * self._ahead

    def _next(self) -> tuple[Run, Piece] | None:
        for run in self._order.ranked(self.runs, self.pace):
            piece = run.next_piece()
            if piece is not None:
                self._order.served(run, run.expected(piece))
                return run, piece
        return None

    def _send(self, run: Run, piece: Piece) -> None:
        try:
            future = self._executor.submit(perform, piece, self.workshop, run.stopping.is_set)
        except RuntimeError:  # the interpreter is ending
            self.closed = True
            return
        self.in_flight += 1
        future.add_done_callback(partial(self._returned, run, piece))

    def _returned(self, run: Run, piece: Piece, future: Future[Found]) -> None:
        found, failure = _outcome(run, piece, future)
        with self._lock:
            self.in_flight -= 1
            run.ended(piece)
            if found is not None:
                run.take(piece, found, self.pace)
            if failure is not None:
                self._owner.failed(run, piece, failure)
            self._owner.changed(run, piece)
            self.move()


def _outcome(run: Run, piece: Piece, future: Future[Found]) -> tuple[Found | None, Exception | None]:
    """Return what a piece has found, once the run keeps it; neither that nor an error, if it was stopped."""
    try:
        found = future.result()
        run.keep(piece, found)
    except Cancelled:
        return None, None
    except Exception as error:
        return None, error
    return found, None
