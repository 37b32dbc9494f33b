"""How long work is asked to stop: it calls ``check`` between pieces of a fraction of a second."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Stop = Callable[[], bool]


class Cancelled(Exception):
    """Work ended early because it was asked to.

    Attributes
    ----------
    result
        What was known by then: of ``sweep``, ``check``, ``decide`` and ``recommend`` a ``Result`` that is not complete,
        of ``sharpen`` a ``Sharpened``; ``None`` before F* is known, or before anything is.
    """

    def __init__(self, *words: object, result: Any = None) -> None:
        super().__init__(*words)
        self.result = result


def check(stop: Stop | None) -> None:
    if stop is not None and stop():
        raise Cancelled
