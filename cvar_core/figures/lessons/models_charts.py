"""Updates of a method in the plane of θ and α, one figure each: F, the model that the update was made on, and the way.

All figures of one path share what stands still, and the ranges of their axes where they can, so that a slider over
them moves only what the method moves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from ...lessons.models import Setup, Update
from ...results import number
from ..frame import Figure
from ..palette import TEXT_SIZE, Theme, style, theme_named, translucent
from .level_lines import convex_levels
from .model_parts import Array, Trace, bare_layout, short, small_axis, still

AXES = {
    "near": "Same for all, near the start",
    "all": "Same for all, the whole way",
    "own": "Each its own",
}
_POINTS = 61  # of the grid, along each side
_LEVELS = 11
_DEPTH = 3e-3  # of the highest value: what lies lower is one colour
_LEAST = (7.0, 5.5)  # the plane's size in θ and α
_NEAR, _FAR = 1.0, 3.0  # times that size: a step that goes farther leaves the chart
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


def planes(paths: Mapping[str, Sequence[Update]], axes: str) -> dict[str, Plane]:
    """Return the plane that is shown for each method, with ``axes`` one of ``AXES``."""
    if axes == "own":
        return {name: plane([path], _FAR) for name, path in paths.items()}
    return dict.fromkeys(paths, plane(paths.values(), _NEAR if axes == "near" else _FAR))


def plane(paths: Iterable[Sequence[Update]], reach: float = _FAR) -> Plane:
    """Return a plane that shows the paths, without the points that lie far from their starts."""
    points: list[tuple[float, float]] = []
    for path in paths:
        first = path[0].setup
        points.append((first.theta, first.alpha))
        for step in path:
            near = all(
                abs(there - here) <= reach * size
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


def model_planes(path: Sequence[Update], shown: Plane, *, theme: str = "light") -> list[Figure]:
    """Draw every update of a path over the objective: the model it was made on, its ball, and the way there."""
    look = theme_named(theme)
    ground = _Ground(path[0].setup, shown)
    hills, layout = ground.filled(look), _plane_layout(shown, look)
    return [
        {
            "data": [hills, *ground.curves(step.setup.seen, look), *_moving(path[: k + 1], ground, look)],
            "layout": layout,
        }
        for k, step in enumerate(path)
    ]


class _Ground:
    """What stands still in a plane: F on a grid, its levels, and the curves on which it has its kinks."""

    def __init__(self, setup: Setup, shown: Plane) -> None:
        self.setup, self.shown = setup, shown
        sides = (torch.linspace(*side, _POINTS, dtype=torch.float64) for side in shown)
        self.theta, self.alpha = torch.meshgrid(*sides, indexing="xy")
        self.values: Array = setup.objective(self.theta, self.alpha).numpy()
        self.top = math.log10(max(float(self.values.max()), 1e-300))
        self.floor = max(math.log10(max(float(self.values.min()), 1e-300)), self.top + math.log10(_DEPTH))
        self.size = max((self.top - self.floor) / _LEVELS, 1e-9)
        x = torch.linspace(*shown.theta, 121, dtype=torch.float64)
        self._x, self._losses = short(x.numpy()), setup.losses(x).numpy()

    def filled(self, look: Theme) -> Trace:
        """Return a contour of F's logarithm: its levels never crowd."""
        low, high = _SCALES[look.name]
        return {
            "type": "contour",
            "uid": "objective",
            "meta": "plane",  # a click anywhere chooses the point
            "x": short(self.theta[0].numpy()),
            "y": short(self.alpha[:, 0].numpy()),
            "z": np.log10(np.maximum(self.values, 10**self.floor)).round(3).tolist(),
            "contours": {"start": self.floor, "end": self.top, "size": self.size, "coloring": "fill"},
            "colorscale": [[0, low], [1, high]],
            "showscale": False,
            "line": {"width": 0.5, "color": translucent(look.quiet, 0.25)},
            "hoverinfo": "none",
        }

    def curves(self, seen: int, look: Theme) -> list[Trace]:
        """Return α = ℓ(θ) of each sample, strong for the one that is seen."""
        low, high = self.shown.alpha
        found = []
        for k, loss in enumerate(self._losses):
            heights = [value if low <= value <= high else None for value in short(loss)]
            line = {"width": 2.5 if len(self._losses) > 1 else 1.5, "color": look.text}
            if k != seen:
                line = {"width": 1.2, "color": translucent(look.text, 0.4)}
            found.append({**still(f"loss-{k}"), "mode": "lines", "x": self._x, "y": heights, "line": line})
        return found

    def levels_of(self, step: Update) -> tuple[list[Any], list[Any]]:
        """Return where the model is as high as F is on the edges of its colours."""
        levels = 10 ** (self.floor + self.size * np.arange(_LEVELS + 1))
        return convex_levels(step.model_at, self.shown, levels.tolist())


def _moving(path: Sequence[Update], ground: _Ground, look: Theme) -> list[Trace]:
    """Return what changes with every update: the model, the ball, the way so far, the step and its end."""
    step, shown = path[-1], ground.shown
    colour, _, marker = style(step.method, look.name)
    start, end = (step.setup.theta, step.setup.alpha), (step.theta, step.alpha)
    here, there = shown.holds(*start), step.finite and shown.holds(*end)
    cut = shown.cut(start, end) if here else start
    way = np.array([(each.setup.theta, each.setup.alpha) for each in path])
    level_x, level_y = ground.levels_of(step)
    ball_x, ball_y = _ball(step)
    edge = {"width": 1.5, "color": look.surface}
    return [
        {
            **still("model"),
            "mode": "lines",
            "x": [None if value is None else round(value, 3) for value in level_x],
            "y": [None if value is None else round(value, 3) for value in level_y],
            "line": {"width": 2, "dash": "dash", "color": colour},
        },
        {
            **still("ball"),
            "mode": "lines",
            "x": ball_x,
            "y": ball_y,
            "line": {"width": 1.5, "dash": "dot", "color": colour},
        },
        {
            **still("way"),
            "mode": "lines+markers",
            "x": short(way[:, 0]),
            "y": short(way[:, 1]),
            "line": {"width": 2, "color": look.text},
            "marker": {"size": 6, "color": look.text},
        },
        {
            **still("step"),
            "mode": "lines+markers",
            "x": [start[0], cut[0]],
            "y": [start[1], cut[1]],
            "line": {"width": 3, "color": colour},
            "marker": {"opacity": 1, "size": [0, 16], "symbol": "arrow", "angleref": "previous", "color": colour},
        },
        {
            **still("points"),
            "mode": "markers",
            "x": [start[0], cut[0]],
            "y": [start[1], cut[1]],
            "marker": {
                "opacity": 1,
                "size": [13, 12 if there else 0],
                "symbol": ["circle", marker],
                "color": [look.text, colour],
                "line": edge,
            },
        },
        *([] if here else [_outside(step, shown, colour)]),
    ]  # fmt: skip


def _outside(step: Update, shown: Plane, colour: str) -> Trace:
    """Say where a point is that the plane does not show."""
    theta, alpha = step.setup.theta, step.setup.alpha
    return {
        **still("outside"),
        "mode": "text",
        "x": [sum(shown.theta) / 2] * 2,
        "y": [shown.alpha[1] - share * (shown.alpha[1] - shown.alpha[0]) for share in (0.08, 0.19)],
        "text": ["outside, at", f"θ {number(theta)}, α {number(alpha)}"],
        "textposition": "middle center",
        "textfont": {"size": TEXT_SIZE, "color": colour},
    }


def _ball(step: Update) -> tuple[list[float], list[float]]:
    """Return the ellipse of all points that the proximal term puts as far away as the next one."""
    if not math.isfinite(step.proximal):
        return [step.setup.theta], [step.setup.alpha]
    turn = np.linspace(0, 2 * np.pi, 49)
    across = math.sqrt(2 * float(step.sizes.theta) * step.proximal)
    along = math.sqrt(2 * float(step.sizes.alpha) * step.proximal)
    return short(step.setup.theta + across * np.cos(turn)), short(step.setup.alpha + along * np.sin(turn))


def _plane_layout(shown: Plane, look: Theme) -> dict[str, Any]:
    return {
        **bare_layout(look),
        "plot_bgcolor": _SCALES[look.name][0],
        "margin": {"l": 54, "r": 8, "t": 6, "b": 42},
        "xaxis": small_axis("θ", shown.theta, look),
        "yaxis": small_axis("α", shown.alpha, look),
    }
