"""One method's part of a chart: the median's line, the band over seeds, and the row of open triangles."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .axes import Array, Span
from .palette import Theme, style, translucent

Trace = dict[str, Any]

_MARKER_ROOM = 1.2  # a point this close to the top edge, as a factor, would be cut


@dataclass(frozen=True)
class Series:
    """What one method did, as arrays over the points of the x axis.

    Attributes
    ----------
    median, low, high
        Over the seeds; ∞ where there is none. A median that is not finite, or above the chart, is not drawn.
    flagged
        The points that get a triangle though their median may be drawn: some seeds failed.
    hover
        The text for each point; for a triangle as well.
    """

    method: str
    name: str
    x: Sequence[float]
    median: Array
    low: Array
    high: Array
    flagged: NDArray[np.bool_]
    hover: Sequence[str]

    def drawn(self, span: Span) -> NDArray[np.bool_]:
        return np.asarray(self.median <= span.high / _MARKER_ROOM)  # neither ∞ nor NaN

    def raised(self, span: Span) -> NDArray[np.bool_]:
        """Tell which points get a triangle."""
        return self.flagged | ~self.drawn(span)


def line(series: Series, span: Span, theme: Theme) -> Trace:
    """Return the line through the medians; points below the chart, zeros included, lie on its floor."""
    look = style(series.method, theme.name)
    drawn = series.drawn(span)
    return {
        **_scatter(series, "median"),
        "mode": "lines+markers",
        "x": list(series.x),
        "y": [span.clip(float(v)) if ok else None for v, ok in zip(series.median, drawn, strict=True)],
        "line": {"color": look.colour, "dash": look.dash, "width": 2.5},
        "marker": {"color": look.colour, "symbol": look.marker, "size": 9},
        "text": list(series.hover),
        "hovertemplate": "%{text}<extra></extra>",
    }


def band(series: Series, x_span: Span, span: Span, theme: Theme) -> Trace:
    """Return the range over seeds as polygons, one for each stretch of points that are drawn."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for stretch in _stretches(series.drawn(span) & (series.high > series.low)):
        x = [float(series.x[i]) for i in stretch]
        low = [span.clip(float(series.low[i])) for i in stretch]
        high = [span.clip(float(series.high[i])) for i in stretch]
        if len(stretch) == 1:  # a point has no width, so that its range would not be seen
            half = 10 ** (0.006 * x_span.decades)
            x, low, high = [x[0] / half, x[0] * half], 2 * low, 2 * high
        xs += [*x, *reversed(x), x[0], None]
        ys += [*low, *reversed(high), low[0], None]
    return {
        **_scatter(series, "band"),
        "mode": "lines",
        "x": xs[:-1],
        "y": ys[:-1],
        "fill": "toself",
        "fillcolor": translucent(style(series.method, theme.name).colour),
        "line": {"width": 0, "color": style(series.method, theme.name).colour},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def triangles(series: Series, row: int, span: Span, theme: Theme) -> Trace:
    """Return the open triangles of one method, on the axis of their own above the chart."""
    places = np.flatnonzero(series.raised(span)).tolist()
    return {
        **_scatter(series, "triangles"),
        "mode": "markers",
        "x": [series.x[i] for i in places],
        "y": [row] * len(places),
        "yaxis": "y2",
        "marker": open_triangle(style(series.method, theme.name).colour),
        "text": [series.hover[i] for i in places],
        "hovertemplate": "%{text}<extra></extra>",
        "cliponaxis": False,
        "showlegend": False,
    }


def open_triangle(colour: str) -> dict[str, Any]:
    return {"symbol": "triangle-up-open", "size": 10, "color": colour, "line": {"width": 2, "color": colour}}


def _scatter(series: Series, part: str) -> Trace:
    # A fixed uid keeps zoom and hidden curves over live updates; the meta says whose point was clicked.
    return {
        "type": "scatter",
        "uid": f"{series.method}-{part}",
        "meta": series.method,
        "name": series.name,
        "legendgroup": series.method,
    }


def _stretches(mask: NDArray[np.bool_]) -> Iterator[list[int]]:
    """Yield the runs of consecutive true places."""
    places = np.flatnonzero(mask)
    if len(places):
        for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1):
            yield run.tolist()


def spread(values: Array, axis: int) -> tuple[Array, Array, Array]:
    """Return median, low and high over an axis; NaN counts as ∞."""
    counted = np.where(np.isnan(values), np.inf, values)
    with np.errstate(invalid="ignore", over="ignore"):  # halfway between two huge values may be ∞, between two ∞ is ∞
        median = np.median(counted, axis=axis)
    return np.where(np.isnan(median), math.inf, median), counted.min(axis=axis), counted.max(axis=axis)
