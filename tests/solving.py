"""Optima for tests that need one, whichever it is: each problem is solved for once."""

import pytest

from cvar_core import Optimum, Problem, ProblemSpec

_solve = Problem.optimum


_known: dict[ProblemSpec, Optimum] = {}


def _solved(problem: Problem) -> Optimum:
    if problem.spec not in _known:
        _known[problem.spec] = _solve(problem)
    return _known[problem.spec]


@pytest.fixture
def solved_once(monkeypatch):
    monkeypatch.setattr(Problem, "optimum", lambda self, stop=None: _solved(self))
