"""A piece of work: small enough that many runs share the workers fairly and that a stop comes soon."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

SECONDS = 0.25  # at most, about


@dataclass(frozen=True)
class Piece:
    """``work`` runs in a worker; then the manager calls ``ended`` in any case, and ``done`` with what it returned."""

    work: Callable[[], Any]
    done: Callable[[Any], None]
    ended: Callable[[], None]
    shared: bool = False  # of all runs on a problem, not of one alone
