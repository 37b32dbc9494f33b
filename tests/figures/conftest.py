"""A real result, with runs that diverge and runs that leave the chart."""

import pytest

from cvar_core import Problem, Result, sweep
from tests.solving import solved_once as solved_once


@pytest.fixture(scope="module")
def real() -> Result:
    problem = Problem.synthetic(loss="squared", noise="lognormal", eval_size=2_000)
    return sweep(problem, lambdas=[1e-3, 0.1, 1, 10, 1e4], iterations=500, seeds=3)
