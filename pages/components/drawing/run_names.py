"""What a run is called: by what sets it apart."""

from __future__ import annotations

from collections.abc import Mapping

from cvar_core import SweepSpec
from cvar_core.catalogue import losses, methods, noises
from cvar_core.data import WAYS, Recipe
from cvar_core.specs import ProblemSpec, usual_methods

from .text import plain


def title(spec: SweepSpec, recipe: Recipe | None = None) -> str:
    """Name a run by what sets it apart, in Markdown.

    >>> title(SweepSpec(ProblemSpec(beta=0.9), iterations=2_000, seeds=1))
    'squared loss, lognormal noise, β = 0.9, T = 2,000, 15 λ × 1 seed'
    """
    if spec.problem.data is None:
        return ", ".join(parts(spec))
    name, *others = parts(spec, recipe)
    return ", ".join([plain(name, 80), *others])


def apart(spec: SweepSpec, recipe: Recipe | None, shown: SweepSpec, shown_recipe: Recipe | None) -> str:
    """Name a run by what it has that the run that is shown has not, in plain text.

    >>> apart(SweepSpec(ProblemSpec(beta=0.9), seeds=1), None, SweepSpec(ProblemSpec(), seeds=1), None)
    'β = 0.9'
    """
    here = parts(shown, shown_recipe)
    return ", ".join([part for part in parts(spec, recipe) if part not in here] or parts(spec, recipe))


def parts(spec: SweepSpec, recipe: Recipe | None = None) -> list[str]:
    """Return what sets a run apart, in plain text: the data or the loss first."""
    problem = spec.problem
    if problem.data is None:
        about, length = [_loss(problem), _noise(problem)], f"T = {spec.iterations:,}"
    else:
        about, length = [_data(recipe), _loss(problem)], f"{spec.iterations / problem.eval_size:.3g} passes"
    found = [*about, f"β = {problem.beta:g}", length]
    found.append(f"{len(spec.lambdas)} λ × {len(spec.seeds)} seed{'s' * (len(spec.seeds) > 1)}")
    usual = ProblemSpec()
    found += [
        f"{word} = {getattr(problem, name):g}"
        for name, word in _WORDS.items()
        if getattr(problem, name) != getattr(usual, name) and (problem.data is None or name == "scale")
    ]
    if problem.mix is not None:
        found.append(f"μ = {problem.mix:g}")
    if problem.start is not None:
        found.append("θ from 0")
    if problem.data is None and problem.sample_size is not None:
        found.append(f"n = {problem.sample_size:,}")
    if spec.methods != usual_methods(on_data=problem.data is not None):
        found.append(" and ".join(methods[name].label for name in spec.methods))
    if spec.schedule != SweepSpec.schedule:
        found.append(f"{spec.schedule} step")
    return found


_WORDS = {"dim": "d", "scale": "unit", "seed": "seed"}


def _data(recipe: Recipe | None) -> str:
    """Name the data, with what was done to them; a visitor gave the name, and may have chosen it with care."""
    if recipe is None:
        return "data"
    done = [] if recipe.target is None else [f"{recipe.target} predicted"]
    done += [] if recipe.holdout is None else [f"{100 * recipe.holdout:g}% held out"]
    done += [f"{len(names):,} column{'s' * (len(names) > 1)} {verb}" for names, verb in _columns(recipe) if names]
    done += [f"missing: {recipe.missing}"] * (recipe.missing != WAYS[0])
    done += ["standardised"] * recipe.standardise + ["target standardised"] * recipe.standardise_target
    done += ["intercept"] * recipe.intercept
    if recipe.positive is not None:
        done.append(f"{recipe.positive} against the rest")
    return recipe.data + (f" ({', '.join(done)})" if done else "")


def _columns(recipe: Recipe) -> tuple[tuple[tuple[str, ...], str], ...]:
    return (recipe.drop, "left out"), (recipe.keep, "put back"), (recipe.only, "used")


def _loss(problem: ProblemSpec) -> str:
    return f"{problem.loss} loss" + _changed(losses[problem.loss].parameters, problem.loss_params)


def _noise(problem: ProblemSpec) -> str:
    assert problem.noise is not None
    return f"{problem.noise} noise" + _changed(noises[problem.noise].parameters, problem.noise_params)


def _changed(usual: Mapping[str, float], given: Mapping[str, float] | None) -> str:
    changed = [f"{name} {value:g}" for name, value in (given or {}).items() if value != usual[name]]
    return f" ({', '.join(changed)})" if changed else ""
