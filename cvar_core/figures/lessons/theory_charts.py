"""The theorem against the runs: bounds on the mean suboptimality, and the mean that was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...catalogue import methods
from ...lessons.theory import Bound, Bounds, Measured
from ...results import Spread, number
from ..axes import Span, gap_span
from ..frame import Figure, Frame
from ..palette import Theme, style, theme_named
from ..sensitivity import HEIGHT_OF, STEP_SIZE, lambda_span
from ..series import Series, Trace

_POINTS = 61  # of a bound's curve, which is smooth
_THIN = 1.5  # px
_ROOM = 80  # below the bounds, which are mostly so far above the runs: the axis then stands still when these arrive


def promises(
    measured: Measured, promised: dict[str, Bounds], *, mark: float | None = None, theme: str = "light"
) -> Figure:
    """Draw the measured mean over seeds against λ, and each method's bound above it.

    A bound is a thin line, with a cross at its best λ. Without bounds, as for a loss that is not Lipschitz, only what
    was measured is drawn; before the runs are done, only the bounds are.

    Parameters
    ----------
    promised
        The bounds by method; none for methods without.
    mark
        A step size to point at.
    """
    look = theme_named(theme)
    x_span = lambda_span(measured.spec.lambdas, mark)
    frame = Frame(look, STEP_SIZE, x_span, f"mean {HEIGHT_OF['objective']}", _y_span(measured, promised))
    frame.bands = False
    if mark is not None:
        frame.mark(mark, f"λ = {number(mark)}")
    frame.level(measured.start, "start")
    series = [_series(measured, m, promised.get(name)) for m, name in enumerate(measured.spec.methods)]
    figure = frame.figure(series, "diverged or off the chart", *words(measured, promised))
    if not measured.there:  # without a point, plotly would leave a method out of the legend
        figure["data"] = [{**trace, "x": [None], "y": [None]} for trace in figure["data"]]
    lambdas = np.geomspace(*x_span, _POINTS)
    behind: list[Trace] = []
    for name, each in reversed(promised.items()):  # where they coincide, a dotted line on a solid one is still seen
        behind.append(_line(name, each.theorem, lambdas, look))
    crosses = [_cross(name, each.theorem, look) for name, each in promised.items()]
    legend = _legend(look) if promised else []
    figure["data"] = [*behind, *figure["data"], *crosses, *legend]
    return figure


def promises_along(
    measured: Measured, promised: dict[str, Bounds], marks: Sequence[float], *, theme: str = "light"
) -> list[Figure]:
    """Draw the same with each of some step sizes pointed at; they lie within the λ that were run."""
    first = promises(measured, promised, mark=marks[0], theme=theme)
    parts = ("shapes", "annotations")
    gone = _mark(marks[0], measured, theme)
    still = {part: [each for each in first["layout"][part] if each not in gone[part]] for part in parts}
    figures = []
    for lam in marks:
        here = _mark(lam, measured, theme)
        layout = {**first["layout"], **{part: [*here[part], *still[part]] for part in parts}}
        figures.append({"data": first["data"], "layout": layout})
    return figures


def _mark(lam: float, measured: Measured, theme: str) -> dict[str, list[dict[str, Any]]]:
    """Return the shape and the annotation that point at a step size."""
    frame = Frame(theme_named(theme), "", lambda_span(measured.spec.lambdas), "", Span(1.0, 2.0))
    frame.mark(lam, f"λ = {number(lam)}")
    return {"shapes": frame.shapes, "annotations": frame.annotations}


def _y_span(measured: Measured, promised: Mapping[str, Bounds]) -> Span:
    """Return a range that holds every bound, or else one that nothing that diverged can stretch."""
    means, start = measured.mean.ravel(), measured.start
    if not promised:
        return gap_span(Spread(means, means, means), start, 1e-9 * start)
    ends = measured.spec.lambdas[0], measured.spec.lambdas[-1]
    tops = [each.theorem.at(lam) for each in promised.values() for lam in ends]
    lows = [each.sharper.least / _ROOM for each in promised.values()]
    seen = means[np.isfinite(means) & (means > 1e-9 * start)]
    values = np.concatenate([seen, tops, lows, [start]])
    return Span(0.5 * float(values.min()), 2.0 * float(values.max()))


def _series(measured: Measured, m: int, promised: Bounds | None) -> Series:
    spec = measured.spec
    label, seeds = methods[spec.methods[m]].label, len(spec.seeds)
    means, lost = measured.mean[m], measured.diverged[m]
    if not measured.there:
        return Series(spec.methods[m], label, (), means[:0], means[:0], means[:0], np.asarray(lost[:0] > 0), ())
    rows = zip(
        spec.lambdas, means.tolist(), measured.low[m].tolist(), measured.high[m].tolist(), lost.tolist(), strict=True
    )
    hover = []
    for lam, mean, low, high, failed in rows:
        words = f"mean {number(mean)}, range {number(low)} – {number(high)}"
        if failed:
            words = f"{failed} of {seeds} seeds diverged"
        elif promised is not None:
            bound = promised.theorem.at(lam)
            words += f"<br>bound {number(bound)}, {number(bound / mean)} times the mean"
        hover.append(f"<b>{label}</b>  λ = {number(lam)}<br>{words}")
    return Series(spec.methods[m], label, spec.lambdas, means, means, means, np.asarray(lost > 0), hover)


def _line(method: str, bound: Bound, lambdas: np.ndarray[Any, Any], theme: Theme) -> Trace:
    look = style(method, theme.name)
    return {
        **_trace(method, "bound"),
        "mode": "lines",
        "x": lambdas.tolist(),
        "y": [bound.at(lam) for lam in lambdas.tolist()],
        "line": {"color": look.colour, "dash": look.dash, "width": _THIN},
        "hoverinfo": "skip",
    }


def _cross(method: str, bound: Bound, theme: Theme) -> Trace:
    colour = style(method, theme.name).colour
    label = methods[method].label
    words = f"<b>{label}</b>  the bound's best λ = {number(bound.best_lambda)}<br>bound {number(bound.least)}"
    return {
        **_trace(method, "best"),
        "mode": "markers",
        "x": [bound.best_lambda],
        "y": [bound.least],
        "marker": {"symbol": "x-thin", "size": 12, "line": {"width": 2.5, "color": colour}},
        "text": [words],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _trace(method: str, part: str) -> Trace:
    named = {"uid": f"{method}-{part}", "meta": method, "name": methods[method].label, "legendgroup": method}
    return {"type": "scatter", **named, "showlegend": False}


def _legend(theme: Theme) -> list[Trace]:
    """Return entries that say what a thin line and a cross are, whatever the method."""
    line = {"mode": "lines", "line": {"color": theme.quiet, "width": _THIN}}
    cross = {"mode": "markers", "marker": {"symbol": "x-thin", "size": 11, "line": {"width": 2, "color": theme.quiet}}}
    entries = {"promised at most": line, "its best λ": cross}
    return [
        {"type": "scatter", "uid": f"legend-{k}", "name": name, "x": [None], "y": [None], "hoverinfo": "skip", **looks}
        for k, (name, looks) in enumerate(entries.items())
    ]


def words(measured: Measured, promised: Mapping[str, Bounds]) -> tuple[str, str]:
    """Return title and subtitle: what is promised, and what is measured there."""
    spec = measured.spec
    about = f"{spec.iterations:,} updates, mean of {len(spec.seeds)} seeds"
    if not promised:
        return f"Theorem 1 promises nothing for {spec.problem.loss} loss: its slope has no limit", about
    name = min(promised, key=lambda each: measured.best(each)[1]) if measured.there else [*promised][-1]
    label, least, gap = methods[name].label, promised[name].theorem.least, measured.best(name)[1]
    promise = f"Theorem 1 promises {label} a gap of {number(least)} at best"
    if not measured.there:  # about as long as what it will be, so that the page need not move
        return f"{promise}: what its runs reach is not known yet", about
    if least < gap:  # somebody asks what other numbers would promise
        return f"Such numbers would promise {label} {number(least)}: the runs, with others, reach {number(gap)}", about
    return f"{promise}: its runs reach {number(gap)}, {number(least / gap)} times less", about
