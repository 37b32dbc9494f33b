"""A lock, and what is to be done once it is free again."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable

log = logging.getLogger(__name__)


class Guard:
    """A lock that its holder may take again. What is to be called afterwards may take any lock, and may fail."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._depth = 0
        self._calls: dict[Callable[[], None], None] = {}  # in their order, each once

    def __enter__(self) -> None:
        self._lock.acquire()
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        calls: Iterable[Callable[[], None]] = ()
        if self._depth == 0:
            calls, self._calls = self._calls, {}
        self._lock.release()
        for call in calls:
            try:
                call()
            except Exception:
                log.exception("told in vain")

    def afterwards(self, calls: Iterable[Callable[[], None]]) -> None:
        """Call these, from the holder's thread, when it lets go of the lock."""
        self._calls.update(dict.fromkeys(calls))
