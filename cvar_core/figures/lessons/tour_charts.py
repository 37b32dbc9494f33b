"""The Tour's figures: what is known before the question, and once it is answered, the answer in the same axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import torch

from ...catalogue import methods
from ...lessons.models import SAMPLE_LOSSES, Setup, update
from ...lessons.tour import Facts, Fit, deliveries
from ...results import Spread, number
from ..axes import Span, gap_span, linear_axis, log_axis
from ..frame import Figure, Frame
from ..palette import TEXT_SIZE, style, theme_named, translucent
from ..sensitivity import STEP_SIZE, lambda_span
from ..series import Series
from .tour_parts import (
    TAIL,
    add_flag,
    add_upright,
    add_usable,
    arrow,
    curve,
    fitted_line,
    frame_of,
    quiet_points,
    said,
    upright_bars,
    with_title,
)

_LEFT_AT_MOST = 0.1  # of the gap at the start: what a usable λ leaves
_SEEN = 0.1  # the largest λ that is shown before the question


def two_fits(facts: Facts, answered: bool, beta: float = 0.9, *, theme: str = "light") -> Figure:
    """Draw the deliveries, the ordinary line with its worst errors and, once answered, the line that CVaR fits."""
    look, data = theme_named(theme), deliveries()
    ordinary, careful = facts.fits[0.0], facts.fits[beta]
    figure = frame_of(look, linear_axis("kilometres", (0.0, 9.4), look), linear_axis("minutes", (0.0, 70.0), look))
    groups = (
        ("in town", ~data.hills, "circle", 8, (5.3, 16.0, "● in town")),
        ("to the hills", data.hills, "triangle-up", 12, (2.6, 58.0, "▲ to the hills")),
    )
    for name, here, shape, size, (x, y, words) in groups:
        dots = {"symbol": shape, "size": size, "color": translucent(look.text, 0.5)}
        figure["data"].append(
            curve(name, data.kilometres[here], data.minutes[here], mode="markers", marker=dots, showlegend=False,
                  hovertemplate="%{x} km: %{y} minutes<extra></extra>")
        )  # fmt: skip
        figure["layout"]["annotations"].append(said(words, x, y, look.quiet, xanchor="left"))
    figure["data"] += fitted_line(ordinary, "ordinary line", look.text, "dash", None if answered else beta)
    (mean, worst), (new_mean, new_worst) = (_errors(fit, beta) for fit in (ordinary, careful))
    share = f"{100 * (1 - beta):.0f}%"
    title = f"The ordinary line is off by {mean} minutes, on its worst {share} by {worst}"
    if answered:
        figure["data"] += fitted_line(careful, "CVaR line", TAIL[theme], "solid", beta)
        title = (
            f"CVaR: the worst {share} fall from {worst} to {new_worst} minutes, the mean goes from {mean} to {new_mean}"
        )
    return with_title(figure, title, look, _served(facts, beta, answered))


def losses(facts: Facts, answered: bool, *, theme: str = "light") -> Figure:
    """Draw the losses with their mean and VaR and, once answered, CVaR."""
    look, told = theme_named(theme), facts.losses
    edges, shares, tail = (np.array(each) for each in (told.edges, told.shares, told.tail))
    top = 1.35 * float(shares.max())
    y_axis = {**linear_axis("share of the losses", (0.0, top), look), "tickformat": ".0%", "nticks": 5}
    figure = frame_of(look, linear_axis("loss ℓ", (0.0, float(edges[-1])), look), y_axis)
    bars = {"type": "bar", "x": ((edges[1:] + edges[:-1]) / 2).tolist(), "width": float(edges[1] - edges[0])}
    looks = (("the other 95%", shares - tail, translucent(look.quiet, 0.4)), ("the worst 5%", tail, TAIL[theme]))
    figure["data"] = [
        {**bars, "uid": name, "name": name, "y": heights.tolist(), "marker": {"color": colour}, "hoverinfo": "skip"}
        for name, heights, colour in looks
    ]
    figure["layout"] |= {"barmode": "stack", "bargap": 0}
    add_flag(figure, told.mean, 0.96 * top, f"mean {number(told.mean)}", look.text)
    add_flag(figure, told.var, 0.8 * top, f"VaR {number(told.var)}", look.text)
    title = f"The mean loss is {number(told.mean)}: what is the mean of the worst 5%?"
    if answered:
        add_flag(figure, told.cvar, 0.55 * top, f"CVaR {number(told.cvar)}", TAIL[theme])
        title = f"CVaR is {number(told.cvar)}, {told.cvar / told.mean:.1f} times the mean"
    return with_title(figure, title, look)


def subgradient(facts: Facts, answered: bool, *, theme: str = "light") -> Figure:
    """Draw what SGM leaves at step sizes up to 0.1 and, once answered, at all."""
    told = facts.calm
    left, usable = told.left["sgm"], told.usable["sgm"]
    assert usable is not None
    shown = [k for k, lam in enumerate(told.lambdas) if answered or lam <= _SEEN]
    at = f"{100 * left[told.lambdas.index(_SEEN)]:.1g}%"
    title = f"Up to λ = {number(_SEEN)} a larger step is a better one: SGM leaves {at} of the excess risk"
    if answered:
        decades = f"{math.log10(usable[1] / usable[0]):.1f} decades"
        title = f"SGM works from λ = {usable[0]:.2g} to {usable[1]:.2g}, {decades}: at λ = 1 it explodes"
    figure = _sensitivity(told.lambdas, {"sgm": left}, shown, title, theme)
    if answered:
        add_usable(figure, usable, style("sgm", theme).colour)
    return figure


def one_step(_: Facts, answered: bool, *, theme: str = "light") -> Figure:
    """Draw one step of SGM from the paper's point and, once answered, of SPL."""
    look, setup = theme_named(theme), Setup()
    sides = (-1.5, 4.0), (0.0, 3.9)
    figure = frame_of(look, linear_axis("model θ", sides[0], look), linear_axis("threshold α", sides[1], look))
    theta = torch.linspace(*sides[0], 80, dtype=torch.float64)
    kink = {"mode": "lines", "line": {"color": look.text, "width": 1.5}, "hoverinfo": "skip", "showlegend": False}
    below = {"fill": "tozeroy", "fillcolor": translucent(look.quiet, 0.16)}
    figure["data"].append(curve("kink", theta, SAMPLE_LOSSES[setup.loss].value(theta), **kink, **below))
    figure["layout"]["annotations"] = [
        said("F is steep", 3.1, 2.1, look.quiet),
        said("F is gentle", -0.2, 2.7, look.quiet),
        said("α = ℓ(θ)", -1.0, 0.68, look.text),
    ]
    steps = {name: update(name, setup) for name in ("sgm", "spl")}
    after = {name: number(step.after) for name, step in steps.items()}
    for name in ("sgm", "spl") if answered else ("sgm",):
        step, colour = steps[name], style(name, theme).colour
        figure["data"].append(arrow(name, (setup.theta, setup.alpha), (step.theta, step.alpha), colour))
        side = {"xanchor": "left", "xshift": 14} if name == "sgm" else {"xanchor": "right", "xshift": -10, "yshift": 18}
        words = f"<b>{methods[name].label}</b><br>F = {after[name]}"
        figure["layout"]["annotations"].append(said(words, step.theta, step.alpha, colour, **side))
    dot = {"size": 13, "color": look.text, "line": {"width": 1.5, "color": look.surface}}
    figure["data"].append(quiet_points("start", [setup.theta], [setup.alpha], dot))
    asked = f"SGM goes straight down, through the curve: F rises to {after['sgm']}"
    told = f"SPL stops at the curve: F falls to {after['spl']}, where SGM’s rises to {after['sgm']}"
    return with_title(figure, told if answered else asked, look)


def units(facts: Facts, answered: bool, *, theme: str = "light") -> Figure:
    """Draw the usable λ of SPL and SPL+ in dollars and, once answered, in every unit."""
    look, told = theme_named(theme), facts.units
    x_axis = log_axis("unit: the loss is multiplied by", Span(7e-4, 1.4e3), look, most_ticks=7)
    figure = frame_of(look, x_axis, log_axis(STEP_SIZE, Span(2e-6, 60.0), look, most_ticks=8))
    for name, ranges in told.usable.items():
        aside = 0.88 if name == "spl" else 1.14
        seen = {scale: each for scale, each in zip(told.scales, ranges, strict=True) if answered or scale == 1}
        figure["data"].append(upright_bars(f"{methods[name].label}: usable λ", seen, aside, style(name, theme).colour))
    for scale, word in ((1.0, "dollars"), (100.0, "cents")):
        add_upright(figure, scale, look.quiet, dash="dot")
        low = {"xanchor": "left", "xshift": 4, "yanchor": "bottom"}
        figure["layout"]["annotations"].append(said(word, math.log10(scale), -5.6, look.text, **low))
    title = "In dollars SPL and SPL₊ have nearly the same usable λ: what do cents do to them?"
    if answered:
        last = max(scale for scale, each in zip(told.scales, told.usable["spl"], strict=True) if each is not None)
        title = f"SPL₊’s usable λ stay the same: SPL’s shrink, and beyond a factor of {number(last)} none is left"
        figure["layout"]["annotations"].append(
            said("no λ for SPL", 3.1, -3.1, style("spl", theme).colour, xanchor="right")
        )
    return with_title(figure, title, look)


def choosing(facts: Facts, answered: bool, *, theme: str = "light") -> Figure:
    """Draw what each method leaves and, once answered, how far λ = 1 is from either end of SPL's valley."""
    told = facts.calm
    usable = told.usable["spl"]
    assert usable is not None
    title = "Each valley has the step sizes that work: which λ has the most room?"
    if answered:
        below, above = math.log10(1 / usable[0]), math.log10(usable[1])
        title = f"SPL at λ = 1 has {below:.1f} decades of room below and {above:.1f} above"
    figure = _sensitivity(told.lambdas, told.left, range(len(told.lambdas)), title, theme)
    if answered:
        colour = style("spl", theme).colour
        add_usable(figure, usable, colour)
        add_upright(figure, 1.0, colour, width=2)
    return figure


def model_or_threshold(facts: Facts, answered: bool, *, theme: str = "light") -> Figure:
    """Draw how the objective's gap closes along the run and, once answered, how little the model's risk does."""
    look, told = theme_named(theme), facts.threshold
    y_axis = {**linear_axis("left of the start’s", (0.0, 1.05), look), "tickformat": ".0%", "nticks": 6}
    figure = frame_of(look, log_axis("updates", Span(0.8, 1.3 * told.iterations[-1]), look, most_ticks=6), y_axis)
    rows = (
        ("the objective", told.objective, look.text, "dash", (0.3, 0.35, "left")),
        ("the model’s risk", told.risk, TAIL[theme], "solid", (5.0, 0.58, "right")),
    )
    for name, values, colour, dash, (x, y, side) in rows if answered else rows[:1]:
        hover = {"hovertemplate": "%{x:,} updates: %{y:.0%} left<extra></extra>", "showlegend": False}
        line = {"color": colour, "width": 3, "dash": dash}
        figure["data"].append(curve(name, told.iterations, values, mode="lines", line=line, **hover))
        words = f"<b>{name.removeprefix('the ')}:<br>{values[-1]:.0%} left</b>"  # short, for a phone
        figure["layout"]["annotations"].append(said(words, x, y, colour, xanchor=side))
    before = f"By the objective the run looks good: {told.objective[-1]:.0%} of its gap is left"
    after = f"The threshold learned, the model hardly: {told.risk[-1]:.0%} of its excess risk is left"
    return with_title(figure, after if answered else before, look)


def promise(facts: Facts, answered: bool, *, theme: str = "light") -> Figure:
    """Draw SGM's bound and, once answered, what its runs reach."""
    look, told = theme_named(theme), facts.promises["sgm"]
    best, least, reached = told.best, told.at(told.best), told.reached
    means = np.array(told.means)
    x_span = lambda_span(told.lambdas)
    y_span = Span(0.5 * float(means[np.isfinite(means)].min()), 3 * told.at(told.lambdas[0]))
    figure = frame_of(look, log_axis(STEP_SIZE, x_span, look, 8), log_axis("suboptimality F̃ − F*", y_span, look, 7))
    x = np.geomspace(*x_span, 61)
    bound = {"mode": "lines", "line": {"color": look.text, "width": 2}, "hoverinfo": "skip"}
    cross = {"symbol": "x-thin", "size": 14, "line": {"width": 3, "color": look.text}}
    figure["data"] = [
        curve("the theorem: at most this", x, [told.at(lam) for lam in x.tolist()], **bound),
        quiet_points("its best λ", [best], [least], cross),
    ]
    lead = {"showarrow": True, "ax": 0, "ay": -95, "arrowcolor": look.quiet, "arrowwidth": 1, "standoff": 9}
    words = f"promised:<br>at most {least:.0f}"
    figure["layout"]["annotations"].append(said(words, math.log10(best), math.log10(least), look.text, **lead))
    title = f"The theorem promises SGM at most {least:.0f}, if λ is about {best:.1g}"
    if answered:
        colour, dash, marker = style("sgm", theme)
        looks = {"line": {"color": colour, "width": 3, "dash": dash}, "marker": {"symbol": marker, "size": 9}}
        hover = {"hovertemplate": "λ = %{x:.3g}: %{y:.3g}<extra></extra>"}
        kept = [mean if mean <= y_span.high else None for mean in means.tolist()]
        figure["data"].append(curve("SGM, measured", told.lambdas, kept, mode="lines+markers", **looks, **hover))
        between = {"type": "line", "x0": best, "x1": best, "y0": reached, "y1": least}
        figure["layout"]["shapes"].append({**between, "line": {"color": TAIL[theme], "width": 3}})
        middle, times = math.log10(reached * least) / 2, f"{least / reached:.0f}"
        beside = {"xanchor": "left", "xshift": 8}
        figure["layout"]["annotations"].append(
            said(f"<b>{times} ×</b>", math.log10(best), middle, TAIL[theme], **beside)
        )
        title = f"Promised {least:.0f}, measured {reached:.1f}: the bound is {times} times too careful"
    return with_title(figure, title, look)


def _sensitivity(
    lambdas: Sequence[float], left: Mapping[str, Sequence[float]], shown: Sequence[int], title: str, theme: str
) -> Figure:
    """Draw shares that are left against λ; the axes are those of all step sizes, whatever is shown."""
    every = np.concatenate([np.array(row) for row in left.values()])
    y_span = gap_span(Spread(every, every, every), 1.0, 1e-9, [_LEFT_AT_MOST])
    frame = Frame(theme_named(theme), STEP_SIZE, lambda_span(tuple(lambdas)), "left of the excess risk", y_span)
    frame.bands = False
    frame.level(_LEFT_AT_MOST, "usable")
    x, series = tuple(lambdas[k] for k in shown), []
    for name, row in left.items():
        values, label = np.array([row[k] for k in shown]), methods[name].label
        words = ["diverges" if math.isinf(row[k]) else f"{number(100 * row[k])}% left" for k in shown]
        hover = [f"<b>{label}</b>  λ = {number(lambdas[k])}: {text}" for k, text in zip(shown, words, strict=True)]
        series.append(Series(name, label, x, values, values, values, ~np.isfinite(values), hover))
    figure = frame.figure(series, "explodes", title, "")
    figure["layout"]["yaxis"] |= {"tickformat": "~%", "tickfont": {"size": TEXT_SIZE}}
    return figure


def _errors(fit: Fit, beta: float) -> tuple[str, str]:
    """Return the mean error in minutes, and that of the worst."""
    data = deliveries()
    errors = fit.errors(data)
    mean, worst = (float(each.mean()) for each in (errors, errors[fit.worst(data, beta)]))
    return f"{mean:.1f}", f"{worst:.1f}" if worst < 9.95 else f"{worst:.0f}"


def _served(facts: Facts, beta: float, answered: bool) -> str:
    """Say who is in the tail of either line."""
    data, words = deliveries(), []
    for name, level in (("ordinary", 0.0), *([("CVaR", beta)] if answered else [])):
        worst = facts.fits[level].worst(data, beta)
        words.append(f"of the {name} line’s worst {len(worst)}, {int(data.hills[worst].sum())} went to the hills")
    return f"O{'; '.join(words)[1:]}"
