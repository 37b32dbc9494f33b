"""What all runs on a problem wait for, done once for them all: its points are drawn, and its optimum is solved for."""

from __future__ import annotations

from ..problem import Optimum
from .performing import Drawn, Solved
from .piece import SECONDS, Draw, Solve
from .workshop import Workplace


class Preparation:
    """How far a problem's preparation is. Its scheduler calls it under a lock."""

    def __init__(self, place: Workplace, optimum: Optimum | None = None) -> None:
        self.problem = place.problem.spec
        self.optimum = optimum
        self.drawn = False
        self.drawing_seconds = 0.0
        self.solving_seconds = 0.0
        self.busy = False  # a worker draws or solves right now
        self._place = place  # kept as long as somebody prepares or has prepared the problem
        self._users: set[str] = set()

    def enter(self, run_id: str) -> None:
        self._users.add(run_id)

    def leave(self, run_id: str) -> None:
        """Stop solving when nobody waits for the optimum any more."""
        self._users.discard(run_id)
        self._stop_if_unwanted()

    def next_piece(self) -> Draw | Solve | None:
        if self.busy or (self.drawn and self.optimum is not None):
            return None
        self.busy = True
        return Solve(self.problem, SECONDS) if self.drawn else Draw(self.problem)

    def take(self, found: Drawn | Solved) -> None:
        """Keep what a piece has found."""
        if isinstance(found, Drawn):
            self.drawn = True
            self.drawing_seconds += found.seconds
        else:
            self.solving_seconds += found.seconds
            self.optimum = self.optimum or found.optimum

    def ended(self) -> None:
        """No worker is at it any more, whether the piece has found anything or not."""
        self.busy = False
        self._stop_if_unwanted()  # a piece that came to its worker late may have begun anew

    def _stop_if_unwanted(self) -> None:
        if not self._users:
            self._place.stop_solving()
