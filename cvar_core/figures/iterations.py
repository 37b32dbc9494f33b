"""Iterations to reach ε, against λ: what a badly chosen step size costs."""

from __future__ import annotations

import math

import numpy as np

from ..catalogue import methods
from ..results import GAP, Criterion, Result, number, spread
from .axes import Array, Span
from .frame import Figure, Frame, over_seeds
from .palette import theme_named
from .sensitivity import STEP_SIZE, lambda_span
from .series import Series


def iterations_to(
    result: Result, *, by: Criterion | None = None, chosen: float | None = None, theme: str = "light"
) -> Figure:
    """Draw the first recorded iteration with a gap of at most ε, each start's own, against λ.

    λ at which some or all seeds never reached ε have open triangles in a strip at the top edge. The points of a
    ``chosen`` λ have rings.
    """
    spec, judged = result.spec, result.judged(by)
    reached = result.at().iteration
    series = []
    if reached > 0:  # before that, "not reached" says nothing
        counts, names = judged.iterations(), [number(lam) for lam in spec.lambdas]
        series = [_series(result, counts[m], m, names) for m in range(len(spec.methods))]
    y_span = Span(1.0, max(2.0, float(spec.iterations))).around(0.04)
    frame = Frame(theme_named(theme), STEP_SIZE, lambda_span(spec.lambdas), "iterations to reach ε", y_span)
    gap = GAP[judged.criterion.measure]
    seen = f"first record with {gap} ≤ ε = {number(judged.epsilon)}, {over_seeds(len(spec.seeds))}" if series else ""
    return frame.figure(series, "ε not reached by every seed", _title(series, reached < spec.iterations), seen, chosen)


def _series(result: Result, counts: Array, m: int, lambda_names: list[str]) -> Series:
    spec = result.spec
    label, seeds = methods[spec.methods[m]].label, len(spec.seeds)
    median, low, high = spread(counts, axis=0)
    missed = np.isinf(counts).sum(axis=0)
    rows = zip(lambda_names, median.tolist(), low.tolist(), high.tolist(), missed.tolist(), strict=True)
    hover = []
    for lam, middle, least, most, failed in rows:
        if failed == seeds:
            words = "ε not reached"
        else:
            words = f"median {_count(middle)}" + (f", range {_count(least)} – {_count(most)}" if seeds > 1 else "")
            words += f" iterations, {failed} of {seeds} seeds did not reach ε" if failed else " iterations"
        hover.append(f"<b>{label}</b>  λ = {lam}<br>{words}")
    return Series(spec.methods[m], label, spec.lambdas, median, low, high, missed > 0, hover)


def _count(value: float) -> str:
    return f"{value:,.0f}" if math.isfinite(value) else "never"


def _title(series: list[Series], running: bool) -> str:
    """Say how soon each method reaches ε at the λ that suits it, the quickest first."""
    if not series:
        return "The runs are starting"
    best = sorted((float(one.median.min()), one.name) for one in series)
    if math.isinf(best[0][0]):
        return "So far: no λ of this grid has reached ε" if running else "No λ of this grid reaches ε"
    (first, quickest), *others = best
    rest = "".join(f", {name} {_count(count)}" for count, name in others)
    so_far = "So far: " if running else ""
    return f"{so_far}{quickest} reaches ε in {_count(first)} iterations at best{rest}"
