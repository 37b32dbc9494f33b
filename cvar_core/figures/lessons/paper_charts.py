"""Small charts for a grid of them: what is the same in all, legend and titles, is said once beside the grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...results import GAP, Criterion, Result
from ..frame import Figure, without_title
from ..iterations import iterations_to
from ..palette import TEXT_SIZE, theme_named
from ..sensitivity import HEIGHT_OF, sensitivity

HEIGHT = 270  # px

_DRAW: dict[str, Callable[..., Figure]] = {"suboptimality": sensitivity, "iterations": iterations_to}
_TICKS = 5  # labels on an axis: there is room for no more
_LEGEND_OF_TRIANGLES = {
    "suboptimality": "diverged, or far above the start",
    "iterations": "ε not reached by every seed",
}
_READING = {
    "suboptimality": (
        "Height: final {height}, median and range over the seeds. Dashed: ε, and the points' floor. Dotted: λ = 1."
    ),
    "iterations": "Height: iterations until the {gap} is at most ε, median and range over the seeds. Dotted: λ = 1.",
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
