"""What surrounds the data: title, legend, quiet reference lines and the strip of triangles above the chart.

A figure is a plain dict in plotly's JSON form, because building ``go.Figure`` costs thirty times as much.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from typing import Any

from ..results import place
from .axes import Span, log_axis, share_axis
from .palette import CLEAR, FONT, TEXT_SIZE, TITLE_SIZE, Theme
from .range_bars import AXIS, RangeBars
from .series import Series, Trace, band, heights, line, open_triangle, ring, triangles

Figure = dict[str, Any]

MARK, ZONE = "mark", "zone"  # names of shapes, by which a page finds them

_ROW = 0.045  # of the height, for each method's row of triangles
_MOST_STRIP = 0.3

# Plotly breaks no lines and does not move the title out of the legend's way, so room is made for a chart this narrow.
NARROW = 460  # px
_LEGEND_ROW = 25  # px
_LETTER = 0.58  # of the font's size, in a wide font
_LEAST_LINE = 10  # letters: "So far:" is none
_WIDE = 900  # pixels: a line of a title is not longer


class _Rows:
    """The rows of triangles above the chart: one per method, and a second run's half a row lower."""

    def __init__(self, series: Sequence[Series]) -> None:
        self.methods = list(dict.fromkeys(one.method for one in series))
        self._step = 0.5 if any(one.second for one in series) else 0.0

    def of(self, one: Series) -> float:
        return -self.methods.index(one.method) - (self._step if one.second else 0.0)

    @property
    def height(self) -> float:
        """Of the chart's height."""
        return min(_ROW * (1 + 1.4 * self._step) * (len(self.methods) + 0.5), _MOST_STRIP)

    @property
    def range(self) -> list[float]:
        return [0.25 - len(self.methods) - 0.5 * self._step, 0.75 - 0.5 * self._step]


class Frame:
    """Collects a chart's parts; ``figure`` puts them together."""

    def __init__(self, theme: Theme, x_title: str, x_span: Span, y_title: str, y_span: Span) -> None:
        self.theme, self.x_span, self.y_span = theme, x_span, y_span
        self.narrow, self.bands = NARROW, True
        self.linear: tuple[float, float] | None = None  # the range of shares, which need no logarithm
        self.ranges: RangeBars | None = None  # of usable x, between the curves and the axis
        self.x_title, self.y_title = x_title, y_title
        self.shapes: list[dict[str, Any]] = []
        self.annotations: list[dict[str, Any]] = []
        self._right = 16.0
        self._marked = False

    def level(self, value: float, label: str, about: str = "") -> None:
        """Add a quiet horizontal line, with its label outside on the right, where no data can be.

        What it is ``about`` the label says to whoever points at it.
        """
        if not self.y_span.low <= value <= self.y_span.high:
            return
        self.shapes.append(self._line("dash", xref="paper", x0=0, x1=1, yref="y", y0=value, y1=value))
        place = {"xref": "paper", "x": 1, "xanchor": "left", "yref": "y", "yanchor": "middle"}
        place["y"] = math.log10(value) if self.linear is None else value
        self.annotations.append(self._label(label, place) | ({"hovertext": about} if about else {}))
        self._right = max(self._right, 14 + 0.6 * TEXT_SIZE * len(label))

    def zone(self, limit: float) -> None:
        """Tint what lies below a value, however far the reader moves the axis."""
        if self.y_span.low < limit:
            ends = {"xref": "paper", "x0": 0, "x1": 1, "yref": "y", "y0": self.y_span.low * 1e-9, "y1": limit}
            look = {"layer": "below", "fillcolor": self.theme.zone, "line": {"width": 0}}
            self.shapes.insert(0, {"type": "rect", "name": ZONE, **look, **ends})

    def mark(self, value: float, label: str) -> None:
        """Add a quiet vertical line, with its label above the chart; a page may have it dragged, by its name."""
        if not self.x_span.low <= value <= self.x_span.high:
            return
        ends = {"xref": "x", "x0": value, "x1": value, "yref": "paper", "y0": 0, "y1": 1}
        self.shapes.append(self._line("solid", name=MARK, **ends))
        place = {"xref": "x", "x": math.log10(value), "xanchor": "center", "yref": "paper", "y": 1, "yanchor": "bottom"}
        self.annotations.append({**self._label(label, place), "name": MARK})
        self._marked = True

    def figure(
        self, series: Sequence[Series], raised_label: str, title: str, subtitle: str, chosen: float | None = None
    ) -> Figure:
        """Return the figure; ``raised_label`` says in the legend what a triangle means, ``chosen`` is an x to ring."""
        rows = _Rows(series)
        any_raised = any(one.raised(self.y_span).any() for one in series)
        traces = [band(one, self.x_span, self.y_span, self.theme) for one in series] if self.bands else []
        traces += [line(one, self.y_span, self.theme) for one in series]
        if any_raised:
            traces += [triangles(one, rows.of(one), self.y_span, self.theme) for one in series]
            traces.append(self._legend_entry(raised_label))
        if self.ranges is not None:
            traces += self.ranges.traces(self.theme)
        if chosen is not None:
            traces += self._rings(series, chosen, rows)
        names = [[one.name for one in series if one.method == method] for method in rows.methods]
        layout = self._layout(rows if any_raised else None)
        layout["title"] = titled(title, subtitle, self.theme, self.narrow)
        layout["margin"]["t"] += title_height(layout["title"])
        layout["margin"]["t"] += _legend_height([*names, [raised_label]] if any_raised else names, self.narrow)
        return {"data": traces, "layout": layout}

    def _rings(self, series: Sequence[Series], chosen: float, rows: _Rows) -> list[Trace]:
        traces = []
        for one in series:
            k = place(one.x, chosen)
            height = None if k is None else heights(one, self.y_span)[k]
            if k is not None and height is not None:
                traces.append(ring(one.method, "chosen", one.x[k], height, 19, self.theme))
            if k is not None and one.raised(self.y_span)[k]:
                around = ring(one.method, "chosen-triangle", one.x[k], rows.of(one), 15, self.theme)
                traces.append({**around, "yaxis": "y2"})
        return traces

    def _layout(self, rows: _Rows | None) -> dict[str, Any]:
        theme, strip = self.theme, rows.height if rows else 0.0
        below = self.ranges.height if self.ranges else 0.0
        layout: dict[str, Any] = {
            "font": {"family": FONT, "size": TEXT_SIZE, "color": theme.text},
            "paper_bgcolor": CLEAR,
            "plot_bgcolor": CLEAR,
            "margin": {"l": 60, "r": round(self._right), "t": 30 if self._marked else 10, "b": 56},
            "legend": {
                "orientation": "h",
                "x": 0,
                "xanchor": "left",
                "y": 1.07 if self._marked else 1.01,
                "yanchor": "bottom",
                "font": {"size": TEXT_SIZE},
                "bgcolor": CLEAR,
                "groupclick": "togglegroup",
                "itemwidth": 36,
                "tracegroupgap": 2,
            },
            "hovermode": "closest",
            "hoverlabel": {
                "bgcolor": theme.surface,
                "bordercolor": theme.quiet,
                "align": "left",
                "font": {"family": FONT, "size": TEXT_SIZE, "color": theme.text},
            },
            "xaxis": log_axis(self.x_title, self.x_span, theme, most_ticks=8),
            "yaxis": {**self._y_axis(), "domain": [below, 1 - strip]},
            "shapes": list(self.shapes),
            "annotations": self.annotations,
            "uirevision": "cvar",  # constant: a new figure keeps the reader's zoom and hidden curves
        }
        if rows:
            # An axis of their own: the triangles stay at the top edge under any zoom, and stretch nothing.
            layout["yaxis2"] = {
                "domain": [1 - strip, 1],
                "range": rows.range,
                "fixedrange": True,
                "visible": False,
            }
            layout["shapes"].insert(0, self._strip(strip))
        if self.ranges:
            layout["yaxis3"] = self.ranges.axis
            layout["xaxis"]["anchor"] = AXIS
        return layout

    def _y_axis(self) -> dict[str, Any]:
        if self.linear is None:
            return log_axis(self.y_title, self.y_span, self.theme, most_ticks=8)
        return share_axis(self.y_title, self.linear, self.theme)

    def _strip(self, strip: float) -> dict[str, Any]:
        corners = {"xref": "paper", "x0": 0, "x1": 1, "yref": "paper", "y0": 1 - strip, "y1": 1}
        return {"type": "rect", "layer": "below", "fillcolor": self.theme.strip, "line": {"width": 0}, **corners}

    def _legend_entry(self, label: str) -> Trace:
        return {
            "type": "scatter",
            "uid": "triangles",
            "name": label,
            "mode": "markers",
            "x": [None],
            "y": [None],
            "marker": open_triangle(self.theme.quiet),
            "hoverinfo": "skip",
        }

    def _line(self, dash: str, **ends: object) -> dict[str, Any]:
        style = {"color": self.theme.quiet, "width": 1, "dash": dash}
        return {"type": "line", "layer": "below", "line": style, "opacity": 0.7, **ends}

    def _label(self, text: str, place: dict[str, Any]) -> dict[str, Any]:
        font = {"size": TEXT_SIZE, "color": self.theme.quiet}
        return {"text": text, "showarrow": False, "font": font, **place}


def titled(title: str, subtitle: str, theme: Theme, narrow: float = NARROW) -> dict[str, Any]:
    """Return plotly's title: the finding, and below it what it is about."""
    text = _broken(title, narrow)
    return {
        "text": text,
        "font": {"size": TITLE_SIZE, "color": theme.text, "weight": 600},
        "subtitle": {"text": subtitle, "font": {"size": TEXT_SIZE, "color": theme.quiet}},
        "xref": "container",
        "x": 0,
        "xanchor": "left",
        "yref": "container",
        "y": 1,
        "yanchor": "top",
        "pad": {"l": 12, "t": 24 if "<br>" in text else 12},  # of several lines, the first is set higher by plotly
    }


def _broken(title: str, narrow: float) -> str:
    """Break a title that a narrow chart has no room for in two, at the comma, colon or "and" nearest to its middle.

    If a wide chart has no room for the halves, lines are filled one after another.
    """
    places = [match.end() for match in re.finditer(r"[,:] | (?=and )", title) if match.end() > _LEAST_LINE]
    places = places or [match.end() for match in re.finditer(" ", title)]
    if not places or len(title) * _LETTER * TITLE_SIZE <= narrow:
        return title
    middle = min(places, key=lambda place: abs(place - len(title) / 2))
    room = int(max(narrow, _WIDE) / (_LETTER * TITLE_SIZE))
    if max(middle, len(title) - middle) > room:
        return "<br>".join(textwrap.wrap(title, room))
    return f"{title[:middle].rstrip()}<br>{title[middle:]}"


def title_height(title: dict[str, Any]) -> int:
    return 66 + 24 * int(title["text"].count("<br>"))


def _legend_height(groups: Sequence[Sequence[str]], narrow: float) -> int:
    """Return the height of a legend that wraps as plotly does, within the width of a narrow chart's axes.

    Plotly stacks the names of a group, and sets the groups side by side.
    """
    rows, filled = [0], 0.0
    for names in groups:
        width = 56 + _LETTER * TEXT_SIZE * max(map(len, names))
        if filled and filled + width > 0.72 * narrow:
            rows, filled = [*rows, 0], 0.0
        filled += width
        rows[-1] = max(rows[-1], len(names))
    return _LEGEND_ROW * max(sum(rows), 1)


def without_title(figure: Figure, legend_rows: int = 1) -> tuple[Figure, str, str]:
    """Return the figure without its title, and the title and subtitle, for a page that sets them as text.

    Plotly makes more room where the legend takes more rows than it is said to, but may leave it on the curves at first.
    """
    layout = dict(figure["layout"])
    title = layout.pop("title")
    layout["margin"] = {**layout["margin"], "t": 11 + _LEGEND_ROW * legend_rows}
    return {**figure, "layout": layout}, title["text"].replace("<br>", " "), title["subtitle"]["text"]


def over_seeds(count: int) -> str:
    """Say what line and band are."""
    return f"median and range of {count} seeds" if count > 1 else "one seed"
