"""Runs for the tests of the manager: quick ones, one that takes a while, and what they should find."""

import functools
import time

import numpy as np

from cvar_core import Problem, ProblemSpec, Result, SweepSpec, sweep

QUICK = {"iterations": 300, "seeds": 2, "lambdas": (0.1, 1.0, 10.0)}
SLOW = {"iterations": 20_000, "seeds": 3, "checkpoints": 60, "lambdas": tuple(10 ** (k / 4) for k in range(-8, 8))}


def spec_of(seed=0, size=2_000, **fields):
    return SweepSpec(ProblemSpec(eval_size=size, seed=seed), **{**QUICK, **fields})


def slow_spec(seed=0, size=60_000):
    """A run that takes a second or so."""
    return spec_of(seed, size, **SLOW)


@functools.cache
def direct(spec: SweepSpec) -> Result:
    return sweep(
        Problem(spec.problem), spec.methods, spec.lambdas, spec.iterations, spec.seeds, spec.schedule, 1,
        checkpoints=spec.checkpoints,
    )  # fmt: skip


def same_bits(result, other):
    assert result.optimum.value == other.optimum.value
    np.testing.assert_array_equal(result.objectives.view(np.int64), other.objectives.view(np.int64))
    np.testing.assert_array_equal(result.recorded, other.recorded)
    assert result.beside.keys() == other.beside.keys() >= {"risk"}
    for name, values in result.beside.items():
        np.testing.assert_array_equal(values.view(np.int64), other.beside[name].view(np.int64))


def wait(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)
    return found


def under_way(manager, spec):
    """Wait until every curve of a run has begun."""
    wait(lambda: (view := manager.view(spec, "ada")).result is not None and view.result.recorded.min() > 0)


def waited_for(manager, spec):
    """Wait until a run is done, and return it."""
    view = wait(lambda: (view := manager.view(spec, "ada")) and not view.live and view)
    assert view.status == "done", view.error
    return view
