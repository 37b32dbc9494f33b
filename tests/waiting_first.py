"""The order of the tests where several workers share them: those that wait for a server or a browser come first.

Each worker begins with some files of them, so that a server and a browser are started for few tests, none of these
tests comes last, when the other workers have nothing left to do, and the processors have work while a page loads.
"""

from collections.abc import Sequence
from itertools import groupby, islice
from typing import Any

_WAITING = {"browser", "server", "profiles"}  # fixtures


def shares(count: int, workers: int) -> list[int]:
    """Return how many tests in a row each worker gets at first: see ``WorkStealingScheduling`` of pytest-xdist."""
    return [(count * (k + 1)) // workers - (count * k) // workers for k in range(workers)]


def ordered(items: Sequence[Any], workers: int) -> list[Any]:
    """Return all items, with those that wait at the beginning of the workers' shares, file by file."""
    waiting = [item for item in items if not _WAITING.isdisjoint(getattr(item, "fixturenames", ()))]
    chosen = set(map(id, waiting))
    others = iter([item for item in items if id(item) not in chosen])
    first: list[list[Any]] = [[] for _ in range(workers)]
    for _, file in groupby(waiting, lambda item: item.path):
        min(first, key=len).extend(file)
    order: list[Any] = []
    for each, share in zip(first, shares(len(items), workers), strict=True):
        order += [*each, *islice(others, max(0, share - len(each)))]
    return [*order, *others]
