"""How much there is to do, and how long it takes here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..engine import Cost, Reached, Shard, cost, shards
from ..specs import SweepSpec

_HALF = 10.0  # seconds of work by the estimate, after which an observation counts half
_TRUST = 0.5  # seconds that the estimate counts for, before anything is seen


class Work(NamedTuple):
    """Amounts of work, each of which has its ``Cost``."""

    draw: float = 0  # of the evaluation points, 1 if that is to be done
    solve: float = 0  # for the optimum, 1 if that is to be done
    updates: float = 0  # of shards; one that has not all step sizes counts for less
    checkpoints: float = 0  # that shards are to record, likewise

    def plus(self, other: Work, times: int = 1) -> Work:
        return Work(*(a + times * b for a, b in zip(self, other, strict=True)))

    def seconds(self, cost: Cost) -> float:
        return sum(amount * each for amount, each in zip(self, cost, strict=True))


class Weights:
    """What shards of one sweep count for: a shard with all step sizes for 1, others by what they cost beside it."""

    def __init__(self, spec: SweepSpec) -> None:
        self._spec, self._whole = spec, cost(spec)
        self._known: dict[int, tuple[float, float]] = {len(spec.lambdas): (1, 1)}

    def of(self, shard: Shard, updates: int, checkpoints: int) -> Work:
        """Return so many updates and checkpoints of a shard as work."""
        count = len(shard.step_sizes(self._spec))
        if count not in self._known:
            part, whole = cost(self._spec, count), self._whole
            self._known[count] = part.update / whole.update, part.checkpoint / whole.checkpoint
        update, checkpoint = self._known[count]
        return Work(updates=update * updates, checkpoints=checkpoint * checkpoints)


def left(spec: SweepSpec, reached: Mapping[Shard, Reached], drawn: bool, solved: bool) -> Work:
    """Return what is left of a run, some shards of which have begun."""
    weights, checkpoints, rest = Weights(spec), len(spec.checkpoint_iterations), Work()
    for shard in shards(spec, reached):
        here = reached.get(shard, Reached(0, 0))
        rest = rest.plus(weights.of(shard, spec.iterations - here.iteration, checkpoints - here.recorded))
    return rest._replace(draw=not drawn, solve=not solved)


def progress(spec: SweepSpec, rest: Work, cost: Cost) -> float:
    """Return the share of a run's work that is done, by what it costs; drawing the points is not counted."""
    count = len(spec.methods) * len(spec.seeds)
    whole = Work(solve=1, updates=count * spec.iterations, checkpoints=count * len(spec.checkpoint_iterations))
    return max(0.0, 1 - rest._replace(draw=0).seconds(cost) / whole.seconds(cost))  # rounding may say −0


class Pace:
    """Seconds that work takes here, for a second by the estimate: learnt from every piece, for each kind of work."""

    def __init__(self) -> None:
        self._expected = [_TRUST] * len(Cost._fields)
        self._taken = [_TRUST] * len(Cost._fields)

    def learn(self, done: Work, cost: Cost, taken: Cost) -> None:
        """Note that work took so many seconds, where the estimate of one unit of each kind was ``cost``."""
        for kind, (amount, each, seconds) in enumerate(zip(done, cost, taken, strict=True)):
            keep = 0.5 ** (amount * each / _HALF)
            self._expected[kind] = keep * self._expected[kind] + amount * each
            self._taken[kind] = keep * self._taken[kind] + seconds

    def corrected(self, cost: Cost) -> Cost:
        """Return what work costs here."""
        return Cost(
            *(e * taken / expected for e, taken, expected in zip(cost, self._taken, self._expected, strict=True))
        )
