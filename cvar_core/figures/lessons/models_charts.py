"""The plane of one sample: the objective, a method's model of it, and the proximal step on that model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from ...lessons.models import SAMPLE_LOSSES, Setup, Update
from ..frame import Figure
from ..palette import CLEAR, DARK, FONT, TEXT_SIZE, Theme, style, theme_named, translucent

Trace = dict[str, Any]

_POINTS = 61  # of the grid, along each side
_LEVELS = 11
_DEPTH = 3e-3  # of the highest value: what lies lower is one colour
_LEAST = (7.0, 5.5)  # the plane's size in θ and α
_REACH = 3.0  # times that size: a step that goes farther leaves the chart
_SCALES = {"light": ("#f7fafd", "#6d93bd"), "dark": ("#101823", "#3f6f9f")}  # low and high


class Plane(NamedTuple):
    """The part of the (θ, α) plane that is shown."""

    theta: tuple[float, float]
    alpha: tuple[float, float]

    def holds(self, theta: float, alpha: float) -> bool:
        return self.theta[0] <= theta <= self.theta[1] and self.alpha[0] <= alpha <= self.alpha[1]

    def cut(self, start: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
        """Return the last point of the way from ``start``, which is shown, to ``end`` that is shown, too."""
        share = 1.0
        for here, there, (low, high) in zip(start, end, (self.theta, self.alpha), strict=True):
            if not low <= there <= high:
                edge = high if there > high else low
                share = min(share, (edge - here) / (there - here) if math.isfinite(there) else 0.0)
        return (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]))


def plane(paths: Iterable[Sequence[Update]]) -> Plane:
    """Return a plane that shows the paths, without the points that lie far from their starts."""
    points: list[tuple[float, float]] = []
    for path in paths:
        first = path[0].setup
        points.append((first.theta, first.alpha))
        for step in path:
            near = all(
                abs(there - here) <= _REACH * size
                for here, there, size in zip((first.theta, first.alpha), (step.theta, step.alpha), _LEAST, strict=True)
            )
            if step.finite and near:
                points.append((step.theta, step.alpha))
    sides = []
    for values, least in zip(zip(*points, strict=True), _LEAST, strict=True):
        low, high = min(values), max(values)
        pad = max(0.18 * (high - low), (least - (high - low)) / 2, 1e-9 * max(abs(low), abs(high)))
        sides.append((low - pad, high + pad))
    return Plane(*sides)


def model_plane(path: Sequence[Update], shown: Plane, *, theme: str = "light") -> Figure:
    """Draw the last update of a path over the objective: the model it was made on, its ball, and the way there."""
    look = theme_named(theme)
    step = path[-1]
    theta, alpha = _grid(shown)
    objective = step.setup.objective(theta, alpha).numpy()
    top = math.log10(max(float(objective.max()), 1e-300))
    floor = max(math.log10(max(float(objective.min()), 1e-300)), top + math.log10(_DEPTH))
    levels = {"start": floor, "end": top, "size": max((top - floor) / _LEVELS, 1e-9)}
    model = step.model_at(theta, alpha).numpy()
    traces = [
        _filled(theta, alpha, objective, floor, levels, look),
        _loss_curve(step.setup, shown, look),
        *_moving(path, shown, look),
        _dashed(theta, alpha, model, floor, levels, style(step.method, look.name).colour),
    ]
    return {"data": traces, "layout": _layout(shown, look)}


def model_frames(path: Sequence[Update], shown: Plane, *, theme: str = "light") -> list[dict[str, Any]]:
    """Return plotly's frames that walk a path: each moves the ball, the way and the step."""
    look = theme_named(theme)
    first = 2  # the objective and the curve stand still
    frames = []
    for count in range(1, len(path) + 1):
        data = [{"x": trace["x"], "y": trace["y"]} for trace in _moving(path[:count], shown, look)]
        frames.append({"name": str(count), "data": data, "traces": list(range(first, first + len(data)))})
    return frames


def _grid(shown: Plane) -> tuple[torch.Tensor, torch.Tensor]:
    sides = (torch.linspace(*side, _POINTS, dtype=torch.float64) for side in shown)
    theta, alpha = torch.meshgrid(*sides, indexing="xy")
    return theta, alpha


def _contour(theta: torch.Tensor, alpha: torch.Tensor, values: np.ndarray, floor: float) -> Trace:
    """Return a contour of the logarithm: its levels never crowd. A model may be negative, and has no level there."""
    heights = np.log10(np.maximum(values, 10 ** (floor - 1)))
    rows = heights.round(3).tolist()
    return {"type": "contour", "x": theta[0].tolist(), "y": alpha[:, 0].tolist(), "z": rows, "showscale": False}


def _filled(
    theta: torch.Tensor, alpha: torch.Tensor, values: np.ndarray, floor: float, levels: Trace, look: Theme
) -> Trace:
    low, high = _SCALES[look.name]
    lifted = np.maximum(values, 10**floor)
    return {
        **_contour(theta, alpha, lifted, floor),
        "uid": "objective",
        "meta": "plane",  # a click anywhere chooses the point
        "contours": {**levels, "coloring": "fill"},
        "colorscale": [[0, low], [1, high]],
        "line": {"width": 0.5, "color": translucent(look.quiet, 0.25)},
        "hoverinfo": "none",
    }


def _dashed(
    theta: torch.Tensor, alpha: torch.Tensor, values: np.ndarray, floor: float, levels: Trace, colour: str
) -> Trace:
    return {
        **_contour(theta, alpha, values, floor),
        "uid": "model",
        "contours": {**levels, "coloring": "none"},
        "line": {"width": 2, "dash": "dash", "color": colour},
        "hoverinfo": "skip",
    }


def _loss_curve(setup: Setup, shown: Plane, look: Theme) -> Trace:
    x = torch.linspace(*shown.theta, 121, dtype=torch.float64)
    y = SAMPLE_LOSSES[setup.loss].value(x)
    inside = (y >= shown.alpha[0]) & (y <= shown.alpha[1])
    heights = [value if ok else None for value, ok in zip(y.tolist(), inside.tolist(), strict=True)]
    line = {"width": 1.5, "color": look.text}
    return {**_still("loss"), "mode": "lines", "x": x.tolist(), "y": heights, "line": line}


def _moving(path: Sequence[Update], shown: Plane, look: Theme) -> list[Trace]:
    """Return what changes with every update: the ball around the point, the way so far, the step and its end."""
    step = path[-1]
    colour, _, marker = style(step.method, look.name)
    start = (step.setup.theta, step.setup.alpha)
    way = [(each.setup.theta, each.setup.alpha) for each in path]
    end = shown.cut(start, (step.theta, step.alpha)) if shown.holds(*start) else start
    gone = not (step.finite and shown.holds(step.theta, step.alpha))
    ball_x, ball_y = _ball(step)
    edge = {"width": 1.5, "color": look.surface}
    return [
        {
            **_still("ball"),
            "mode": "lines",
            "x": ball_x,
            "y": ball_y,
            "line": {"width": 1.5, "dash": "dot", "color": colour},
        },
        {
            **_still("way"),
            "mode": "lines+markers",
            "x": [x for x, _ in way],
            "y": [y for _, y in way],
            "line": {"width": 2, "color": look.text},
            "marker": {"size": 7, "color": look.text},
        },
        {
            **_still("step"),
            "mode": "lines+markers",
            "x": [start[0], end[0]],
            "y": [start[1], end[1]],
            "line": {"width": 3, "color": colour},
            "marker": {"opacity": 1, "size": [0, 16], "symbol": "arrow", "angleref": "previous", "color": colour},
        },
        {
            **_still("points"),
            "mode": "markers",
            "x": [start[0], end[0]],
            "y": [start[1], end[1]],
            "marker": {
                "opacity": 1,
                "size": [13, 0 if gone else 12],
                "symbol": ["circle", marker],
                "color": [look.text, colour],
                "line": edge,
            },
        },
    ]  # fmt: skip


def _ball(step: Update) -> tuple[list[float], list[float]]:
    """Return the ellipse of all points that the proximal term puts as far away as the next one."""
    if not math.isfinite(step.proximal):
        return [step.setup.theta], [step.setup.alpha]
    turn = np.linspace(0, 2 * np.pi, 73)
    across = math.sqrt(2 * float(step.sizes.theta) * step.proximal)
    along = math.sqrt(2 * float(step.sizes.alpha) * step.proximal)
    return (step.setup.theta + across * np.cos(turn)).tolist(), (step.setup.alpha + along * np.sin(turn)).tolist()


def _still(uid: str) -> Trace:
    return {"type": "scatter", "uid": uid, "hoverinfo": "skip", "showlegend": False}


def _layout(shown: Plane, look: Theme) -> dict[str, Any]:
    def axis(title: str, side: tuple[float, float]) -> dict[str, Any]:
        return {
            "title": {"text": title, "font": {"size": TEXT_SIZE + 2}, "standoff": 6},
            "range": list(side),
            "tickfont": {"size": TEXT_SIZE},
            "nticks": 6,
            "tickangle": 0,
            "ticks": "outside",
            "tickcolor": look.quiet,
            "linecolor": look.quiet,
            "showline": True,
            "showgrid": False,
            "zeroline": False,
            "automargin": True,
        }

    return {
        "font": {"family": FONT, "size": TEXT_SIZE, "color": look.text},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": _SCALES["dark" if look is DARK else "light"][0],
        "margin": {"l": 46, "r": 10, "t": 8, "b": 44},
        "xaxis": axis("θ", shown.theta),
        "yaxis": axis("α", shown.alpha),
        "hovermode": "closest",
        "dragmode": "zoom",
        "showlegend": False,
        "uirevision": "models",
    }
