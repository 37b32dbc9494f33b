"""Pinned runs as ghosts: pale lines behind those of the run that is shown, in the methods' colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from ..catalogue import methods
from ..results import Criterion, Judged, Result, spread
from .axes import Array, Span, start_gap
from .curves import best_lambdas
from .frame import Figure
from .palette import Theme, style, theme_named, translucent
from .series import Trace

MOST_PINNED = 4
_OPACITY = 0.5
_DEEPER = 3.0  # decades by which ghosts may lengthen an axis
_ROOM = 1.2  # a point this close to the top edge, as a factor, is left out, as those of the run itself are


class Stroke(NamedTuple):
    """How the lines of a pinned run are told from another's: plotly's word for it, ours, and a sample."""

    dash: str
    word: str
    sample: str


STROKES = (
    Stroke("dot", "dotted", "┈┈"), Stroke("dash", "dashed", "╌╌"), Stroke("dashdot", "dash and dot", "╌·"),
    Stroke("longdash", "long dashes", "— —"),
)  # fmt: skip
assert len(STROKES) == MOST_PINNED


class Pinned(NamedTuple):
    """A run to compare with, and what it is called."""

    name: str
    result: Result


def haunt_sensitivity(
    figure: Figure, result: Result, pinned: Sequence[Pinned], by: Criterion, theme: str = "light"
) -> None:
    """Lay the medians of pinned runs, by λ, under a sensitivity chart of ``result``."""
    shown = result.judged(by)
    lines = []
    for place, run in _begun(pinned, by):
        end, factor = run.at(), unit_factor(shown, run)
        for m, method in enumerate(run.result.spec.methods):
            lines.append((place, method, run.result.spec.lambdas, factor * end.median[m]))
    _lay_under(figure, lines, pinned, theme)


def haunt_curves(
    figure: Figure, result: Result, pinned: Sequence[Pinned], measure: str, at: float | None, theme: str = "light"
) -> None:
    """Lay the medians of pinned runs, by iteration, under the curves of ``result``: at one λ, or at each's own best."""
    by = Criterion(measure)
    shown = result.judged(by)
    lines = []
    for place, run in _begun(pinned, by):
        best, factor, spec = best_lambdas(run.result, measure), unit_factor(shown, run), run.result.spec
        there = at is not None and run.result.place(at) is not None
        for m, method in enumerate(spec.methods):
            lam = at if there else best.get(method)
            k = None if lam is None else run.result.place(lam)
            if k is not None:
                reached = int(run.result.recorded[m].min())
                median, _, _ = spread(run.gaps[m, :, 1:reached, k], axis=0)
                lines.append((place, method, run.result.checkpoints[1:reached], factor * median))
    _lay_under(figure, lines, pinned, theme)


def unit_factor(shown: Judged, other: Judged) -> float:
    """Return what a pinned run's gaps are multiplied by: on another problem, they are shares of its own start's gap."""
    same = shown.result.spec.problem == other.result.spec.problem
    return 1.0 if same else start_gap(shown) / start_gap(other)


def told(result: Result, pinned: Sequence[Pinned]) -> str:
    """Say which pale lines are whose; nothing where none is pinned."""
    if not pinned:
        return ""
    names = ", ".join(f"{run.name} ({stroke.word})" for run, stroke in zip(pinned, STROKES, strict=False))
    others = any(run.result.spec.problem != result.spec.problem for run in pinned)
    scaled = "; on another problem, in shares of its own gap at the start" if others else ""
    return f"Pale: {names}{scaled}."


def _begun(pinned: Sequence[Pinned], by: Criterion) -> Iterator[tuple[int, Judged]]:
    for place, run in enumerate(pinned[:MOST_PINNED]):
        judged = run.result.judged(by)
        if judged.at().iteration > 0:
            yield place, judged


def _lay_under(
    figure: Figure,
    lines: Sequence[tuple[int, str, Sequence[float], Array]],
    pinned: Sequence[Pinned],
    theme: str,
) -> None:
    span = _deeper(figure, [median for *_, median in lines])
    colours = theme_named(theme)
    names = [_name(place, run.name, colours) for place, run in enumerate(pinned[:MOST_PINNED])]
    drawn = [_line(*line, pinned[line[0]].name, span, colours) for line in lines]
    figure["data"] = [*drawn, *figure["data"], *names]


def _deeper(figure: Figure, medians: Sequence[Array]) -> Span:
    """Let the axis go down to the lowest ghost, and return its span; what is off the chart does not raise it."""
    axis = figure["layout"]["yaxis"]
    low, high = axis["range"]
    found = np.concatenate([[], *medians])
    found = found[(found > 0) & (found < 10**high)]
    if len(found):
        low = max(min(low, float(np.log10(0.5 * found.min()))), low - _DEEPER)
    figure["layout"] = {**figure["layout"], "yaxis": {**axis, "range": [low, high]}}
    return Span(10**low, 10**high)


def _line(place: int, method: str, x: Sequence[float], median: Array, name: str, span: Span, theme: Theme) -> Trace:
    shown = np.asarray(median <= span.high / _ROOM).tolist()  # neither ∞ nor NaN
    heights = median.clip(*span).tolist()
    return {
        "type": "scatter",
        "uid": f"{method}-pinned-{place}",
        "name": f"{methods[method].label} · {escape(name)}",
        "legendgroup": method,
        "mode": "lines",
        "x": list(x),
        "y": [height if seen else None for height, seen in zip(heights, shown, strict=True)],
        "line": {
            "color": translucent(style(method, theme.name).colour, _OPACITY), "dash": STROKES[place].dash, "width": 2,
        },
        "hoverinfo": "skip",
        "showlegend": False,
    }  # fmt: skip


def _name(place: int, name: str, theme: Theme) -> Trace:
    """Return the legend's entry of a pinned run, whichever its methods: for a file, which has no cards above it."""
    return {
        "type": "scatter",
        "uid": f"pinned-{place}",
        "name": escape(name),
        "mode": "lines",
        "x": [None],
        "y": [None],
        "line": {"color": theme.quiet, "dash": STROKES[place].dash, "width": 2},
        "hoverinfo": "skip",
    }
