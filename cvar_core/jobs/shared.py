"""A problem whose points are drawn and whose optimum is solved for once, for all runs on it."""

from __future__ import annotations

import time
from typing import Any

from ..problem import Optimum, Problem
from .paced import Paced
from .piece import SECONDS, Piece


class SharedProblem:
    """A problem, and how far its preparation is. Its manager calls it under a lock."""

    def __init__(self, problem: Problem, optimum: Optimum | None) -> None:
        self.problem = problem
        self.optimum = optimum
        self.drawn = False
        self.seconds = 0.0  # spent on the optimum
        self._users: set[str] = set()
        self.busy = False  # being drawn or solved right now
        self._solving: Paced[Optimum] | None = None

    def enter(self, run_id: str) -> None:
        self._users.add(run_id)

    def leave(self, run_id: str) -> None:
        """Stop solving when nobody waits for the optimum any more."""
        self._users.discard(run_id)
        if not self._users and self._solving is not None:
            self._solving.close()
            self._solving = None

    def next_piece(self) -> Piece | None:
        if self.busy or (self.drawn and self.optimum is not None):
            return None
        self.busy = True
        if not self.drawn:
            return Piece(lambda: self.problem.points, self._have_drawn, self._rest, shared=True)
        if self._solving is None:
            self._solving = Paced(self.problem.optimum)
        solving = self._solving

        def turn() -> tuple[Optimum | None, float]:
            begun = time.perf_counter()
            return solving.turn(SECONDS), time.perf_counter() - begun

        return Piece(turn, self._have_turned, self._rest, shared=True)

    def _rest(self) -> None:
        self.busy = False
        if self._solving is not None and self._solving.finished:
            self._solving = None  # it has the optimum, or it failed: the next try is a new one

    def _have_drawn(self, _: Any) -> None:
        self.drawn = True

    def _have_turned(self, found: tuple[Optimum | None, float]) -> None:
        optimum, took = found
        self.seconds += took
        if optimum is not None:
            self.optimum = optimum
