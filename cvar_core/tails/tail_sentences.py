"""Who is in the tail, in words."""

from __future__ import annotations

from ..data import shortened
from ..results import listed, number, percent, risk_name
from .contrast import Contrast, Difference
from .fits import MEAN, OPTIMUM, RUN
from .tail import Tail

_NAMED = 3  # columns that a sentence names
_PREPOSITIONS = {RUN: "with", OPTIMUM: "at", MEAN: "for"}


def sentences(tail: Tail, fit: str | None = None) -> list[str]:
    """Return what is found, each sentence without its full stop."""
    fit = tail.fits[0] if fit is None else fit
    said = [
        diverged(tail),
        size(tail),
        risks(tail),
        unbeaten(tail),
        shared(tail, fit),
        edge(tail, fit),
        differing(tail, fit),
    ]
    return [words for words in said if words]


def diverged(tail: Tail) -> str:
    """Say why there is nothing of a run, if there is nothing."""
    return "" if RUN in tail.fits else f"{tail.labels[RUN]} diverges from start {tail.chosen.seed}, and has no model"


def size(tail: Tail) -> str:
    """Say how many rows the tail is."""
    worst, rows = tail.worst[tail.fits[0]], tail.data.shape[0]
    if worst.count == rows:
        return f"At β = {tail.problem.spec.beta:g} all {rows:,} rows are in the tail"
    last = "" if worst.whole else ", the last one in part"
    count = "is 1 row" if worst.count == 1 else f"are {worst.count:,} rows"
    return f"The worst {percent(1 - tail.problem.spec.beta)} {count} of {rows:,}{last}"


def risks(tail: Tail) -> str:
    """Say what the tail costs at each fit, and what the mean is."""
    if tail.problem.spec.beta == 0:
        return f"The mean loss is {_each(tail, tail.means)}{_unit(tail)}"
    cvars = {name: worst.cvar for name, worst in tail.worst.items()}
    means = ", ".join(number(tail.means[name]) for name in tail.fits)
    return f"CVaR is {_each(tail, cvars)}; the mean loss of all rows {means}{_unit(tail)}"


def _unit(tail: Tail) -> str:
    """Say in which unit losses are told where the target was standardised."""
    unit = tail.data.target_unit
    if unit is None:
        return ""
    whose = "target's own" if unit.factor(tail.problem.spec.loss) else "standardised target's"
    return f" (in the {whose} unit)"


def unbeaten(tail: Tail) -> str:
    """Say where the run is no better than the ordinary fit at what it is for, and where it cannot be."""
    if MEAN in tail.lossless:
        grow = listed([tail.labels[name] for name in (OPTIMUM, MEAN) if name in tail.lossless])
        return f"These rows can be separated: {grow} lose next to nothing, and the less the longer θ is"
    spec = tail.problem.spec
    if RUN not in tail.fits or spec.beta == 0 or spec.mix == 0 or _risk(tail, RUN) < _risk(tail, MEAN):
        return ""
    by = "CVaR" if spec.mix is None else f"the {risk_name(spec)}"
    return f"By {by} {tail.labels[RUN]} is no better than the ordinary fit: take another λ, or more iterations"


def _risk(tail: Tail, fit: str) -> float:
    """Return the risk of a fit, in the unit in which losses are told."""
    mix = tail.problem.spec.tail_weight
    return mix * tail.worst[fit].cvar + (1 - mix) * tail.means[fit]


def shared(tail: Tail, fit: str) -> str:
    """Say how many of the worst rows are so at the other fits, too."""
    worst, others = tail.worst[fit], [name for name in tail.fits if name != fit and name not in tail.flat]
    if fit in tail.flat or not others or worst.count == tail.data.shape[0]:
        return ""
    first, *further = (worst.shared_with(tail.worst[name]) for name in others)
    told = [f"{first:,} of the worst rows {at(tail, fit)} are among the worst {at(tail, others[0])}, too"]
    return ", ".join([*told, *(f"{count:,} {at(tail, name)}" for count, name in zip(further, others[1:], strict=True))])


def edge(tail: Tail, fit: str) -> str:
    """Say how many rows are as good as tied at the edge of the tail, if any outside are."""
    worst = tail.worst[fit]
    if not worst.tied or fit in tail.flat:
        return ""
    alike = worst.at_edge + worst.tied
    return f"At the edge of the tail {alike:,} rows lose the same: which {worst.at_edge:,} of them are in it is chance"


def differing(tail: Tail, fit: str) -> str:
    """Say in which columns the worst rows differ most from the rest, and whether that may be chance."""
    worst = tail.worst[fit]
    if worst.count == tail.data.shape[0]:
        return ""
    if fit in tail.flat:
        lose = "lose the same" if worst.level and worst.cvar > 0 else "lose next to nothing"
        return f"All rows {lose} {at(tail, fit)}: none is worse than another"
    found = tail.contrast(fit)
    largest = found.largest(_NAMED)
    clear = [each for each in largest if abs(each.deviations) > found.chance]
    if not clear:
        return f"They differ most in {difference(largest[0])}, which is no more than chance can do"
    return f"They differ most in {'; '.join(map(difference, clear))}"


def difference(found: Difference) -> str:
    """Say how a column differs.

    >>> difference(Difference("age", 41.2, 29.04, 0.9, share=False))
    "'age', 41.2 on average against 29"
    >>> difference(Difference("sex=male", 0.8, 0.454, 0.7, share=True))
    "'sex=male', 80% of them against 45%"
    """
    if found.share:
        return f"{shortened(found.column)}, {percent(found.tail)} of them against {percent(found.rest)}"
    return f"{shortened(found.column)}, {number(found.tail)} on average against {number(found.rest)}"


def certain(found: Contrast) -> str:
    """Say what a difference has to be to be more than chance."""
    return f"Up to {number(found.chance)} deviations a column may differ by chance"


def _each(tail: Tail, values: dict[str, float]) -> str:
    return ", ".join(f"{number(values[name])} {at(tail, name)}" for name in tail.fits)


def at(tail: Tail, fit: str) -> str:
    """Say at which fit."""
    return f"{_PREPOSITIONS[fit]} {tail.labels[fit]}"
