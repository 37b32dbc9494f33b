"""Who is in the tail, in charts: the losses of three fits, what sets the worst rows apart, and what each fit weighs."""

from __future__ import annotations

from typing import Any

from ..results import number, percent
from ..tails import MEAN, OPTIMUM, RUN, Difference, Tail, at, certain
from .axes import Span, linear_axis, log_axis, name_axis
from .file_text import as_text, cut
from .frame import Figure, titled
from .palette import CLEAR, FONT, TEXT_SIZE, Style, Theme, style, theme_named, translucent
from .series import Trace

_MOST = 12  # columns in a chart
_NONE = 0.1  # rows: below the axis, which is logarithmic
_ROOM = 1.08  # times the largest value, on an axis


def loss_spread(tail: Tail, *, theme: str = "light") -> Figure:
    """Draw how many rows lose how much, at each fit; a thin line stands at each CVaR."""
    colours, found = theme_named(theme), tail.histogram
    edges = found.edges.tolist()
    traces, lines = [], []
    for name, counts in found.counts.items():
        look, label = _style(tail, name, colours), _label(tail, name)
        rows = [float(count) or _NONE for count in counts.tolist()]
        hover = [
            f"<b>{label}</b><br>{count:,} rows lose {number(low)} to {number(high)}"
            for count, low, high in zip(counts.tolist(), edges[:-1], edges[1:], strict=True)
        ]
        traces.append(
            {
                **_line(name, f"{label}, CVaR {number(tail.worst[name].cvar)}"),
                "x": edges,
                "y": [*rows, rows[-1]],
                "line": {"color": look.colour, "dash": look.dash, "width": 2, "shape": "hv"},
                "hovertext": [*hover, hover[-1]],
            }
        )
        place = {"xref": "x", "x0": tail.worst[name].cvar, "x1": tail.worst[name].cvar, "yref": "paper"}
        thin = {"color": look.colour, "dash": look.dash, "width": 1.5}
        lines.append({"type": "line", "layer": "below", "line": thin, **place, "y0": 0, "y1": 1})
    most = max(int(counts.max()) for counts in found.counts.values())
    x_axis = (
        log_axis("loss of a row", Span(edges[0], edges[-1] * _ROOM), colours, most_ticks=8)
        if found.logarithmic
        else linear_axis("loss of a row", (0.0, edges[-1] * _ROOM), colours)
    )
    layout = {
        **_layout(colours, _gained(tail), f"{tail.data.shape[0]:,} rows, each counted once for each fit"),
        "xaxis": x_axis,
        "yaxis": log_axis("rows", Span(0.7, 1.6 * most), colours, most_ticks=6),
        "shapes": lines,
    }
    return {"data": traces, "layout": layout}


def tail_differences(tail: Tail, fit: str, *, theme: str = "light") -> Figure:
    """Draw in which columns the worst rows of a fit differ most from the rest; what may be chance is pale."""
    colours, found = theme_named(theme), tail.contrast(fit)
    shown = found.largest(_MOST)
    accent = _style(tail, fit, colours).colour
    sizes = [each.deviations for each in shown]
    bars = {
        "type": "bar",
        "uid": "differences",
        "orientation": "h",
        "x": sizes,
        "y": list(range(len(shown))),
        "width": 0.6,
        "marker": {"color": [accent if abs(size) > found.chance else translucent(accent, 0.35) for size in sizes]},
        "hovertext": [_told(each) for each in shown],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
    }
    reach = _ROOM * max([found.chance, *map(abs, sizes)])
    chance = {"type": "rect", "layer": "below", "line": {"width": 0}, "fillcolor": colours.strip}
    layout = {
        **_layout(colours, f"What sets the worst rows {at(tail, fit)} apart", certain(found)),
        "showlegend": False,
        "xaxis": linear_axis("tail − rest (deviations)", (-reach, reach), colours),
        "yaxis": name_axis([as_text(cut(each.column)) for each in shown], colours),
        "shapes": [{**chance, "xref": "x", "x0": -found.chance, "x1": found.chance, "yref": "paper", "y0": 0, "y1": 1}],
    }
    return {"data": [bars], "layout": layout}


def weights(tail: Tail, *, theme: str = "light") -> Figure:
    """Draw the coefficients of the fits side by side, each times the standard deviation of its column."""
    colours, shown = theme_named(theme), tail.heaviest(_MOST)
    names = [name for name in tail.fits if name not in tail.lossless]
    traces = []
    for name in names:
        look, label = _style(tail, name, colours), _label(tail, name)
        values = [each.effects[name] for each in shown]
        traces.append(
            {
                **_line(name, label),
                "mode": "markers",
                "x": values,
                "y": list(range(len(shown))),
                "marker": {
                    "color": look.colour,
                    "symbol": look.marker,
                    "size": 11,
                    "line": {"width": 1, "color": colours.surface},
                },
                "hovertext": [
                    f"<b>{as_text(each.column)}</b><br>{label}: {number(value)}"
                    for each, value in zip(shown, values, strict=True)
                ],
            }
        )
    reach = _ROOM * max((abs(value) for trace in traces for value in trace["x"]), default=1.0)
    layout = {
        **_layout(colours, "What each fit weighs", _unweighed(tail)),
        "xaxis": {
            **linear_axis("coefficient × deviation", (-reach, reach), colours),
            "zeroline": True,
            "zerolinecolor": colours.quiet,
        },
        "yaxis": {**name_axis([as_text(cut(each.column)) for each in shown], colours), "showgrid": True},
    }
    return {"data": traces, "layout": layout}


def _style(tail: Tail, name: str, theme: Theme) -> Style:
    return {
        RUN: style(tail.chosen.method, theme.name)._replace(dash="solid"),
        OPTIMUM: Style(theme.text, "dash", "star"),
        MEAN: Style(theme.quiet, "dot", "circle-open"),
    }[name]


def _label(tail: Tail, name: str) -> str:
    label = tail.labels[name]
    return label[:1].upper() + label[1:] if name == MEAN else label


def _line(name: str, label: str) -> Trace:
    return {
        "type": "scatter",
        "uid": name,
        "name": label,
        "mode": "lines",
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _layout(theme: Theme, title: str, about: str) -> dict[str, Any]:
    return {
        "font": {"family": FONT, "size": TEXT_SIZE, "color": theme.text},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "title": titled(title, about, theme),
        "margin": {"l": 60, "r": 16, "t": 120, "b": 56},
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.01, "yanchor": "bottom", "bgcolor": CLEAR},
        "hoverlabel": {"bgcolor": theme.surface, "bordercolor": theme.quiet, "align": "left"},
        "hovermode": "closest",
        "uirevision": "cvar",
    }


def _gained(tail: Tail) -> str:
    """Say what θ* gains on the worst rows over the ordinary fit, and what it costs the others."""
    share = percent(1 - tail.problem.spec.beta)
    if tail.problem.spec.beta == 0 or tail.problem.spec.mix == 0 or MEAN in tail.lossless:
        return "What the rows lose"
    ordinary, best = tail.worst[MEAN].cvar, tail.worst[OPTIMUM].cvar
    gained, paid = 1 - best / ordinary, tail.means[OPTIMUM] / tail.means[MEAN] - 1
    return (
        f"At θ* the worst {share} lose {percent(gained)} less than for the ordinary fit, all rows {percent(paid)} more"
    )


def _told(each: Difference) -> str:
    written = percent if each.share else number
    kind = "share" if each.share else "mean"
    return (
        f"<b>{as_text(each.column)}</b><br>{kind} in the tail {written(each.tail)}, in the rest {written(each.rest)}"
        f"<br>{number(each.deviations)} deviations"
    )


def _unweighed(tail: Tail) -> str:
    if not tail.lossless:
        return "the columns that count most; one that does not vary is left out"
    return "these rows can be separated, and what loses nothing has no coefficients: they go on growing"
