"""Updates of a method, one figure each: F and the model along the step, and F after each update."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...catalogue import methods
from ...lessons.models import Update, sliced
from ..axes import Span, linear_axis, log_axis
from ..frame import Figure
from ..palette import TEXT_SIZE, Theme, style, theme_named, translucent
from .model_parts import Trace, bare_layout, short, small_axis, still

_CLIFF = 8.0  # a rise in F that is more than so many times the promised fall leaves a cut at its upper edge
_LOG = 20.0  # F's largest value over its smallest from which its axis is logarithmic


def model_slices(path: Sequence[Update], *, theme: str = "light") -> list[Figure]:
    """Draw F and a method's model along each of its steps: 0 is here, 1 the next point."""
    look = theme_named(theme)
    return [_slice(step, look) for step in path]


def _slice(step: Update, look: Theme) -> Figure:
    if not step.finite:
        return {"data": [], "layout": _slice_layout((0.0, 1.0), look)}
    colour, _, marker = style(step.method, look.name)
    cut = sliced(step)
    next_one, ends = int(np.searchsorted(cut.share, 1.0)), np.searchsorted(cut.fine, [0.0, 1.0])
    (start, end), promised, least = cut.objective[ends].tolist(), float(cut.model[next_one]), step.model + step.proximal
    low = min(float(cut.objective[ends[0] : ends[1] + 1].min()), promised)
    top = start + _CLIFF * max(start - low, 1e-9 * abs(start) + 1e-12)
    over = end > top
    high = max(start, least, top if over else end)
    high = max(high, low + 1e-9 * max(abs(low), 1.0))
    pad = 0.16 * (high - low)
    shown_end = high + 0.6 * pad if over else end
    kinks = [(kink, float(np.interp(kink, cut.fine, cut.seen))) for kink in cut.kinks]
    share, fine = cut.share.round(4).tolist(), cut.fine.round(4).tolist()
    traces = [
        _line("objective", fine, short(cut.objective, high - low), {"width": 5, "color": translucent(look.quiet, 0.6)}),
        _line("model", share, short(cut.model, high - low), {"width": 2.5, "dash": "dash", "color": colour}),
        _line("penalised", share, short(cut.penalised, high - low), {"width": 2, "dash": "dot", "color": colour}),
    ]
    if step.setup.samples > 1:  # else F is the sample's own
        traces.insert(1, _line("sampled", fine, short(cut.seen, high - low), {"width": 1.5, "color": look.text}))
    traces += [
        {
            **still("missed"),  # what the model had promised, and what came
            "mode": "lines",
            "x": [1.0, 1.0],
            "y": [promised, shown_end],
            "line": {"width": 1.5, "color": colour},
        },
        {
            **still("kink"),
            "mode": "markers+text",
            "x": [round(x, 4) for x, _ in kinks],
            "y": [y for _, y in kinks],
            "text": ["kink"] * len(kinks),
            "textposition": "bottom center",
            "textfont": {"size": TEXT_SIZE - 2, "color": look.text},
            "marker": {
                "opacity": 1, "size": 9, "symbol": "circle", "color": look.surface,
                "line": {"width": 2, "color": look.text},
            },
        },
        {
            **still("points"),
            "mode": "markers",
            "x": [0.0, 1.0, 1.0],
            "y": [start, least, shown_end],
            "marker": {
                "opacity": 1,
                "size": [12, 10, 12],
                "symbol": ["circle", marker, "triangle-up" if over else marker],
                "color": [look.text, look.surface, colour],
                "line": {"width": [1.5, 2, 1.5], "color": [look.surface, colour, look.surface]},
            },
        },
    ]  # fmt: skip
    return {"data": traces, "layout": _slice_layout((low - 1.6 * pad, high + pad), look)}


def _line(uid: str, x: list[float], y: list[float], line: dict[str, Any]) -> Trace:
    return {**still(uid), "mode": "lines", "x": x, "y": y, "line": line}


def objectives(paths: Mapping[str, Sequence[Update]], count: int, *, theme: str = "light") -> list[Figure]:
    """Draw F after each update of every method, up to each of the first ``count``."""
    look = theme_named(theme)
    values = {name: [path[0].before, *(step.after for step in path if step.finite)] for name, path in paths.items()}
    every = [value for each in values.values() for value in each]
    low, high = min(every), max(every)
    layout = {
        **bare_layout(look),
        "margin": {"l": 64, "r": 16, "t": 34, "b": 48},
        "xaxis": {**linear_axis("updates taken", (-0.3, count + 0.3), look), "automargin": False, "dtick": 5},
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": TEXT_SIZE}},
    }
    least = max(low, 1e-9 * high, 1e-300)
    if high > _LOG * least:
        layout["yaxis"] = log_axis("F", Span(least, high).around(0.06), look, most_ticks=5)
    else:
        room = 0.08 * (high - low) or 1.0
        layout["yaxis"] = linear_axis("F", (low - room, high + room), look)
    layout["yaxis"]["automargin"] = False
    return [
        {"data": [_falling(name, each[: k + 2], look) for name, each in values.items()], "layout": layout}
        for k in range(count)
    ]


def _falling(name: str, values: Sequence[float], look: Theme) -> Trace:
    colour, dash, marker = style(name, look.name)
    return {
        "type": "scatter",
        "uid": name.replace("+", "-plus"),  # plotly makes it a selector
        "name": methods[name].label,
        "mode": "lines+markers",
        "x": list(range(len(values))),
        "y": [float(f"{max(value, 1e-300):.5g}") for value in values],
        "line": {"width": 2.5, "dash": dash, "color": colour},
        "marker": {"size": 7, "symbol": marker, "color": colour},
        "hovertemplate": f"{methods[name].label} after %{{x}} updates: F = %{{y:.4g}}<extra></extra>",
    }


def _slice_layout(side: tuple[float, float], look: Theme) -> dict[str, Any]:
    ticks = {"tickvals": [0, 1], "ticktext": ["here", "next"]}
    return {
        **bare_layout(look),
        "margin": {"l": 54, "r": 8, "t": 6, "b": 26},
        "xaxis": {**small_axis("", (-0.4, 1.8), look), **ticks},
        "yaxis": {**small_axis("", side, look), "nticks": 4},
    }
