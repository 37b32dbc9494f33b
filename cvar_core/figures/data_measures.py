"""What a step size is worth beside the objective: accuracy in classification, test losses in regression.

Each method has two lines: the bold one is what counts on rows that no run has seen, the thin one stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ..catalogue import methods
from ..results import Result, Spread, counted, number, spread
from .axes import Array, Span, gap_span
from .curves import best_lambdas
from .frame import Figure, Frame
from .palette import theme_named
from .sensitivity import STEP_SIZE, lambda_span
from .series import Series

WORDS = {
    "train_accuracy": "training accuracy",
    "test_accuracy": "test accuracy",
    "train_mean_loss": "mean training loss",
    "test_mean_loss": "mean test loss",
    "test_cvar": "test CVaR",
}


def shown_measures(names: Sequence[str]) -> tuple[str, str | None]:
    """Return the measure that is drawn bold, and the thin one.

    >>> shown_measures(["train_accuracy", "test_accuracy"]), shown_measures(["train_mean_loss"])
    (('test_accuracy', 'train_accuracy'), ('train_mean_loss', None))
    """
    for bold, thin in (("test_accuracy", "train_accuracy"), ("test_cvar", "test_mean_loss")):
        if bold in names:
            return bold, thin
    return names[0], None


def measures_by_lambda(result: Result, *, chosen: float | None = None, theme: str = "light") -> Figure:
    """Draw the measures of the averaged iterate against λ, at the last checkpoint that every run has reached."""
    spec, end = result.spec, result.at()
    drawn = []
    if result.recorded.min() > 0:
        at = result.checkpoints.index(end.iteration)
        x = [number(lam) for lam in spec.lambdas]
        for name, second in _names(result):
            for m, method in enumerate(spec.methods):
                values = result.measures[name][m, :, at, :]
                drawn.append(_series(name, method, spec.lambdas, values, [f"λ = {lam}" for lam in x], second))
    frame = _frame(result, drawn, theme, STEP_SIZE, lambda_span(spec.lambdas))
    ends = _best(result, at) if drawn else []
    running = "" if end.iteration == spec.iterations else "So far: "
    return _figure(frame, result, drawn, f"{running}{_told(result, ends, 'at best')}", chosen)


def measures_along(
    result: Result, lambdas: Mapping[str, float | None] | None = None, *, theme: str = "light"
) -> Figure:
    """Draw the measures against iterations at ``lambdas[method]``, by default at its best λ for the objective."""
    spec, given = result.spec, best_lambdas(result) if lambdas is None else lambdas
    drawn, ends = [], []
    for name, second in _names(result):
        for m, method in enumerate(spec.methods):
            k, reached = result.place(given.get(method) or math.nan), int(result.recorded[m].min())
            if k is None or reached < 2:
                continue
            x = result.checkpoints[1:reached]
            values = result.measures[name][m, :, 1:reached, k]
            drawn.append(_series(name, method, x, values, [f"after {counted(n, 'iteration')}" for n in x], second))
            if not second:
                ends.append((float(drawn[-1].median[-1]), methods[method].label))
    frame = _frame(result, drawn, theme, "iterations", Span(1.0, float(spec.iterations)).around(0.025))
    where = "with each at its best λ" if lambdas is None else "at the chosen λ"
    return _figure(frame, result, drawn, _told(result, ends, where))


def _names(result: Result) -> list[tuple[str, bool]]:
    bold, thin = shown_measures(list(result.measures))
    return [(bold, False), *([(thin, True)] if thin else [])]


def _share(name: str) -> bool:
    return name.endswith("accuracy")


def _written(name: str, value: float) -> str:
    if math.isinf(value):
        return "diverged"
    return f"{100 * value:.1f}%" if _share(name) else number(value)


def _spread(name: str, values: Array) -> Spread:
    """Return the median and the range over seeds, shape (points,); a seed that diverged is the worst, ∞ is unknown."""
    if not _share(name):
        return spread(values, axis=0)
    worst = spread(-values, axis=0)  # of accuracy, the least
    parts = (-worst.median, -worst.high, -worst.low)
    return Spread(*(np.where(np.isinf(part), np.inf, part) for part in parts))


def _series(name: str, method: str, x: Sequence[float], values: Array, places: Sequence[str], second: bool) -> Series:
    found, label = _spread(name, values), methods[method].label
    failed = np.isnan(values).any(axis=0)
    hover = []
    for place, median, low, high in zip(places, *(part.tolist() for part in found), strict=True):
        words = f"{WORDS[name]} {_written(name, median)}"
        if len(values) > 1 and math.isfinite(median):
            words += f", range {_written(name, low)} – {_written(name, high)}"
        hover.append(f"<b>{label}</b>  {place}<br>{words}")
    shown = f"{label}, {WORDS[name]}" if second else label
    flagged = np.zeros_like(failed) if second else failed
    return Series(method, shown, x, *found, np.asarray(flagged), hover, second)


def _frame(result: Result, drawn: Sequence[Series], theme: str, x_title: str, x_span: Span) -> Frame:
    bold, thin = shown_measures(list(result.measures))
    title = WORDS[bold] if thin is None or _share(bold) else f"{WORDS[bold]}, {WORDS[thin]}"
    medians = np.concatenate([[], *(one.median for one in drawn)])
    known = medians[np.isfinite(medians)]
    reference = result.reference.get(bold)
    if _share(bold):
        ends = [*known.tolist(), *([] if reference is None else [reference])]
        low = max(0.0, min(ends, default=0.0) - 0.05)
        frame = Frame(theme_named(theme), x_title, x_span, title, Span(low, 1.25))  # 1 has to be clear of the top edge
        frame.linear = (low, 1.0 + 0.02 * (1.0 - low))
    else:
        starts = result.measures[bold][:, :, 0, 0]
        begun = starts[np.isfinite(starts) & (starts > 0)]
        unit = float(np.median(begun)) if len(begun) else 1.0
        spread_of_all = Spread(
            *(np.concatenate([[], *(getattr(one, part) for one in drawn)]) for part in Spread._fields)
        )
        shown = [] if reference is None else [reference]
        frame = Frame(theme_named(theme), x_title, x_span, title, gap_span(spread_of_all, unit, 1e-12 * unit, shown))
    if reference is not None:
        frame.level(reference, f"θ* {_written(bold, reference)}")
    return frame


def _figure(frame: Frame, result: Result, drawn: Sequence[Series], title: str, chosen: float | None = None) -> Figure:
    bold, thin = shown_measures(list(result.measures))
    lines = f"bold: {WORDS[bold]}, thin: {WORDS[thin]}" if thin else WORDS[bold]
    frame.bands = False  # six lines are enough
    seeds = len(result.spec.seeds)
    about = f"{lines}, {f'median of {seeds} seeds' if seeds > 1 else 'one seed'}"
    raised = "diverged or off the chart"
    figure = frame.figure(drawn, raised, title if drawn else "The runs are starting", about, chosen)
    # One triangle a method, and the words above say what is thin.
    figure["data"] = [trace for trace in figure["data"] if not trace["uid"].endswith("-second-triangles")]
    for trace in figure["data"]:
        if "-second-" in trace["uid"]:
            trace["showlegend"] = False
    return figure


def _best(result: Result, at: int) -> list[tuple[float, str]]:
    """Return each method's best measure over the grid."""
    bold, _ = shown_measures(list(result.measures))
    found = []
    for m, method in enumerate(result.spec.methods):
        medians = _spread(bold, result.measures[bold][m, :, at, :]).median
        known = medians[np.isfinite(medians)]
        best = (known.max() if _share(bold) else known.min()) if len(known) else math.inf
        found.append((float(best), methods[method].label))
    return found


def _told(result: Result, ends: Sequence[tuple[float, str]], where: str) -> str:
    bold, _ = shown_measures(list(result.measures))
    order = sorted(ends, key=lambda end: -end[0] if _share(bold) and math.isfinite(end[0]) else end[0])
    words = WORDS[bold]
    return f"{words[:1].upper()}{words[1:]} {where}: " + ", ".join(f"{label} {_written(bold, v)}" for v, label in order)
