"""Where visitors come from: limits that bind a visitor would not bind who is a new visitor each time."""

from __future__ import annotations

import threading
from collections import OrderedDict

_MOST = 10_000  # visitors that are remembered; each is noted anew whenever they do something


class Whereabouts:
    """The addresses of those who were here last. Any thread may call.

    >>> known = Whereabouts()
    >>> known.note("ada", "192.0.2.7")
    >>> known.of("ada"), known.of("bob")
    ('192.0.2.7', '')
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[str, str] = OrderedDict()

    def note(self, visitor: str, address: str) -> None:
        with self._lock:
            self._known[visitor] = address
            self._known.move_to_end(visitor)
            while len(self._known) > _MOST:
                self._known.popitem(last=False)

    def of(self, visitor: str) -> str:
        """Return where a visitor was last, or nothing if that is not known: then no limit of an address binds."""
        with self._lock:
            return self._known.get(visitor, "")
