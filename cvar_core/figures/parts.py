"""The suboptimality at one step size in its two parts: how far the model is off, and how far its threshold."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..catalogue import methods
from ..results import OBJECTIVE, RISK, Criterion, Result, Spread, counted, number, spread
from .axes import Array, Span, gap_span, rounding, start_gap
from .curves import best_lambdas, place_of
from .frame import Figure, Frame, over_seeds
from .palette import theme_named
from .series import Series

_NARROW = 560  # px; its legend has twice the entries
_PARTS = {"model": "excess risk R(θ̄) − F*", "threshold": "threshold gap F̃(θ̄, ᾱ) − R(θ̄)"}


def parts(
    result: Result,
    lambdas: Mapping[str, float | None] | None = None,
    *,
    measure: str = RISK,
    theme: str = "light",
) -> Figure:
    """Draw the two parts of F̃(θ̄, ᾱ) − F* along the run at ``lambdas[method]``, by default at the best λ by a measure.

    The model's part has filled markers; the threshold's is thinner and pale. Both are measured on the points, so that
    they add up.
    """
    spec, judged = result.spec, result.judged(Criterion(OBJECTIVE))
    given = best_lambdas(result, measure) if lambdas is None else lambdas
    places = {name: place_of(result, lam) for name in spec.methods if (lam := given.get(name)) is not None}
    series = [one for name, k in places.items() for one in _both(result, name, k)]
    drawn = Spread(*(np.concatenate([[], *(getattr(one, part) for one in series)]) for part in Spread._fields))
    shown = [float(value) for value in (*_starts(result), judged.floor or 0.0) if value > 0]
    x_span = Span(1.0, float(spec.iterations)).around(0.025)
    y_span = gap_span(drawn, start_gap(judged), rounding(judged), shown)
    frame = Frame(theme_named(theme), "iterations", x_span, "part of F̃ − F*", y_span)
    frame.narrow, frame.bands = _NARROW, False
    if judged.floor is not None:
        frame.level(judged.floor, "floor")
    return frame.figure(series, "diverged or off the chart", *_words(result, series))


def _both(result: Result, name: str, k: int) -> list[Series]:
    """Return a method's two curves at λ number k."""
    m = result.spec.methods.index(name)
    reached = int(result.recorded[m].min())
    iterations, here = result.checkpoints[1:reached], (m, slice(None), slice(1, reached), k)
    values = {"model": result.excess_risk[here], "threshold": (result.objectives - result.risks)[here]}
    found = []
    for part, gaps in values.items():
        median = spread(gaps, axis=0).median
        label, failed = f"{methods[name].label} · {part}", np.isnan(gaps).sum(axis=0)
        hover = [
            f"<b>{label}</b>, λ = {number(result.spec.lambdas[k])}<br>after {counted(n, 'iteration')}: "
            + (f"{lost} of {len(gaps)} seeds diverged" if lost else f"{_PARTS[part]} = {number(middle)}")
            for n, middle, lost in zip(iterations, median.tolist(), failed.tolist(), strict=True)
        ]
        second = part == "threshold"
        found.append(Series(name, label, iterations, median, median, median, failed > 0, hover, second))
    return found


def _starts(result: Result) -> Array:
    """Return the median over the seeds of the two parts at the start; nothing before one is recorded."""
    known = result.recorded.min() > 0
    ends = [result.excess_risk[0, :, 0, 0], (result.objectives - result.risks)[0, :, 0, 0]]
    return np.array([np.median(each) for each in ends] if known else [])


def _words(result: Result, series: list[Series]) -> tuple[str, str]:
    """Return title and subtitle: what the start was made of, which says what the objective is mostly about."""
    if not any(len(one.x) for one in series):
        return "The runs are starting", ""
    model, threshold = _starts(result).tolist()
    share = f"{100 * model / (model + threshold):.2g}%" if model + threshold > 0 else "none"
    title = (
        f"At the start {share} of the suboptimality is the model's part, {number(model)}, the rest a wrong threshold"
    )
    return title, f"median of {over_seeds(len(result.spec.seeds)).removeprefix('median and range of ')}"
