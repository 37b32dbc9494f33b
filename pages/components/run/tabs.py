"""Below the charts: more charts, the table with downloads, how to reproduce it, and the visitor's runs."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import streamlit as st

from cvar_core import Result, report, reproduce
from cvar_core.catalogue import methods
from cvar_core.data import sets
from cvar_core.figures import WORDS
from cvar_core.jobs import View
from cvar_core.results import GAP, Criterion, counted, number

from ..asking.fields import Asked
from ..sending.live import live
from . import history, tail_tab
from .session import Session, Shown

MEASURES, TAIL, PARTS, ITERATIONS, STRICT, TABLE, REPRODUCE, RUNS = TITLES = (
    "How well it predicts", "Who is in the tail?", "Model and threshold", "Iterations to ε", "How strict?",
    "Table and downloads", "Reproduce", "Your runs",
)  # fmt: skip

_OF_DATA = (MEASURES, TAIL)
_LIVE = {
    MEASURES: "measures",
    PARTS: "parts",
    ITERATIONS: "iterations",
    STRICT: "strictness",
}  # by the name of their part of the stream


def titles(session: Session) -> tuple[str, ...]:
    """Return the panels of a page: only data have rows."""
    return tuple(title for title in TITLES if session.on_data or title not in _OF_DATA)


def draw(session: Session, run: Shown, view: View, by: Criterion, asked: Asked | None, at: float | None) -> bool:
    """Draw the tabs of a run: charts that the stream keeps up to date, and what else is as this script finds it.

    Return whether that depends on the step size of the curves, ``at``.
    """
    names, depends = titles(session), False
    for tab, title in zip(
        st.tabs(names, key=f"{session.page}_panel", on_change="rerun", bind="query-params"), names, strict=True
    ):
        if tab.open:
            with tab:
                if title == TAIL:
                    tail_tab.draw(session, view, by, asked, at)
                    depends = True
                else:
                    _draw(title, session, run, view, by)
    return depends


def _draw(title: str, session: Session, run: Shown, view: View, by: Criterion) -> None:
    page, result = session.page, view.result
    if title in _LIVE:
        part = _LIVE[title]
        live(
            "run", page, session.visitor, run.spec.id, part=part, key=f"{page}-live-{part}", page=page,
            settled=None,  # the charts above see to it
        )  # fmt: skip
    elif title == TABLE and result is not None:
        _table(page, run, result, by)
    elif title == TABLE:
        st.caption("The table is here when the run has ended.")
    elif title == REPRODUCE:
        _reproduce(run, by)
    else:
        history.draw(session, run)


def _table(page: str, run: Shown, result: Result, by: Criterion) -> None:
    spec, judged = result.spec, result.judged(by)
    done = bool((result.recorded == len(spec.checkpoint_iterations)).all())
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
        f"After {counted(judged.at().iteration, 'iteration')}, over {_seeds(len(spec.seeds))}. "
        f"F* = {result.optimum.value:.6g}, ε = {number(judged.epsilon)} for the median start. "
        f"{'' if done else 'It is drawn anew when the run ends. '}Click a column's head to sort. "
        "The files have both measures."
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
