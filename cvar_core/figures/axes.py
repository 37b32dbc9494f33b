"""Axes: the range that the data deserve, logarithmic with ticks at whole decades; shares in percent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..results import Judged, Spread
from .palette import TEXT_SIZE, Theme

Array = NDArray[np.float64]

OFF_CHART = 30.0  # times the start gap: a median above it is not drawn to scale
_LEAST_WIDTH = 2.4  # decades; narrower, and plotly leaves the whole decades


class Span(NamedTuple):
    """A range of positive values on a logarithmic axis."""

    low: float
    high: float

    @property
    def decades(self) -> float:
        return math.log10(self.high / self.low)

    def around(self, share: float) -> Span:
        """Return the span with a share of its width added on each side, and at least a few decades wide."""
        low, high = math.log10(self.low), math.log10(self.high)
        pad = max(share * (high - low), (_LEAST_WIDTH - (high - low)) / 2)
        return Span(10 ** (low - pad), 10 ** (high + pad))


def start_gap(judged: Judged) -> float:
    """Return the gap at the start as the chart's unit: positive, whatever the result holds so far."""
    gap = judged.start
    return gap if math.isfinite(gap) and gap > 0 else 1.0


def rounding(judged: Judged) -> float:
    """Return the gap below which all is rounding: a billionth of that at the start, or F*'s last digits."""
    return max(1e-9 * start_gap(judged), 1e-15 * abs(judged.result.optimum.value))


def gap_span(spread: Spread, unit: float, floor: float, shown: Iterable[float] = ()) -> Span:
    """Return the range of gaps that a chart needs, never below ``floor``.

    Only points whose median is on the chart count, so that nothing that diverged or exploded stretches it. The
    start gap, ``unit``, is always included, and the values ``shown`` (such as ε) where that is sensible.
    """
    ceiling = max(OFF_CHART * unit, 2 * floor)
    on_chart = spread.median <= ceiling  # neither ∞ nor NaN
    highs = spread.high[on_chart].clip(max=ceiling)
    values = np.concatenate([spread.median[on_chart], spread.low[on_chart], highs, [unit, *shown]])
    values = values[(values > 0) & (values <= ceiling)]
    low, high = max(0.5 * float(values.min()), floor), 1.5 * float(values.max())
    return Span(min(low, high / 10**_LEAST_WIDTH), high)


def log_axis(title: str, span: Span, theme: Theme, most_ticks: int) -> dict[str, Any]:
    """Return an axis with ticks at whole decades, labelled at every second one, or fewer, if there are too many."""
    return {
        **_axis(title, theme),
        "type": "log",
        "range": [math.log10(span.low), math.log10(span.high)],
        "nticks": min(math.ceil(span.decades), most_ticks),
        "exponentformat": "power",
        "tickangle": 0,
        "tickfont": {"size": TEXT_SIZE / 1.2},  # plotly sets powers of ten 1.25 times as large
        "minor": {"dtick": 1, "ticks": "outside", "ticklen": 3, "tickcolor": theme.quiet, "gridcolor": theme.grid},
    }


def share_axis(title: str, ends: tuple[float, float], theme: Theme) -> dict[str, Any]:
    """Return an axis of shares, in percent."""
    return {**_axis(title, theme), "range": list(ends), "tickformat": ".0%", "nticks": 7}


def linear_axis(title: str, ends: tuple[float, float], theme: Theme) -> dict[str, Any]:
    """Return an axis of numbers that may have either sign."""
    plain = 1e-2 <= max(map(abs, ends)) < 1e6
    written = {"tickformat": ",~r"} if plain else {"exponentformat": "power"}
    return {**_axis(title, theme), "range": list(ends), "nticks": 7, **written}


def name_axis(names: Sequence[str], theme: Theme) -> dict[str, Any]:
    """Return an axis with a line for each name, the first on top."""
    places = list(range(len(names)))
    ends = {"range": [len(names) - 0.5, -0.5], "fixedrange": True}
    return {**_axis("", theme), **ends, "tickvals": places, "ticktext": list(names), "ticks": "", "showgrid": False}


def _axis(title: str, theme: Theme) -> dict[str, Any]:
    return {
        "title": {"text": title, "font": {"size": TEXT_SIZE + 1}, "standoff": 10},
        "ticks": "outside",
        "ticklen": 5,
        "tickcolor": theme.quiet,
        "gridcolor": theme.grid,
        "linecolor": theme.quiet,
        "showline": True,
        "zeroline": False,
        "automargin": True,
    }
