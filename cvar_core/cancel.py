"""How long work is asked to stop: it calls ``check`` between pieces of a fraction of a second."""

from __future__ import annotations

from collections.abc import Callable

Stop = Callable[[], bool]


class Cancelled(Exception):
    """Work ended early because it was asked to."""


def check(stop: Stop | None) -> None:
    if stop is not None and stop():
        raise Cancelled
