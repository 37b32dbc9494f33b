"""What a page sees of a run."""

from __future__ import annotations

from dataclasses import dataclass

from ..results import Early, Result
from ..specs import SweepSpec


@dataclass(frozen=True)
class View:
    """A run at one moment.

    Attributes
    ----------
    position
        The place in the queue of a queued run, from 1.
    seconds_left
        How long it may still take beside the other runs; ``None`` of one that is not running.
    result
        What is known so far; ``None`` before F* is known.
    early
        The objectives so far, where there is no result yet.
    others
        How many other visitors asked for it and have not left.
    watched
        Whether this visitor is counted among those who want it.
    revision
        Grows whenever anything of the run has changed that a viewer can see. What is shown may be newer, never older.
    """

    spec: SweepSpec
    status: str
    error: str | None = None
    stage: str = ""
    trouble: str = ""  # why it waits though it could go on
    progress: float = 0.0
    seconds_left: float | None = None
    position: int | None = None
    result: Result | None = None
    early: Early | None = None
    others: int = 0
    watched: bool = True
    revision: int = 0

    @property
    def live(self) -> bool:
        return self.status in ("queued", "running")


@dataclass(frozen=True)
class Entry:
    """A line of a visitor's history."""

    id: str
    spec: SweepSpec
    status: str
    created: float
    recipe: str | None = None  # how the visitor made the run's data
    name: str | None = None  # what the visitor calls it
