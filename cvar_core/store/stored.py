"""What the store knows of a run, without its records."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..problem import Optimum
from ..specs import SweepSpec
from ..version import ENGINE_VERSION
from .packing import DamagedError, unpack_optimum

STATUSES = ("queued", "running", "done", "failed", "cancelled", "interrupted")
LIVE = ("queued", "running")  # a server is at work on these

COLUMNS = (
    "runs.id, runs.engine, runs.spec, runs.status, runs.error, runs.optimum, runs.timings, runs.created, runs.used, "
    "runs.recorded, runs.expected"
)


@dataclass(frozen=True)
class StoredRun:
    """A run of the store.

    Attributes
    ----------
    id
        The id of its spec; of a run by another version of the engine, the id that it had there.
    used
        When it was last written or opened.
    progress
        The share of the records that are present, from 0 to 1.
    recipe
        In a visitor's history, how they made the run's data; ``None`` where there are none.
    name
        In a visitor's history, what they call it; ``None`` where they have not named it.
    """

    id: str
    spec: SweepSpec
    status: str
    error: str | None
    optimum: Optimum | None
    timings: dict[str, float]
    created: float
    used: float
    progress: float
    recipe: str | None = None
    name: str | None = None


def stored_run(row: Sequence[Any]) -> StoredRun | None:
    """Make a run from a row of ``COLUMNS``; ``None`` if this version cannot read its spec."""
    run_id, engine, text, status, error, optimum, timings, created, used, recorded, expected = row
    try:
        spec, spec_id = _read(text)
        times = {str(name): float(seconds) for name, seconds in json.loads(timings).items()}
        done = min(recorded / expected, 1.0)
        created, used = float(created), float(used)
    except (ValueError, TypeError, AttributeError, ArithmeticError):
        return None
    if status not in STATUSES or (engine == ENGINE_VERSION and spec_id != run_id):
        return None  # it was damaged and can still be read
    best = readable_optimum(optimum, spec.problem.dim)
    return StoredRun(run_id, spec, status, error, best, times, created, used, done)


def spec_of(run_id: str, text: str) -> SweepSpec | None:
    """Return the spec of a run of this engine; ``None`` if its text is damaged."""
    try:
        spec, spec_id = _read(text)
    except (ValueError, TypeError, AttributeError):
        return None
    return spec if spec_id == run_id else None


def readable_optimum(packed: bytes | None, dim: int) -> Optimum | None:
    if packed is None:
        return None
    try:
        optimum = unpack_optimum(packed)
    except DamagedError:
        return None
    return optimum if len(optimum.theta) == dim else None


@functools.lru_cache(maxsize=2_000)
def _read(text: str) -> tuple[SweepSpec, str]:
    spec = SweepSpec.from_dict(json.loads(text))
    return spec, spec.id
