"""The unit of the loss in four panels: the path of θ, and the usable λ.

Above the linear model, below the one that keeps the max; on the left one step size λ for θ and α, on the right the pair
λ/ℓ_0 and λℓ_0. So the columns differ by the units alone, the rows by the model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...catalogue import Method
from ...lessons.units import SEEDS, SGM_PAIR, SPL, SPL_PLUS, VARIANTS, Path, Tolerance, has_pair
from ...results import UsableRange, listed, number
from ..axes import Span, log_axis
from ..frame import Figure, titled
from ..palette import CLEAR, FONT, TEXT_SIZE, Theme, ink, style, theme_named, translucent
from ..sensitivity import STEP_SIZE
from ..series import Trace
from .units_charts import band, empty, look_of, method_of

HEIGHT = 560  # px of a chart with four panels

_TITLE = 54 / (HEIGHT - 92)  # of the plot's height: two lines above each panel, margins aside
_ROW = (1 - 2 * _TITLE) / 2
_COLUMN = 0.475
_FAR = 1_000  # times the distance at the start: what is farther away leaves the chart
_SAME = 0.02  # ranges whose ends differ by less than this share are the same


def unit_paths(paths: Sequence[Path], *, theme: str = "light") -> Figure:
    """Draw how far θ_t is from θ* in the first unit, as a wide pale line, and in the other one, as a thin one."""
    look = theme_named(theme)
    start, scale = paths[0].start, paths[0].scale
    seen = np.concatenate([path.distances[np.isfinite(path.distances)] for path in paths])
    seen = seen[(seen > 0) & (seen < _FAR * start)]
    low, high = min(float(seen.min(initial=start)), start), max(float(seen.max(initial=start)), start)
    x_span = Span(1.0, float(paths[0].iterations[-1])).around(0.03)
    panels = _Panels(look, "updates t", x_span, "distance ‖θₜ − θ*‖", Span(low, high).around(0.08))
    units = ("s = 1", f"s = {number(scale)}")
    panels.legend("first", units[0], {"mode": "lines", "line": {"width": 9, "color": translucent(look.quiet, 0.35)}})
    panels.legend("other", units[1], {"mode": "lines", "line": {"width": 2.5, "color": look.quiet}})
    for path in paths:
        colour, dash = look_of(path.variant, theme)
        lines = (
            {"width": 9, "color": translucent(colour, 0.36)},
            {"width": 2.5, "color": colour, "dash": dash},
        )
        for unit, group, line, heights in zip(units, ("first", "other"), lines, path.distances, strict=True):
            words = f"<b>{path.variant.label}</b>, {unit}"
            hover = [
                f"{words}<br>after {t:,} updates: {number(y)}"
                for t, y in zip(path.iterations, heights.tolist(), strict=True)
            ]
            shape = {"mode": "lines", "line": line, "text": hover, "hovertemplate": "%{text}<extra></extra>"}
            panels.add(path.variant, group, [*path.iterations], [*map(_finite, heights.tolist())], shape)
        panels.line(path.variant, "y", start, "dot")
        panels.title(path.variant, _path_words(path))
    about = f"λ = {number(paths[0].lam)}, {paths[0].iterations[-1]:,} updates, the same start and samples"
    return panels.figure(_path_title(paths), about)


def unit_ranges(found: Tolerance, lam: float, scale: float, *, theme: str = "light") -> Figure:
    """Draw which λ are usable in each unit, the best of them, and where ``lam`` and ``scale`` are."""
    look = theme_named(theme)
    x_span, y_span = (Span(ends[0], ends[-1]).around(0.04) for ends in (found.scales, found.lambdas))
    panels = _Panels(look, "unit s: the loss is multiplied by it", x_span, STEP_SIZE, y_span)
    quiet = translucent(look.quiet, 0.3)
    panels.legend("usable", "usable λ", {"mode": "markers", "marker": {"symbol": "square", "size": 15, "color": quiet}})
    panels.legend("best", "best λ", {"mode": "markers", "marker": {"symbol": "circle", "size": 8, "color": look.quiet}})
    panels.legend("yours", "your λ and s", {"mode": "markers", "marker": _ring(look)})
    for variant in VARIANTS:
        ranges = {unit: found.range(variant, unit) for unit in found.scales}
        colour, _ = look_of(variant, theme)
        filled = {"mode": "lines", "fill": "toself", "fillcolor": translucent(colour, 0.22), "line": {"width": 0}}
        panels.add(variant, "usable", *band(ranges), {**filled, "hoverinfo": "skip"})
        for first, last in empty(ranges):
            panels.shade(variant, first, last, "no λ")
        best = {unit: found.best(variant, unit) for unit in found.scales}
        shown = {unit: place for unit, place in best.items() if place is not None}
        marker = {"color": colour, "symbol": style(method_of(variant), theme).marker, "size": 9}
        hover = [_best_words(found, variant, unit, place) for unit, place in shown.items()]
        dots = {"mode": "markers", "marker": marker, "text": hover, "hovertemplate": "%{text}<extra></extra>"}
        heights: list[float | None] = [found.lambdas[place] for place in shown.values()]
        panels.add(variant, "best", [*shown], heights, dots)
        panels.line(variant, "x", scale, "solid")
        panels.line(variant, "y", lam, "solid")
        panels.add(
            variant, "yours", [scale], [lam], {"mode": "markers", "marker": _ring(look), "hoverinfo": "skip"}
        )  # fmt: skip
        if not has_pair(variant):
            panels.line(variant, "x", found.meeting, "dot", "1/ℓ₀")
        panels.title(variant, _range_words(ranges))
    return panels.figure(_range_title(found), f"median of {len(SEEDS)} seeds")


# Words. On a phone a panel is fifteen letters wide.


def _path_title(paths: Sequence[Path]) -> str:
    if paths[0].scale == 1:
        return "At s = 1 there is nothing to compare: choose another unit"
    grown = [path.variant.label for path in paths if _only_rounding(path)]
    moved = [path.variant.label for path in paths if not path.same and not _only_rounding(path)]
    same = [path.variant.label for path in paths if path.same]
    parts = [f"{listed(moved)} change{'' if len(moved) > 1 else 's'} path"] if moved else []
    if same:
        parts.append(f"{listed(same)} {'do' if len(same) > 1 else 'does'} not")
    if grown:
        parts.append(f"{listed(grown)} only by rounding, which this λ amplifies")
    return f"At s = {number(paths[0].scale)}, {', '.join(parts)}"


def _path_words(path: Path) -> str:
    if path.scale == 1:
        return "the same run"
    if all(path.diverged):
        return "both diverge"
    if any(path.diverged):
        return f"diverges at {number(path.scale if path.diverged[1] else 1.0)}"
    if path.same:
        return "the same"
    if _only_rounding(path):
        return "only rounding"
    return f"apart: {number(path.apart)}"


def _only_rounding(path: Path) -> bool:
    """Tell whether the paths differ, though they would not without rounding."""
    return not path.same and path.share_at_power == 0 and path.power != 1


def _range_title(found: Tolerance) -> str:
    words = []
    for variant in (SPL, SPL_PLUS):
        ranges = {unit: found.range(variant, unit) for unit in found.scales}
        usable = sum(each is not None for each in ranges.values())
        if _flat(ranges):
            words.append(f"{variant.label} the same ones in every unit")
        elif usable:
            words.append(f"{variant.label} has usable λ in {usable} of {len(ranges)} units")
        else:
            words.append(f"{variant.label} has no usable λ in any unit")
    return ", ".join(words)


def _range_words(ranges: dict[float, UsableRange | None]) -> str:
    usable = [each for each in ranges.values() if each is not None]
    if not usable:
        return "never usable"
    if _flat(ranges):
        return "the same in all"
    return f"{len(usable)} of {len(ranges)} units"


def _flat(ranges: dict[float, UsableRange | None]) -> bool:
    """Tell whether the usable λ are the same in every unit."""
    first, *others = ranges.values()
    return first is not None and all(
        other is not None
        and math.isclose(other.low, first.low, rel_tol=_SAME)
        and math.isclose(other.high, first.high, rel_tol=_SAME)
        for other in others
    )


def _best_words(found: Tolerance, variant: Method, scale: float, place: int) -> str:
    v, k = VARIANTS.index(variant), found.scales.index(scale)
    usable = found.range(variant, scale)
    assert usable is not None
    return (
        f"<b>{variant.label}</b>, s = {number(scale)}<br>"
        f"best λ = {number(found.lambdas[place])}, usable {number(usable.low)} to {number(usable.high)}<br>"
        f"{number(found.left.median[v, k, place])} of the objective's gap left, "
        f"θ at {number(found.way[v, k, place])} of its distance to θ*"
    )


class _Panels:
    """Collects four panels with the same axes; ``figure`` puts them together."""

    def __init__(self, theme: Theme, x_title: str, x_span: Span, y_title: str, y_span: Span) -> None:
        self.theme, self.x_span, self.y_span = theme, x_span, y_span
        self.x_title, self.y_title = x_title, y_title
        self.traces: list[Trace] = []
        self.shapes: list[dict[str, Any]] = []
        self.annotations: list[dict[str, Any]] = []

    def legend(self, group: str, name: str, shape: dict[str, Any]) -> None:
        """Add an entry that stands for one group of traces, and hides them all."""
        nothing = {"x": [None], "y": [None], "hoverinfo": "skip"}
        self.traces.append({"type": "scatter", "uid": group, "name": name, "legendgroup": group, **nothing, **shape})

    def add(
        self,
        variant: Method,
        group: str,
        x: Sequence[float | None],
        y: Sequence[float | None],
        shape: dict[str, Any],
    ) -> None:
        number = _panel(variant)
        name = variant.name.replace("+", "-plus").replace("@", "-")  # plotly makes it a class name
        self.traces.append(
            {
                "type": "scatter",
                "uid": f"{group}-{name}",
                "name": variant.label,
                "legendgroup": group,
                "showlegend": False,
                "x": list(x),
                "y": list(y),
                "xaxis": f"x{number}",
                "yaxis": f"y{number}",
                **shape,
            }
        )

    def line(self, variant: Method, axis: str, value: float, dash: str, label: str = "") -> None:
        """Add a quiet line across a panel, and its label at the bottom."""
        span = self.x_span if axis == "x" else self.y_span
        if not span.low <= value <= span.high:
            return
        k, other = _panel(variant), "y" if axis == "x" else "x"
        here = {f"{axis}ref": f"{axis}{k}", f"{axis}0": value, f"{axis}1": value}
        across = {f"{other}ref": f"{other}{k} domain", f"{other}0": 0, f"{other}1": 1}
        look = {"color": self.theme.quiet, "width": 1.5 if dash == "dot" else 1, "dash": dash}
        self.shapes.append({"type": "line", "layer": "below", "line": look, "opacity": 0.7, **here, **across})
        if label:
            place = {"xref": f"x{k}", "x": math.log10(value), "yref": f"y{k} domain", "y": 0.01, "yanchor": "bottom"}
            late = value > math.sqrt(span.low * span.high)
            side = {"xanchor": "right", "xshift": -3} if late else {"xanchor": "left", "xshift": 3}
            self.annotations.append(self._label(label, {**place, **side}, self.theme.quiet))

    def shade(self, variant: Method, first: float, last: float, label: str) -> None:
        """Shade a stretch of the x axis quietly."""
        k = _panel(variant)
        low, high = max(first, self.x_span.low), min(last, self.x_span.high)
        corners = {"xref": f"x{k}", "x0": low, "x1": high, "yref": f"y{k} domain", "y0": 0, "y1": 1}
        self.shapes.append(
            {"type": "rect", "layer": "below", "fillcolor": self.theme.strip, "line": {"width": 0}, **corners}
        )
        if math.log10(high / low) > 0.9:
            middle = {"xref": f"x{k}", "x": math.log10(low * high) / 2, "yref": f"y{k} domain", "y": 0.97}
            self.annotations.append(self._label(label, {**middle, "yanchor": "top"}, self.theme.quiet))

    def title(self, variant: Method, words: str) -> None:
        colour = ink(method_of(variant), self.theme.name)
        left, _, _, top = _corners(variant)
        place = {"xref": "paper", "x": left, "xanchor": "left", "yref": "paper", "y": top, "yanchor": "bottom"}
        name = "SGM + pair" if variant is SGM_PAIR else variant.label
        text = f'<b><span style="color: {colour}">{name}</span></b><br>{words}'
        self.annotations.append({**self._label(text, place, self.theme.text), "align": "left"})

    def figure(self, title: str, subtitle: str) -> Figure:
        layout: dict[str, Any] = {
            "font": {"family": FONT, "size": TEXT_SIZE, "color": self.theme.text},
            "paper_bgcolor": CLEAR,
            "plot_bgcolor": CLEAR,
            "margin": {"l": 72, "r": 16, "t": 110, "b": 56},
            "legend": {
                "orientation": "h",
                "x": 0,
                "y": 1.01,
                "yanchor": "bottom",
                "font": {"size": TEXT_SIZE},
                "bgcolor": CLEAR,
                "itemwidth": 36,
            },
            "hovermode": "closest",
            "hoverlabel": {
                "bgcolor": self.theme.surface,
                "bordercolor": self.theme.quiet,
                "align": "left",
                "font": {"family": FONT, "size": TEXT_SIZE, "color": self.theme.text},
            },
            "title": titled(title, subtitle, self.theme),
            "shapes": self.shapes,
            "uirevision": "cvar",
        }
        for variant in VARIANTS:
            k = _panel(variant)
            left, right, bottom, top = _corners(variant)
            below, beside = bottom == 0, left == 0
            x = log_axis("", self.x_span, self.theme, most_ticks=4)
            y = log_axis("", self.y_span, self.theme, most_ticks=5)
            layout[f"xaxis{k}"] = {**x, "domain": [left, right], "anchor": f"y{k}", "showticklabels": below}
            layout[f"yaxis{k}"] = {**y, "domain": [bottom, top], "anchor": f"x{k}", "showticklabels": beside}
            if k:  # one zoom for all: a panel alone would compare with nothing
                layout[f"xaxis{k}"]["matches"], layout[f"yaxis{k}"]["matches"] = "x", "y"
        layout["annotations"] = [*self.annotations, *self._axis_names()]
        return {"data": self.traces, "layout": layout}

    def _axis_names(self) -> list[dict[str, Any]]:
        """Return the name of each axis, once, in the middle of both panels that it serves."""
        size = {"font": {"size": TEXT_SIZE + 1, "color": self.theme.text}, "showarrow": False}
        below = {"x": 0.5, "y": 0, "yanchor": "top", "yshift": -26}
        beside = {"x": 0, "y": 0.5, "xanchor": "center", "xshift": -56, "textangle": -90}
        paper = {"xref": "paper", "yref": "paper"}
        return [{"text": self.x_title, **size, **paper, **below}, {"text": self.y_title, **size, **paper, **beside}]

    def _label(self, text: str, place: dict[str, Any], colour: str) -> dict[str, Any]:
        return {"text": text, "showarrow": False, "font": {"size": TEXT_SIZE, "color": colour}, **place}


def _panel(variant: Method) -> str:
    """Return the number of a variant's axes as plotly writes it."""
    k = VARIANTS.index(variant)
    return "" if k == 0 else str(k + 1)


def _corners(variant: Method) -> tuple[float, float, float, float]:
    """Return left, right, bottom and top of a variant's panel."""
    left = 1 - _COLUMN if has_pair(variant) else 0.0
    bottom = 0.0 if variant.model is SPL.model else 1 - _TITLE - _ROW
    return left, left + _COLUMN, bottom, bottom + _ROW


def _ring(theme: Theme) -> dict[str, Any]:
    return {"symbol": "circle-open", "size": 13, "color": theme.text, "line": {"width": 2, "color": theme.text}}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
