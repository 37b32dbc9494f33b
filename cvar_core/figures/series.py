"""One method's part of a chart: the median's line, the band over seeds, and the row of open triangles.

What can be clicked carries its method as ``meta``; all else skips hovering, and with it plotly's clicks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .axes import Array, Span
from .palette import PALE, Theme, style, translucent

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
    second
        Whether this is the run that another one is compared with: drawn thinner, paler and with open markers.
    said
        The same in a word or two for each point, where a page says it above the chart.
    """

    method: str
    name: str
    x: Sequence[float]
    median: Array
    low: Array
    high: Array
    flagged: NDArray[np.bool_]
    hover: Sequence[str]
    second: bool = False
    said: Sequence[str] = ()

    def drawn(self, span: Span) -> NDArray[np.bool_]:
        return np.asarray(self.median <= span.high / _MARKER_ROOM)  # neither ∞ nor NaN

    def raised(self, span: Span) -> NDArray[np.bool_]:
        """Tell which points get a triangle."""
        return self.flagged | ~self.drawn(span)


def line(series: Series, span: Span, theme: Theme) -> Trace:
    """Return the line through the medians; points below the chart, zeros included, lie on its floor."""
    look = style(series.method, theme.name)
    colour = translucent(look.colour, PALE) if series.second else look.colour
    symbol = f"{look.marker}-open" if series.second else look.marker
    return {
        **_scatter(series, "median"),
        "mode": "lines+markers",
        "x": list(series.x),
        "y": heights(series, span),
        "line": {"color": colour, "dash": look.dash, "width": 1.5 if series.second else 2.5},
        "marker": {"color": look.colour, "symbol": symbol, "size": 9},
        "text": list(series.hover),
        "hovertemplate": "%{text}<extra></extra>",
        **({"customdata": list(series.said)} if series.said else {}),
    }


def heights(series: Series, span: Span) -> list[float | None]:
    """Return where each median is drawn; ``None`` where it is not."""
    clipped = series.median.clip(*span).tolist()
    return [height if shown else None for height, shown in zip(clipped, series.drawn(span).tolist(), strict=True)]


def band(series: Series, x_span: Span, span: Span, theme: Theme) -> Trace:
    """Return the range over seeds as polygons, one for each stretch of points that are drawn."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    lows, highs = series.low.clip(*span).tolist(), series.high.clip(*span).tolist()
    for start, stop in _stretches(series.drawn(span) & (series.high > series.low)):
        x, low, high = list(series.x[start:stop]), lows[start:stop], highs[start:stop]
        if len(x) == 1:  # a point has no width, so that its range would not be seen
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


def starts(series: Series, gaps: Array, span: Span, theme: Theme) -> Trace:
    """Return every start's own line, of gaps (starts, points), faint; what is off the chart is left out."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for one in gaps:
        shown = one <= span.high / _MARKER_ROOM
        xs += [*series.x, None]
        ys += [
            height if seen else None for height, seen in zip(one.clip(*span).tolist(), shown.tolist(), strict=True)
        ] + [None]
    return {
        **_scatter(series, "starts"),
        "mode": "lines",
        "x": xs[:-1],
        "y": ys[:-1],
        "line": {"width": 1, "color": translucent(style(series.method, theme.name).colour, 0.35)},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def end_bars(method: str, ends: Sequence[tuple[float, float]], height: float, theme: Theme) -> Trace:
    """Return thick short bars at one height, from the low to the high of each end."""
    return {
        "type": "scatter",
        "uid": f"{method}-ends",
        "meta": method,
        "name": method,
        "legendgroup": method,
        "mode": "lines",
        "x": [x for low, high in ends for x in (low, high, None)][:-1],
        "y": [y for _ in ends for y in (height, height, None)][:-1],
        "line": {"width": 5, "color": style(method, theme.name).colour},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def triangles(series: Series, row: float, span: Span, theme: Theme) -> Trace:
    """Return the open triangles of one method, on the axis of their own above the chart."""
    places = np.flatnonzero(series.raised(span)).tolist()
    return {
        **_scatter(series, "triangles"),
        "mode": "markers",
        "x": [series.x[i] for i in places],
        "y": [row] * len(places),
        "yaxis": "y2",
        "marker": open_triangle(style(series.method, theme.name).colour, pale=series.second),
        "text": [series.hover[i] for i in places],
        "hovertemplate": "%{text}<extra></extra>",
        "cliponaxis": False,
        "showlegend": False,
    }


def open_triangle(colour: str, *, pale: bool = False) -> dict[str, Any]:
    colour = translucent(colour, PALE) if pale else colour
    width, size = (1.5, 8) if pale else (2, 10)
    return {"symbol": "triangle-up-open", "size": size, "color": colour, "line": {"width": width, "color": colour}}


def ring(method: str, part: str, x: float, height: float | None, size: int, theme: Theme) -> Trace:
    """Return a ring around a method's point; the point below it stays the one that is hovered and clicked."""
    return {
        "type": "scatter",
        "uid": f"{method}-{part}",
        "name": "chosen",
        "legendgroup": method,  # a hidden method takes its ring along
        "mode": "markers",
        "x": [x],
        "y": [height],
        "marker": {
            "symbol": "circle-open",
            "size": size,
            "color": theme.text,
            "line": {"width": 2, "color": theme.text},
        },
        "hoverinfo": "skip",
        "showlegend": False,
        "cliponaxis": False,
    }


def _scatter(series: Series, part: str) -> Trace:
    # A fixed uid keeps zoom and hidden curves over live updates; the meta says whose point was clicked.
    return {
        "type": "scatter",
        "uid": f"{series.method}-second-{part}" if series.second else f"{series.method}-{part}",
        "meta": series.method,
        "name": series.name,
        "legendgroup": series.method,
    }


def _stretches(mask: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Yield first and one past the last place of each run of true ones."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]))).tolist()
    yield from zip(edges[::2], edges[1::2], strict=True)
