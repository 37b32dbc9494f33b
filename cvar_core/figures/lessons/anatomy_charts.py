"""CVaR taken apart in two charts: the tail of the losses, and the formula that makes a minimisation of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from torch import Tensor

from ...lessons.anatomy import Gap, Risks, gap, objective_along, risks, tail_parts
from ...results import number
from ..axes import Array
from ..frame import Figure, titled
from ..palette import CLEAR, FONT, TEXT_SIZE, Theme, theme_named, translucent

LOSS = "loss ℓ"
START, END = "the start θ₀", "θ*"

_BARS = 60
_CURVE = 201  # points of a curve
_FEW = 81  # of one of many curves that are sent together
_ROOMY = 0.95  # the level up to which the axes of a slider over levels stand still
_BAR = "around %{x:.3g}: %{y:.2%} of the losses<extra></extra>"
_ROOM = 1.45  # times CVaR, so that its name has room at its right
_LEFT = 3  # bars at the left edge that may be cut where they dwarf the rest
_FLAGS = 0.75  # of the height, for the data; above it stand the names of mean, VaR and CVaR

# Not a method's colour: the tail and what is computed from it.
TAIL = {"light": "#AA4499", "dark": "#DD8FCF"}
_THRESHOLD = {"light": "#8C6D00", "dark": "#E6C229"}  # what a wrong α adds


def tail(
    losses: Tensor, beta: float, ends: Sequence[Tensor] = (), *, least: float = 0.0, theme: str = "light"
) -> Figure:
    """Draw how the losses are distributed, with their mean, VaR_β and CVaR_β, and the tail in colour.

    Parameters
    ----------
    losses
        At the θ that is looked at, shape (count,).
    ends
        The losses at the start and at the optimum, if any. They fix the axis, so that it does not move with θ between
        them, and the first is drawn as an outline. Where CVaR_β is larger than at both, the axis goes on to it.
    least
        How far the axis goes at least.

    Returns
    -------
    A figure in plotly's JSON form; the subtitle says what is beyond the right edge and which bars are cut.
    """
    colours, at = theme_named(theme), risks(losses, beta)
    edges = _edges(at.var, max(reach(ends or [losses], beta), _ROOM * at.cvar, least))
    parts = tail_parts(losses, beta).numpy()
    drawn = ((losses, None), (losses, parts), ([*ends, losses][0], None))
    whole, outer, before = (_shares(each.numpy(), edges, weights) for each, weights in drawn)
    top = _height(whole, before)
    middles, width = (edges[1:] + edges[:-1]) / 2, float(edges[1] - edges[0])
    bars = {"type": "bar", "x": middles.tolist(), "width": width, "hovertemplate": "%{text}<extra></extra>"}
    words = [f"{number(a)} to {number(b)}: {percent(s)} of the losses" for a, b, s in zip(edges, edges[1:], whole)]  # noqa: B905
    body = {
        **bars, "uid": "body", "name": "the losses", "showlegend": False, "y": (whole - outer).tolist(), "text": words,
        "textposition": "none", "marker": {"color": translucent(colours.quiet, 0.4), "line": {"width": 0}},
    }  # fmt: skip
    outside = {
        **bars, "uid": "tail", "name": worst(beta), "y": outer.tolist(), "text": words,
        "textposition": "none", "marker": {"color": TAIL[theme], "line": {"width": 0}},
    }  # fmt: skip
    outline = {
        "type": "scatter", "uid": "before", "name": f"at {START}", "mode": "lines", "hoverinfo": "skip",
        "x": edges.tolist(), "y": [*before.tolist(), 0.0],
        "line": {"shape": "hv", "color": colours.text, "width": 1.2, "dash": "dot"},
    }  # fmt: skip
    figure = blank(colours, LOSS, [edges[0], edges[-1]], "share of the losses, per bar", [0, top])
    figure["data"] = [body, outside, outline] if ends else [body, outside]
    figure["layout"] |= {"barmode": "stack", "bargap": 0}
    figure["layout"]["yaxis"] |= {"tickformat": ".2~%", "domain": [0, _FLAGS], "nticks": 5}
    _raise_flags(figure, at, colours, theme)
    title = f"CVaR is {number(at.cvar)}, the mean of {worst(beta)}"
    figure["layout"]["title"] = titled(title, _beyond(losses, parts, edges, whole, top), colours)
    return figure


def tail_by_level(losses: Tensor, betas: Sequence[float], *, theme: str = "light") -> list[Figure]:
    """Draw the tail at each of some levels β, on axes that stand still as long as the tail has room on them."""
    least = reach([losses], _ROOMY)
    figures = [tail(losses, beta, least=least, theme=theme) for beta in betas]
    steady = [figure for figure, beta in zip(figures, betas, strict=True) if beta <= _ROOMY]
    height = max((figure["layout"]["yaxis"]["range"][1] for figure in steady), default=0.0)
    for figure in steady:
        figure["layout"]["yaxis"]["range"] = [0.0, height]
        figure["layout"]["xaxis"]["range"] = [0.0, float(f"{least:.4g}")]
    for figure in figures:
        axis = figure["layout"]["yaxis"]
        axis |= {"domain": [0, 1], "range": [0.0, axis["range"][1] / _FLAGS]}  # names are placed by the whole height
        for bars in figure["data"]:
            bars["name"] = "the worst losses" if bars["uid"] == "tail" else bars["name"]  # a legend stands still
            bars.pop("text")
            bars |= {"x": _short(bars["x"]), "y": _short(bars["y"]), "hovertemplate": _BAR}
    return figures


def objective_by_level(losses: Tensor, betas: Sequence[float], *, theme: str = "light") -> list[Figure]:
    """Draw α ↦ F_β(θ, α) at each of some levels β, with its minimum: VaR_β across, CVaR_β up."""
    colours, least = theme_named(theme), reach([losses], _ROOMY)
    lowest, highest = (float(objective_along(losses, np.array([least]), beta)[0]) for beta in (0.0, _ROOMY))
    mean = float(losses.mean())
    figures = []
    for beta in betas:
        at = risks(losses, beta)
        high = max(least, _ROOM * at.cvar)
        alphas = np.unique(np.concatenate([np.linspace(-0.12 * high, high, _FEW), [at.var]]))
        curve = objective_along(losses, alphas, beta)
        top = max(lowest, highest, float(curve[-1]))
        bottom = mean - 0.15 * (top - mean)
        figure = blank(colours, "threshold α", [alphas[0], high], "F<sub>β</sub>(θ, α)", [bottom, top])
        figure["layout"]["title"] = titled(level_words(losses, beta), "", colours)
        shown = curve < 3 * top
        figure["data"] = [
            {
                "type": "scatter", "uid": "here", "name": "F at every α", "mode": "lines", "x": _short(alphas[shown]),
                "y": _short(curve[shown]), "line": {"color": TAIL[theme], "width": 3},
                "hovertemplate": "α = %{x:.3g}, F = %{y:.4g}<extra></extra>",
            },
            {
                "type": "scatter", "uid": "minimum", "name": "its minimum: CVaR", "mode": "markers", "x": [at.var],
                "y": [at.cvar], "hovertemplate": "α = VaR = %{x:.3g}<br>F = CVaR = %{y:.3g}<extra></extra>",
                "marker": {"size": 12, "color": TAIL[theme], "line": {"width": 2, "color": colours.surface}},
            },
        ]  # fmt: skip
        figure["layout"]["shapes"] = [
            line(colours.quiet, "dot", x0=at.var, x1=at.var, y0=bottom, y1=at.cvar),
            line(colours.quiet, "dot", x0=at.var, x1=high, y0=at.cvar, y1=at.cvar),
        ]
        low = {"y": bottom, "yanchor": "bottom", "xanchor": "left", "xshift": 5}
        figure["layout"]["annotations"] = [  # at the lower right of the minimum, where the curve is not
            label(f"VaR {number(at.var)}", colours.text, x=at.var, **low),
            label(f"CVaR {number(at.cvar)}", TAIL[theme], x=high, y=at.cvar, yanchor="top", xanchor="right"),
        ]
        figures.append(figure)
    return figures


def level_words(losses: Tensor, beta: float) -> str:
    """Say what β makes of the losses: where their worst part begins, and its mean."""
    at = risks(losses, beta)
    if beta == 0:
        return f"β = 0: every loss counts, and CVaR is their mean, {number(at.cvar)}."
    return (
        f"β = {beta:g}: the worst {percent(1 - beta)} of the losses begin at {number(at.var)} (VaR); their mean is "
        f"{number(at.cvar)} (CVaR), that of all is {number(at.mean)}."
    )


def _short(values: Any) -> list[float]:
    """Return values with as many digits as a picture shows."""
    return [float(f"{value:.5g}") for value in np.asarray(values).tolist()]


def variational(losses: Tensor, beta: float, ends: Sequence[Tensor], alpha: float, *, theme: str = "light") -> Figure:
    """Draw α ↦ F_β(θ, α) at the θ that is looked at, with its minimum, and quietly at the start and the optimum.

    At ``alpha`` stand the two parts of F_β − F*: up to the curve's bottom the model's, from there on the threshold's. A
    point of the curve that is above the chart is an open triangle at its upper edge.
    """
    colours, at = theme_named(theme), risks(losses, beta)
    high = max(reach(ends, beta), _ROOM * at.cvar, 1.1 * alpha)
    _, level, best = risks(ends[1], beta)
    least = min(risks(each, beta).cvar for each in (losses, *ends))
    alphas = np.unique(np.concatenate([np.linspace(-0.12 * high, high, _CURVE), [at.var]]))
    curves = [objective_along(each, alphas, beta) for each in (*ends, losses)]
    top = max(float(curve[-1]) for curve in curves)
    bottom = least - 0.22 * (top - least)
    looks = (
        ("before", f"at {START}", {"color": colours.text, "width": 1.2, "dash": "dot"}),
        ("after", f"at {END}", {"color": colours.text, "width": 1.2, "dash": "dash"}),
        ("here", "at this θ", {"color": TAIL[theme], "width": 3}),
    )
    figure = blank(colours, "threshold α", [alphas[0], high], "F<sub>β</sub>(θ, α)", [bottom, top])
    figure["data"] = [
        {
            "type": "scatter", "uid": uid, "name": name, "mode": "lines", "line": look, "x": alphas.tolist(),
            # Far above the chart a curve is cut: 1000 times as steep, it would only cost digits.
            "y": [value if value < 3 * top else None for value in curve.tolist()],
            "hovertemplate": "α = %{x:.3g}, F = %{y:.4g}<extra></extra>",
        }
        for (uid, name, look), curve in zip(looks, curves, strict=True)
    ]  # fmt: skip
    figure["data"].append(
        {
            "type": "scatter", "uid": "minimum", "name": "minimum", "mode": "markers", "x": [at.var], "y": [at.cvar],
            "marker": {"size": 12, "color": TAIL[theme], "line": {"width": 2, "color": colours.surface}},
            "hovertemplate": f"α = VaR = {number(at.var)}<br>F = CVaR = {number(at.cvar)}<extra></extra>",
            "showlegend": False,
        }
    )  # fmt: skip
    parts = gap(losses, alpha, beta, best)
    figure["data"] += _parts(parts, alpha, best, top, colours)
    # At the lower right no curve comes near: all rise there.
    figure["layout"]["shapes"] = [
        line(colours.quiet, "dot", x0=at.var, x1=at.var, y0=bottom, y1=at.cvar),
        line(colours.quiet, "dot", x0=min(alpha, at.var), x1=high, y0=at.cvar, y1=at.cvar),
        line(colours.quiet, "dot", x0=alpha, x1=level, y0=best, y1=best),
    ]
    figure["layout"]["annotations"] = [
        label(f"VaR {number(at.var)}", colours.text, x=at.var, y=bottom, yanchor="bottom", xanchor="left", xshift=5),
        label(f"CVaR {number(at.cvar)}", TAIL[theme], x=high, y=at.cvar, yanchor="top", xanchor="right"),
    ]
    if best + parts.whole > top:
        above = f"F = {number(best + parts.whole)}"
        place = {"x": alpha, "y": top, "xanchor": "left", "yanchor": "top", "xshift": 8, "bgcolor": colours.surface}
        figure["layout"]["annotations"].append(label(above, _THRESHOLD[theme], **place))
    title = f"F is least at α = VaR = {number(at.var)}, where it is CVaR = {number(at.cvar)}"
    if beta == 0:
        title = f"F is least for every α up to the smallest loss, where it is the mean, {number(at.cvar)}"
    about = f"{_slopes(beta)}; at α = {number(alpha)} it is {number(best + parts.whole)}, {_shared(parts)}"
    figure["layout"]["title"] = titled(title, about, colours)
    return figure


def _parts(parts: Gap, alpha: float, best: float, top: float, colours: Theme) -> list[dict[str, Any]]:
    """Return the two parts of F_β − F* as lines above each other at α, and the point that they lead to."""
    risk, value = best + parts.model, best + parts.whole
    lines = (
        ("threshold", parts.threshold, (risk, min(value, top)), _THRESHOLD),
        ("model", parts.model, (best, risk), TAIL),
    )
    hover = f"at α = {number(alpha)}, F = {number(value)}: {_shared(parts)}<extra></extra>"
    drawn: list[dict[str, Any]] = [
        {
            "type": "scatter", "uid": f"{part}-part", "name": f"{part} {number(size)}", "mode": "lines",
            "x": [alpha, alpha], "y": [float(end) for end in ends], "hovertemplate": hover,
            "line": {"color": colour[colours.name], "width": 7},
        }
        for part, size, ends, colour in lines
    ]  # fmt: skip
    own, outside = _THRESHOLD[colours.name], value > top
    look = {"symbol": "triangle-up-open" if outside else "circle", "size": 12, "color": own}
    edge = {"width": 2, "color": own if outside else colours.surface}
    drawn.append(
        {
            "type": "scatter", "uid": "alpha", "name": "F at α", "mode": "markers", "x": [alpha],
            "y": [float(min(value, top))], "marker": {**look, "line": edge}, "cliponaxis": False,
            "hovertemplate": hover, "showlegend": False,
        }
    )  # fmt: skip
    return drawn


def _shared(parts: Gap) -> str:
    """Say how far F is above F*, and whose part that is."""
    return (
        f"{number(parts.whole)} above F*, {number(parts.model)} of it the model's part, "
        f"{number(parts.threshold)} the threshold's"
    )


def worst(beta: float) -> str:
    """Name the tail.

    >>> worst(0.95), worst(0.0)
    ('the worst 5% of the losses', 'all losses')
    """
    return f"the worst {percent(1 - beta)} of the losses" if beta > 0 else "all losses"


def reach(ends: Sequence[Tensor], beta: float) -> float:
    """Return how far the axis of the losses goes: to most of them, and to CVaR_β with room for its name.

    A heavy tail goes on far beyond; shown whole, it would press everything else into the first bar.
    """
    return max(_reach(each, beta) for each in ends)


def _reach(losses: Tensor, beta: float) -> float:
    ordered = losses.sort().values
    most, many = (float(ordered[round(share * (len(ordered) - 1))]) for share in (0.995, 0.9))
    return max(_ROOM * risks(losses, beta).cvar, min(most, 3 * many)) or 1.0


def _edges(level: float, high: float) -> Array:
    """Return the edges of bars of one width from 0 on, with VaR_β on one of them: so the tail starts with a bar."""
    left = round(_BARS * level / high)
    width = level / left if left > 0 else high / _BARS
    edges: Array = width * np.arange(math.ceil(high / width - 1e-9) + 1, dtype=np.float64)
    if left > 0:
        edges[left] = level
    return edges


def _shares(losses: Array, edges: Array, weights: Array | None) -> Array:
    counts = np.histogram(losses, edges, weights=weights)[0]
    shares: Array = counts.astype(np.float64) / len(losses)
    return shares


def _height(*shares: Array) -> float:
    """Return the height of the chart: of the highest bar, unless the first few dwarf all others."""
    highest = max(float(each.max()) for each in shares)
    other = max(float(each[_LEFT:].max()) for each in shares)
    return 1.05 * (highest if highest < 2 * other else 1.3 * other) if other > 0 else 1.05 * highest


def _beyond(losses: Tensor, parts: Array, edges: Array, whole: Array, top: float) -> str:
    """Say what the chart leaves out."""
    said = []
    values, edge = losses.numpy(), float(edges[-1])
    if values.min() == values.max():
        said.append("all losses are the same: the tail is a part of one bar")
    out = values > edge
    if out.any():
        carried = float((parts * values)[out].sum() / (parts * values).sum())
        said.append(
            f"{percent(float(out.mean()))} of the losses are beyond the right edge, the largest is "
            f"{number(float(values.max()))}; they make up {percent(carried)} of CVaR"
        )
    if whole.max() > top:
        said.append(f"the highest bar is cut: it holds {percent(float(whole.max()))} of the losses")
    return "; ".join(said)


def _raise_flags(figure: Figure, at: Risks, colours: Theme, theme: str) -> None:
    """Mark mean, VaR and CVaR, each name at the right of its line: the line farther left is higher, so none cross."""
    marks = [
        (at.mean, f"mean {number(at.mean)}", colours.quiet, "dash"),
        (at.var, f"VaR {number(at.var)}", colours.text, "solid"),
        (at.cvar, f"CVaR {number(at.cvar)}", TAIL[theme], "solid"),
    ]
    layout: dict[str, Any] = figure["layout"]
    layout["shapes"], layout["annotations"] = [], []
    for (x, text, colour, dash), y in zip(sorted(marks, key=lambda mark: mark[0]), (1.0, 0.91, 0.82), strict=True):
        layout["shapes"].append({**line(colour, dash, x0=x, x1=x, y0=0, y1=y, yref="paper"), "layer": "above"})
        layout["annotations"].append(
            label(text, colour, x=x, y=y, yref="paper", xanchor="left", yanchor="top", xshift=4)
        )


def _slopes(beta: float) -> str:
    if beta == 0:
        return "far left F is flat, far right it rises with slope 1"
    return f"far left F falls with slope −β/(1−β) = −{number(beta / (1 - beta))}, far right it rises with slope 1"


def percent(share: float) -> str:
    """Return a share in percent, with three digits."""
    return f"{number(100 * share)}%"


def blank(colours: Theme, x_title: str, x_range: list[float], y_title: str, y_range: list[float]) -> Figure:
    axis = {
        "tickangle": 0, "tickfont": {"size": TEXT_SIZE}, "ticks": "outside", "ticklen": 5, "tickcolor": colours.quiet,
        "gridcolor": colours.grid, "linecolor": colours.quiet, "showline": True, "zeroline": False, "automargin": True,
    }  # fmt: skip

    def titled_axis(title: str, span: list[float]) -> dict[str, Any]:
        text = {"text": title, "font": {"size": TEXT_SIZE + 1}, "standoff": 10}
        return {**axis, "title": text, "range": [float(end) for end in span]}

    layout = {
        "font": {"family": FONT, "size": TEXT_SIZE, "color": colours.text},
        "paper_bgcolor": CLEAR, "plot_bgcolor": CLEAR,
        "margin": {"l": 60, "r": 16, "t": 100, "b": 56},
        "legend": {
            "orientation": "h", "x": 0, "xanchor": "left", "y": 1.01, "yanchor": "bottom", "bgcolor": CLEAR,
            "font": {"size": TEXT_SIZE}, "itemwidth": 36,
        },
        "hovermode": "closest",
        "hoverlabel": {
            "bgcolor": colours.surface, "bordercolor": colours.quiet, "align": "left",
            "font": {"family": FONT, "size": TEXT_SIZE, "color": colours.text},
        },
        "xaxis": {**titled_axis(x_title, x_range), "showgrid": False},
        "yaxis": titled_axis(y_title, y_range),
        "uirevision": "cvar",
    }  # fmt: skip
    return {"data": [], "layout": layout}


def line(colour: str, dash: str, **ends: Any) -> dict[str, Any]:
    return {"type": "line", "line": {"color": colour, "width": 1.6, "dash": dash}, **ends}


def label(text: str, colour: str, **place: Any) -> dict[str, Any]:
    return {"text": text, "showarrow": False, "font": {"size": TEXT_SIZE, "color": colour}, **place}
