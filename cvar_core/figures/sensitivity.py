"""The λ-sensitivity plot: which method forgives a badly chosen step size."""

from __future__ import annotations

import math

import numpy as np

from ..catalogue import methods
from ..results import Result, Summary, finding, number
from .axes import Span, gap_span
from .frame import Figure, Frame, over_seeds
from .palette import theme_named
from .series import Series

STEP_SIZE = "step size λ"
SUBOPTIMALITY = "suboptimality F̃ − F*"


def sensitivity(
    result: Result, *, epsilon: float | None = None, mark: float | None = None, theme: str = "light"
) -> Figure:
    """Draw the final suboptimality (so far, if the sweep still runs) against λ.

    Parameters
    ----------
    epsilon
        What counts as usable; the result's default if not given.
    mark
        A step size to point at: "your λ".
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
    y_span = gap_span(result, end.median, end.low, end.high, [limit])
    frame = Frame(theme_named(theme), STEP_SIZE, lambda_span(lambdas, mark), f"final {SUBOPTIMALITY}", y_span)
    frame.level(limit, f"ε = {number(limit)}")
    if mark is not None:
        frame.mark(mark, f"your λ = {number(mark)}")
    series = [_series(result, end, m) for m in range(len(result.spec.methods))] if begun else []
    title, subtitle = _words(result, end, epsilon, begun)
    return frame.figure(series, "diverged or off the chart", title, subtitle)


def lambda_span(lambdas: tuple[float, ...], mark: float | None = None) -> Span:
    """Return the range of the λ axis: the grid, the marked λ and a margin."""
    ends = [*lambdas, *([mark] if mark is not None and 0 < mark < math.inf else [])]
    return Span(min(ends), max(ends)).around(0.035)


def _series(result: Result, end: Summary, m: int) -> Series:
    spec = result.spec
    name = spec.methods[m]
    label = methods[name].label
    seeds = len(spec.seeds)
    hover = []
    for k, lam in enumerate(spec.lambdas):
        words = [f"median {number(float(end.median[m, k]))}"]
        if seeds > 1:
            words.append(f"range {number(float(end.low[m, k]))} – {number(float(end.high[m, k]))}")
        failed = int(end.diverged[m, k])
        if failed:
            words = words if failed < seeds else []
            words.append(f"{failed} of {seeds} seeds diverged" if seeds > 1 else "diverged")
        hover.append(f"<b>{label}</b>  λ = {number(lam)}<br>" + ", ".join(words))
    flagged = np.asarray(end.diverged[m] > 0)
    return Series(name, label, spec.lambdas, end.median[m], end.low[m], end.high[m], flagged, hover)


def _words(result: Result, end: Summary, epsilon: float | None, begun: bool) -> tuple[str, str]:
    spec = result.spec
    if not begun or end.iteration == 0:
        return "The runs are starting", over_seeds(len(spec.seeds))
    running = end.iteration < spec.iterations
    title = ("So far: " if running else "") + finding(result, epsilon)
    taken = f"{end.iteration:,}" + (f" of {spec.iterations:,}" if running else "")
    return title, f"{taken} iterations, {over_seeds(len(spec.seeds))}"
