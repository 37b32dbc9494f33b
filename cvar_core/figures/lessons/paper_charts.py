"""Small charts for a grid of them: what is the same in all, legend and titles, is said once beside the grid."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...results import GAP, Criterion, Result, decades
from ..frame import Figure, without_title
from ..iterations import iterations_to
from ..palette import TEXT_SIZE, glyph, ink, theme_named
from ..range_bars import AXIS
from ..sensitivity import HEIGHT_OF, sensitivity

HEIGHT = 270  # px

_DRAW: dict[str, Callable[..., Figure]] = {"suboptimality": sensitivity, "iterations": iterations_to}
_HEAD = 26  # px, for a line above a panel
_STRIP = 0.26  # of the height, for three rows of triangles
_TICKS = 5  # labels on an axis: there is room for no more
_LEGEND_OF_TRIANGLES = {
    "suboptimality": "diverged, or far above the start",
    "iterations": "ε not reached by every seed",
}
_READING = {
    "suboptimality": "Across: λ, dotted at 1. Height: final {height}; dashed: ε. Numbers: decades of λ forgiven.",
    "iterations": "Across: λ, dotted at 1. Height: iterations until the {gap} is at most ε. Numbers: the fewest.",
}

KINDS = tuple(_DRAW)


def panel(result: Result, kind: str, *, by: Criterion | None = None, theme: str = "light") -> tuple[Figure, str]:
    """Draw one panel, and return it without title and legend, and the title: what it shows.

    Parameters
    ----------
    kind
        "suboptimality" draws the final gap against λ, "iterations" how soon it is at most ε.
    by
        What counts as usable, and by which measure. Where the height is the gap, ε is a quiet dashed line. λ = 1 is a
        quiet upright one.
    """
    figure, finding, _ = without_title(_DRAW[_known(kind)](result, by=by, theme=theme))
    layout = figure["layout"]
    labels = [{**each, "text": each["text"].split(" = ")[0]} for each in layout["annotations"]]
    longest = max((len(each["text"]) for each in labels), default=1)
    small = {
        **layout,
        "showlegend": False,
        "margin": {
            "l": 10,
            "r": 22 if longest < 2 else 14 + round(0.6 * TEXT_SIZE * longest),
            "t": 6,
            "b": 4,
        },  # the axes make room for their labels
        "xaxis": _small(layout["xaxis"], "λ"),
        "yaxis": _small(layout["yaxis"], ""),
        "shapes": [*layout["shapes"], _upright(theme)],
        "annotations": labels,
    }
    return {"data": figure["data"], "layout": small}, finding


def headed(figure: Figure, about: str, result: Result, kind: str, by: Criterion, theme: str = "light") -> Figure:
    """Return a panel with a line above it: what it is about, and each method's number in its colour.

    So low a chart has no room for the bars that say the same as the numbers.
    """
    colours = theme_named(theme)
    told = "  ".join(
        f'<span style="color: {ink(name, theme)}"><b>{glyph(name)} {score}</b></span>'
        for name, score in scores(result, kind, by).items()
    )
    place = {"xref": "paper", "x": 0, "xanchor": "left", "xshift": -48, "yref": "paper", "y": 1, "yanchor": "bottom"}
    font = {"size": TEXT_SIZE, "color": colours.text}
    line = {"text": f"{about}  {told}", "showarrow": False, "align": "left", "font": font, "yshift": 3, **place}
    layout = {name: part for name, part in figure["layout"].items() if name != "yaxis3"}
    data = [trace for trace in figure["data"] if trace.get("yaxis") != AXIS]
    changed: dict[str, Any] = {
        "margin": {**layout["margin"], "t": _HEAD},
        "annotations": [*layout["annotations"], line],
        "xaxis": {**layout["xaxis"], "title": {"text": ""}, "anchor": "y"},  # it is said once beside the grid
        "yaxis": {**layout["yaxis"], "nticks": 3, "domain": [0, 1]},
    }
    if "yaxis2" in layout:  # rows of triangles, for which a low chart's usual share is too little
        strip = {"y0": 1 - _STRIP}
        changed |= {
            "yaxis": {**changed["yaxis"], "domain": [0, 1 - _STRIP]},
            "yaxis2": {**layout["yaxis2"], "domain": [1 - _STRIP, 1]},
            "shapes": [{**each, **strip} if each.get("yref") == "paper" else each for each in layout["shapes"]],
        }
    return {**figure, "data": data, "layout": {**layout, **changed}}


def scores(result: Result, kind: str, by: Criterion) -> dict[str, str]:
    """Return each method's number: the decades that it forgives, or how soon it reaches ε at best.

    Empty where the start leaves nothing to close.
    """
    judged = result.judged(by)
    if judged.nothing_to_close is not None:
        return {}
    if _known(kind) == "suboptimality":
        return {name: decades(found) for name, found in judged.forgiven.items()}
    soonest = np.median(judged.iterations(), axis=1).min(axis=1).tolist()
    counts = ("never" if math.isinf(count) else f"{count:,.0f}" for count in soonest)
    return dict(zip(result.spec.methods, counts, strict=True))


def reading_words(kind: str, measure: str) -> str:
    """Say how a panel is read: what height, line and band are."""
    return _READING[_known(kind)].format(height=HEIGHT_OF[measure], gap=GAP[measure])


def triangle_words(kind: str) -> str:
    """Say what an open triangle is."""
    return _LEGEND_OF_TRIANGLES[_known(kind)]


def _known(kind: str) -> str:
    if kind not in _DRAW:
        raise ValueError(f"kind is {kind!r}, but it must be one of {', '.join(_DRAW)}")
    return kind


def _small(axis: dict[str, Any], title: str) -> dict[str, Any]:
    words = {"text": title, "font": {"size": TEXT_SIZE}, "standoff": 2}
    return {**axis, "title": words, "nticks": min(axis["nticks"], _TICKS)}


def _upright(theme: str) -> dict[str, Any]:
    line = {"color": theme_named(theme).quiet, "width": 1, "dash": "dot"}
    ends = {"xref": "x", "x0": 1, "x1": 1, "yref": "paper", "y0": 0, "y1": 1}
    return {"type": "line", "layer": "below", "line": line, "opacity": 0.7, **ends}
