"""The target of a data set: how its numbers are spread, or how many rows have each label."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from .file_text import as_text, cut
from .frame import Figure
from .palette import CLEAR, FONT, TEXT_SIZE, theme_named, translucent


def target(
    counts: Sequence[int],
    edges: Sequence[float],
    labels: Mapping[str, int] | None = None,
    *,
    theme: str = "light",
) -> Figure:
    """Draw bars over the labels, if there are some, or else the histogram with those counts and edges."""
    colours = theme_named(theme)
    if labels is not None:
        names = [as_text(cut(name)) for name in labels]
        bars: dict[str, Any] = {"x": list(range(len(names))), "y": list(labels.values()), "width": 0.6}
        hover = [f"<b>{as_text(name)}</b><br>{count:,} rows" for name, count in labels.items()]
        x_axis: dict[str, Any] = {"tickvals": bars["x"], "ticktext": names, "title": "label"}
    else:
        middles = [(low + high) / 2 for low, high in itertools.pairwise(edges)]
        bars = {"x": middles, "y": list(counts), "width": edges[1] - edges[0]}
        hover = [
            f"{low:.4g} to {high:.4g}<br>{count:,} rows"
            for (low, high), count in zip(itertools.pairwise(edges), counts, strict=True)
        ]
        x_axis = {"title": "target", "nticks": 6}
    quiet = {"gridcolor": colours.grid, "linecolor": colours.quiet, "zeroline": False, "automargin": True}
    trace = {
        "type": "bar",
        "uid": "target",
        **bars,
        "marker": {"color": translucent(colours.quiet, 0.55), "line": {"width": 0}},
        "hovertext": hover,
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    layout = {
        "font": {"family": FONT, "size": TEXT_SIZE, "color": colours.text},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "margin": {"l": 50, "r": 10, "t": 10, "b": 40},
        "showlegend": False,
        "bargap": 0,
        "xaxis": {**quiet, **x_axis, "showline": True, "fixedrange": True, "showgrid": False},
        "yaxis": {**quiet, "title": "rows", "nticks": 5, "fixedrange": True},
        "uirevision": "cvar",
    }
    return {"data": [trace], "layout": layout}
