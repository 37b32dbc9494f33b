"""The verdict: what each method forgives by either measure, and whether the visitor's λ is safe, and for what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape

from cvar_core import Result, SpecError, SweepSpec
from cvar_core.catalogue import methods
from cvar_core.figures import glyph, style
from cvar_core.figures.ghosts import Pinned
from cvar_core.recommending import without_tuning
from cvar_core.results import (
    EDGE,
    JUDGED_BY,
    MEASURES,
    NOT_YET,
    SAFE,
    SO_FAR,
    Criterion,
    Judged,
    UsableRange,
    Verdict,
    against_constant,
    best,
    blurred,
    decades,
    deciding_level,
    disagreement,
    finding,
    interval,
    listed,
    margin,
    number,
    sureness,
    take,
    undecided,
)

from .differences import differences

Mine = dict[str, Verdict]

_NOTHING_YET = '<div class="decades">…</div><p>no update taken yet</p>'


def verdict(result: Result, by: Criterion, lam: float | None, theme: str, pinned: Sequence[Pinned] = ()) -> str:
    """Return in HTML what the run found in words, a card a method, and what a reader must know beside."""
    mine = _judged(result, by, lam)
    heading = escape(headline(result, by, lam, mine))
    notes = "".join(f"<p class='cvar-note'>{escape(note)}.</p>" for note in _notes(result, by, lam) if note)
    first = f"<h2>{heading}</h2>{_undecided(result)}{_recommended(result.judged(by), lam)}"
    return f'<div class="cvar-verdict">{first}{_cards(result, by, lam, mine, theme, pinned)}{notes}</div>'


def starting(spec: SweepSpec, theme: str) -> str:
    """Return the verdict's place before there is anything to judge."""
    cards = "".join(card(name, theme, _NOTHING_YET) for name in spec.methods)
    return f'<div class="cvar-verdict"><h2>The runs are starting.</h2><div class="cvar-cards">{cards}</div></div>'


def headline(result: Result, by: Criterion, lam: float | None, mine: Mine | None) -> str:
    """Say in a sentence or two what the run found."""
    judged = result.judged(by)
    if judged.at().iteration == 0:
        return "The runs are starting."
    words = f"{'' if _over(result) else 'So far: '}{finding(result, by)}."
    if lam is None or mine is None or judged.nothing_to_close is not None:  # outside of the grid, which the card says
        return words
    whom = {state: [methods[m].label for m in mine if mine[m].state == state] for state in (SAFE, SO_FAR, EDGE)}
    parts = [f"{state} for {listed(names)}" for state, names in whom.items() if names]
    return f"{words} λ = {number(lam)} is {' and '.join(parts) or _for_nobody(mine)}."


def _for_nobody(mine: Mine) -> str:
    """Say that a λ is safe for no method, or that it may still become so."""
    yet = "not yet safe" if any(each.state == NOT_YET for each in mine.values()) else "not safe"
    (first, *others) = mine
    return f"{yet} for {'any method' if others else methods[first].label}"


def _undecided(result: Result) -> str:
    """Say that the best classifier is none, with a button that takes a level at which it may decide."""
    words, level = undecided(result), deciding_level(result.spec.problem.beta)
    if not words:
        return ""
    button = f' <button type="button" class="cvar-level" value="{level!r}">Take β = {level:g}</button>'
    return f'<p class="cvar-note cvar-undecided">{escape(words)}.{"" if level is None else button}</p>'


def _recommended(judged: Judged, lam: float | None) -> str:
    """Say which λ to take, with a button that puts a safe one into the visitor's field, and which without tuning."""
    words, choice = take(judged), judged.choice
    if not words:
        return ""
    use = ""
    if choice is not None and choice.taken.verdict.safe:
        place = judged.result.place
        if lam is None or place(lam) != place(choice.taken.lam):
            use = f' <button type="button" class="cvar-use" value="{choice.taken.lam!r}">Use it</button>'
    advice, stop, further = words.partition(". ")
    taken = f'<p class="cvar-take"><b>{escape(advice)}.</b> {escape(further + stop[:1])}{use}</p>'
    record = without_tuning(judged)
    return taken + (
        f'<p class="cvar-untuned">{escape(record)}. <a href="atlas" target="_self">The atlas</a></p>' if record else ""
    )


def _judged(result: Result, by: Criterion, lam: float | None) -> Mine | None:
    """Judge the visitor's λ for each method, if there is one in the grid."""
    if lam is None:
        return None
    try:
        return {name: result.judged(by).verdict(name, lam) for name in result.spec.methods}
    except SpecError:
        return None


def _notes(result: Result, by: Criterion, lam: float | None) -> Iterator[str]:
    """Yield what the numbers alone would hide; empty where they hide nothing."""
    judged = result.judged(by)
    if judged.at().iteration == 0:
        return
    if lam is not None:
        yield disagreement(result, result.spec.methods, lam, by)
    mine = None if lam is None or result.place(lam) is None else lam
    yield from (blurred(judged), against_constant(judged, mine))


def _cards(
    result: Result, by: Criterion, lam: float | None, mine: Mine | None, theme: str, pinned: Sequence[Pinned]
) -> str:
    """Return one card a method: decades forgiven by either measure, best λ, and the verdict on the visitor's λ."""
    judged = result.judged(by)
    (other,) = (result.judged(replace(by, measure=name)) for name in MEASURES if name != by.measure)
    drawn = []
    for name in result.spec.methods:
        if judged.at().iteration == 0:
            words = _NOTHING_YET
        else:
            words = _forgiven(judged, name) + differences(judged, name, pinned) + f"<p>{_beside(other, name)}</p>"
        words += _mine(result, lam, mine[name] if mine else None)
        drawn.append(card(name, theme, words))
    return f'<div class="cvar-cards">{"".join(drawn)}</div>'


def card(name: str, theme: str, words: str) -> str:
    """Return a method's card, with words in HTML."""
    colour = style(name, theme).colour
    return (
        f'<div class="cvar-card" style="border-left-color: {colour}">'
        f'<b><span style="color: {colour}">{glyph(name)}</span> {escape(methods[name].label)}</b>{words}</div>'
    )


def _forgiven(judged: Judged, name: str) -> str:
    """Return the large number by the measure that is chosen, and the usable range."""
    if judged.nothing_to_close is not None:
        return '<div class="decades">– <small>nothing to close</small></div>'
    found = judged.forgiven[name]
    typical, spread = found.typical, interval(found)
    sure = f' <small title="{escape(sureness(len(found.starts)))}">({spread})</small>' if spread else ""
    unit = "" if typical is None else f" <small>decade{'' if decades(found) == '1.0' else 's'} of λ</small>"
    usable = "nothing usable" if typical is None else f"usable {_ends(typical)}"
    return (
        f'<div class="decades">{escape(decades(found))}{sure}{unit}</div>'
        f"<p>best λ = {escape(best(judged, name))} · {escape(usable)}</p>"
    )


def _beside(judged: Judged, name: str) -> str:
    """Say what the other measure says."""
    what, found = f"by {JUDGED_BY[judged.criterion.measure]}", judged.forgiven[name]
    if judged.nothing_to_close is not None:
        return escape(f"{what}: nothing to close")
    spread = f" ({interval(found)})" if interval(found) else ""
    return escape(f"{what}: {decades(found)}{spread}")


def _mine(result: Result, lam: float | None, verdict: Verdict | None) -> str:
    if lam is None:
        return ""
    if verdict is None:
        low, high = number(result.spec.lambdas[0]), number(result.spec.lambdas[-1])
        return f"<p>λ = {escape(number(lam))} is outside the grid, {low} to {high}</p>"
    unknown = verdict.iteration == 0 or verdict.nothing_to_close is not None
    mark = "?" if unknown else "✓" if verdict.safe else {EDGE: "≈", NOT_YET: "…"}.get(verdict.state, "✗")
    read = f", read between {number(verdict.between[0])} and {number(verdict.between[1])}" if verdict.between else ""
    return f"<p><b>{mark}</b> λ = {escape(number(lam))} is {escape(margin(verdict))}{escape(read)}</p>"


def _ends(found: UsableRange) -> str:
    low = ("≤ " if found.open_low else "") + number(found.low)
    high = ("≥ " if found.open_high else "") + number(found.high)
    return f"{low} to {high}" + (", with holes" if found.holes else "")


def _over(result: Result) -> bool:
    return bool((result.recorded == len(result.spec.checkpoint_iterations)).all())
