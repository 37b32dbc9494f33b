"""The λ-sensitivity plot: which method forgives a badly chosen step size."""

from __future__ import annotations

import math

import numpy as np

from ..catalogue import methods
from ..results import Result, Spread, Summary, finding, number
from .axes import Span, gap_span, rounding, start_gap
from .frame import Figure, Frame, over_seeds
from .palette import theme_named
from .series import Series

STEP_SIZE = "step size λ"
SUBOPTIMALITY = "suboptimality F̃ − F*"


def sensitivity(
    result: Result,
    *,
    epsilon: float | None = None,
    mark: float | None = None,
    chosen: float | None = None,
    theme: str = "light",
) -> Figure:
    """Draw the final suboptimality (so far, if the sweep still runs) against λ.

    Parameters
    ----------
    epsilon
        What counts as usable; the result's default if not given.
    mark
        A step size to point at: "your λ".
    chosen
        A step size of the grid that the reader clicked: its points have rings.
    theme
        "light" or "dark".

    Returns
    -------
    A figure in plotly's JSON form. λ at which any seed diverged, or whose median is far above the start gap,
    have open triangles in a strip at the top edge, one row per method; they do not stretch the axis.
    """
    end, limit = result.at(), result.epsilon() if epsilon is None else epsilon
    begun = int(result.recorded.min()) > 0
    lambdas = result.spec.lambdas
    y_span = gap_span(Spread(end.median, end.low, end.high), start_gap(result), rounding(result), [limit])
    frame = Frame(theme_named(theme), STEP_SIZE, lambda_span(lambdas, mark), f"final {SUBOPTIMALITY}", y_span)
    frame.level(limit, f"ε = {number(limit)}")
    if mark is not None:
        frame.mark(mark, f"your λ = {number(mark)}")
    names = [number(lam) for lam in lambdas]
    series = [_series(result, end, m, names) for m in range(len(result.spec.methods))] if begun else []
    title, subtitle = _words(result, end, epsilon, begun)
    return frame.figure(series, "diverged or off the chart", title, subtitle, chosen)


def lambda_span(lambdas: tuple[float, ...], mark: float | None = None) -> Span:
    """Return the range of the λ axis: the grid, the marked λ and a margin."""
    ends = [*lambdas, *([mark] if mark is not None and 0 < mark < math.inf else [])]
    return Span(min(ends), max(ends)).around(0.035)


def _series(result: Result, end: Summary, m: int, lambda_names: list[str]) -> Series:
    spec = result.spec
    label, seeds = methods[spec.methods[m]].label, len(spec.seeds)
    median, low, high, diverged = end.median[m], end.low[m], end.high[m], end.diverged[m]
    rows = zip(lambda_names, median.tolist(), low.tolist(), high.tolist(), diverged.tolist(), strict=True)
    hover = []
    for lam, middle, least, most, failed in rows:
        words = f"median {number(middle)}"
        if seeds > 1:
            words += f", range {number(least)} – {number(most)}"
        if failed:
            words = f"{words}, " if failed < seeds else ""
            words += f"{failed} of {seeds} seeds diverged" if seeds > 1 else "diverged"
        hover.append(f"<b>{label}</b>  λ = {lam}<br>{words}")
    return Series(spec.methods[m], label, spec.lambdas, median, low, high, np.asarray(diverged > 0), hover)


def _words(result: Result, end: Summary, epsilon: float | None, begun: bool) -> tuple[str, str]:
    spec = result.spec
    if not begun or end.iteration == 0:
        return "The runs are starting", over_seeds(len(spec.seeds))
    running = end.iteration < spec.iterations
    title = ("So far: " if running else "") + finding(result, epsilon)
    taken = f"{end.iteration:,}" + (f" of {spec.iterations:,}" if running else "")
    return title, f"{taken} iterations, {over_seeds(len(spec.seeds))}"
