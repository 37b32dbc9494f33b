"""What the atlas says, in sentences that are made of its numbers."""

from __future__ import annotations

import math
from collections import Counter

from ...catalogue import methods
from ...results import listed, number
from .charted import Charted
from .entries import METHODS, Entry
from .origins import HELD_OUT
from .shares import RESAMPLED, View


def ranked(view: View) -> list[str]:
    """Return the methods, that first whose single λ is safe most often."""
    return sorted(METHODS, key=view.count, reverse=True)


def headline(view: View) -> str:
    """Say which method with which single λ is safe most often."""
    most = view.count(ranked(view)[0])
    leading = [name for name in METHODS if view.count(name) == most]
    if most == 0:
        where = "this problem" if len(view) == 1 else f"any of these {problems(len(view))}"
        return f"No single λ of any method is safe on {where}"
    shares = view.shares(leading[0])
    low, high = float(shares.low[shares.best]), float(shares.high[shares.best])
    share = f"{percent(most / len(view))} ({between(low, high)})" if len(leading) == 1 else percent(most / len(view))
    verb = "is" if len(leading) == 1 else "are each"
    return (
        f"{listed([_with_lam(view, name) for name in leading])} {verb} safe on {most} of {problems(len(view))}: {share}"
    )


def compared(view: View) -> str:
    """Say how far the next method is behind, and whether the problems tell that."""
    first, second = ranked(view)[:2]
    apart, low, high = view.further(first, second)
    if apart == 0:
        return ""
    beside = f"{_with_lam(view, second)}, the next, is safe on {view.count(second)}"
    if low > 0:
        return f"{beside}: {_points(apart)} percentage points fewer (95% interval {_points(low)} to {_points(high)})."
    return f"{beside}; the problems do not tell the two apart (95% interval {_points(low)} to {_points(high)} points)."


def held_out(view: View) -> str:
    """Say what became of the held-out problems with the best method and the next; nothing, if none or all are such."""
    apart = view.only(HELD_OUT)
    if not 0 < len(apart) < len(view):
        return ""
    parts = []
    for name in ranked(view)[:2]:
        m, place = METHODS.index(name), view.shares(name).best
        low, high = apart.interval(apart.safe[:, m, [place]].astype(float))
        safe = int(apart.safe[:, m, place].sum())
        parts.append(f"{_with_lam(view, name)} is safe on {safe} ({between(float(low[0]), float(high[0]))})")
    count = problems(len(apart))
    return f"On the {count} that are held out, with no part in choosing rule or λ, {' and '.join(parts)}."


def resampled(view: View) -> str:
    """Say what the intervals are."""
    return (
        f"The {problems(len(view))} come from {len(view.origins)} data sets and noises. Variants of one set are not "
        f"independent: an interval resamples whole sets and noises, each with all of its problems, {RESAMPLED:,} times."
    )


def failed(view: View, method: str) -> list[str]:
    """Return where the single λ of a method is not safe: a line for each origin, and which problems of it."""
    lost = view.failures(method)
    total = Counter(entry.origin for entry in view.entries)
    lines = []
    for origin, count in Counter(entry.origin for entry in lost).most_common():
        names = "; ".join(_variant(entry) for entry in lost if entry.origin == origin)
        every = count == total[origin] > 1
        lines.append(f"**{origin}**, all {count}" if every else f"**{origin}**, {count} of {total[origin]}: {names}")
    return lines


def unjudged(view: View) -> str:
    """Say which problems have no verdict; nothing, if all have."""
    if not view.without_verdict:
        return ""
    of_each = Counter(entry.origin for entry in view.without_verdict).most_common()
    where = listed([f"{origin} ({count})" for origin, count in of_each])
    count = problems(len(view.without_verdict))
    return f"Without a verdict, because the start leaves too little to close: {count}, of {where}."


def certified(one: Charted) -> str:
    """Say what is known of the minimum."""
    if one.certified is None:
        known = "not certified"
    elif one.certified == 0:
        known = "certified exactly"
    else:
        known = f"certified to {number(one.certified)}"
    words = f"F* = {number(one.optimum)}, {known}"
    if not one.attained:
        words += "; no θ attains it, it is only approached"
    if one.floor is not None:
        words += f"; below a gap of {number(one.floor)} the evaluation points tell nothing apart"
    return f"{words}."


def problems(count: int) -> str:
    return f"{count:,} problem{'' if count == 1 else 's'}"


def percent(share: float) -> str:
    """Return a share of problems; neither all nor none unless it is so.

    >>> percent(0.944), percent(0.9996), percent(1.0)
    ('94%', '99.9%', '100%')
    """
    rounded = f"{share:.0%}"
    if rounded in ("0%", "100%") and 0 < share < 1:
        return "0.1%" if share < 0.001 else "99.9%" if share > 0.999 else f"{share:.1%}"
    return rounded


def between(low: float, high: float) -> str:
    if low == high:
        return "no interval: all resamples agree"
    return f"95% interval {percent(low).rstrip('%')}–{percent(high)}"


def share_left(left: float) -> str:
    """Return the share of the gap that is left, as a table has room for it.

    >>> share_left(0.0002), share_left(0.5), share_left(31.6), share_left(float("inf"))
    ('< 0.1%', '50%', '31.6 ×', 'diverged')
    """
    if math.isinf(left):
        return "diverged"
    if left < 0.001:
        return "< 0.1%"
    if left >= 10:
        return f"{number(left)} ×"
    return f"{100 * left:.0f}%" if left >= 0.1 else f"{100 * left:.2g}%"


def _with_lam(view: View, method: str) -> str:
    return f"{methods[method].label} with λ = {number(view.shares(method).lam)}"


def _points(share: float) -> str:
    return f"{100 * share:.0f}".replace("-", "−")


def _variant(entry: Entry) -> str:
    """Return an entry's name without what it shares with its origin."""
    return entry.name.removeprefix(f"{entry.origin}, ")
