"""What was made of a result, for the next poll that finds the same one, whoever asks.

When many runs share the workers, most polls find nothing new, and drawing it again would cost more than sending it.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from cvar_core import Result

T = TypeVar("T")


class Kept(Generic[T]):
    """Keeps what was asked for last. A result never changes, and one with a new record is another."""

    def __init__(self, most: int) -> None:
        self._most = most
        # A weak reference, because results can be large; an id may come again once its result is gone.
        self._made: OrderedDict[tuple[int, Hashable], tuple[weakref.ref[Result], T]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, result: Result, about: Hashable, make: Callable[[], T]) -> T:
        """Return what ``make`` once made of the result; ``about`` says all else that it depends on."""
        key = id(result), about
        with self._lock:
            found = self._made.get(key)
            if found is not None and found[0]() is result:
                self._made.move_to_end(key)
                return found[1]
        made = make()  # not under the lock: others need not wait, and twice the same does no harm
        with self._lock:
            self._made[key] = weakref.ref(result), made
            self._made.move_to_end(key)
            while len(self._made) > self._most:
                self._made.popitem(last=False)
        return made
