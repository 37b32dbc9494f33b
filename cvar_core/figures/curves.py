"""The gap against iterations, one step size per method: by one measure, or in its two parts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..catalogue import methods
from ..results import RISK, Criterion, Judged, Result, Spread, counted, number, spread
from .axes import Span, gap_span, rounding, start_gap
from .chart_titles import ends_title
from .frame import Figure, Frame, over_seeds
from .palette import theme_named
from .sensitivity import HEIGHT_OF, in_a_word
from .series import Series


def curves(
    result: Result,
    lambdas: Mapping[str, float | None] | None = None,
    *,
    measure: str = RISK,
    theme: str = "light",
) -> Figure:
    """Draw how each method came down at ``lambdas[method]``, by default at its best λ, by one measure.

    A method without a λ is left out. The start, iteration 0, has no place on a logarithmic axis: its gap is a
    quiet line.
    """
    spec, judged = result.spec, result.judged(Criterion(measure))
    given = best_lambdas(result, measure) if lambdas is None else lambdas
    places = {name: place_of(result, lam) for name in spec.methods if (lam := given.get(name)) is not None}
    shared = spec.lambdas[min(places.values())] if lambdas is not None and len(set(places.values())) == 1 else None
    series = [_series(judged, name, k, named=shared is None) for name, k in places.items()]
    drawn = Spread(*(np.concatenate([[], *(getattr(one, part) for one in series)]) for part in Spread._fields))
    x_span, y_span = (
        Span(1.0, float(spec.iterations)).around(0.025),
        gap_span(drawn, start_gap(judged), rounding(judged), [] if judged.floor is None else [judged.floor]),
    )
    frame = Frame(theme_named(theme), "iterations", x_span, HEIGHT_OF[measure], y_span)
    frame.level(start_gap(judged), "start")
    if judged.floor is not None:
        frame.level(judged.floor, "floor")
    where = "each at its best λ" if lambdas is None else f"at λ = {number(shared)}" if shared is not None else ""
    return frame.figure(series, "diverged or off the chart", *_words(judged, series, where, shared))


def best_lambdas(result: Result, measure: str = RISK) -> dict[str, float | None]:
    """Return each method's best λ so far; nothing before there is one."""
    if result.recorded.min() == 0:
        return {}
    return {name: result.best_lambda(name, measure) for name in result.spec.methods}


def place_of(result: Result, lam: float) -> int:
    k = result.place(lam)
    if k is None:
        raise ValueError(f"λ = {lam:g} is not in the grid: {', '.join(f'{known:g}' for known in result.spec.lambdas)}")
    return k


def _series(judged: Judged, name: str, k: int, *, named: bool) -> Series:
    """Return a method's curve at λ number k, ``named`` in the legend if the methods differ in it."""
    result = judged.result
    m, seeds = result.spec.methods.index(name), len(result.spec.seeds)
    reached = int(result.recorded[m].min())
    iterations = result.checkpoints[1:reached]
    gaps = judged.gaps[m, :, 1:reached, k]
    median, low, high = spread(gaps, axis=0)
    failed = np.isnan(gaps).sum(axis=0)
    full = f"{methods[name].label}, λ = {number(result.spec.lambdas[k])}"
    rows = zip(iterations, median.tolist(), low.tolist(), high.tolist(), failed.tolist(), strict=True)
    hover = []
    for iteration, middle, least, most, lost in rows:
        if lost:
            words = f"{lost} of {seeds} seeds diverged"
        else:
            words = f"median {number(middle)}" + (f", range {number(least)} – {number(most)}" if seeds > 1 else "")
        hover.append(f"<b>{full}</b><br>after {counted(iteration, 'iteration')}: {words}")
    label = full if named else methods[name].label
    said = [in_a_word(middle) for middle in median.tolist()]
    return Series(name, label, iterations, median, low, high, failed > 0, hover, said=said)


def _words(judged: Judged, series: list[Series], where: str, shared: float | None) -> tuple[str, str]:
    """Return title and subtitle: how far apart the methods are where all have come to, and what each has left."""
    result = judged.result
    spec, moved = result.spec, [one for one in series if len(one.x)]
    if not moved:
        if result.recorded.min() <= 1:
            return "The runs are starting", ""
        return ("No λ of this grid stayed finite" if where else "No step size is chosen"), ""
    last = min(len(one.x) for one in moved)
    after = result.checkpoints[last]
    ends = {one.method: float(one.median[last - 1]) for one in moved}
    title = ends_title(ends, "" if shared is None else where, start_gap(judged))
    least_first = sorted(ends, key=ends.__getitem__)
    gaps = ", ".join(f"{methods[name].label} {in_a_word(ends[name])}" for name in least_first)
    about = ", ".join(filter(None, (where, over_seeds(len(spec.seeds)))))
    if after == spec.iterations and result.recorded.min() == len(result.checkpoints):
        return title, f"after {counted(after, 'iteration')}: {gaps}; {about}"
    return (
        f"So far: {title[:1].lower()}{title[1:]}",
        f"after {after:,} of {counted(spec.iterations, 'iteration')}: {gaps}; {about}",
    )
