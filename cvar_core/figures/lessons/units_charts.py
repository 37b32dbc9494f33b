"""What the unit of the loss does to the usable λ: the sensitivity in one unit, and the usable λ in all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...catalogue import Method
from ...lessons.units import LEFT, SEEDS, SGM, SGM_PAIR, SPL, SPL_PLUS, VARIANTS, Tolerance, has_pair
from ...results import Spread, UsableRange, number, width
from ..axes import Span, gap_span
from ..frame import Figure, Frame
from ..palette import TEXT_SIZE, style, theme_named, translucent
from ..sensitivity import STEP_SIZE, lambda_span
from ..series import Series, Trace

_NAMED = (SGM, SPL, SPL_PLUS)
_LEGEND = 1.13  # of the plot's height
_UNIT = "unit s: the loss is multiplied by it"


def sensitivity_by_unit(found: Tolerance, lam: float, *, theme: str = "light") -> list[Figure]:
    """Draw what is left of the objective's gap against λ, once in each unit, on the same axes."""
    shown = found.left.median[[VARIANTS.index(each) for each in _NAMED]]
    medians = np.where(np.isfinite(shown), shown, np.inf).ravel()
    span = gap_span(Spread(medians, medians, medians), 1.0, 1e-9, [LEFT])
    figures = []
    for k in range(len(found.scales)):
        frame = Frame(theme_named(theme), STEP_SIZE, lambda_span(found.lambdas), "share of F̃ − F* left", span)
        frame.bands = False
        frame.level(LEFT, f"ε = {number(LEFT)}")
        frame.mark(lam, f"λ = {number(lam)}")
        series = [_series(found, variant, k, variant.label) for variant in _NAMED]
        figures.append(_raised(frame.figure(series, "off the chart", "", "")))
    return _alike(figures)


def usable_by_unit(found: Tolerance, lam: float, *, theme: str = "light") -> list[Figure]:
    """Draw which λ are usable for SPL and SPL+ in each unit, and their best ones; each unit is pointed at once."""
    look = theme_named(theme)
    x_span, y_span = (Span(ends[0], ends[-1]).around(0.04) for ends in (found.scales, found.lambdas))
    traces: list[Trace] = []
    notes = []
    for variant in (SPL, SPL_PLUS):
        ranges = {unit: found.range(variant, unit) for unit in found.scales}
        traces += _band_and_best(found, variant, ranges, theme)
        for first, last in empty(ranges):
            low, high = max(first, x_span.low), min(last, x_span.high)
            if math.log10(high / low) > 0.9:
                notes.append(_note(f"no λ for {variant.label}", math.sqrt(low * high), found.lambdas[0], look.quiet))
    ring = {"symbol": "circle-open", "size": 13, "color": look.text, "line": {"width": 2, "color": look.text}}
    figures = []
    for scale in found.scales:
        frame = Frame(look, _UNIT, x_span, STEP_SIZE, y_span)
        frame.mark(scale, f"s = {number(scale)}")
        figure = frame.figure([], "", "", "")
        yours = {"type": "scatter", "uid": "yours", "name": "your λ", "mode": "markers", "x": [scale], "y": [lam]}
        figure["data"] = [*traces, {**yours, "marker": ring, "hoverinfo": "skip"}]
        figure["layout"]["annotations"] = [*figure["layout"]["annotations"], *notes]
        figures.append(_raised(figure))
    return figures


def unit_curves(found: Tolerance, lam: float, scale: float, *, theme: str = "light") -> Figure:
    """Draw what is left of the objective's gap against λ in one unit: the pair as usual, one λ pale and open."""
    k = found.scales.index(scale)
    series = [
        _series(found, variant, k, variant.label if has_pair(variant) else f"{variant.label}, one λ", pale=True)
        for variant in (SGM_PAIR, SPL_PLUS, SGM, SPL)
    ]
    medians = np.concatenate([one.median for one in series])
    y_span = gap_span(Spread(medians, medians, medians), 1.0, 1e-9, [LEFT])
    frame = Frame(theme_named(theme), STEP_SIZE, lambda_span(found.lambdas), "share of F̃ − F* left", y_span)
    frame.bands = False
    frame.level(LEFT, f"ε = {number(LEFT)}")
    frame.mark(lam, f"λ = {number(lam)}")
    forgiven = (f"{each.label} {width(found.range(each, scale))}" for each in (SPL_PLUS, SGM_PAIR, SPL, SGM))
    title = f"Decades of λ forgiven at s = {number(scale)}: {', '.join(forgiven)}"
    about = f"F̃ − F* of θ and α together, as a share of the start's, median of {len(SEEDS)} seeds"
    return frame.figure(series, "diverged or off the chart", title, about)


def unit_effect(found: Tolerance, scale: float) -> str:
    """Say what a unit does to the best λ of SPL and to its usable range, and to SPL+'s."""
    first, here = (_best_and_width(found, SPL, unit) for unit in (1.0, scale))
    plus, other = (_best_and_width(found, SPL_PLUS, unit) for unit in (1.0, scale))
    if scale == 1:
        return f"In dollars {_told(SPL, here)}; {_told(SPL_PLUS, plus)}. Change the unit: which of them moves?"
    stays = _told(SPL_PLUS, other)
    if plus == other and plus[0] != "none":
        stays = f"SPL₊'s best λ stays {plus[0]}, usable over {plus[1]} decades"
    if here[0] == "none":
        before = "as in dollars" if first[0] == "none" else f"in dollars its best λ was {first[0]}"
        return f"Loss × {number(scale)}: no λ is usable for SPL, {before}. {stays}."
    if first[0] == "none":
        return f"Loss × {number(scale)}: {_told(SPL, here)}; in dollars there was none. {stays}."
    moves = f"stays {here[0]}" if here[0] == first[0] else f"goes from {first[0]} to {here[0]}"
    decades = f"{here[1]} decades" if here[1] == first[1] else f"{here[1]} decades instead of {first[1]}"
    return f"Loss × {number(scale)}: SPL's best λ {moves}, usable over {decades}. {stays}."


def _best_and_width(found: Tolerance, variant: Method, scale: float) -> tuple[str, str]:
    best = found.best_lambdas(variant)[found.scales.index(scale)]
    return number(best), width(found.range(variant, scale))


def _told(variant: Method, known: tuple[str, str]) -> str:
    best, decades = known
    if best == "none":
        return f"no λ is usable for {variant.label}"
    return f"{variant.label}'s best λ is {best}, usable over {decades} decades"


def _series(found: Tolerance, variant: Method, k: int, name: str, *, pale: bool = False) -> Series:
    """Return what is left in the k-th unit; ``pale`` is for those with one λ."""
    v = VARIANTS.index(variant)
    median, failed = found.left.median[v, k], found.diverged[v, k]
    rows = zip(found.lambdas, median.tolist(), failed.tolist(), strict=True)
    hover = [
        f"<b>{name}</b>  λ = {number(each)}<br>"
        + (f"{lost} of {len(SEEDS)} seeds diverged" if lost else f"{number(left)} of the objective's gap left")
        for each, left, lost in rows
    ]
    second = pale and not has_pair(variant)
    return Series(method_of(variant), name, found.lambdas, median, median, median, failed > 0, hover, second)


def _raised(figure: Figure) -> Figure:
    """Set the legend higher: a low chart has less room for what is marked below it."""
    legend = {**figure["layout"]["legend"], "y": _LEGEND}
    return {**figure, "layout": {**figure["layout"], "legend": legend}}


def _alike(figures: Sequence[Figure]) -> list[Figure]:
    """Give those without triangles the strip that the others have for them, so that the axes stand still."""
    having = next((each["layout"] for each in figures if "yaxis2" in each["layout"]), None)
    if having is None:
        return list(figures)
    strip = next(each for each in having["shapes"] if each["type"] == "rect")
    same = {name: having[name] for name in ("yaxis", "yaxis2")}
    return [
        each
        if "yaxis2" in each["layout"]
        else {**each, "layout": {**each["layout"], **same, "shapes": [strip, *each["layout"]["shapes"]]}}
        for each in figures
    ]


def _band_and_best(
    found: Tolerance, variant: Method, ranges: dict[float, UsableRange | None], theme: str
) -> list[Trace]:
    colour, _ = look_of(variant, theme)
    name = variant.name.replace("+", "-plus")  # plotly makes it a class name
    best = {unit: lam for unit, lam in zip(found.scales, found.best_lambdas(variant), strict=True) if lam is not None}
    x, y = band(ranges)
    shared = {"type": "scatter", "legendgroup": name, "hovertemplate": "%{text}<extra></extra>"}
    words = [f"<b>{variant.label}</b>, s = {number(unit)}<br>best λ = {number(lam)}" for unit, lam in best.items()]
    return [
        {
            **shared, "uid": f"usable-{name}", "name": f"usable for {variant.label}", "mode": "lines", "x": x, "y": y,
            "fill": "toself", "fillcolor": translucent(colour, 0.22), "line": {"width": 0, "color": colour},
            "hoverinfo": "skip", "hovertemplate": None, "showlegend": False,
        },
        {
            **shared, "uid": f"best-{name}", "name": f"{variant.label}: best, usable", "mode": "lines+markers",
            "x": [*best], "y": [*best.values()], "text": words, "line": {"color": colour, "width": 2},
            "marker": {"color": colour, "symbol": style(method_of(variant), theme).marker, "size": 9},
        },
    ]  # fmt: skip


def _note(text: str, x: float, y: float, colour: str) -> dict[str, Any]:
    place = {"x": math.log10(x), "y": math.log10(y), "yanchor": "bottom"}
    return {"text": text, "showarrow": False, "font": {"size": TEXT_SIZE, "color": colour}, **place}


def method_of(variant: Method) -> str:
    """Return the method that a variant looks like."""
    return "sgm" if variant is SGM_PAIR else variant.name


def look_of(variant: Method, theme: str) -> tuple[str, str]:
    """Return the colour and dash of a variant; a line in the colour of SGM is solid if it has the pair."""
    known = style(method_of(variant), theme)
    return known.colour, "solid" if has_pair(variant) else known.dash


def _stretches(ranges: dict[float, UsableRange | None]) -> Iterator[list[tuple[float, UsableRange]]]:
    """Yield the units that have usable λ, neighbours together."""
    stretch: list[tuple[float, UsableRange]] = []
    for scale, found in ranges.items():
        if found is not None:
            stretch.append((scale, found))
        elif stretch:
            yield stretch
            stretch = []
    if stretch:
        yield stretch


def band(ranges: dict[float, UsableRange | None]) -> tuple[list[float | None], list[float | None]]:
    """Return the usable λ as polygons, one for each stretch of units."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for stretch in _stretches(ranges):
        units = [scale for scale, _ in stretch]
        lows, highs = ([getattr(found, end) for _, found in stretch] for end in ("low", "high"))
        if len(units) == 1:  # a single unit has no width, so that its range would not be seen
            units, lows, highs = [units[0] / 1.3, units[0] * 1.3], 2 * lows, 2 * highs
        xs += [*units, *reversed(units), units[0], None]
        ys += [*lows, *reversed(highs), lows[0], None]
    return xs[:-1], ys[:-1]


def empty(ranges: dict[float, UsableRange | None]) -> Iterator[tuple[float, float]]:
    """Yield the stretches of the axis between and beyond the units that have usable λ, half a step from them."""
    scales = list(ranges)
    edge = 0.0
    for stretch in _stretches(ranges):
        first, last = scales.index(stretch[0][0]), scales.index(stretch[-1][0])
        if first > 0:
            yield edge, math.sqrt(scales[first - 1] * scales[first])
        edge = math.inf if last == len(scales) - 1 else math.sqrt(scales[last] * scales[last + 1])
    if edge < math.inf:
        yield edge, math.inf
