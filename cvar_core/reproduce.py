"""How to compute a result again: the command, and the lines of Python. Only what is not a default is spelt out."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from .catalogue import losses, noises
from .data import Recipe
from .reading import write_grid, write_names
from .results import GAP_TO_CLOSE, RISK, Criterion
from .specs import ProblemSpec, SweepSpec, usual_methods


def command(spec: SweepSpec, by: Criterion | None = None, recipe: Recipe | None = None) -> str:
    """Return the command line of a sweep judged by a criterion, on data if there is a recipe for them.

    >>> command(SweepSpec(ProblemSpec(loss="absolute"), seeds=3))
    'python -m cvar_core sweep --loss absolute --seeds 3'
    """
    flags = [] if recipe is None else _data_flags(recipe)
    for name, value in _changed(spec.problem).items():
        if name in ("noise_params", "loss_params"):
            flag = f"--{name.removesuffix('_params')}-param"
            flags += [f"{flag} {key}={number!r}" for key, number in value.items()]
        else:
            flags.append(f"--{name.replace('_', '-')} {value}")
    if spec.methods != usual_methods(on_data=recipe is not None):
        flags.append(f"--methods {','.join(spec.methods)}")
    for name, value in _changed(spec).items():
        if name == "methods":
            continue
        if name == "lambdas":
            value = write_grid(value)
        elif name == "seeds":
            value = _count(value) or ",".join(str(seed) for seed in value) + ("," if len(value) == 1 else "")
        flags.append(f"--{name} {value}")
    judging = _judging(by)
    if "measure" in judging:
        flags.append(f"--measure {judging['measure']}")
    if "epsilon" in judging:
        flags.append(f"--epsilon {judging['epsilon']!r}")
    elif "closed" in judging:
        flags.append(f"--epsilon {100 * judging['closed']:.15g}%")
    return " ".join(["python -m cvar_core sweep", *flags])


def python(spec: SweepSpec, by: Criterion | None = None, recipe: Recipe | None = None) -> str:
    """Return the Python lines of a sweep, on data if there is a recipe for them."""
    given = ["problem"]
    for name, value in _changed(spec).items():
        if name == "seeds":
            value = _count(value) or value
        given.append(f"{name}={value!r}")
    changed = _changed(spec.problem)
    return "\n".join(
        [
            f"from cvar_core import {'Problem' if recipe is None else 'load'}, sweep",
            "",
            *([f"problem = Problem.synthetic({_given(changed)})"] if recipe is None else _data_lines(recipe, changed)),
            f"result = sweep({', '.join(given)})",
            f"result.robustness({_given(_judging(by))})",
        ]
    )


def _judging(by: Criterion | None) -> dict[str, Any]:
    """Return what a criterion has that is not a default."""
    if by is None:
        return {}
    usual = {"measure": RISK, "closed": GAP_TO_CLOSE, "epsilon": None}
    return {name: getattr(by, name) for name, value in usual.items() if getattr(by, name) != value}


def _data_flags(recipe: Recipe) -> list[str]:
    flags = [f"--data {shlex.quote(recipe.data)}"]
    for name, value in recipe.changed.items():
        flag = f"--{name.replace('_', '-')}"
        text = write_names(value) if isinstance(value, tuple) else str(value)
        flags.append(flag if value is True else f"{flag}={shlex.quote(text)}")  # −1 would be a flag
    return flags


def _data_lines(recipe: Recipe, problem: dict[str, Any]) -> list[str]:
    loading = recipe.changed
    chosen = {"positive": loading.pop("positive")} if "positive" in loading else {}
    given = ", ".join([repr(recipe.data), *([_given(loading)] if loading else [])])
    return [f"data = load({given})", f"problem = data.problem({_given({**problem, **chosen})})"]


def _given(values: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


def _changed(spec: ProblemSpec | SweepSpec) -> dict[str, Any]:
    """Return the fields that differ from their defaults; of a problem on data, those that are chosen."""
    usual: dict[str, Any] = {field.name: field.default for field in fields(spec)}
    found = {name: getattr(spec, name) for name in usual if name != "problem"}
    if isinstance(spec, ProblemSpec):
        found["loss_params"] = _other_than(losses[spec.loss].parameters, spec.loss_params)
        if spec.data is not None:
            found = {name: found[name] for name in ("loss", "beta", "scale", "start", "loss_params", "mix")}
            return {name: value for name, value in found.items() if value != usual[name]}
        assert spec.noise is not None
        found["noise_params"] = _other_than(noises[spec.noise].parameters, spec.noise_params)
        if spec.sample_size is not None:
            found.pop("eval_size")
    return {name: value for name, value in found.items() if value != usual[name]}


def _other_than(usual: Mapping[str, float], given: Mapping[str, float] | None) -> dict[str, float] | None:
    return {name: value for name, value in (given or {}).items() if value != usual[name]} or None


def _count(seeds: tuple[int, ...]) -> int | None:
    """Return n for seeds 0 … n−1."""
    return len(seeds) if seeds == tuple(range(len(seeds))) else None
