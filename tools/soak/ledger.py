"""What is written down while the class goes on: what visitors were told, what they waited for, what happened."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import NamedTuple


class Waited(NamedTuple):
    """How long something took that a visitor asked for."""

    at: float
    what: str
    seconds: float


class Shown(NamedTuple):
    """A sentence about something that went wrong, or a connection that was lost."""

    at: float
    text: str


class Happened(NamedTuple):
    """A fault, from when it began to when what could be mended was."""

    kind: str
    begun: float
    ended: float


class Sample(NamedTuple):
    """What the server takes from the machine; ``pid`` tells one server from the next."""

    at: float
    pid: int
    megabytes: float
    threads: int
    handles: int
    load: float


@dataclass
class Told:
    """A run of which somebody was told that it has begun.

    Attributes
    ----------
    holders
        Who may count on it: all who were told, but for those who went on to another before it had ended, though it had
        started by itself; such a run is given up.
    doubting
        Those of them who had asked for another when their connection ended, and did not see whether it came: what had
        started by itself may have been given up.
    """

    page: str
    link: str
    holders: set[str] = field(default_factory=set)
    doubting: set[str] = field(default_factory=set)


@dataclass
class Ledger:
    """Moments are in seconds since the beginning."""

    begun: float = field(default_factory=time.monotonic)
    runs: dict[str, Told] = field(default_factory=dict)
    waits: list[Waited] = field(default_factory=list)
    errors: list[Shown] = field(default_factory=list)
    refusals: list[Shown] = field(default_factory=list)  # of what is beyond a limit: sentences that ought to be there
    queued: int = 0  # messages that told of a place in the line for memory
    done: dict[str, int] = field(default_factory=dict)  # what visitors did, and how often
    happened: list[Happened] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)

    @property
    def now(self) -> float:
        return time.monotonic() - self.begun

    def count(self, what: str) -> None:
        self.done[what] = self.done.get(what, 0) + 1

    def fail(self, text: str) -> None:
        self.errors.append(Shown(self.now, text))

    def refuse(self, text: str) -> None:
        self.refusals.append(Shown(self.now, text))

    def wait(self, what: str, since: float) -> None:
        """Note something that was asked for at a moment, and is there now."""
        self.waits.append(Waited(since, what, self.now - since))

    def tell(self, run: str, page: str, link: str, visitor: str) -> None:
        told = self.runs.setdefault(run, Told(page, link))
        told.holders.add(visitor)
        told.doubting.discard(visitor)

    def give_up(self, run: str, visitor: str) -> None:
        if run in self.runs:
            self.runs[run].holders.discard(visitor)

    def doubt(self, run: str, visitor: str) -> None:
        if run in self.runs:
            self.runs[run].doubting.add(visitor)

    @property
    def owed(self) -> dict[str, Told]:
        """The runs that somebody counts on."""
        return {run: told for run, told in self.runs.items() if told.holders}
