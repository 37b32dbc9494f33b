"""One run while it is computed: its states, its records so far, and which piece of it comes next."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

from ..engine import Cost, Records, Shard, State, advance, cost, next_stop, shards, start
from ..results import Gathered, Result
from ..specs import SweepSpec
from ..store import Progressed
from .piece import SECONDS, Piece
from .shared import SharedProblem

Save = Callable[[Shard, State, Records], None]

_ROUND = 0.5  # seconds in which every shard should get ahead once, so that the charts grow evenly,
_ROUNDS = 12  # and how many such rounds even a short run should have
_SHORTEST = 0.02  # seconds of a piece: storing it takes about a millisecond


class Job:
    """The live state of a run. Its manager calls it under a lock; a piece's work runs outside of it."""

    def __init__(
        self,
        spec: SweepSpec,
        shared: SharedProblem,
        workers: int,
        stored: Progressed,
        timings: Mapping[str, float],
        save: Save,
    ) -> None:
        self.spec = spec
        self.id = spec.id
        self.shared = shared
        self.status = "queued"
        self.error: str | None = None
        self.visitors: set[str] = set()
        self.passed = 0  # how often a smaller run was admitted before it
        self.deleted = False
        self.saving = threading.Lock()  # held while a piece is stored, or the run deleted
        self._save = save
        self._checkpoints = len(spec.checkpoint_iterations)
        self._cost = cost(spec)
        even = min(_ROUND * workers / len(shards(spec)), self._cost.of_shard(spec) / _ROUNDS)
        self._piece_seconds = min(max(even, _SHORTEST), SECONDS)
        self._gathered = Gathered(spec)
        self._seconds = {"sample": 0.0, "step": 0.0, "evaluate": 0.0}
        self._states: dict[Shard, State | None] = dict.fromkeys(shards(spec))
        self._states.update(stored.states)
        for shard, parts in stored.records.items():
            for part in parts:
                self._put(shard, part)
        self._busy: set[Shard] = set()
        self._stopping = threading.Event()
        self.expected = self.taken = 0.0  # seconds of stepping: by the estimate, and in truth
        self._result: Result | None = None
        self._begun: float | None = None
        self._clock = timings.get("total", 0.0)  # of earlier stretches
        self._share_at_begin = 0.0

    @property
    def live(self) -> bool:
        return self.status in ("queued", "running")

    @property
    def idle(self) -> bool:
        return not self._busy

    @property
    def complete(self) -> bool:
        return self.shared.optimum is not None and self._gathered.whole

    @property
    def stage(self) -> str:
        if self.status == "queued":
            return "waiting for its turn"
        if not self.shared.drawn:
            return "drawing the evaluation points"
        if self.shared.optimum is None:
            return "solving for the optimum F*"
        return "running the methods"

    @property
    def progress(self) -> float:
        """The share of the work that is done, by what it costs."""
        return progress(self.spec, self._states, self.shared.optimum is not None)

    @property
    def seconds_left(self) -> float | None:
        """How long it may still take at its own pace; ``None`` before it has one."""
        if self._begun is None:
            return None
        share = self.progress
        gained = share - self._share_at_begin
        return (time.monotonic() - self._begun) * (1 - share) / gained if gained > 0.02 else None

    @property
    def timings(self) -> dict[str, float]:
        running = 0.0 if self._begun is None else time.monotonic() - self._begun
        return {**self._seconds, "optimum": self.shared.seconds, "total": self._clock + running}

    def result(self) -> Result | None:
        """Return what is known so far; ``None`` before F* is known."""
        if self.shared.optimum is not None and self._result is None:
            self._result = Result.so_far(self.spec, self.shared.optimum, self._gathered, self.timings)
        return self._result

    def begin(self) -> None:
        self.status, self.error = "running", None
        self._begun, self._share_at_begin = time.monotonic(), self.progress
        self._stopping = threading.Event()

    def end(self, status: str, error: str | None = None) -> None:
        """Stop it, for whatever reason. Pieces that are being worked on end soon; what they finish is kept."""
        self._clock = self.timings["total"]
        self._begun = None
        self.status, self.error = status, error
        self._stopping.set()
        self.shared.leave(self.id)
        self._result = None

    def next_piece(self) -> Piece | None:
        """Return what can be worked on now, F* first: without it there is nothing to show."""
        preparing = self.shared.next_piece()
        if preparing is not None or not self.shared.drawn:
            return preparing
        # The shard that is furthest behind: all curves grow together, and the methods of a seed share its samples.
        waiting = [(self._gathered.count(shard), shard) for shard in self._states if shard not in self._busy]
        least, shard = min(waiting, key=lambda each: each[0], default=(self._checkpoints, None))
        if shard is None or least == self._checkpoints:
            return None
        return self._step(shard)

    def _step(self, shard: Shard) -> Piece:
        before, stopping = self._states[shard], self._stopping
        self._busy.add(shard)

        def work() -> tuple[State, Records]:
            problem = self.shared.problem
            at = start(problem, self.spec, shard) if before is None else before
            until = next_stop(self.spec, at, self._piece_seconds)
            state, records = advance(problem, self.spec, shard, at, until, stopping.is_set)
            if state.recorded == self._checkpoints:
                state = state.ended()  # on wide data the iterates of all shards would fill the store
            with self.saving:
                if not self.deleted:
                    self._save(shard, state, records)
            return state, records

        def done(found: tuple[State, Records]) -> None:
            self.expected += _left(self.spec, self._cost, before) - _left(self.spec, self._cost, found[0])
            self.taken += sum(found[1].seconds)
            self._states[shard] = found[0]
            self._put(shard, found[1])

        return Piece(work, done, lambda: self._busy.discard(shard))

    def _put(self, shard: Shard, records: Records) -> None:
        self._gathered.put(shard, records)
        for name, seconds in records.seconds._asdict().items():
            self._seconds[name] += seconds
        self._result = None


def progress(spec: SweepSpec, states: Mapping[Shard, State | None], solved: bool) -> float:
    """Return the share of a run's work that is done, by what it costs; drawing the points is not counted."""
    expected = cost(spec)
    left = 0.0 if solved else expected.solve
    left += sum(_left(spec, expected, states.get(shard)) for shard in shards(spec))
    return max(0.0, 1 - left / (expected.of_sweep(spec) - expected.draw))  # rounding may say −0


def _left(spec: SweepSpec, expected: Cost, state: State | None) -> float:
    at = (state.iteration, state.recorded) if state is not None else (0, 0)
    return expected.of_shard(spec, *at)
