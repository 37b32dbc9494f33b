"""What was read of files, kept at hand while there is room for it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from operator import itemgetter
from typing import Any

from ..keeping import Kept


class Shelf:
    """Keeps what was used last, up to so many bytes. Who makes a thing says how many it holds.

    >>> shelf = Shelf(100)
    >>> shelf.get("a", lambda: ("made", 60)), shelf.get("a", lambda: ("not made again", 60))
    ('made', 'made')
    """

    def __init__(self, most_bytes: int) -> None:
        self._kept: Kept[Hashable, tuple[Any, int]] = Kept(most_bytes, size=itemgetter(1))

    def get(self, key: Hashable, make: Callable[[], tuple[Any, int]]) -> Any:
        """Return what is kept under a key; else make it, with the bytes that it holds."""
        return self._kept.get(key, make)[0]

    def drop(self, unwanted: Callable[[Any], bool]) -> None:
        """Let go of all whose key is unwanted."""
        self._kept.drop(unwanted)
