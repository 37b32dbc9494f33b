"""Below the charts: iterations to ε, the table with downloads, how to reproduce it, and the visitor's runs."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import streamlit as st

from cvar_core import Result, SweepSpec, report, reproduce
from cvar_core.catalogue import methods
from cvar_core.figures import iterations_to, without_title
from cvar_core.jobs import Manager
from cvar_core.results import number

from . import history
from .chart import charts, encoded
from .controls import Controls
from .kept import Kept
from .look import theme
from .words import capital

TITLES = ("Iterations to ε", "Table and downloads", "Reproduce", "Your runs")

_pictures: Kept[tuple[str, bytes]] = Kept(128)  # of some 10 kB, for all visitors


def draw(
    page: str,
    manager: Manager,
    visitor: str,
    controls: Controls,
    spec: SweepSpec,
    closed: float,
    every: float | None,
) -> None:
    """Draw the panels of a run that has a result; only the open one is computed, and anew ``every`` so many seconds.

    The tabs stand outside of what is polled: they are five messages, as many as all else in it.
    """
    panels = st.tabs(TITLES, key=f"{page}_panel", on_change="rerun", bind="query-params")
    for panel, title in zip(panels, TITLES, strict=True):
        if panel.open:
            with panel:
                st.fragment(_draw, run_every=every)(title, page, manager, visitor, controls, spec, closed)


def _draw(
    title: str, page: str, manager: Manager, visitor: str, controls: Controls, spec: SweepSpec, closed: float
) -> None:
    view = manager.view(spec, visitor)
    if view is None or view.result is None:
        st.rerun()  # it was deleted, which the page says
    result = view.result
    if title == TITLES[0]:
        _iterations(page, result, result.epsilon(closed))
    elif title == TITLES[1]:
        _table(page, result, result.epsilon(closed), closed)
    elif title == TITLES[2]:
        _reproduce(spec, closed)
    else:
        history.draw(page, manager, visitor, controls, spec, result, closed)


def _iterations(page: str, result: Result, epsilon: float) -> None:
    at = st.session_state.get(f"{page}_at")
    chosen = float(at) if at in map(repr, result.spec.lambdas) else None
    key, colours = f"{page}-iterations", theme()

    def picture() -> tuple[str, bytes]:
        figure, finding, about = without_title(iterations_to(result, epsilon, chosen=chosen, theme=colours))
        caption = f"{capital(about)}. The share of the gap in the sidebar changes ε."
        return finding, encoded(figure, key=key, height=400, label=finding, name="iterations", caption=caption)

    finding, drawn = _pictures.of(result, (key, epsilon, chosen, colours), picture)
    st.markdown(f"**{finding}**")
    charts([drawn], key=key)


def _table(page: str, result: Result, epsilon: float, closed: float) -> None:
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
            f"{name}.html", "text/html", lambda: report.html(result, reproduce.command(spec, closed), epsilon),
        ),
    }  # fmt: skip
    with st.container(horizontal=True):
        for label, (file_name, kind, text) in files.items():
            st.download_button(
                label, text, file_name, kind, on_click="ignore", icon=":material/download:", key=f"{page}-{label}"
            )


def _reproduce(spec: SweepSpec, closed: float) -> None:
    st.markdown("In a terminal")
    st.code(reproduce.command(spec, closed), language="bash", wrap_lines=True)
    st.markdown("In Python")
    st.code(reproduce.python(spec, closed), language="python", wrap_lines=True)
    st.markdown("In a browser: the same controls and, on this server, the same result at once")
    st.code(_link(), language=None, wrap_lines=True)


def _link() -> str:
    query = urlencode([(name, value) for name in st.query_params for value in st.query_params.get_all(name)])
    address = (st.context.url or "").split("?")[0]
    return f"{address}?{query}" if query else address


def _seeds(count: int) -> str:
    return f"{count} seeds" if count > 1 else "one seed"


def _json(value: object) -> str:
    return json.dumps(value, indent=2, allow_nan=False) + "\n"
