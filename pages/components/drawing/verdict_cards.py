"""The verdict: what each method forgives by either measure, and whether the visitor's λ is safe, and for what."""

from __future__ import annotations

import re
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
    starts_fine,
    sureness,
    take,
    undecided,
)

from .differences import differences
from .text import capital

Mine = dict[str, Verdict]

_LONG = 170  # letters of a note: more than a line or two
_MEANING = {
    "forgives": "Every step size in a stretch of so many decades is usable: so far may a guess be off.",
    "decades": "A decade is a factor of ten: from 0.01 to 10 are three decades.",
    "usable": "With a usable step size a run closes at least 90% (or your share) of the gap that it begins with.",
    "risk": "The CVaR of the losses of the model: what whoever uses it lives with.",
    "objective": "What the methods make small: it also counts how far the threshold beside the model is off.",
    "safe so far": "Usable for every start that was tried, but they are fewer than 29.",
}
_OURS = re.compile("|".join(_MEANING))
_DASHES = {  # as plotly draws them
    name: f' stroke-dasharray="{lengths}"' if lengths else ""
    for name, lengths in {
        "solid": "", "dot": "2.5 2.5", "dash": "8 6", "dashdot": "8 3 2.5 3", "longdash": "11 5",
        "longdashdot": "11 3 2.5 3",
    }.items()
}  # fmt: skip
_NOTHING_YET = '<div class="decades">…</div><p>no update taken yet</p>'


def verdict(result: Result, by: Criterion, lam: float | None, theme: str, pinned: Sequence[Pinned] = ()) -> str:
    """Return in HTML what the run found in words, a card a method, and what a reader must know beside."""
    mine = _judged(result, by, lam)
    heading, alike = headline(result, by, lam, mine)
    notes = "".join(_note(note) for note in _notes(result, by, lam) if note)
    beside = f"{_undecided(result)}{_elsewhere(result, by)}{_recommended(result.judged(by), lam, alike)}"
    first = f"<h2>{_explained(escape(heading))}</h2>{beside}"
    return f'<div class="cvar-verdict">{first}{_cards(result, by, lam, mine, theme, pinned)}{notes}</div>'


def _explained(words: str) -> str:
    """Explain each word of ours where it first stands: to a pointer, to the focus and to a finger."""
    left = dict(_MEANING)

    def explain(found: re.Match[str]) -> str:
        meaning = left.pop(found[0], None)
        return found[0] if meaning is None else f'<abbr tabindex="0" title="{meaning}">{found[0]}</abbr>'

    return _OURS.sub(explain, words)


def _note(words: str) -> str:
    """Return what a reader must know beside; of what is long the first sentence, and the rest folded."""
    cut = re.search(r"\. ", words) or re.search(r"(?<=.{40}): ", words)
    if len(words) <= _LONG or cut is None:
        return f'<p class="cvar-note">{escape(words)}.</p>'
    first, rest = words[: cut.start()], words[cut.end() :]
    summary = f"<summary>{escape(first)}</summary>"
    return f'<details class="cvar-note" data-fold="{escape(first)}">{summary}{escape(capital(rest))}.</details>'


def starting(spec: SweepSpec, theme: str) -> str:
    """Return the verdict's place before there is anything to judge."""
    cards = "".join(card(name, theme, _NOTHING_YET, toggles=True) for name in spec.methods)
    return f'<div class="cvar-verdict"><h2>The runs are starting.</h2><div class="cvar-cards">{cards}</div></div>'


def headline(result: Result, by: Criterion, lam: float | None, mine: Mine | None) -> tuple[str, str]:
    """Say in a sentence or two what the run found; and, for those who read on, what the starts cannot tell apart."""
    judged = result.judged(by)
    if judged.at().iteration == 0:
        return "The runs are starting.", ""
    found, _, alike = finding(result, by).partition("; ")
    words = f"{found}." if _over(result) else f"So far: {found}.".replace(": No ", ": no ")
    if lam is None or mine is None or judged.nothing_to_close is not None:  # outside of the grid, which the card says
        return words, alike
    whom = {state: [methods[m].label for m in mine if mine[m].state == state] for state in (SAFE, SO_FAR, EDGE)}
    parts = [f"{state} for {listed(names)}" for state, names in whom.items() if names]
    return f"{words} λ = {number(lam)} is {' and '.join(parts) or _for_nobody(mine)}.", alike


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


def _elsewhere(result: Result, by: Criterion) -> str:
    """Offer the other measure where this one has no verdict and that one has."""
    (other,) = (name for name in MEASURES if name != by.measure)
    judged = result.judged(by)
    if judged.at().iteration == 0 or judged.nothing_to_close is None:
        return ""
    if result.judged(replace(by, measure=other)).nothing_to_close is not None:
        return ""
    button = f'<button type="button" class="cvar-measure" value="{other}">Judge by {JUDGED_BY[other]}</button>'
    return f'<p class="cvar-elsewhere">{button}</p>'


def _recommended(judged: Judged, lam: float | None, alike: str) -> str:
    """Say which λ to take, with a button that puts a safe one into the visitor's field; what is beside it folds."""
    words, choice = take(judged), judged.choice
    if not words:
        return f'<p class="cvar-take">{escape(capital(alike))}.</p>' if alike else ""
    use = ""
    if choice is not None and choice.taken.verdict.safe:
        place = judged.result.place
        if lam is None or place(lam) != place(choice.taken.lam):
            use = f' <button type="button" class="cvar-use" value="{choice.taken.lam!r}">Use it</button>'
    end = words.find(". ", words.find(". The nearest") + 1) if ". The nearest" in words else words.find(". ")
    advice, further = (words, "") if end < 0 else (words[:end], words[end + 2 :])
    record = without_tuning(judged)
    more = [f"{capital(each)}." for each in (further, alike) if each]
    told = "".join(f"<p>{escape(each)}</p>" for each in more)
    told += (
        f'<p class="cvar-untuned">{escape(record)}. <a href="atlas" target="_self">The atlas</a></p>' if record else ""
    )
    fold = f'<details class="cvar-more" data-fold="take"><summary>more</summary>{told}</details>' if told else ""
    return f'<div class="cvar-take"><p><b>{escape(advice)}.</b>{use}</p>{fold}</div>'


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
        words = _NOTHING_YET
        if judged.at().iteration > 0:
            words = _forgiven(judged, other, name) + differences(judged, name, pinned)
        words += _mine(result, lam, mine[name] if mine else None)
        drawn.append(card(name, theme, _what(name) + words, toggles=True))
    return f'<div class="cvar-cards">{"".join(drawn)}</div>'


def card(name: str, theme: str, words: str, *, toggles: bool = False) -> str:
    """Return a method's card, with words in HTML; one that ``toggles`` shows and hides its method in the charts."""
    label, _, whose = methods[name].label.partition(" (")
    head = f"{swatch(name, theme)} {escape(label)}"
    if whose:
        head += f'<span class="cvar-whose"> ({escape(whose)}</span>'
    if toggles:
        about = f'title="Show or hide {escape(methods[name].label)} in the charts"'
        head = f'<button type="button" class="cvar-toggle" aria-pressed="true" {about}>{head}</button>'
    else:
        head = f"<b>{head}</b>"
    mine = f' data-method="{escape(name)}"' if toggles else ""
    return f'<div class="cvar-card"{mine} style="border-left-color: {style(name, theme).colour}">{head}{words}</div>'


def swatch(name: str, theme: str) -> str:
    """Return a piece of a method's line, as the charts have it, with its marker on it."""
    look = style(name, theme)
    line = f'<line x1="0" y1="8" x2="34" y2="8" stroke="{look.colour}" stroke-width="2.5"{_DASHES.get(look.dash, "")}/>'
    marker = f'<text x="17" y="13" text-anchor="middle" font-size="15" fill="{look.colour}">{glyph(name)}</text>'
    return f'<svg class="cvar-swatch" width="34" height="16" aria-hidden="true">{line}{marker}</svg>'


def _what(name: str) -> str:
    """Spell a method out."""
    words, about = methods[name].short or methods[name].summary, methods[name].summary
    if "ℓ₀" in words:
        about += "; ℓ₀ is the mean loss at the start"
    return f'<span class="cvar-what" title="{escape(about)}">{escape(words)}</span>'


def _forgiven(judged: Judged, other: Judged, name: str) -> str:
    """Return the large number by the measure that is chosen, the other's beside it, and the usable range."""
    beside = f' <small class="cvar-beside">· {_beside(other, name)}</small>'
    if judged.nothing_to_close is not None:
        return f'<div class="decades">– <small>nothing to close</small>{beside}</div>'
    found = judged.forgiven[name]
    typical, spread = found.typical, interval(found)
    sure = f' <small title="{escape(sureness(len(found.starts)))}">({spread})</small>' if spread else ""
    unit = (
        "" if typical is None else f" <small class='cvar-unit'>decade{'' if decades(found) == '1.0' else 's'}</small>"
    )
    at = escape(number(judged.best_lambda(name)))
    yet = "" if _over(judged.result) else " yet"
    usable = f"nothing usable{yet}" if typical is None else f"usable {_ends(typical)}"
    return (
        f'<div class="decades">{escape(decades(found))}{yet if typical is None else ""}{sure}{unit}{beside}</div>'
        f'<p class="cvar-range" title="best λ = {escape(best(judged, name))}">{escape(usable)} · best λ = {at}</p>'
    )


def _beside(judged: Judged, name: str) -> str:
    """Say what the other measure says."""
    found = "nothing to close" if judged.nothing_to_close is not None else decades(judged.forgiven[name])
    return escape(f"by {judged.criterion.measure} {found}")


def _mine(result: Result, lam: float | None, verdict: Verdict | None) -> str:
    if lam is None:
        return ""
    if verdict is None:
        low, high = number(result.spec.lambdas[0]), number(result.spec.lambdas[-1])
        return f"<p>λ = {escape(number(lam))} is outside the grid, {low} to {high}</p>"
    unknown = verdict.iteration == 0 or verdict.nothing_to_close is not None
    mark = "?" if unknown else "✓" if verdict.safe else {EDGE: "≈", NOT_YET: "…"}.get(verdict.state, "✗")
    read = f", read between {number(verdict.between[0])} and {number(verdict.between[1])}" if verdict.between else ""
    whole = escape(f"λ = {number(lam)} is {margin(verdict)}{read}".replace("not yet: ", "not yet safe: "))
    which = f'<span class="cvar-which">λ = {escape(number(lam))}: </span>'
    short = _shortly(verdict)
    state = verdict.state if short.startswith(verdict.state) else short
    told = f'{escape(state)}<span class="cvar-why">{escape(short[len(state) :])}</span>'
    return f'<p class="cvar-mine" title="{whole}"><b>{mark}</b> {which}{told}</p>'


def _shortly(verdict: Verdict) -> str:
    """Say whether a λ is safe as shortly as can be: the margins stand in the chart, and in what a pointer shows."""
    if verdict.nothing_to_close is not None:
        return "nothing to close"
    if verdict.safe:
        return f"{verdict.state}, {starts_fine(verdict)}"
    if verdict.diverged == verdict.seeds and not verdict.between:
        return f"{verdict.state}: diverges"
    words = margin(verdict).replace(f" for any of {verdict.seeds} starts", "").replace(": usable for ", ": ")
    return re.sub(r"has closed (\S+) of the gap", r"\1 closed", words)


def _ends(found: UsableRange) -> str:
    low = ("≤ " if found.open_low else "") + number(found.low)
    high = ("≥ " if found.open_high else "") + number(found.high)
    return f"{low} to {high}" + (", with holes" if found.holes else "")


def _over(result: Result) -> bool:
    return bool((result.recorded == len(result.spec.checkpoint_iterations)).all())
