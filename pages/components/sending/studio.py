"""Where pictures are drawn: one at a time, what a visitor has just changed before what has merely grown."""

from __future__ import annotations

import asyncio
import itertools
import math
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

PATIENCE = 1.0  # seconds by which what has merely grown stands back; longer it does not wait for others


class Studio:
    """One thread that works through what is asked of it. Drawing is Python's own work, so that more would not help."""

    def __init__(self) -> None:
        # When it is wanted by, and in which order it was asked for.
        self._asked: queue.PriorityQueue[tuple[float, int, Callable[[], Any] | None, Future[Any]]] = (
            queue.PriorityQueue()
        )
        self._order = itertools.count()
        self._thread: threading.Thread | None = None  # from the first thing on that is asked for

    # All who ask are on the server's one event loop.
    async def draw(self, make: Callable[[], T], *, soon: bool) -> T:
        """Return what ``make`` makes; what nobody waits for any more is not made."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="studio", daemon=True)
            self._thread.start()
        promised: Future[T] = Future()
        wanted = time.monotonic() + (0.0 if soon else PATIENCE)
        self._asked.put((wanted, next(self._order), make, promised))
        try:
            return await asyncio.wrap_future(promised)
        except asyncio.CancelledError:
            promised.cancel()
            raise

    def close(self) -> None:
        """End when all that was asked for is drawn."""
        if self._thread is not None:
            self._asked.put((math.inf, next(self._order), None, Future()))
            self._thread.join(timeout=2)

    def _work(self) -> None:
        while True:
            _, _, make, promised = self._asked.get()
            if make is None:
                return
            if not promised.set_running_or_notify_cancel():
                continue
            try:
                promised.set_result(make())
            except Exception as wrong:  # whoever asked is told
                promised.set_exception(wrong)
