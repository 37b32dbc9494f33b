"""Things that are costly to make, kept at hand while there is room for them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any


class Shelf:
    """Keeps what was used last, up to so many bytes, and at least the very last. Any thread may ask.

    >>> shelf = Shelf(100)
    >>> shelf.get("a", lambda: ("made", 60)), shelf.get("a", lambda: ("not made again", 60))
    ('made', 'made')
    """

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], tuple[Any, int]]) -> Any:
        """Return what is kept under a key; else make it, with the bytes that it holds. Two who ask at once wait."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            try:
                with self._lock:
                    found = self._kept.get(key)
                found = found or make()
                with self._lock:
                    self._kept[key] = found
                    self._kept.move_to_end(key)
                    while len(self._kept) > 1 and sum(size for _, size in self._kept.values()) > self._most:
                        self._kept.popitem(last=False)
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return found[0]

    def drop(self, unwanted: Callable[[Any], bool]) -> None:
        """Let go of all whose key is unwanted."""
        with self._lock:
            for key in [key for key in self._kept if unwanted(key)]:
                del self._kept[key]
