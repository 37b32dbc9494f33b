"""Optima for tests that need one, whichever it is: each problem is solved for once."""

import functools

import pytest

from cvar_core import Optimum, Problem, ProblemSpec

_solve = Problem.optimum


@functools.cache
def _solved(spec: ProblemSpec) -> Optimum:
    return _solve(Problem(spec))


@pytest.fixture
def solved_once(monkeypatch):
    monkeypatch.setattr(Problem, "optimum", lambda self, stop=None: _solved(self.spec))
