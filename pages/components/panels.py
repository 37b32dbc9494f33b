"""Below the charts: iterations to ε, the table with downloads, how to reproduce it, and the visitor's runs."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import streamlit as st

from cvar_core import Result, report, reproduce
from cvar_core.catalogue import methods
from cvar_core.data import sets
from cvar_core.figures import WORDS, iterations_to, without_title
from cvar_core.results import number

from . import history, measures
from .chart import charts, encoded
from .desk import Desk, Shown
from .kept import Kept
from .look import theme
from .words import capital

MEASURES, ITERATIONS, TABLE, REPRODUCE, RUNS = TITLES = (
    "Accuracy and test losses", "Iterations to ε", "Table and downloads", "Reproduce", "Your runs",
)  # fmt: skip

_pictures: Kept[tuple[str, bytes]] = Kept(128)  # of some 10 kB, for all visitors


def titles(desk: Desk) -> tuple[str, ...]:
    """Return the panels of a page: only data have rows to test on."""
    return TITLES if desk.on_data else TITLES[1:]


def draw(desk: Desk, run: Shown, closed: float, every: float | None) -> None:
    """Draw the panels of a run that has a result; only the open one is computed, and anew ``every`` so many seconds.

    The tabs stand outside of what is polled: they are five messages, as many as all else in it.
    """
    names = titles(desk)
    for panel, title in zip(
        st.tabs(names, key=f"{desk.page}_panel", on_change="rerun", bind="query-params"), names, strict=True
    ):
        if panel.open:
            with panel:
                st.fragment(_draw, run_every=every)(title, desk, run, closed)


def _draw(title: str, desk: Desk, run: Shown, closed: float) -> None:
    view = desk.manager.view(run.spec, desk.visitor)
    if view is None or view.result is None:
        st.rerun()  # it was deleted, which the page says
    page, result = desk.page, view.result
    if title == MEASURES:
        measures.draw(page, result, _chosen(page, result))
    elif title == ITERATIONS:
        _iterations(page, result, result.epsilon(closed))
    elif title == TABLE:
        _table(page, run, result, result.epsilon(closed), closed)
    elif title == REPRODUCE:
        _reproduce(run, closed)
    else:
        history.draw(desk, run, result, closed)


def _chosen(page: str, result: Result) -> float | None:
    """Return the λ that the visitor clicked, if it is of this grid."""
    at = st.session_state.get(f"{page}_at")
    return float(at) if at in map(repr, result.spec.lambdas) else None


def _iterations(page: str, result: Result, epsilon: float) -> None:
    chosen = _chosen(page, result)
    key, colours = f"{page}-iterations", theme()

    def picture() -> tuple[str, bytes]:
        figure, finding, about = without_title(iterations_to(result, epsilon, chosen=chosen, theme=colours))
        caption = f"{capital(about)}. The share of the gap in the sidebar changes ε."
        return finding, encoded(figure, key=key, height=400, label=finding, name="iterations", caption=caption)

    finding, drawn = _pictures.of(result, (key, epsilon, chosen, colours), picture)
    st.markdown(f"**{finding}**")
    charts([drawn], key=key)


def _table(page: str, run: Shown, result: Result, epsilon: float, closed: float) -> None:
    spec = result.spec
    rows = result.summary()
    rows["method"] = [methods[name].label for name in rows["method"]]
    rows["usable"] = (rows["status"] == "ok") & (rows["median"] <= epsilon)
    digits = st.column_config.NumberColumn(format="%.4g")
    st.dataframe(
        rows, hide_index=True, height=320, key=f"{page}-table",
        column_config={
            "method": "method", "lambda": st.column_config.NumberColumn("step size λ", format="%.4g"),
            "median": st.column_config.NumberColumn("median suboptimality", format="%.4g"),
            "low": digits, "high": digits,
            **{name: st.column_config.NumberColumn(WORDS[name], format=_format(name)) for name in result.measures},
        },
    )  # fmt: skip
    st.caption(
        f"After {result.at().iteration:,} iterations, over {_seeds(len(spec.seeds))}. "
        f"F* = {result.optimum.value:.6g}, ε = {number(epsilon)}. Click a column's head to sort."
    )
    name = f"cvar-{spec.id[:8]}"
    files = {
        "Curves (CSV)": (f"{name}-curves.csv", "text/csv", lambda: result.curves.to_csv(index=False)),
        "Summary (JSON)": (f"{name}-summary.json", "application/json", lambda: _json(result.to_dict(epsilon))),
        "Spec (JSON)": (f"{name}-spec.json", "application/json", lambda: _json(spec.to_dict())),
        "Report (HTML)": (
            f"{name}.html", "text/html",
            lambda: report.html(result, reproduce.command(spec, closed, run.recipe), epsilon),
        ),
    }  # fmt: skip
    with st.container(horizontal=True):
        for label, (file_name, kind, text) in files.items():
            st.download_button(
                label, text, file_name, kind, on_click="ignore", icon=":material/download:", key=f"{page}-{label}"
            )


def _reproduce(run: Shown, closed: float) -> None:
    spec, recipe = run
    st.markdown("In a terminal")
    st.code(reproduce.command(spec, closed, recipe), language="bash", wrap_lines=True)
    st.markdown("In Python")
    st.code(reproduce.python(spec, closed, recipe), language="python", wrap_lines=True)
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
