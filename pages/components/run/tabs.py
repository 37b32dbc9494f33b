"""Below the charts: iterations to ε, the table with downloads, how to reproduce it, and the visitor's runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from urllib.parse import urlencode

import streamlit as st

from cvar_core import Result, report, reproduce
from cvar_core.catalogue import methods
from cvar_core.data import sets
from cvar_core.figures import WORDS, Figure, iterations_to, parts, without_title
from cvar_core.results import GAP, Criterion, number

from ..drawing.chart import charts, encoded
from ..drawing.style import theme
from ..drawing.text import capital, plain
from ..sending.kept import Kept
from . import data_tab as measures
from . import history
from .session import Desk, Shown

MEASURES, PARTS, ITERATIONS, TABLE, REPRODUCE, RUNS = TITLES = (
    "Accuracy and test losses", "Model and threshold", "Iterations to ε", "Table and downloads", "Reproduce",
    "Your runs",
)  # fmt: skip

_pictures: Kept[tuple[str, bytes]] = Kept(128)  # of some 10 kB, for all visitors


def titles(desk: Desk) -> tuple[str, ...]:
    """Return the panels of a page: only data have rows to test on."""
    return TITLES if desk.on_data else TITLES[1:]


def draw(desk: Desk, run: Shown, by: Criterion, every: float | None) -> None:
    """Draw the panels of a run that has a result; only the open one is computed, and anew ``every`` so many seconds.

    The tabs stand outside of what is polled: they are five messages, as many as all else in it.
    """
    names = titles(desk)
    for panel, title in zip(
        st.tabs(names, key=f"{desk.page}_panel", on_change="rerun", bind="query-params"), names, strict=True
    ):
        if panel.open:
            with panel:
                st.fragment(_draw, run_every=every)(title, desk, run, by)


def _draw(title: str, desk: Desk, run: Shown, by: Criterion) -> None:
    view = desk.manager.view(run.spec, desk.visitor)
    if view is None or view.result is None:
        st.rerun()  # it was deleted, which the page says
    page, result = desk.page, view.result
    if title == MEASURES:
        measures.draw(page, result, _chosen(page, result))
    elif title == PARTS:
        _parts(page, result, by)
    elif title == ITERATIONS:
        _iterations(page, result, by)
    elif title == TABLE:
        _table(page, run, result, by)
    elif title == REPRODUCE:
        _reproduce(run, by)
    else:
        history.draw(desk, run, result, by)


def _chosen(page: str, result: Result) -> float | None:
    """Return the λ that the visitor clicked, if it is of this grid."""
    at = st.session_state.get(f"{page}_at")
    return float(at) if at in map(repr, result.spec.lambdas) else None


def _parts(page: str, result: Result, by: Criterion) -> None:
    chosen = _chosen(page, result)
    lambdas = None if chosen is None else dict.fromkeys(result.spec.methods, chosen)
    where = "Each method at its best λ" if chosen is None else f"At λ = {number(chosen)}"
    caption = (
        f"{where}, on the evaluation points. F̃(θ̄, ᾱ) − F* is the sum of two parts: how far the CVaR of the model θ̄ is "
        "above the best (filled), "
        "and what its threshold ᾱ adds because it is not at VaR (open, pale). Whoever deploys θ̄ lives with the first"
    )
    _picture(
        page, "parts", result, (by.measure, chosen),
        lambda colours: parts(result, lambdas, measure=by.measure, theme=colours), caption,
    )  # fmt: skip


def _iterations(page: str, result: Result, by: Criterion) -> None:
    chosen = _chosen(page, result)
    _picture(
        page, "iterations", result, (by, chosen),
        lambda colours: iterations_to(result, by=by, chosen=chosen, theme=colours),
        "The share of the gap in the sidebar changes ε",
    )  # fmt: skip


def _picture(
    page: str, name: str, result: Result, about: Hashable, draw_in: Callable[[str], Figure], caption: str
) -> None:
    """Draw a chart below its finding, or send again what was drawn of the same result before."""
    key, colours = f"{page}-{name}", theme()

    def picture() -> tuple[str, bytes]:
        figure, finding, words = without_title(draw_in(colours))
        told = ". ".join(filter(None, (capital(words), caption)))
        return finding, encoded(figure, key=key, height=400, label=finding, name=name, caption=f"{told}.")

    finding, drawn = _pictures.of(result, (key, about, colours), picture)
    st.markdown(f"**{plain(finding)}**")
    charts([drawn], key=key)


def _table(page: str, run: Shown, result: Result, by: Criterion) -> None:
    spec, judged = result.spec, result.judged(by)
    rows = result.summary(by.measure)
    rows["method"] = [methods[name].label for name in rows["method"]]
    rows["usable"] = [f"{count} of {len(spec.seeds)}" for count in judged.usable.ravel()]
    digits = st.column_config.NumberColumn(format="%.4g")
    st.dataframe(
        rows, hide_index=True, height=320, key=f"{page}-table",
        column_config={
            "method": "method", "lambda": st.column_config.NumberColumn("step size λ", format="%.4g"),
            "median": st.column_config.NumberColumn(f"median {GAP[by.measure]}", format="%.4g"),
            "low": digits, "high": digits, "usable": "usable for starts",
            **{name: st.column_config.NumberColumn(WORDS[name], format=_format(name)) for name in result.measures},
        },
    )  # fmt: skip
    st.caption(
        f"After {judged.at().iteration:,} iterations, over {_seeds(len(spec.seeds))}. "
        f"F* = {result.optimum.value:.6g}, ε = {number(judged.epsilon)} for the median start. "
        "Click a column's head to sort. The files have both measures."
    )
    name = f"cvar-{spec.id[:8]}"
    files = {
        "Curves (CSV)": (f"{name}-curves.csv", "text/csv", lambda: result.curves.to_csv(index=False)),
        "Summary (JSON)": (f"{name}-summary.json", "application/json", lambda: _json(result.to_dict(by))),
        "Spec (JSON)": (f"{name}-spec.json", "application/json", lambda: _json(spec.to_dict())),
        "Report (HTML)": (
            f"{name}.html", "text/html",
            lambda: report.html(result, reproduce.command(spec, by, run.recipe), by),
        ),
    }  # fmt: skip
    with st.container(horizontal=True):
        for label, (file_name, kind, text) in files.items():
            st.download_button(
                label, text, file_name, kind, on_click="ignore", icon=":material/download:", key=f"{page}-{label}"
            )


def _reproduce(run: Shown, by: Criterion) -> None:
    spec, recipe = run
    st.markdown("In a terminal")
    st.code(reproduce.command(spec, by, recipe), language="bash", wrap_lines=True)
    st.markdown("In Python")
    st.code(reproduce.python(spec, by, recipe), language="python", wrap_lines=True)
    others = "" if recipe is None or recipe.data in sets else "; who else opens it has to upload the same file"
    st.markdown(f"In a browser: the same controls and, on this server, the same result at once{others}")
    st.code(_link(), language=None, wrap_lines=True)


def _format(measure: str) -> str:
    return "percent" if measure.endswith("accuracy") else "%.4g"


def _link() -> str:
    query = urlencode([(name, value) for name in st.query_params for value in st.query_params.get_all(name)])
    address = (st.context.url or "").split("?")[0]
    return f"{address}?{query}" if query else address


def _seeds(count: int) -> str:
    return f"{count} seeds" if count > 1 else "one seed"


def _json(value: object) -> str:
    return json.dumps(value, indent=2, allow_nan=False) + "\n"
