"""The λ-sensitivity plot: which method forgives a badly chosen step size."""

from __future__ import annotations

import math

import numpy as np

from ..catalogue import methods
from ..results import Criterion, Judged, Result, Spread, counted, number
from .axes import Array, Span, gap_span, rounding, start_gap
from .chart_titles import usable_title
from .frame import Figure, Frame, over_seeds
from .palette import Theme, theme_named
from .range_bars import RangeBars
from .series import Series, Trace, end_bars, starts

STEP_SIZE = "step size λ"
_HUGE = 1e6
_MOST_LINES = 20  # starts that are drawn one by one
HEIGHT_OF = {"risk": "excess risk R(θ̄) − F*", "objective": "suboptimality F̃ − F*"}  # by measure


def sensitivity(
    result: Result,
    *,
    by: Criterion | None = None,
    mark: float | None = None,
    chosen: float | None = None,
    theme: str = "light",
) -> Figure:
    """Draw the final gap by a measure (so far, if the sweep still runs) against λ.

    Parameters
    ----------
    by
        What counts as usable, and by which measure; the default criterion if not given.
    mark
        A step size to point at: "your λ".
    chosen
        A step size of the grid that the reader clicked: its points have rings.
    theme
        "light" or "dark".

    Returns
    -------
    A figure in plotly's JSON form. λ at which any seed diverged, or whose median is far above the start gap,
    have open triangles in a strip at the top edge, one row per method; they do not stretch the axis. Single starts are
    faint lines, and bars on the line of ε show how far the ends of the usable range differ between them. Below the
    curves a bar for each method is the median start's usable range, with its marker at the best λ.
    """
    judged = result.judged(by)
    end, limit, floor = judged.at(), judged.epsilon, judged.floor
    begun = int(result.recorded.min()) > 0
    lambdas = result.spec.lambdas
    shown = [limit] if floor is None else [limit, floor]
    y_span = gap_span(Spread(end.median, end.low, end.high), start_gap(judged), rounding(judged), shown)
    height = f"final {HEIGHT_OF[judged.criterion.measure]}"
    frame = Frame(theme_named(theme), STEP_SIZE, lambda_span(lambdas, mark), height, y_span)
    if judged.nothing_to_close is None:
        frame.level(limit, f"ε = {number(limit)}", "what a usable λ leaves of the gap at most")
        frame.zone(min(limit, y_span.high))
    if judged.nothing_to_close is None and begun and end.iteration > 0:
        found = {name: forgiven.typical for name, forgiven in judged.forgiven.items()}
        best = {name: judged.best_lambda(name) for name in found}
        frame.ranges = RangeBars(found, best, frame.x_span, going=end.iteration < result.spec.iterations)
    if floor is not None:
        frame.level(floor, "floor")
    if mark is not None:
        frame.mark(mark, f"your λ = {number(mark)}")
    names = [number(lam) for lam in lambdas]
    series = [_series(judged, m, names) for m in range(len(result.spec.methods))] if begun else []
    title, subtitle = _words(judged, begun)
    figure = frame.figure(series, "diverged or off the chart", title, subtitle, chosen)
    if begun:
        faint = [starts(one, gaps, y_span, frame.theme) for one, gaps in zip(series, _ends(judged), strict=True)]
        figure["data"] = faint + _spreads(judged, y_span, frame.theme) + figure["data"]
    return figure


def _ends(judged: Judged) -> Array:
    """Return the gaps of every start, shape (methods, seeds, lambdas); none where there are too many for lines."""
    ends = judged.gaps[:, :, judged.result.reached, :]
    return ends if 1 < ends.shape[1] <= _MOST_LINES else ends[:, :0]


def _spreads(judged: Judged, span: Span, theme: Theme) -> list[Trace]:
    """Return where the ends of the usable range lie over the starts: short bars on the line of ε."""
    if judged.nothing_to_close is not None or not span.low <= judged.epsilon <= span.high:
        return []
    return [
        end_bars(name, [ends for ends in (found.low_ends, found.high_ends) if ends is not None], judged.epsilon, theme)
        for name, found in judged.forgiven.items()
        if found.typical is not None and len(found.starts) > 1
    ]


def lambda_span(lambdas: tuple[float, ...], mark: float | None = None) -> Span:
    """Return the range of the λ axis: the grid, the marked λ and a margin."""
    ends = [*lambdas, *([mark] if mark is not None and 0 < mark < math.inf else [])]
    return Span(min(ends), max(ends)).around(0.035)


def _series(judged: Judged, m: int, lambda_names: list[str]) -> Series:
    spec, end = judged.result.spec, judged.at()
    label, seeds = methods[spec.methods[m]].label, len(spec.seeds)
    median, low, high, diverged = end.median[m], end.low[m], end.high[m], end.diverged[m]
    fine = judged.usable[m].tolist()
    rows = zip(lambda_names, median.tolist(), low.tolist(), high.tolist(), diverged.tolist(), fine, strict=True)
    hover, said = [], []
    for lam, middle, least, most, failed, good in rows:
        said.append(in_a_word(middle))
        words = f"median {number(middle)}"
        if seeds > 1:
            words += f", range {number(least)} – {number(most)}"
        if failed:
            words = f"{words}, " if failed < seeds else ""
            words += f"{failed} of {seeds} seeds diverged" if seeds > 1 else "diverged"
        words += f"<br>usable for {good} of {seeds} starts" if seeds > 1 else ""
        hover.append(f"<b>{label}</b>  λ = {lam}<br>{words}")
    return Series(spec.methods[m], label, spec.lambdas, median, low, high, np.asarray(diverged > 0), hover, said=said)


def in_a_word(gap: float) -> str:
    """Return a median gap where there is little room: of what is beyond all measure, its power of ten."""
    if not math.isfinite(gap):
        return "diverges"
    return number(gap if gap < _HUGE else 10.0 ** round(math.log10(gap)))


def _words(judged: Judged, begun: bool) -> tuple[str, str]:
    spec, end = judged.result.spec, judged.at()
    if not begun or end.iteration == 0:
        return "The runs are starting", over_seeds(len(spec.seeds))
    running = end.iteration < spec.iterations
    title = ("So far: " if running else "") + usable_title(judged)
    title = title.replace(": No ", ": no ")
    taken = f"every run has come to {end.iteration:,} of " if running else ""
    return title, f"{taken}{counted(spec.iterations, 'iteration')}, {over_seeds(len(spec.seeds))}"
