"""Decades of λ forgiven against the share of the gap that has to be closed: how strict one can be."""

from __future__ import annotations

import math

import numpy as np

from ..catalogue import methods
from ..results import Criterion, Judged, Result
from ..results.strictness import decades_by_share, most_closed
from .axes import Array, Span, linear_axis
from .frame import Figure, Frame, over_seeds
from .palette import theme_named
from .series import Series

_ASKED = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999)  # shares with a tick
_LEFT = np.logspace(math.log10(0.5), -4, 48)  # shares of the gap that may be left
_SHARES = tuple(float(1 - left) for left in _LEFT)


def how_strict(result: Result, *, by: Criterion | None = None, theme: str = "light") -> Figure:
    """Draw how many decades of λ each method forgives against the share of the gap that counts as usable.

    The share of the criterion is marked, if it has one.
    """
    judged = result.judged(by)
    reached = judged.at().iteration
    there = reached > 0 and judged.nothing_to_close is None
    forgiven = decades_by_share(judged, _SHARES) if there else np.zeros((0, len(_SHARES)))
    span = Span(float(_LEFT[-1]), float(_LEFT[0])).around(0.03)
    most = 1.08 * max(float(forgiven.max(initial=0.0)), 1.0)
    frame = Frame(theme_named(theme), "share of the gap that has to be closed", span, "", Span(1e-9, 2 * most))
    frame.linear, frame.bands = (-0.03 * most, most), False
    names = [methods[name].label for name in result.spec.methods] if there else []
    series = [_series(result.spec.methods[m], name, forgiven[m]) for m, name in enumerate(names)]
    closed = judged.criterion.closed
    if judged.criterion.epsilon is None:
        frame.mark(1 - closed, f"usable: {100 * closed:.6g}%")
    figure = frame.figure(series, "", *_words(judged))
    _name_shares(figure, frame, most)
    return figure


def _series(method: str, label: str, forgiven: Array) -> Series:
    shares = [f"{100 * share:.4g}%" for share in _SHARES]
    widths = [f"{width:.1f} decades" if width > 0 else "no λ is usable" for width in forgiven.tolist()]
    hover = [f"<b>{label}</b>, {share} closed: {width}" for share, width in zip(shares, widths, strict=True)]
    never = np.zeros(len(forgiven), dtype=bool)
    return Series(method, label, _LEFT.tolist(), forgiven, forgiven, forgiven, never, hover)


def _name_shares(figure: Figure, frame: Frame, most: float) -> None:
    """Have the axis run from lenient to strict, and name what is closed, not what is left; lines are enough."""
    x, layout = figure["layout"]["xaxis"], figure["layout"]
    x |= {
        "range": x["range"][::-1],
        "tickvals": [1 - share for share in _ASKED],
        "ticktext": [f"{100 * share:.6g}%" for share in _ASKED],
        "tickfont": {},
        "minor": {},
    }
    layout["yaxis"] = {
        **linear_axis("decades of λ forgiven", (-0.03 * most, most), frame.theme),
        "domain": layout["yaxis"]["domain"],
    }
    for trace in figure["data"]:
        trace["mode"] = "lines"
        trace["line"]["shape"] = "linear"


def _words(judged: Judged) -> tuple[str, str]:
    """Return title and subtitle: the strictest share at which each method has a usable λ left."""
    spec, end = judged.result.spec, judged.at()
    if end.iteration == 0:
        return "The runs are starting", ""
    if judged.nothing_to_close is not None:
        return "There is nothing to close", ""
    most = dict(zip(spec.methods, most_closed(judged).tolist(), strict=True))
    order = sorted(most, key=most.__getitem__, reverse=True)
    so_far = "So far: " if end.iteration < spec.iterations else ""
    if most[order[0]] < _SHARES[0]:
        return f"{so_far}No λ of this grid closes half of the gap", over_seeds(len(spec.seeds))
    words = ", ".join(f"{methods[name].label} {_written(most[name])}" for name in order)
    return f"{so_far}The most that some λ closes: {words}", f"median of {len(spec.seeds)} starts"


def _written(share: float) -> str:
    """Return a share, rounded down with as many digits as tell it from all."""
    if share < _SHARES[0]:
        return "less than 50%"
    if share >= _SHARES[-1]:
        return "≥ 99.99%"
    digits = max(0, math.ceil(-math.log10(1 - share)) - 1)
    return f"{math.floor(share * 10 ** (digits + 2) + 1e-6) / 10**digits:.{digits}f}%"
