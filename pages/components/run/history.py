"""A visitor's runs: open one again, lay it over the run that is shown, or delete it."""

from __future__ import annotations

import time
from collections.abc import Mapping

import streamlit as st

from cvar_core import Result, SweepSpec
from cvar_core.catalogue import losses, methods, noises
from cvar_core.data import WAYS, Recipe
from cvar_core.figures import compare, without_title
from cvar_core.jobs import Entry
from cvar_core.results import Criterion
from cvar_core.specs import ProblemSpec, usual_methods

from ..asking.links import keep, recall
from ..drawing.chart import chart
from ..drawing.style import theme
from ..drawing.text import capital, plain
from .session import Session, Shown

_SIGNS = {
    "queued": ":material/hourglass_empty:",
    "running": ":material/sync:",
    "done": ":material/check_circle:",
    "failed": ":material/error:",
    "cancelled": ":material/stop_circle:",
    "interrupted": ":material/power_off:",
}


def draw(session: Session, shown: Shown | None, result: Result | None, by: Criterion) -> None:
    """List the visitor's runs; with a result, also what it can be compared with."""
    runs, page = session.history(), session.page
    if shown is not None and result is not None:
        _compare(session, runs, shown, result, by)
    elif not runs:
        st.caption("Runs that you make are listed here.")
    for run in runs:
        about, opens, deletes = st.columns([8, 2, 2], vertical_alignment="center")
        here = shown is not None and run.id == shown.spec.id
        status = f"{run.status} · {_ago(run)}{' · shown' if here else ''}"
        about.markdown(f"{_SIGNS[run.status]} {named(run)}  \n:gray[{status}]")
        opened = opens.button(
            "Open", key=f"{page}-open-{run.id}", width="stretch", disabled=here,
            on_click=session.open, args=(run,),
        )  # fmt: skip
        deleted = deletes.button(
            "Delete", key=f"{page}-delete-{run.id}", width="stretch", type="tertiary", icon=":material/delete:",
            on_click=session.manager.delete, args=(run.id, session.visitor),
        )  # fmt: skip
        if opened or deleted:
            st.rerun()  # the controls, too


def _compare(session: Session, runs: list[Entry], shown: Shown, result: Result, by: Criterion) -> None:
    page, others = session.page, {run.id: run for run in runs if run.id != shown.spec.id}
    if not others:
        st.caption("Runs that you make are listed here, to open again, to compare and to delete.")
        return
    key = f"{page}_compare"
    recall(key, others)
    kept = st.session_state.get(key)
    st.session_state[key] = kept if kept in others else None
    chosen = st.selectbox(
        "Compare the run above with", list(others), format_func=lambda run: named(others[run]), key=key,
        placeholder="another run", help="Lays its sensitivity curves over those of the run shown.",
    )  # fmt: skip
    keep(key, chosen, None)
    if chosen is None:
        return
    other = session.manager.view(others[chosen].spec, session.visitor)
    if other is None or other.result is None:
        st.caption("That run has no curves yet.")
        return
    figure, finding, about = without_title(compare(result, other.result, ("A", "B"), by=by, theme=theme()))
    st.markdown(f"**{finding}**")
    chart(figure, key=f"{page}-compare-chart", height=440, label=finding, name="compare")
    st.caption(f"A: {title(*shown)}. B: {named(others[chosen])}. {capital(about)}.")


def named(run: Entry) -> str:
    return title(run.spec, None if run.recipe is None else Recipe.from_json(run.recipe))


def title(spec: SweepSpec, recipe: Recipe | None = None) -> str:
    """Name a run by what sets it apart.

    >>> title(SweepSpec(ProblemSpec(beta=0.9), iterations=2_000, seeds=1))
    'squared loss, lognormal noise, β = 0.9, T = 2,000, 15 λ × 1 seed'
    """
    problem = spec.problem
    if problem.data is None:
        about, length = [_loss(problem), _noise(problem)], f"T = {spec.iterations:,}"
    else:
        about, length = [_data(recipe), _loss(problem)], f"{spec.iterations / problem.eval_size:.3g} passes"
    parts = [*about, f"β = {problem.beta:g}", length]
    parts.append(f"{len(spec.lambdas)} λ × {len(spec.seeds)} seed{'s' * (len(spec.seeds) > 1)}")
    usual = ProblemSpec()
    parts += [
        f"{word} = {getattr(problem, name):g}"
        for name, word in _WORDS.items()
        if getattr(problem, name) != getattr(usual, name) and (problem.data is None or name == "scale")
    ]
    if problem.mix is not None:
        parts.append(f"μ = {problem.mix:g}")
    if problem.start is not None:
        parts.append("θ from 0")
    if problem.data is None and problem.sample_size is not None:
        parts.append(f"n = {problem.sample_size:,}")
    if spec.methods != usual_methods(on_data=problem.data is not None):
        parts.append(" and ".join(methods[name].label for name in spec.methods))
    if spec.schedule != SweepSpec.schedule:
        parts.append(f"{spec.schedule} step")
    return ", ".join(parts)


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
    return plain(recipe.data + (f" ({', '.join(done)})" if done else ""), 80)


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


def _ago(run: Entry) -> str:
    minutes = (time.time() - run.created) / 60
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes:.0f} min ago"
    return f"{minutes / 60:.0f} h ago" if minutes < 2_880 else f"{minutes / 1_440:.0f} days ago"
