"""Which run gets the next piece.

Short work goes first: the run that has the least left until there is more to see. So a quick run is not kept waiting
by long ones, and all of them together wait as little as can be. A part of the time goes to the run that has waited
longest since its last piece, whichever it is, so that nobody waits for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .under_way import Run
from .work import Pace

WAITED = 0.125  # of the time goes to those who have waited longest


class Order:
    """Ranks runs for one piece after another."""

    def __init__(self) -> None:
        self._owed = 0.0  # seconds, by the estimate, to those who have waited longest
        self._turn = 0

    def ranked(self, runs: Sequence[Run], pace: Pace) -> list[Run]:
        """Return the runs in the order in which they are to be asked for a piece."""
        if self._owed > 0:
            return sorted(runs, key=lambda run: run.turn)
        return sorted(runs, key=lambda run: run.behind + run.next_goal.seconds(pace.corrected(run.cost)))

    def joined(self, run: Run) -> None:
        """Count a new run's waiting from now."""
        self._turn += 1
        run.turn = self._turn

    def served(self, run: Run, seconds: float) -> None:
        """Note that a run got a piece of so many seconds, by the estimate."""
        self._owed += -seconds * (1 - WAITED) if self._owed > 0 else seconds * WAITED
        self.joined(run)


def clock(seconds: float, others: Iterable[float], workers: int, alone: float = 0.0) -> float:
    """Return about how long a run of so many seconds of work takes beside others, by what is left of those.

    ``alone`` is the part of it that one worker has to do, one piece after another: the points and the optimum.

    >>> clock(10, [], 2), clock(10, [], 2, alone=8), clock(10, [4, 90], 2)
    (5.0, 8.0, 8.0)
    """
    others = list(others)
    shorter = sum(each for each in others if each <= seconds)
    share = 1 - WAITED if any(each > seconds for each in others) else 1.0
    return max((seconds + shorter) / workers, alone) / share
