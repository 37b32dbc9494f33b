"""How much there is to do, and how long it takes here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..engine import Cost, State, shards
from ..specs import SweepSpec

_HALF = 10.0  # seconds of work by the estimate, after which an observation counts half
_TRUST = 0.5  # seconds that the estimate counts for, before anything is seen


class Work(NamedTuple):
    """Amounts of work, each of which has its ``Cost``."""

    draw: float = 0  # of the evaluation points, 1 if that is to be done
    solve: float = 0  # for the optimum, 1 if that is to be done
    updates: int = 0  # of shards
    checkpoints: int = 0  # that shards are to record

    def seconds(self, cost: Cost) -> float:
        return sum(amount * each for amount, each in zip(self, cost, strict=True))


def left(spec: SweepSpec, states: Iterable[State | None], drawn: bool, solved: bool) -> Work:
    """Return what is left of a run; a shard that has no state has not begun."""
    count, checkpoints = len(shards(spec)), len(spec.checkpoint_iterations)
    begun = [state for state in states if state is not None]
    return Work(
        draw=not drawn,
        solve=not solved,
        updates=count * spec.iterations - sum(state.iteration for state in begun),
        checkpoints=count * checkpoints - sum(state.recorded for state in begun),
    )


def progress(spec: SweepSpec, rest: Work, cost: Cost) -> float:
    """Return the share of a run's work that is done, by what it costs; drawing the points is not counted."""
    whole = left(spec, (), drawn=True, solved=False).seconds(cost)
    return max(0.0, 1 - rest._replace(draw=0).seconds(cost) / whole)  # rounding may say −0


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
