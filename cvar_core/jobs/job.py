"""One visitor's or many visitors' run on a server: its status, who wants it, and what is kept of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping

from ..engine import Records, Shard, State, cost
from ..results import Early, Result
from ..scheduling import Cut, Preparation, Run, Save
from ..scheduling.piece import SECONDS
from ..specs import SweepSpec
from ..store import Progressed

_FIRST = 0.004  # seconds of a shard's first piece, so that there is something to see of all of them soon
_ROUND = 0.5  # seconds in which every shard should get ahead once, so that the charts grow evenly,
_ROUNDS = 12  # and how many such rounds even a short run should have
_SHORTEST = 0.02  # seconds of a piece: storing it takes about a millisecond


class Job(Run):
    """A run with its visitors. Its manager calls it under a lock, but for ``keep`` and ``shown``."""

    def __init__(
        self,
        spec: SweepSpec,
        preparation: Preparation,
        workers: int | None,
        stored: Progressed,
        timings: Mapping[str, float],
        save: Save,
    ) -> None:
        """``workers`` share out pieces so that all curves grow evenly; ``None`` if nobody watches them."""
        cut = Cut() if workers is None else _cut(spec, workers)
        super().__init__(spec, preparation, cut, stored.states, stored.records, self._save_unless_deleted)
        self.status = "queued"
        self.error: str | None = None
        self.visitors: dict[str, str] = {}  # who wants it, and from which address
        self.passed = 0  # how often one that came later was admitted before it
        self.deleted = False
        self.saving = threading.Lock()  # held while a piece is stored, or the run deleted
        self._store = save
        self._shown: tuple[object, Result | None, Early | None] | None = None
        self._begun: float | None = None
        self._clock = timings.get("total", 0.0)  # of earlier stretches

    @property
    def live(self) -> bool:
        return self.status in ("queued", "running")

    @property
    def stage(self) -> str:
        if self.status == "queued":
            return "waiting for its turn"
        if not self.preparation.drawn:
            return "drawing the evaluation points"
        if self.preparation.optimum is None:
            return "solving for the optimum F*"
        return "running the methods"

    @property
    def timings(self) -> dict[str, float]:
        running = 0.0 if self._begun is None else time.monotonic() - self._begun
        solving = self.preparation.solving_seconds
        return {**self.seconds._asdict(), "optimum": solving, "total": self._clock + running}

    def shown(self) -> tuple[Result | None, Early | None]:
        """Return what is known so far, the same until there is more: before F* is known it is early."""
        now = self.status, self.preparation.optimum is None, self.puts
        kept = self._shown
        if kept is None or kept[0] != now:
            result = self.result(self.timings)
            kept = self._shown = now, result, self.early() if result is None else None
        return kept[1:]

    def begin(self) -> None:
        self.status, self.error = "running", None
        self._begun = time.monotonic()
        self.stopping = threading.Event()  # pieces of an earlier stretch are still to end

    def end(self, status: str, error: str | None = None) -> None:
        """Stop it, for whatever reason. Pieces that are being worked on end soon; what they finish is kept."""
        self._clock = self.timings["total"]
        self._begun = None
        self.status, self.error = status, error
        self.stopping.set()
        self.preparation.leave(self.id)

    def _save_unless_deleted(self, shard: Shard, state: State, records: Records) -> None:
        with self.saving:
            if not self.deleted:
                self._store(shard, state, records)


def _cut(spec: SweepSpec, workers: int) -> Cut:
    """Return pieces that let all curves grow evenly."""
    count = len(spec.methods) * len(spec.seeds)
    even = min(_ROUND * workers / count, cost(spec).of_shard(spec) / _ROUNDS)
    later = min(max(even, _SHORTEST), SECONDS)
    return Cut(min(_FIRST, later), later, live=True)
