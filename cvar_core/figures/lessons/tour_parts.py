"""What the Tour's figures are put together from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...lessons.tour import Fit, deliveries
from ..frame import Figure, titled
from ..palette import CLEAR, FONT, TEXT_SIZE, Theme, translucent
from ..series import Trace

TAIL = {"light": "#AA4499", "dark": "#DD8FCF"}  # not a method's colour: the tail, and what is made for it

_ENDS = (0.2, 9.3)  # kilometres: of a fitted line


def frame_of(look: Theme, x_axis: dict[str, Any], y_axis: dict[str, Any]) -> Figure:
    """Return a figure that has axes and nothing in it."""
    layout = {
        "font": {"family": FONT, "size": TEXT_SIZE, "color": look.text},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "margin": {"l": 56, "r": 16, "t": 110, "b": 52},
        "legend": {"orientation": "h", "x": 0, "y": 1.01, "yanchor": "bottom", "bgcolor": CLEAR, "itemwidth": 30},
        "hovermode": "closest",
        "xaxis": {**x_axis, "showgrid": False},
        "yaxis": y_axis,
        "shapes": [],
        "annotations": [],
        "uirevision": "tour",
    }
    return {"data": [], "layout": layout}


def with_title(figure: Figure, title: str, look: Theme, about: str = "") -> Figure:
    """Return the figure with a title, and what it is about below that."""
    figure["layout"]["title"] = titled(title, about, look)
    return figure


def curve(name: str, x: Any, y: Any, **look: Any) -> Trace:
    """Return points of a name; ``None`` is a gap."""
    numbers = ([None if each is None else float(each) for each in values] for values in (x, y))
    return {"type": "scatter", "uid": name, "name": name, **dict(zip("xy", numbers, strict=True)), **look}


def quiet_points(name: str, x: Any, y: Any, marker: dict[str, Any]) -> Trace:
    """Return points that neither the legend nor the pointer names."""
    return curve(name, x, y, mode="markers", marker=marker, showlegend=False, hoverinfo="skip")


def said(words: str, x: float, y: float, colour: str, **look: Any) -> dict[str, Any]:
    """Return words at a point; on a logarithmic axis its logarithm is asked for."""
    font = {"size": TEXT_SIZE, "color": colour}
    return {"text": words, "x": x, "y": y, "font": font, "showarrow": False, **look}


def fitted_line(fit: Fit, name: str, colour: str, dash: str, beta: float | None) -> list[Trace]:
    """Return a line and, if a β is given, the deliveries in its tail, each with its error as an upright line."""
    ends = [fit.slope * end + fit.base for end in _ENDS]
    line = {"color": colour, "width": 3, "dash": dash}
    drawn = [curve(name, _ENDS, ends, mode="lines", line=line, hoverinfo="skip")]
    if beta is None:
        return drawn
    data = deliveries()
    tail = fit.worst(data, beta)
    x: list[float | None] = []
    y: list[float | None] = []
    for at, minutes in zip(data.kilometres[tail].tolist(), data.minutes[tail].tolist(), strict=True):
        x, y = [*x, at, at, None], [*y, minutes, fit.slope * at + fit.base, None]
    thin = {"color": translucent(colour, 0.5), "width": 2}
    rings = {"symbol": "circle-open", "size": 17, "line": {"width": 2.5}, "color": colour}
    quiet = {"hoverinfo": "skip"}
    return [
        curve(f"errors of the {name}", x, y, mode="lines", line=thin, showlegend=False, **quiet),
        *drawn,
        curve(
            f"its worst {len(tail)}", data.kilometres[tail], data.minutes[tail], mode="markers", marker=rings, **quiet
        ),
    ]


def add_flag(figure: Figure, x: float, height: float, words: str, colour: str) -> None:
    """Add an upright line up to a height, with words beside its top."""
    line = {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": height, "line": {"color": colour, "width": 2}}
    figure["layout"]["shapes"].append(line)
    figure["layout"]["annotations"].append(said(f"<b>{words}</b>", x, height, colour, xanchor="left", xshift=5))


def add_upright(figure: Figure, x: float, colour: str, width: float = 1, dash: str = "solid") -> None:
    """Add an upright line through the whole figure."""
    line = {"color": colour, "width": width, "dash": dash}
    ends = {"x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1}
    figure["layout"]["shapes"].append({"type": "line", "layer": "below", "line": line, **ends})


def add_usable(figure: Figure, ends: tuple[float, float], colour: str) -> None:
    """Tint the step sizes that work."""
    corners = {"x0": ends[0], "x1": ends[1], "yref": "paper", "y0": 0, "y1": 1}
    look = {"fillcolor": translucent(colour, 0.14), "line": {"width": 0}, "layer": "below"}
    figure["layout"]["shapes"].append({"type": "rect", **look, **corners})


def arrow(name: str, start: tuple[float, float], end: tuple[float, float], colour: str) -> Trace:
    head = {"opacity": 1, "size": [0, 16], "symbol": "arrow", "angleref": "previous", "color": colour}
    look = {"line": {"width": 3, "color": colour}, "marker": head, "showlegend": False, "hoverinfo": "skip"}
    return curve(name, (start[0], end[0]), (start[1], end[1]), mode="lines+markers", **look)


def upright_bars(name: str, ranges: Mapping[float, tuple[float, float] | None], aside: float, colour: str) -> Trace:
    """Return a bar from one end of each range to the other, at its place times ``aside``."""
    x: list[float | None] = []
    y: list[float | None] = []
    for place, ends in ranges.items():
        if ends is not None:
            x, y = [*x, aside * place, aside * place, None], [*y, *ends, None]
    return curve(name, x, y, mode="lines", line={"color": colour, "width": 7}, hoverinfo="skip")
