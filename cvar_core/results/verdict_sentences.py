"""What is said of one verdict: whether a λ is safe, for how many starts, by how much, and what to take instead."""

from __future__ import annotations

import math

from ..catalogue import methods
from .certainty import Interval
from .readable import number, percent
from .verdict import NOT_YET, Verdict

# What a number that calls a step size safe is about, in the words that every place uses.
GAP = {"risk": "excess risk of the model", "objective": "suboptimality"}
JUDGED_BY = {"risk": "the model's risk", "objective": "the objective"}
_BLOWN_UP = 1e3  # times the gap at the start: what is so far off will be further, though it is still finite
_COUNTED = 1e6  # how many times one gap is another says something up to here


def judgement(verdict: Verdict) -> str:
    """Say in one sentence whether a λ is safe, for what and for how many starts, and by how much."""
    label, lam = methods[verdict.method].label, number(verdict.lam)
    if verdict.iteration == 0:
        return f"Whether λ = {lam} is safe for {label} is not known yet: the runs are starting."
    what = f"by {JUDGED_BY[verdict.measure]}"
    if verdict.nothing_to_close is not None:
        return (
            f"There is no verdict on λ = {lam} for {label} {what}: the model at the start "
            f"{near_the_best(verdict.nothing_to_close)}, so no step size can do much for it. What λ does to "
            "the threshold, the objective tells."
        )
    left = f"median {GAP[verdict.measure]} {number(verdict.gap)} {{}} ε = {number(verdict.epsilon)}"
    about = f"λ = {lam} is {verdict.state} for {label} {what}"
    if verdict.unanimous:
        reason = left.format("≤" if verdict.gap <= verdict.epsilon else "against")
        return f"{about}: {_shown(verdict)}, {_margins(verdict)} ({reason}{_source(verdict)})."
    if verdict.diverged:
        why = f"{verdict.diverged} of {verdict.seeds} diverged{' beside it' if verdict.between else ''}"
    else:
        why = left.format(">" if verdict.gap > verdict.epsilon else "≤")
        why = why if verdict.starts else f"it {how_near(verdict)}: {why}"
    return f"{about}: usable for {starts_fine(verdict)}, {why}{_source(verdict)}; {advice(verdict)}."


def margin(verdict: Verdict) -> str:
    """Say in a few words whether a λ is safe: for how many starts and by how much, or why not."""
    if verdict.iteration == 0:
        return "not known yet"
    if verdict.nothing_to_close is not None:
        return "neither safe nor unsafe: there is nothing to close"
    if verdict.unanimous:
        return f"{verdict.state}: {starts_fine(verdict)}, {_margins(verdict)}"
    if verdict.starts:
        return f"{verdict.state}: usable for {starts_fine(verdict)}"
    if verdict.diverged:
        runs = f"{verdict.diverged} of {verdict.seeds} starts" if verdict.seeds > 1 else "the run"
        return f"not safe: {runs} diverged{' beside it' if verdict.between else ''}"
    whom = f" for any of {verdict.seeds} starts" if verdict.seeds > 1 and verdict.state != NOT_YET else ""
    return f"{verdict.state}{whom}: {how_near(verdict)}"


def how_near(verdict: Verdict) -> str:
    """Say how near a λ that is not usable comes to being so, after "it": by how much it misses ε, or where it ends.

    What has not come to its end yet does not stall, and may still come down from where it is.
    """
    times, short = verdict.gap / verdict.epsilon, verdict.gap / verdict.epsilon - 1
    if verdict.left > _BLOWN_UP:
        return "is far above its start so far" if verdict.going else "diverges"
    if verdict.left > 1:
        return f"{'is' if verdict.going else 'ends'} {number(verdict.left)} × as far off as it began"
    if times < 2:
        return f"misses ε by {percent(short)}" if short > 0 else "misses ε by a hair"
    if verdict.going:
        return f"has closed {percent(1 - verdict.left)} of the gap"
    if verdict.rival is not None and 0 < 2 * verdict.rival[1] < verdict.gap:
        name, gap = methods[verdict.rival[0]].label, verdict.rival[1]
        above = f"{_times(verdict.gap / gap)} above" if verdict.gap / gap < _COUNTED else "far above"
        return f"stalls {above} {name}"
    return f"stalls {_times(times)} above ε"


def _times(factor: float) -> str:
    """Return a factor: "2.3 ×", "1,200 ×"."""
    digits = 2 if factor < 99.5 else 3 if math.log10(factor) < 3 else 2
    rounded = float(f"{factor:.{digits}g}")
    return f"{rounded:,.0f} ×" if rounded >= 100 else f"{rounded:g} ×"


def advice(verdict: Verdict) -> str:
    """Say which step sizes are usable instead."""
    if verdict.alone:
        return "no other λ was tried"
    if verdict.range is None:
        return "no λ of the grid is usable"
    return f"usable: {number(verdict.range.low)} to {number(verdict.range.high)}, best {number(verdict.best_lambda)}"


def how_usable(verdict: Verdict) -> str:
    """Return "safe", or for how many starts a λ is usable."""
    return "safe" if verdict.safe else f"usable for {starts_fine(verdict)}"


def starts_fine(verdict: Verdict) -> str:
    """Return for how many of the starts a λ is usable, such as "4 of 5 starts"."""
    return f"{verdict.starts} of {verdict.seeds} start{'s' * (verdict.seeds > 1)}"


def near_the_best(share: float) -> str:
    """Say how near the best a start is, to follow "the model at the start"."""
    return "is the best" if share == 0 else f"is already within {percent(share)} of the best"


def _shown(verdict: Verdict) -> str:
    return f"{starts_fine(verdict)}, which show{'s' * (verdict.seeds == 1)} at least {percent(verdict.bound)} of all"


def _margins(verdict: Verdict) -> str:
    below = _with_interval(verdict.below, verdict.below_interval, verdict.open_below, verdict.seeds)
    above = _with_interval(verdict.above, verdict.above_interval, verdict.open_above, verdict.seeds)
    return f"margin {below} decades below and {above} above"


def _with_interval(value: float | None, interval: Interval | None, open_end: bool, seeds: int) -> str:
    told = interval is not None and seeds > 1 and not (open_end and interval.low == interval.high)
    spread = f" ({interval.low:.1f}–{interval.high:.1f})" if told and interval is not None else ""
    return f"{'≥ ' if open_end else ''}{value:.1f}{spread}"


def _source(verdict: Verdict) -> str:
    """Say where a λ that was not run is read off."""
    if verdict.between is None:
        return ""
    left, right = verdict.between
    return f", read between λ = {number(left)} and {number(right)}"
