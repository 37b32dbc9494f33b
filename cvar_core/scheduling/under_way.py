"""A run while it is computed: its states, its records so far, and which piece of it comes next."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..engine import Cost, Reached, Records, Seconds, Shard, State, cost, shards
from ..results import Early, Gathered, Result
from ..specs import SweepSpec
from .performing import Found, Stepped
from .piece import SECONDS, Draw, Piece, Step
from .preparation import Preparation
from .work import Pace, Weights, Work, left, progress

Save = Callable[[Shard, State, Records], None]


@dataclass(frozen=True)
class Cut:
    """How a run is cut into pieces.

    Attributes
    ----------
    first, later
        Seconds of a shard's first piece, and of those that follow.
    live
        Whether somebody watches: then every shard has a first record before F* is solved for, and all curves grow
        together. Otherwise a shard that has begun is finished first, so that few iterates are in memory at a time.
    blocks
        Into how many shards the step sizes of a method and a seed go, where workers are many.
    """

    first: float = SECONDS
    later: float = SECONDS
    live: bool = False
    blocks: int = 1


class Run:
    """The live state of a run. Its scheduler calls it under a lock, but for ``keep``, ``result`` and ``early``."""

    def __init__(
        self,
        spec: SweepSpec,
        preparation: Preparation,
        cut: Cut,
        states: Mapping[Shard, State] | None = None,
        records: Mapping[Shard, list[Records]] | None = None,
        save: Save | None = None,
    ) -> None:
        """Go on from the states and records of shards that have begun; what is found is saved, where that is asked."""
        self.spec = spec
        self.id = spec.id
        self.preparation = preparation
        self.cost = cost(spec)
        self.behind = 0.0  # seconds of earlier runs that it is the continuation of, and is ranked by, too
        self.turn = 0  # when it got its last piece, as its scheduler counts
        self.stopping = threading.Event()
        self._cut = cut
        self._checkpoints = len(spec.checkpoint_iterations)
        begun = states or {}
        self._states: dict[Shard, State | None] = {shard: begun.get(shard) for shard in shards(spec, begun, cut.blocks)}
        self._save = save
        self._busy: set[Shard] = set()
        self._weights = Weights(spec)
        self._left = left(spec, {shard: state.reached for shard, state in begun.items()}, drawn=True, solved=True)
        self.updates = 0  # taken since, of single runs
        self._open = sum(self._recorded(shard) < self._checkpoints for shard in self._states)  # shards to step
        self._bare = sum(self._recorded(shard) == 0 for shard in self._states)  # shards without a record
        self._recording = threading.Lock()  # held while records are put in their places, or copied
        self._gathered = Gathered(spec)
        self.puts = 0  # how often there were records
        self.seconds = Seconds()
        for shard, parts in (records or {}).items():
            for part in parts:
                self._put(shard, part)

    @property
    def work(self) -> Work:
        """What is left to do."""
        preparation = self.preparation
        return self._left._replace(draw=not preparation.drawn, solve=preparation.optimum is None)

    @property
    def next_goal(self) -> Work:
        """What is left until there is more to see: a first record of every shard, then F*, then all."""
        preparation = self.preparation
        if self._bare:
            return Work(draw=not preparation.drawn, checkpoints=self._bare)
        return self.work if preparation.optimum is not None else Work(solve=1)

    @property
    def progress(self) -> float:
        """The share of the work that is done, by what it costs."""
        return progress(self.spec, self.work, self.cost)

    @property
    def idle(self) -> bool:
        return not self._busy

    @property
    def complete(self) -> bool:
        return self.preparation.optimum is not None and self.stepped

    @property
    def stepped(self) -> bool:
        """Whether all records are there."""
        return not self._open

    def result(self, timings: Mapping[str, float]) -> Result | None:
        """Return what is known so far; ``None`` before F* is known. Called without the scheduler's lock."""
        optimum = self.preparation.optimum
        with self._recording:
            return None if optimum is None else Result.so_far(self.spec, optimum, self._gathered, timings)

    def early(self) -> Early | None:
        """Return the objectives so far; ``None`` before the first. Called without the scheduler's lock."""
        with self._recording:
            return Early.so_far(self.spec, self._gathered)

    def expected(self, piece: Piece) -> float:
        """Return about how many seconds a piece takes."""
        return self.cost.draw if isinstance(piece, Draw) else piece.seconds

    def next_piece(self) -> Piece | None:
        """Return what can be worked on now, if anything."""
        if not self.preparation.drawn:
            return self.preparation.next_piece()
        shard = self._next_shard()
        if shard is not None and self._cut.live and self._recorded(shard) == 0:
            return self._step(shard)
        return self.preparation.next_piece() or (None if shard is None else self._step(shard))

    def keep(self, piece: Piece, found: Found) -> None:
        """Put records in their places, before the scheduler knows of them. Called without its lock."""
        if isinstance(piece, Step) and isinstance(found, Stepped):
            if self._save is not None:
                self._save(piece.shard, found.state, found.records)
            with self._recording:
                self._put(piece.shard, found.records)

    def take(self, piece: Piece, found: Found, pace: Pace) -> None:
        """Go on from what a piece has found, and learn from how long it took."""
        if isinstance(found, Stepped):
            assert isinstance(piece, Step)
            before = Reached(0, 0) if piece.state is None else piece.state.reached
            updates, checkpoints = found.state.iteration - before.iteration, found.state.recorded - before.recorded
            self._bare -= before.recorded == 0 and checkpoints > 0
            self._open -= before.recorded < self._checkpoints == found.state.recorded
            self._states[piece.shard] = found.state
            self.updates += updates * len(piece.shard.step_sizes(self.spec))
            done = self._weights.of(piece.shard, updates, checkpoints)
            self._left = self._left.plus(done, -1) if self._open else Work()  # rounding would leave a little
            seconds = found.records.seconds
            taken = Cost(0.0, 0.0, seconds.sample + seconds.step, seconds.evaluate)
            pace.learn(done, self.cost, taken)
            return
        preparation = self.preparation
        solved = preparation.optimum is not None
        preparation.take(found)
        if isinstance(piece, Draw):
            pace.learn(Work(draw=1), self.cost, Cost(preparation.drawing_seconds, 0.0, 0.0, 0.0))
        elif not solved and preparation.optimum is not None:
            pace.learn(Work(solve=1), self.cost, Cost(0.0, preparation.solving_seconds, 0.0, 0.0))

    def ended(self, piece: Piece) -> None:
        """No worker is at a piece any more, whether it has found anything or not."""
        if isinstance(piece, Step):
            self._busy.discard(piece.shard)
        else:
            self.preparation.ended()

    def _next_shard(self) -> Shard | None:
        """Return the shard to go on with, or ``None`` if all are done or being worked on."""
        waiting = [
            shard for shard in self._states if shard not in self._busy and self._recorded(shard) < self._checkpoints
        ]
        if self._cut.live:  # the one that is furthest behind; the methods of a seed share its samples
            return min(waiting, key=self._recorded, default=None)
        return min(waiting, key=lambda shard: self._states[shard] is None, default=None)

    def _step(self, shard: Shard) -> Step:
        state = self._states[shard]
        self._busy.add(shard)
        return Step(self.spec, shard, state, self._cut.later if state is not None else self._cut.first)

    def _recorded(self, shard: Shard) -> int:
        state = self._states[shard]
        return 0 if state is None else state.recorded

    def _put(self, shard: Shard, records: Records) -> None:
        self._gathered.put(shard, records)
        self.puts += 1
        self.seconds = Seconds(*(a + b for a, b in zip(self.seconds, records.seconds, strict=True)))
