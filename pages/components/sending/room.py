"""Room that all have together, of which nobody may have too much."""

from __future__ import annotations

from collections import Counter


class Room:
    """So much for all, and so much for each; to be used in one thread.

    >>> room = Room(whole=10, each=6)
    >>> room.take("ada", 6), room.take("ada", 1), room.take("bob", 5), room.take("bob", 4)
    (True, False, False, True)
    >>> room.give("ada", 2)
    >>> room.take("ada", 2)
    True
    """

    def __init__(self, whole: int, each: int) -> None:
        self._left, self._each = whole, each
        self._taken: Counter[str] = Counter()

    def fits(self, who: str, amount: int) -> bool:
        """Tell whether so much could be taken now."""
        return amount <= min(self._left, self._each - self._taken[who])

    def take(self, who: str, amount: int) -> bool:
        """Take so much, if there is as much; tell whether there was."""
        if not self.fits(who, amount):
            return False
        self._left -= amount
        self._taken[who] += amount
        return True

    def give(self, who: str, amount: int) -> None:
        """Give so much back."""
        self._left += amount
        self._taken[who] -= amount
        if not self._taken[who]:
            del self._taken[who]
