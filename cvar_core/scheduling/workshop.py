"""Where pieces are performed: problems at hand, and the solving for their optima that is under way."""

from __future__ import annotations

import threading
import weakref

from ..problem import Optimum, Problem
from ..specs import ProblemSpec
from .turns import Turns


class Workplace:
    """A problem where it is worked on. Any thread may call."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._lock = threading.Lock()
        self._solving: Turns[Optimum] | None = None

    def solve(self, seconds: float) -> Optimum | None:
        """Solve for the optimum for about ``seconds``; return it once it is there."""
        with self._lock:
            solving = self._solving = self._solving or Turns(self.problem.optimum)
        try:
            return solving.turn(seconds)
        finally:
            if solving.finished:  # it has the optimum, or it failed: the next try is a new one
                self._forget(solving)

    def stop_solving(self) -> None:
        """Let go of what has been found on the way to the optimum."""
        solving = self._solving
        if solving is not None:
            solving.close()
            self._forget(solving)

    def _forget(self, solving: Turns[Optimum]) -> None:
        with self._lock:
            if self._solving is solving:
                self._solving = None


class Workshop:
    """Workplaces by the problem's spec, each as long as somebody keeps it. Any thread may call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: weakref.WeakValueDictionary[ProblemSpec, Workplace] = weakref.WeakValueDictionary()

    def bring(self, problem: Problem) -> Workplace:
        """Set up the workplace of a problem that exists, such as one on data: a spec does not hold those."""
        with self._lock:
            place = self._places[problem.spec] = Workplace(problem)
            return place

    def at(self, spec: ProblemSpec) -> Workplace:
        """Return a problem's workplace; what is not there is set up from the spec."""
        with self._lock:
            place = self._places.get(spec)
            if place is None:
                place = self._places[spec] = Workplace(Problem(spec))
            return place
