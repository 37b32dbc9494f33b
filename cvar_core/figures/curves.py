"""Suboptimality against iterations, one step size per method."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ..catalogue import methods
from ..results import Result, number
from .axes import Span, gap_span, start_gap
from .frame import Figure, Frame, over_seeds
from .palette import theme_named
from .sensitivity import SUBOPTIMALITY
from .series import Series, spread


def curves(result: Result, lambdas: Mapping[str, float | None] | None = None, *, theme: str = "light") -> Figure:
    """Draw how each method came down at ``lambdas[method]``, by default at its best λ.

    A method without a λ is left out. The start, iteration 0, has no place on a logarithmic axis: its gap is a
    quiet line.
    """
    spec = result.spec
    subtitle = over_seeds(len(spec.seeds))
    if lambdas is None:
        lambdas = _best(result)
        subtitle = f"each at its best λ, {subtitle}" if any(lambdas.values()) else ""
    series = [_series(result, name, lam) for name in spec.methods if (lam := lambdas.get(name)) is not None]
    medians, lows, highs = (
        np.concatenate([getattr(one, part) for one in series] or [np.empty(0)]) for part in ("median", "low", "high")
    )
    x_span = Span(1.0, float(spec.iterations)).around(0.025)
    frame = Frame(theme_named(theme), "iterations", x_span, SUBOPTIMALITY, gap_span(result, medians, lows, highs))
    frame.level(start_gap(result), "start")
    return frame.figure(series, "diverged or off the chart", _title(result, series), subtitle)


def _best(result: Result) -> dict[str, float | None]:
    if result.recorded.min() == 0:
        return {}
    medians, lambdas = result.at().median, result.spec.lambdas
    places = medians.argmin(axis=1).tolist()
    return {
        name: lambdas[k] if math.isfinite(medians[m, k]) else None
        for m, (name, k) in enumerate(zip(result.spec.methods, places, strict=True))
    }


def _series(result: Result, name: str, lam: float) -> Series:
    spec = result.spec
    m, k = spec.methods.index(name), _place(spec.lambdas, lam)
    reached = int(result.recorded[m].min())
    iterations = spec.checkpoint_iterations[1:reached]
    gaps = result.suboptimality[m, :, 1:reached, k]
    median, low, high = spread(gaps, axis=0)
    failed = np.isnan(gaps).sum(axis=0)
    label = f"{methods[name].label}, λ = {number(lam)}"
    hover = []
    for i, iteration in enumerate(iterations):
        words = f"median {number(float(median[i]))}"
        if len(spec.seeds) > 1:
            words += f", range {number(float(low[i]))} – {number(float(high[i]))}"
        if failed[i]:
            words = f"{failed[i]} of {len(spec.seeds)} seeds diverged"
        hover.append(f"<b>{label}</b><br>after {iteration:,} iterations: {words}")
    return Series(name, label, iterations, median, low, high, failed > 0, hover)


def _place(lambdas: tuple[float, ...], lam: float) -> int:
    for k, known in enumerate(lambdas):
        if math.isclose(known, lam, rel_tol=1e-9):
            return k
    raise ValueError(f"λ = {lam:g} is not in the grid: {', '.join(f'{known:g}' for known in lambdas)}")


def _title(result: Result, series: list[Series]) -> str:
    ends = [(float(one.median[-1]), methods[one.method].label, len(one.x)) for one in series if len(one.x)]
    if not ends:
        return "No λ of this grid stayed finite" if result.recorded.min() > 1 else "The runs are starting"
    after = result.spec.checkpoint_iterations[min(count for *_, count in ends)]
    words = ", ".join(f"{label} {'diverged' if math.isinf(gap) else number(gap)}" for gap, label, _ in sorted(ends))
    return f"After {after:,} iterations: {words}"
