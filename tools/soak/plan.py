"""Which faults happen when: a pure function of a seed and a time."""

from __future__ import annotations

import random
from typing import NamedTuple

SERVER, WORKER, SCHEDULER = "server killed", "worker killed", "scheduler gone"
LOCKED, FULL, READ_ONLY = "store locked", "disk full", "disk read-only"
CLOCK, CUT, SILENT, MEMORY = "clock set", "streams cut", "streams silent", "large runs"

# How many seconds each lasts, at least and at most; a server that was killed is started again after so many.
LASTS = {
    SERVER: (0.5, 3), WORKER: (2, 8), SCHEDULER: (4, 12), LOCKED: (2, 12), FULL: (10, 18), READ_ONLY: (8, 15),
    CLOCK: (10, 20), CUT: (0.5, 5), SILENT: (5, 16), MEMORY: (10, 20),
}  # fmt: skip
KINDS = tuple(LASTS)

THREADS, CLUSTER = "threads", "cluster"

_ARRIVAL = 20.0  # seconds in which all visitors come, and nothing happens yet
_CALM = 40.0  # seconds at the end
_SLOTS = 11  # of a round, in which every kind has its turn
_SHORTEST, _LONGEST = 45.0, 60.0  # seconds of a slot
_HOURS = (-30, -5, 5, 20)  # by which a clock is wrong; not more ahead than a file is kept: files have the right time


class Fault(NamedTuple):
    """
    Attributes
    ----------
    at
        Seconds since the beginning.
    seconds
        That it lasts, without what it takes to get over it.
    how
        On what the server that follows computes; by how many hours the clock is wrong; else nothing.
    """

    at: float
    kind: str
    seconds: float
    how: str = ""


def plan(seed: int, minutes: float) -> list[Fault]:
    """Return what happens, in order; in ten minutes everything does.

    >>> plan(0, 10) == plan(0, 10) != plan(1, 10)
    True
    """
    chance = random.Random(f"soak {seed}")
    room = 60 * minutes - _ARRIVAL - _CALM
    slot = min(max(room / (6 * _SLOTS), _SHORTEST), _LONGEST)
    count = max(1, int(room // slot))
    turns: list[tuple[str, str]] = []
    while len(turns) < count:
        turns += _round(chance)
    faults = []
    for place, (kind, how) in enumerate(turns[:count]):
        at = _ARRIVAL + slot * (place + 0.2 * chance.random())
        faults.append(Fault(round(min(at, 30 * minutes) if count == 1 else at, 1), kind, _lasting(chance, kind), how))
    return faults


def _round(chance: random.Random) -> list[tuple[str, str]]:
    """Every kind once. What starts the server anew comes first: the last one then lives long enough to show leaks."""
    on_cluster = [(WORKER, ""), (SCHEDULER, ""), (READ_ONLY, "")]
    others = [(LOCKED, ""), (FULL, ""), (CLOCK, f"{chance.choice(_HOURS):+d} h"), (CUT, ""), (SILENT, ""), (MEMORY, "")]
    chance.shuffle(on_cluster)
    chance.shuffle(others)
    return [(SERVER, CLUSTER), *on_cluster, (SERVER, THREADS), *others]


def _lasting(chance: random.Random, kind: str) -> float:
    return round(chance.uniform(*LASTS[kind]), 1)
