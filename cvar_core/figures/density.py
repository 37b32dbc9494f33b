"""The noise at a glance: its density, small enough for a sidebar."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..catalogue import noises
from ..results import number
from ..specs import ProblemSpec
from .axes import Array
from .frame import Figure
from .palette import CLEAR, FONT, TEXT_SIZE, Theme, theme_named, translucent

HEIGHT = 110  # px
_WIDTH = 250  # px, of a sidebar
_LETTER = 0.58 * TEXT_SIZE

_DRAWS = 4_000
_POINTS = 121
_TAIL = 0.003  # of the draws, on each side, may lie outside
_REACH = 5.0  # interquartile ranges from the median: farther out, a heavy tail would leave no room for the rest
_PEAK = 10.0  # times the mean height: a higher peak is cut, or nothing else would be seen
_SMALLEST, _LARGEST = 1e-290, 1e300  # plotly draws little beyond


class Limits(NamedTuple):
    """The part of a linear axis that is shown."""

    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low

    def ticks(self) -> list[float]:
        """Return a few round numbers whose labels fit in, or the middle if they would read the same."""
        unit = 10.0 ** math.floor(math.log10(self.width))
        for step in (5 * unit, 2 * unit, unit, unit / 2, unit / 5):
            every = (k * step for k in range(math.ceil(self.low / step), math.floor(self.high / step) + 1))
            found = [tick for tick in every if self._has_room(tick)]
            if len(found) >= 2:
                break
        texts = [number(tick) for tick in found]
        if len(set(texts)) < max(len(texts), 2):
            return [self.low + self.width / 2]
        return found[:: math.ceil(_LETTER * (len("".join(texts)) + len(texts)) / _WIDTH)]

    def _has_room(self, tick: float) -> bool:
        half = _LETTER * len(number(tick)) / 2 / _WIDTH * self.width
        return self.low + half <= tick <= self.high - half


def density(problem: ProblemSpec, *, theme: str = "light") -> Figure:
    """Draw the density of the problem's noise as a quiet filled curve without a y axis.

    Whatever the parameters, there is a figure: noise that is one number in floating point is a needle, and noise
    that is beyond all numbers is said to be so.
    """
    if problem.noise is None:
        raise ValueError("this problem is made from data, whose noise has no known density")
    with np.errstate(all="ignore"):  # parameters may be extreme
        draws = _draws(problem)
        if len(draws) < _DRAWS / 2:
            return _figure([], [], Limits(0.0, 1.0), theme_named(theme))
        limits = _limits(draws)
        x, y = _outline(problem, draws, limits)
    return _figure(x.tolist(), y.tolist(), limits, theme_named(theme))


def _draws(problem: ProblemSpec) -> Array:
    """Return sorted draws, always the same ones: they tell where any noise is, without its quantiles."""
    noise = noises[str(problem.noise)]
    draws = noise.sample(np.random.default_rng(0), _DRAWS, problem.noise_params or {})
    return np.sort(draws[np.abs(draws) <= _LARGEST])


def _limits(draws: Array) -> Limits:
    """Return the part of the axis that holds nearly all draws and yet leaves the shape some room."""
    least, lower, middle, upper, most = (
        float(draws[round(share * (len(draws) - 1))]) for share in (_TAIL, 0.25, 0.5, 0.75, 1 - _TAIL)
    )
    reach = _REACH * (upper - lower)
    low, high = max(least, middle - reach), min(most, middle + reach)
    if high - low > max(1e-9 * abs(middle), _SMALLEST):
        return Limits(low, high)
    half = abs(middle) / 2 if abs(middle) > _SMALLEST else 1.0  # one number, as far as a chart can tell
    return Limits(middle - half, middle + half)


def _outline(problem: ProblemSpec, draws: Array, limits: Limits) -> tuple[Array, Array]:
    """Return points of the curve, with heights as shares of the chart's."""
    inside = draws[(draws >= limits.low) & (draws <= limits.high)]
    x = np.unique(np.concatenate([np.linspace(*limits, _POINTS), inside[::80]]))  # draws find a thin peak
    heights = noises[str(problem.noise)].density(x, problem.noise_params or {})
    heights = np.nan_to_num(heights, nan=0.0, posinf=np.finfo(float).max)
    mean = len(inside) / len(draws) / limits.width
    top = min(float(heights.max()), _PEAK * mean)
    if top > 0 and np.count_nonzero(heights > 0.01 * top) > 2:
        return x, (heights / top).clip(0, 1)
    middle, thin = float(np.median(inside)), 0.006 * limits.width
    return middle + np.array([-thin, 0.0, thin]), np.array([0.0, 1.0, 0.0])


def _figure(x: list[float], y: list[float], limits: Limits, theme: Theme) -> Figure:
    ticks = limits.ticks() if x else []
    outline = {
        "type": "scatter",
        "uid": "density",
        "mode": "lines",
        "x": x,
        "y": y,
        "fill": "tozeroy",
        "fillcolor": translucent(theme.quiet, 0.25),
        "line": {"color": theme.quiet, "width": 1.5},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    axis = {
        "range": list(limits),
        "tickmode": "array",
        "tickvals": ticks,
        "ticktext": [number(tick) for tick in ticks],
        "tickangle": 0,
        "tickfont": {"size": TEXT_SIZE},
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": theme.quiet,
        "linecolor": theme.quiet,
        "showline": True,
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }
    layout: dict[str, Any] = {
        "font": {"family": FONT, "size": TEXT_SIZE, "color": theme.quiet},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "height": HEIGHT,
        "margin": {"l": 4, "r": 4, "t": 4, "b": 28},
        "showlegend": False,
        "dragmode": False,
        "xaxis": axis,
        "yaxis": {"range": [0, 1.03], "visible": False, "fixedrange": True},
    }
    if not x:
        middle = {"xref": "paper", "yref": "paper", "x": 0.5, "y": 0.5, "showarrow": False}
        layout["annotations"] = [{"text": "too large to draw", "font": {"size": TEXT_SIZE}, **middle}]
    return {"data": [outline], "layout": layout}
