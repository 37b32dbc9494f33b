"""Numbers as a person reads them: λ, decades with their intervals, shares."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..specs import ProblemSpec
from .certainty import coverage
from .robustness import Forgiven, UsableRange

if TYPE_CHECKING:
    from .judged import Judged

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@functools.lru_cache(maxsize=1 << 14)  # every picture of a running sweep has its earlier points again
def number(value: float | None) -> str:
    """Return three significant digits: 0.0123, 45.6, 7.89·10⁴."""
    if value is None or math.isnan(value):
        return "none"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"  # and not −0
    if 1e-3 <= abs(value) < 1e4:
        text = f"{value:.3g}" if abs(value) < 999.5 else f"{value:.0f}"
        return text.replace("-", "−")
    mantissa, exponent = f"{value:.2e}".split("e")
    power = "10" + str(int(exponent)).translate(_SUPERSCRIPTS)
    mantissa = mantissa.rstrip("0").rstrip(".")
    text = mantissa.replace("1", power) if mantissa in ("1", "-1") else f"{mantissa}·{power}"
    return text.replace("-", "−")


def percent(share: float) -> str:
    """Return a share as a percentage that a person can read: 72%, 0.09%, 1,200%."""
    value = 100 * share
    return f"{value:,.0f}%" if value >= 10 else f"{value:.2g}%"


def risk_name(problem: ProblemSpec) -> str:
    """Name the risk of a problem, after "its" or "a".

    >>> risk_name(ProblemSpec()), risk_name(ProblemSpec(mix=0.3)), risk_name(ProblemSpec(mix=0))
    ('CVaR', 'mix 0.7·mean + 0.3·CVaR', 'mean loss')
    """
    mix = problem.tail_weight
    return "CVaR" if mix == 1 else "mean loss" if mix == 0 else f"mix {1 - mix:.3g}·mean + {mix:.3g}·CVaR"


def risk_in_words(problem: ProblemSpec) -> str:
    """Say what the risk of a problem is, after "the".

    >>> risk_in_words(ProblemSpec()), risk_in_words(ProblemSpec(mix=0.3))
    ('mean of the worst 5% of the losses', 'mix of 0.7 of the mean loss and 0.3 of the mean of the worst 5%')
    """
    mix = problem.tail_weight
    if problem.beta == 0 or mix == 0:
        return "mean loss"
    worst = f"mean of the worst {100 * (1 - problem.beta):.3g}%"
    return (
        f"{worst} of the losses" if mix == 1 else f"mix of {1 - mix:.3g} of the mean loss and {mix:.3g} of the {worst}"
    )


def counted(count: int, what: str) -> str:
    """Return a number of things.

    >>> counted(1, "iteration"), counted(2_000, "iteration")
    ('1 iteration', '2,000 iterations')
    """
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def subject(problem: ProblemSpec) -> str:
    """Say what a run is about.

    >>> subject(ProblemSpec(beta=0.9))
    'CVaR at β = 0.9, squared loss, lognormal noise'
    """
    where = "your data" if problem.noise is None else f"{problem.noise} noise"
    values = ", ".join(f"{name} = {value:g}" for name, value in (problem.loss_params or {}).items())
    risk = risk_name(problem)
    chosen = f" ({values})" if values else ""
    return f"{risk[:1].upper()}{risk[1:]} at β = {problem.beta:g}, {problem.loss} loss{chosen}, {where}"


def listed(words: Sequence[str]) -> str:
    """Return words in a row.

    >>> listed(["SGM"]), listed(["SGM", "SPL"]), listed(["SGM", "SPL", "SPL₊"])
    ('SGM', 'SGM and SPL', 'SGM, SPL and SPL₊')
    """
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def round_up(count: int) -> int:
    """Return the next number with one digit that is not 0."""
    unit: int = 10 ** (len(str(count)) - 1)
    return -(-count // unit) * unit


def decades(found: Forgiven) -> str:
    """Return how many decades a method forgives, with "≥" if the grid ended before the range did.

    Of a method whose median start has a usable λ, that is their median over the starts.
    """
    return "none" if found.decades is None else f"{'≥ ' if found.at_least else ''}{found.decades:.1f}"


def width(found: UsableRange | None) -> str:
    """Return how many decades one range spans, likewise."""
    return decades(Forgiven((found,)))


def interval(found: Forgiven) -> str:
    """Return the interval of the median decades, such as "3.2–4.9"; nothing of one start, or where none has any."""
    if len(found.starts) < 2 or not any(found.starts):
        return ""
    return f"{found.decades_low:.1f}–{found.decades_high:.1f}"


def best(judged: Judged, method: str) -> str:
    """Return a method's best λ, with the interval of the starts' own best ones where they differ."""
    found, spread = judged.best_lambda(method), judged.best_interval(method)
    if found is None or spread is None or spread.low == spread.high == found:
        return number(found)
    return f"{number(found)} ({number(spread.low)}–{number(spread.high)})"


def sureness(count: int) -> str:
    """Say what the interval of ``count`` starts is."""
    return f"{100 * coverage(count):.0f}% interval of the median over {count} starts"
