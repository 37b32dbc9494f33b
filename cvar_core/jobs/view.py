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
        From the run's own pace; ``None`` while that is not known.
    result
        What is known so far; ``None`` before F* is known.
    others
        How many other visitors asked for it and have not left.
    watched
        Whether this visitor is counted among those who want it.
    """

    spec: SweepSpec
    status: str
    error: str | None = None
    stage: str = ""
    progress: float = 0.0
    seconds_left: float | None = None
    position: int | None = None
    result: Result | None = None
    early: Early | None = None
    others: int = 0
    watched: bool = True

    @property
    def live(self) -> bool:
        return self.status in ("queued", "running")

    @property
    def resumable(self) -> bool:
        return self.status in ("cancelled", "interrupted", "failed")


@dataclass(frozen=True)
class Entry:
    """A line of a visitor's history."""

    id: str
    spec: SweepSpec
    status: str
    created: float
    recipe: str | None = None  # how the visitor made the run's data
