"""The atlas in charts: on how many problems a λ is safe, how far methods stay behind the best, and one problem."""

from __future__ import annotations

import numpy as np

from ...catalogue import methods
from ...lessons.atlas import LAMBDAS, METHODS, Atlas, View
from ...lessons.atlas.atlas_sentences import percent, problems, ranked
from ...results import GAP_TO_CLOSE, MEASURES, RISK, Spread, listed, number, spread, width
from ..axes import Array, Span, gap_span
from ..frame import Figure, Frame, over_seeds
from ..palette import Theme, theme_named
from ..sensitivity import STEP_SIZE, lambda_span
from ..series import Series, Trace, heights, ring

FURTHEST = 1e4  # a factor: what is further behind is not drawn

_SHARES = Span(0.0, 1.25)  # 1 has to be clear of the top edge
_LEFT = 1 - GAP_TO_CLOSE
_GAP = {"risk": "R − F*", "objective": "F̃ − F*"}
_TOLD = 2.0  # the factor that a profile's title is about


def safe_shares(view: View, *, theme: str = "light") -> Figure:
    """Draw the share of problems on which λ is safe against λ; rings are around each method's single λ."""
    frame = _of_shares(theme_named(theme), STEP_SIZE, lambda_span(LAMBDAS), "problems on which λ is safe")
    series = [_safe(view, name) for name in METHODS]
    figure = frame.figure(series, "", _share_title(view), f"band: 95% interval, {problems(len(view))}")
    singles = [(one, view.shares(one.method).best) for one in series]
    figure["data"] += [_ring(one, place, _SHARES, frame.theme) for one, place in singles]
    return figure


def profiles(view: View, single: bool, *, theme: str = "light") -> Figure:
    """Draw Dolan and Moré's performance profiles, at each method's own best λ or at its single one."""
    frame = _of_shares(
        theme_named(theme), "factor τ", Span(1.0, FURTHEST).around(0.02), "problems within τ of the best"
    )
    frame.bands = False
    series = [_profile(view, name, single) for name in METHODS]
    figure = frame.figure(series, "", _profile_title(view, single), _compared(view))
    figure["data"] = [_stepped(each) for each in figure["data"]]
    return figure


def problem_curves(atlas: Atlas, place: int, measure: str, singles: dict[str, int], *, theme: str = "light") -> Figure:
    """Draw what is left of one problem's gap against λ; rings are around the single λ of each method."""
    k = MEASURES.index(measure)
    begun = np.where(atlas.starts[place, k] > 0, atlas.starts[place, k], np.nan)[:, None]
    series = [_left(name, atlas.gaps[place, k, m] / begun) for m, name in enumerate(METHODS)]
    every = Spread(*(np.concatenate([getattr(one, part) for one in series]) for part in Spread._fields))
    y_span = gap_span(every, 1.0, 1e-7, [_LEFT])
    frame = Frame(theme_named(theme), STEP_SIZE, lambda_span(LAMBDAS), f"share of {_GAP[measure]} left", y_span)
    frame.level(_LEFT, f"{_LEFT:.0%}")
    title, about = _range_title(atlas, place, measure), over_seeds(atlas.starts.shape[-1])
    figure = frame.figure(series, "diverged or off the chart", title, about)
    figure["data"] += [_ring(one, singles[one.method], y_span, frame.theme) for one in series if one.method in singles]
    return figure


def _of_shares(theme: Theme, x_title: str, x_span: Span, y_title: str) -> Frame:
    frame = Frame(theme, x_title, x_span, y_title, _SHARES)
    frame.linear = (-0.02, 1.03)
    return frame


def _safe(view: View, name: str) -> Series:
    found, label = view.shares(name), methods[name].label
    counts = view.safe[:, METHODS.index(name)].sum(axis=0).tolist()
    rows = zip(LAMBDAS, counts, found.low.tolist(), found.high.tolist(), strict=True)
    hover = [
        f"<b>{label}</b>  λ = {number(lam)}<br>safe on {count} of {len(view)}: {percent(count / len(view))} "
        f"({percent(low)} – {percent(high)})"
        for lam, count, low, high in rows
    ]
    never = np.zeros(len(LAMBDAS), dtype=bool)
    return Series(name, label, LAMBDAS, found.share, found.low, found.high, never, hover)


def _share_title(view: View) -> str:
    first, *others = (view.shares(name) for name in ranked(view))
    words = [
        f"{methods[each.method].label} {number(each.lam)}, {percent(float(each.share[each.best]))}" for each in others
    ]
    most = f"{methods[first.method].label} {number(first.lam)}, safe on {percent(float(first.share[first.best]))}"
    return f"With one λ for all problems: {'; '.join([most, *words])}"


def _profile(view: View, name: str, single: bool) -> Series:
    factors, shares = view.profile(name, single)
    shown, label = factors <= FURTHEST, methods[name].label
    reached = [0.0, *shares[shown].tolist()]
    x, y = [1.0, *factors[shown].tolist(), FURTHEST], np.array([*reached, reached[-1]])
    hover = [
        f"<b>{label}</b><br>within a factor of {number(tau)} of the best on {percent(share)}"
        for tau, share in zip(x, y.tolist(), strict=True)
    ]
    return Series(name, label, x, y, y, y, np.zeros(len(x), dtype=bool), hover)


def _stepped(trace: Trace) -> Trace:
    return {**trace, "mode": "lines", "line": {**trace["line"], "shape": "hv"}}


def _profile_title(view: View, single: bool) -> str:
    within = {name: float((view.behind(single)[:, METHODS.index(name)] <= _TOLD).mean()) for name in METHODS}
    most = sorted(METHODS, key=lambda name: -within[name])[:3]
    parts = [f"{methods[name].label} on {percent(within[name])}" for name in most]
    where = "With one λ for all problems" if single else "Each at its own best λ"
    return f"{where}, within a factor of {number(_TOLD)} of the best: {listed(parts)}"


def _compared(view: View) -> str:
    what = "excess risk" if view.measure == RISK else "suboptimality"
    return f"median share of the {what} that is left, {problems(len(view))}"


def _left(name: str, shares: Array) -> Series:
    found, failed, label = spread(shares, axis=0), np.isnan(shares).sum(axis=0), methods[name].label
    hover = [
        f"<b>{label}</b>  λ = {number(lam)}<br>"
        + (f"{lost} of {len(shares)} starts diverged" if lost else f"{number(left)} of the gap left")
        for lam, left, lost in zip(LAMBDAS, found.median.tolist(), failed.tolist(), strict=True)
    ]
    return Series(name, label, LAMBDAS, *found, np.asarray(failed > 0), hover)


def _range_title(atlas: Atlas, place: int, measure: str) -> str:
    ranges = {name: atlas.range(place, measure, name) for name in METHODS}
    wide = sorted(METHODS, key=lambda name: -1.0 if (found := ranges[name]) is None else found.decades, reverse=True)
    return f"Decades of λ forgiven: {', '.join(f'{methods[name].label} {width(ranges[name])}' for name in wide)}"


def _ring(one: Series, place: int, span: Span, theme: Theme) -> Trace:
    return ring(one.method, "single", one.x[place], heights(one, span)[place], 17, theme)
