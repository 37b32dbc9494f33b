"""The class as a picture: what visitors waited for, what the server took, and when faults happened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .ledger import Ledger
from .verdict import Verdict

_BLUE, _ORANGE, _GREEN, _GREY = "#0072B2", "#D55E00", "#009E73", "#8a9099"
_WAITS = {"page open": _GREY, "first chart": _BLUE, "changed run": _ORANGE, "changed λ": _GREEN}
_TAKEN = (
    ("2", "megabytes", "memory", _BLUE), ("3", "threads", "threads", _ORANGE), ("3", "handles", "open files", _GREEN),
)  # fmt: skip
_SECONDS = [0.01, 0.1, 1, 10, 100]
_CROWDED = 20  # faults whose names need more room than a slant leaves
_PANELS = ("seconds that a visitor waited", "memory, MB", "threads and open files")


def figure(ledger: Ledger, verdict: Verdict, title: str) -> dict[str, Any]:
    """Return plotly's figure as plain data; time is in minutes."""
    data: list[dict[str, Any]] = []
    for what, colour in _WAITS.items():
        some = [each for each in ledger.waits if each.what == what]
        data.append({
            "type": "scattergl", "mode": "markers", "name": what, "x": [each.at / 60 for each in some],
            "y": [each.seconds for each in some], "marker": {"size": 4, "color": colour, "opacity": 0.6},
        })  # fmt: skip
    for axis, field, name, colour in _TAKEN:
        times, values = _broken(ledger, field)
        data.append({
            "type": "scatter", "mode": "lines", "name": name,
            "x": times, "y": values, "yaxis": f"y{axis}", "line": {"color": colour, "width": 1.5},
        })  # fmt: skip
    shapes: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    for fault in ledger.happened:
        shapes.append({
            "type": "rect", "x0": fault.begun / 60, "x1": fault.ended / 60, "y0": 0, "y1": 1, "yref": "paper",
            "fillcolor": "#c0392b", "opacity": 0.16, "line": {"width": 0}, "layer": "below",
        })  # fmt: skip
        notes.append({
            "text": fault.kind, "x": fault.begun / 60, "y": 1, "yref": "paper", "yanchor": "bottom", "xanchor": "left",
            "textangle": -90 if len(ledger.happened) > _CROWDED else -55, "showarrow": False,
            "font": {"size": 10, "color": "#7a2018"},
        })  # fmt: skip
    words = "all is well" if verdict.good else "; ".join(verdict.wrong)
    axes = {
        f"yaxis{number}": {"domain": domain, "title": {"text": panel, "font": {"size": 12}}, "gridcolor": "#e6e9ec"}
        for number, domain, panel in zip(("", "2", "3"), ([0.56, 1], [0.29, 0.52], [0, 0.25]), _PANELS, strict=True)
    }
    axes["yaxis"] |= {"type": "log", "tickvals": _SECONDS, "ticktext": [f"{each:g}" for each in _SECONDS]}
    axes["yaxis2"] |= {"rangemode": "tozero"}
    axes["yaxis3"] |= {"rangemode": "tozero"}
    return {
        "data": data,
        "layout": {
            **axes, "shapes": shapes, "annotations": notes, "height": 900,
            "margin": {"t": 150, "l": 70, "r": 30, "b": 60},
            "title": {"text": f"{title}: {words}", "y": 0.98, "yanchor": "top", "x": 0.03, "font": {"size": 16}},
            "xaxis": {"title": {"text": "minutes"}, "anchor": "y3", "gridcolor": "#e6e9ec", "zeroline": False},
            "legend": {"orientation": "h", "y": -0.09}, "plot_bgcolor": "white", "font": {"family": "sans-serif"},
        },
    }  # fmt: skip


def write(drawn: dict[str, Any], path: Path) -> None:
    """Write it as a page that needs nothing else."""
    import plotly.io

    path.write_text(plotly.io.to_html(drawn, include_plotlyjs=True, validate=False), "utf-8")


def _broken(ledger: Ledger, name: str) -> tuple[list[float | None], list[float | None]]:
    """Return the course of a figure, with a gap where one server ends and the next begins."""
    times: list[float | None] = []
    values: list[float | None] = []
    before = None
    for sample in ledger.samples:
        if before not in (None, sample.pid):
            times.append(None)
            values.append(None)
        times.append(sample.at / 60)
        values.append(getattr(sample, name))
        before = sample.pid
    return times, values
