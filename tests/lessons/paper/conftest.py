"""A study that takes no time."""

import pytest

from cvar_core.lessons.paper import Study, compute, panels
from tests.solving import solved_once as solved_once


@pytest.fixture(scope="session")
def small():
    """One panel of each loss, at a size at which it takes a blink."""
    specs = panels(iterations=100, seeds=2, eval_size=1_000)[::4]
    return Study(tuple(compute(specs, workers=1)), tuple(spec.id for spec in specs), {"cvar_core": "a test"})
