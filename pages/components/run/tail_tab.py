"""Who is in the tail? The worst rows at a run's model, at θ* and at the ordinary fit, and what sets them apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import streamlit as st
from torch import Tensor

from cvar_core import DataError, Dataset, Problem, ProblemSpec, Result
from cvar_core.catalogue import methods
from cvar_core.figures import Figure, loss_spread, tail_differences, weights, without_title
from cvar_core.jobs import View
from cvar_core.keeping import Kept
from cvar_core.results import Chosen, Criterion
from cvar_core.tails import FITS, MEAN, OPTIMUM, RUN, Columns, Tail, mean_fit, sentences

from ..asking.fields import Asked
from ..asking.links import keep, recall, say_again
from ..drawing.chart import chart
from ..drawing.style import theme
from ..drawing.text import capital, plain
from ..lessons.waiting import await_, glance
from ..sending.answers import Answers, answers
from .session import Session

KEYS = {"tail": methods.names(), "fit": FITS}  # in the URL

_ROWS, _FEATURES = 200, 30  # of the table on the page; the file has all
_HEIGHT, _TABLE = 400, 320  # px
_LONGEST = 500  # letters of a sentence: three columns may have long names


@dataclass(frozen=True)
class _Question:
    """The models of a run and of the ordinary fit; the rows are looked for when their turn comes, and not held."""

    chosen: Chosen
    rows: Callable[[], tuple[Dataset, Problem]] = field(compare=False)


class _OfProblem(NamedTuple):
    """What is the same for all step sizes of a problem, and at all levels."""

    mean: Tensor  # (dim,) the ordinary fit
    columns: Columns


class _Found(NamedTuple):
    run: Tensor  # (dim,)
    of_problem: _OfProblem


def draw(session: Session, view: View, by: Criterion, asked: Asked | None, at: float | None) -> None:
    """Draw the tail of the run with the chosen method, at the curves' λ or the one that is recommended."""
    result = view.result
    if view.status != "done" or result is None:
        st.caption("The rows are here when the run has ended.")
        return
    if asked is None or asked.rows is None:
        st.caption("To see its rows, choose the data of this run again, with its settings.")
        return
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    with left:
        method = _ask_method(session.page, result, by)
    chosen = Chosen.of(result, method, at, by=by)
    question = _Question(chosen, asked.rows)
    found = glance(_fits(), question)
    if found is None:
        st.caption("The run is followed once more to its model, and the ordinary fit is solved for …")
        await_(_fits(), question)
        return
    try:
        data, problem = asked.rows()
    except DataError as why:
        st.caption(f"{plain(capital('; '.join(why.sentences)))}.")
        return
    thetas = {RUN: found.run, OPTIMUM: result.optimum.theta, MEAN: found.of_problem.mean}
    tail = Tail(data, problem, chosen, thetas, found.of_problem.columns)
    with right:
        fit = _ask_fit(session.page, tail)
    _draw(session.page, tail, fit)


def _ask_method(page: str, result: Result, by: Criterion) -> str:
    key, drawn, names = f"{page}_tail", f"{page}-tail-of", result.spec.methods
    usual = Chosen.of(result, by=by).method
    recall(key, names)
    if st.session_state.get(drawn, result.spec.id) != result.spec.id or st.session_state.get(key) not in names:
        st.session_state[key] = usual  # what was chosen for another run says nothing of this one
    st.session_state[drawn] = result.spec.id
    say_again(key, usual)
    method = st.selectbox(
        "Method", names, key=key, format_func=lambda name: methods[name].label,
        help="At the λ of the curves above; where those are at each method's best, at the one recommended.",
    )  # fmt: skip
    keep(key, method, usual)
    return method


def _fits() -> Answers[_Question, _Found]:
    """Return the models that were asked for: few numbers each, and nothing of anybody's rows."""
    return answers("tail", _solve, _name, kept=16)


def _name(question: _Question) -> str:
    spec, *others = vars(question.chosen).values()
    return ":".join((spec.id, *map(repr, others)))


_known: Kept[ProblemSpec, _OfProblem] = Kept(16)


def _solve(question: _Question) -> _Found:
    data, problem = question.rows()

    def look() -> _OfProblem:
        return _OfProblem(mean_fit(problem).theta, Columns.of(data.x))

    return _Found(question.chosen.end(problem).theta, _known.get(replace(problem.spec, beta=0.0), look))


def _ask_fit(page: str, tail: Tail) -> str:
    key = f"{page}_fit"
    recall(key, tail.fits, tail.fits[0])
    if st.session_state[key] not in tail.fits:
        st.session_state[key] = tail.fits[0]
    names = {name: tail.labels[name] for name in tail.fits}
    fit = st.segmented_control("Worst rows of", list(names), key=key, required=True, format_func=names.__getitem__)
    keep(key, str(fit), tail.fits[0])
    return str(fit)


def _draw(page: str, tail: Tail, fit: str) -> None:
    first, *others = (f"{plain(words, _LONGEST)}." for words in sentences(tail, fit))
    st.markdown(f"**{first}** {' '.join(others)}")
    _chart(page, "losses", loss_spread(tail, theme=theme()))
    if tail.worst[fit].count < tail.data.shape[0] and fit not in tail.flat:
        with st.container(key="charts"):
            left, right = st.columns(2)
        with left:
            _chart(page, "differences", tail_differences(tail, fit, theme=theme()))
        with right:
            _chart(page, "weights", weights(tail, theme=theme()))
    else:
        _chart(page, "weights", weights(tail, theme=theme()))
    _tables(page, tail, fit)


def _chart(page: str, name: str, figure: Figure) -> None:
    drawn, title, about = without_title(figure)
    chart(
        drawn, key=f"{page}-tail-{name}", height=_HEIGHT, label=title, name=name, title=title,
        caption=f"{capital(about)}.",
    )  # fmt: skip


def _tables(page: str, tail: Tail, fit: str) -> None:
    digits = st.column_config.NumberColumn(format="%.5g")
    worst = tail.worst[fit]
    rows = tail.rows(fit, _ROWS, _FEATURES)
    told = dict.fromkeys(rows.select_dtypes("float"), digits)
    st.dataframe(rows, hide_index=True, height=_TABLE, key=f"{page}-tail-rows", column_config=told)
    shown = f"The worst {len(rows):,} of {worst.count:,} rows" if worst.count > len(rows) else "The worst rows"
    above = f" A prediction above 0 says {plain(tail.positive)}." if tail.classes else ""
    st.caption(
        f"{shown}, by their numbers in the file, with the columns first that differ most; values are in the file's "
        f"own units.{above} {_start(tail)}."
    )
    name = f"cvar-{tail.chosen.spec.id[:8]}-tail"
    with st.container(horizontal=True):
        _download(page, "Worst rows (CSV)", f"{name}.csv", lambda: tail.csv(fit))
        _download(
            page, "Coefficients (CSV)", f"{name}-coefficients.csv", lambda: tail.coefficients().to_csv(index=False)
        )
    with st.expander("Coefficients side by side"):
        coefficients = tail.coefficients()
        told = dict.fromkeys(coefficients.columns[1:], digits)
        st.dataframe(coefficients[:_ROWS], hide_index=True, height=_TABLE, column_config=told)
        unit = "of one standard deviation of its column" if tail.data.scaled else "of 1 in its column"
        st.caption(f"Each is what a step {unit} adds to the prediction.")


def _start(tail: Tail) -> str:
    seeds = len(tail.chosen.spec.seeds)
    middle = f", which of {seeds} ends with the median risk" if seeds > 1 else ""
    return f"The run is that from start {tail.chosen.seed}{middle}"


def _download(page: str, label: str, name: str, text: Callable[[], str]) -> None:
    st.download_button(
        label, text, name, "text/csv", on_click="ignore", icon=":material/download:", key=f"{page}-{label}"
    )
