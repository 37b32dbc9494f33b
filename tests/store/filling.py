"""Runs to put into a store, and how to tell that they came out again."""

import contextlib
import dataclasses
import re
import struct
from pathlib import Path

import torch

from cvar_core import ProblemSpec, SweepSpec
from cvar_core.engine import Records, Seconds, State, shards
from cvar_core.problem import Optimum, recorded_names
from cvar_core.store import Store

MEMORY = "The dashboard goes on in memory and loses results when it stops."
UNTIL_WELL = "Results are kept in memory until that has passed, and are lost if the dashboard stops before."
_PASSING = re.compile("read-only|no permission|full|locked|reports an error")
UNTIL_FREE = "This one keeps results in memory until the other ends, and then takes the store over."


def spec_of(seed: int = 0, dim: int = 3, **changes) -> SweepSpec:
    chosen = {"lambdas": (0.1, 1.0), "iterations": 40, "checkpoints": 5, "seeds": 2, "methods": ("sgm", "spl+")}
    return SweepSpec(ProblemSpec(dim=dim, eval_size=200, seed=seed), **(chosen | changes))


def made_up(spec: SweepSpec, first: int, last: int, value: float = 1.0) -> tuple[State, Records]:
    """A state with ``last`` checkpoints, and the records of those from ``first`` on."""
    runs, dim = len(spec.lambdas), spec.problem.dim
    ours = spec.checkpoint_iterations[first:last]
    theta, alpha = torch.full((runs, dim), value).double(), torch.full((runs,), value).double()
    iteration = spec.checkpoint_iterations[last - 1] if last else 0
    state = State(iteration, last, theta, alpha, theta.clone(), alpha.clone(), alpha > 1e9)
    shape = (len(ours), runs)
    beside = torch.full((*shape, len(recorded_names(spec.problem))), value / 2).double()
    return state, Records(ours, torch.full(shape, value).double(), beside, Seconds(0.1, 0.2, 0.3))


def fill(at: Store, spec: SweepSpec, status: str = "done") -> str:
    """Put a whole run into the store."""
    at.add(spec, "running")
    for shard in shards(spec):
        at.save(spec.id, shard, *made_up(spec, 0, len(spec.checkpoint_iterations)))
    at.set_status(spec.id, status)
    return spec.id


def bits(value):
    """A form in which two things are equal only if all their bits are."""
    if isinstance(value, torch.Tensor):
        return value.dtype, tuple(value.shape), value.numpy().tobytes()
    if isinstance(value, float):
        return struct.pack("<d", value)
    if isinstance(value, Optimum):
        return [bits(getattr(value, each.name)) for each in dataclasses.fields(value)]
    return [bits(part) for part in value] if isinstance(value, tuple | list) else value


def ids(runs) -> list[str]:
    return [run.id for run in runs]


@contextlib.contextmanager
def opened(path: Path | None, **options):
    with contextlib.closing(Store.open(path, **options)) as each:
        yield each


def works(at: Store, path: Path, what: str, then: str = "") -> None:
    """The store is in memory, says why, to visitors without its path, and does all that a store does."""
    then = then or (UNTIL_WELL if _PASSING.search(what) else MEMORY)
    assert at.trouble == f"The store of runs {what}. {then}"
    assert at.cause == f"The store of runs {path} {what}"
    assert at.path is None
    run_id = fill(at, spec_of(77))
    at.visit("zoe", run_id)
    assert ids(at.history("zoe")) == [run_id]
    assert len(at.load(run_id).states) == 4
