"""CVaR at its extremes: a handful of losses, and classifiers that give up."""

from __future__ import annotations

import math

import numpy as np
from torch import Tensor

from ...lessons.anatomy import GivingUp, few, objective_along, tail_parts
from ...problem.objective import tail_mass
from ...results import number
from ..axes import Array
from ..frame import Figure, titled
from ..palette import theme_named
from .anatomy_charts import TAIL, blank, label, line, percent

_UNKNOWN = "The best classifier at each β is being looked for …"


def extremes(losses: Tensor, beta: float, *, theme: str = "light") -> Figure:
    """Draw a handful of losses: F_β over α with all its minimisers, and below it how much each loss counts."""
    colours, found = theme_named(theme), few(losses, beta)
    ordered = losses.sort().values.numpy()
    room = 0.13 * (ordered[-1] - ordered[0]) or 1.0
    low, high = float(ordered[0] - room), float(ordered[-1] + room)
    alphas = np.unique(np.concatenate([[low], ordered, [high]]))  # straight in between
    curve = objective_along(losses, alphas, beta)
    top = max(float(curve[-1]), found.value + 0.6 * (high - low))
    bottom = found.value - 0.15 * (top - found.value)
    flat = [max(found.low, low), found.high]
    parts = tail_parts(losses.sort().values, beta).numpy()
    share = parts / tail_mass(len(parts), beta)
    figure = blank(colours, "loss ℓ and threshold α", [low, high], "F<sub>β</sub>(α)", [bottom, top])
    figure["data"] = [
        {
            "type": "scatter", "uid": "curve", "name": "F<sub>β</sub>(α)", "mode": "lines", "x": alphas.tolist(),
            "y": curve.tolist(), "line": {"color": colours.quiet, "width": 2},
            "hovertemplate": "α = %{x:.3g}, F = %{y:.4g}<extra></extra>",
        },
        {
            "type": "scatter", "uid": "minimisers", "name": "its minimisers", "mode": "lines+markers",
            "x": flat, "y": [found.value] * 2, "line": {"color": TAIL[theme], "width": 6},
            "marker": {"size": 11, "color": TAIL[theme]},
            "hovertemplate": "α = %{x:.3g}, F = %{y:.4g}<extra></extra>",
        },
        {
            "type": "bar", "uid": "weights", "name": "weight", "x": ordered.tolist(), "y": share.tolist(),
            "yaxis": "y2", "width": 0.003 * (high - low), "marker": {"color": TAIL[theme], "line": {"width": 0}},
            "hoverinfo": "skip", "showlegend": False,
        },
        {
            "type": "scatter", "uid": "losses", "name": f"the {len(ordered)} losses",
            "mode": "markers", "x": ordered.tolist(), "y": share.tolist(), "yaxis": "y2", "cliponaxis": False,
            "marker": {
                "size": 11, "line": {"width": 2, "color": TAIL[theme]},
                "color": [TAIL[theme] if part > 0 else colours.surface for part in parts.tolist()],
            },
            "text": [f"ℓ = {number(x)}, weight {percent(w)}" for x, w in zip(ordered, share, strict=True)],
            "hovertemplate": "%{text}<extra></extra>",
        },
    ]  # fmt: skip
    layout = figure["layout"]
    layout["yaxis"] |= {"domain": [0.4, 1], "nticks": 5}
    layout["yaxis2"] = {
        **layout["yaxis"], "domain": [0, 0.3], "range": [0, 1.15 * float(share.max())], "tickformat": ".3~%",
        "nticks": 3, "title": {**layout["yaxis"]["title"], "text": "weight"},
    }  # fmt: skip
    layout["xaxis"]["anchor"] = "y2"
    layout["title"] = titled(_named(parts, beta, found.value), _interval(found.low, found.high), colours)
    return figure


def classifiers(found: GivingUp, beta: float, *, theme: str = "light") -> Figure:
    """Draw how the best classifier shrinks as β grows, how often it is right, and where the reader's β is.

    Before any was found, only that β is drawn.
    """
    colours, rows, critical = theme_named(theme), found.classifiers, found.critical
    longest = rows[0].length if rows else 0.0
    lengths = [(one.beta, one.length / longest) for one in rows if one.length > 0]
    right = [(one.beta, one.accuracy) for one in rows if one.accuracy is not None]
    if critical is not None:
        lengths += [(critical, 0.0), (1.0, 0.0)]
        right += [(critical, right[-1][1])] if right else []
    figure = blank(colours, "level β", [0, 1], "", [-0.04, 1.06])
    figure["data"] = [
        {
            "type": "scatter", "uid": "length", "name": "length ‖θ*‖", "mode": "lines",
            "x": [x for x, _ in lengths] or [None], "y": [y for _, y in lengths] or [None],
            "line": {"color": TAIL[theme], "width": 3},
            "hovertemplate": "β = %{x:.2f}: %{y:.0%}<extra></extra>",
        },
        {
            "type": "scatter", "uid": "accuracy", "name": "accuracy of θ*", "mode": "lines",
            "x": [x for x, _ in right] or [None], "y": [y for _, y in right] or [None],  # for the legend
            "line": {"color": colours.text, "width": 2, "dash": "dash"},
            "hovertemplate": "β = %{x:.2f}: %{y:.1%}<extra></extra>",
        },
    ]  # fmt: skip
    layout = figure["layout"]
    layout["yaxis"] |= {"tickformat": ".0%", "nticks": 6}
    layout["xaxis"] |= {"dtick": 0.1}
    layout["shapes"] = [line(colours.text, "solid", x0=beta, x1=beta, y0=0, y1=1, yref="paper")]
    side = {"xanchor": "right", "xshift": -5} if beta > 0.5 else {"xanchor": "left", "xshift": 5}
    layout["annotations"] = [
        label(f"β = {beta:g}", colours.text, bgcolor=colours.surface, x=beta, y=0.09, yanchor="middle", **side)
    ]
    if critical is not None:
        band = {"type": "rect", "layer": "below", "line": {"width": 0}, "fillcolor": colours.strip}
        layout["shapes"].append({**band, "x0": critical, "x1": 1, "yref": "paper", "y0": 0, "y1": 1})
        layout["annotations"].append(
            label("θ* = 0", colours.quiet, bgcolor=colours.surface, x=(critical + 1) / 2, y=0.5, yanchor="middle")
        )
    title = "No β that was tried makes a classifier give up"
    if critical is not None:
        title = f"From β ≈ {critical:.2f} on, the best classifier is θ = 0"
    length = f"‖θ*‖ = {number(longest)}, at β = 0" if rows else "that at β = 0"
    about = f"100% of the length is {length}; accuracy is the share on the right side"
    layout["title"] = titled(title if rows else _UNKNOWN, about, colours)
    return figure


def judged(found: GivingUp, beta: float) -> str:
    """Say what the reader's β means for a classifier, with formulas in TeX."""
    if not found.classifiers:
        return f"On which side of that border **β = {beta:g}** is will be told in a moment."
    critical, first = found.critical, found.classifiers[0]
    border = "" if critical is None else rf" ($\beta_c \approx {critical:.2f}$)"
    if critical is not None and beta >= critical:
        return (
            rf"At **β = {beta:g}**, beyond the border{border}, $\theta^*=0$: every loss is $\log 2\approx"
            rf"{math.log(2):.3f}$, and to speak of the accuracy of $\theta^*$ means nothing."
        )
    length, accuracy = found.length_at(beta), found.accuracy_at(beta)
    return (
        rf"At **β = {beta:g}**, below the border{border}, $\lVert\theta^*\rVert\approx{length:.3g}$, "
        f"{length / first.length:.0%} of what it is at β = 0, and it classifies {accuracy:.0%} of the points rightly."
    )


def _named(parts: Array, beta: float, value: float) -> str:
    """Say what the minimum of F_β is in the words of a handful of losses."""
    count, mass = len(parts), tail_mass(len(parts), beta)
    whole, rest = math.floor(mass), mass - math.floor(mass)
    if mass == count:
        what = "the mean of all losses"
    elif mass == count - 1:
        what = "the mean without the smallest loss"
    elif mass <= 1:
        what = "the largest loss"
    else:
        what = f"the mean of the worst {whole}" + (f" and of {number(rest)} of the next" if rest > 0 else "")
    return f"β = {beta:g} gives {number(value)}, {what}"


def _interval(low: float, high: float) -> str:
    if math.isinf(low):
        return f"every α up to the smallest loss, {number(high)}, minimises F"
    return (
        f"every α from {number(low)} to {number(high)} minimises F"
        if low < high
        else f"only α = {number(low)} minimises F"
    )
