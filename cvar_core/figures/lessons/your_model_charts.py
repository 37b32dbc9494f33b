"""Test CVaR of a network against the step size it was trained with, one line for each optimiser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...results import number
from ...results.spread import spread
from ..axes import Array, Span
from ..frame import Figure, Frame
from ..palette import theme_named
from ..sensitivity import STEP_SIZE, lambda_span
from ..series import Series

HEIGHT = 440  # px
_MOST = 1.5  # times what the model has before training: a median above it is not drawn to scale
TITLE = "Test CVaR by step size"


@dataclass(frozen=True)
class Tried:
    """An optimiser, the λ it was tried at so far, and the test CVaR (seeds, λ); NaN where the training diverged."""

    name: str
    label: str
    lambdas: tuple[float, ...]
    cvars: Array


def cvar_by_lambda(
    tried: Sequence[Tried], grid: tuple[float, ...], seeds: int, start: float, usable: float | None, theme: str
) -> Figure:
    """Draw what has been tried so far on the axes of the whole grid, without a legend: a table beside it has the marks.

    Parameters
    ----------
    start, usable
        Lines: the test CVaR before training, and that below which a λ is usable, once that is known.
    """
    series = [_series(each) for each in tried]
    medians = np.concatenate([each.median for each in series])
    top = 1.25 * float(max(start, *medians[medians <= _MOST * start]))
    frame = Frame(theme_named(theme), STEP_SIZE, lambda_span(grid), "test CVaR", Span(1e-9, top))
    frame.linear, frame.bands = (0.0, top), False  # of so many lines bands would be mud
    frame.level(start, "start")
    if usable is not None:
        frame.level(usable, "usable")
    figure = frame.figure(
        series, "diverged or off the chart", TITLE, f"median of {seeds} seeds" if seeds > 1 else "one seed"
    )
    layout = figure["layout"]
    layout["showlegend"] = False
    layout["yaxis"]["tickformat"] = ",~r"
    layout["xaxis"]["nticks"] = 5
    return figure


def _series(tried: Tried) -> Series:
    found, failed = spread(tried.cvars, axis=0), np.isnan(tried.cvars).sum(axis=0)
    hover = [
        f"<b>{tried.label}</b>  λ = {number(lam)}<br>test CVaR {number(float(found.median[at]))}"
        f" ({number(float(found.low[at]))} to {number(float(found.high[at]))})"
        + (f"<br>{failed[at]} of {len(tried.cvars)} seeds diverged" if failed[at] else "")
        for at, lam in enumerate(tried.lambdas)
    ]
    return Series(tried.name, tried.label, tried.lambdas, found.median, found.low, found.high, failed > 0, hover)
