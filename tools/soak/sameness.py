"""Whether stored runs have the bits that a sweep has which nothing interrupted."""

from __future__ import annotations

import io
import os
import random
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple

from cvar_core import Problem, SweepSpec, sweep
from cvar_core.data import Recipe
from cvar_core.engine import cost
from cvar_core.results import Gathered, Result
from cvar_core.store import Store, StoredRun

_FIELDS = ("methods", "lambdas", "iterations", "seeds", "schedule", "checkpoints")


class Compared(NamedTuple):
    done: int  # runs that are whole
    compared: int
    different: list[str]  # their ids


def compare(
    store: Path, runs: Collection[str], seconds: float, seed: int, visitors: Collection[str], files: Mapping[str, bytes]
) -> Compared:
    """Compute some of the runs that are done again, as many as take about so long, and compare them bit for bit.

    ``visitors`` are those who may have run something on data, and ``files`` what they have uploaded, by name.
    """
    os.nice(10)
    kept = Store.open(store)
    try:
        known = (kept.run(run) for run in runs)
        done = sorted((run for run in known if run is not None and run.status == "done"), key=lambda run: run.id)
        random.Random(seed).shuffle(done)
        chosen = []
        for run in done:
            seconds -= cost(run.spec).of_sweep(run.spec)
            if seconds > 0 or not chosen:
                chosen.append(run)
        different = [run.id for run in chosen if _stored(kept, run) != _anew(kept, run, visitors, files)]
        return Compared(len(done), len(chosen), different)
    finally:
        kept.close()


def _stored(kept: Store, run: StoredRun) -> Result | None:
    gathered = Gathered.of(run.spec, kept.load(run.id).records)
    return Result.so_far(run.spec, run.optimum, gathered, {}) if run.optimum is not None and gathered.whole else None


def _anew(kept: Store, run: StoredRun, visitors: Collection[str], files: Mapping[str, bytes]) -> Result:
    if run.spec.problem.data is None:
        return sweep(run.spec)
    recipe = next(visited[0] for each in visitors if (visited := kept.visited(each, run.id)) is not None)
    assert recipe is not None
    problem = _problem(Recipe.from_json(recipe), run.spec, files)
    return sweep(problem, **{name: getattr(run.spec, name) for name in _FIELDS})


def _problem(recipe: Recipe, spec: SweepSpec, files: Mapping[str, bytes]) -> Problem:
    def find(name: str) -> str | BinaryIO:
        if name not in files:
            return name
        file = io.BytesIO(files[name])
        file.name = name  # type: ignore[attr-defined]
        return file

    about = spec.problem
    data = recipe.load(find)
    return data.problem(
        about.loss, about.beta, about.scale, recipe.positive, about.start, about.loss_params, about.mix
    )  # fmt: skip
