"""The verdict: what each method forgives, and whether the visitor's λ is safe."""

from __future__ import annotations

from html import escape

from cvar_core import Result, SpecError
from cvar_core.catalogue import methods
from cvar_core.figures import glyph, style
from cvar_core.results import UsableRange, Verdict, decades, finding, margin, number

Judged = dict[str, Verdict]


def verdict(result: Result, epsilon: float, lam: float | None, theme: str) -> str:
    """Return in HTML what the run found in words, and a card a method."""
    mine = _judged(result, epsilon, lam)
    heading = escape(headline(result, epsilon, lam, mine))
    return f'<div class="cvar-verdict"><h2>{heading}</h2>{_cards(result, epsilon, lam, mine, theme)}</div>'


def headline(result: Result, epsilon: float, lam: float | None, mine: Judged | None) -> str:
    """Say in a sentence or two what the run found."""
    so_far = "" if _over(result) else "So far: "
    words = f"{so_far}{finding(result, epsilon)}."
    if lam is None or result.at().iteration == 0:
        return words if result.at().iteration else "The runs are starting."
    if mine is None:  # outside of the grid, which the card says
        return words
    safe = [methods[m].label for m in result.spec.methods if mine[m].safe]
    whom = f"safe for {_listed(safe)}" if safe else "not safe for any method"
    return f"{words} λ = {number(lam)} is {whom}."


def _judged(result: Result, epsilon: float, lam: float | None) -> Judged | None:
    """Judge the visitor's λ for each method, if there is one in the grid."""
    if lam is None:
        return None
    try:
        return {name: result.verdict(name, lam, epsilon) for name in result.spec.methods}
    except SpecError:
        return None


def _cards(result: Result, epsilon: float, lam: float | None, mine: Judged | None, theme: str) -> str:
    """Return one card a method: decades forgiven, best λ, and the verdict on the visitor's λ."""
    ranges = result.ranges(epsilon)
    drawn = []
    for name in result.spec.methods:
        found = ranges[name]
        unit = "" if found is None else f" <small>decade{'' if decades(found) == '1.0' else 's'} of λ forgiven</small>"
        usable = "nothing usable" if found is None else f"usable {_ends(found)}"
        best = result.best_lambda(name)
        colour = style(name, theme).colour
        if result.at().iteration == 0:
            words = '<div class="decades">…</div><p>no update taken yet</p>'
        else:
            words = f'<div class="decades">{escape(decades(found))}{unit}</div>'
            words += f"<p>best λ = {escape(number(best))} · {escape(usable)}</p>"
        words += _mine(result, lam, mine[name] if mine else None)
        drawn.append(
            f'<div class="cvar-card" style="border-left-color: {colour}">'
            f'<b><span style="color: {colour}">{glyph(name)}</span> {escape(methods[name].label)}</b>{words}</div>'
        )
    return f'<div class="cvar-cards">{"".join(drawn)}</div>'


def _mine(result: Result, lam: float | None, verdict: Verdict | None) -> str:
    if lam is None:
        return ""
    if verdict is None:
        low, high = number(result.spec.lambdas[0]), number(result.spec.lambdas[-1])
        return f"<p>λ = {escape(number(lam))} is outside the grid, {low} to {high}</p>"
    mark = "?" if verdict.iteration == 0 else "✓" if verdict.safe else "✗"
    read = f", read between {number(verdict.between[0])} and {number(verdict.between[1])}" if verdict.between else ""
    return f"<p><b>{mark}</b> λ = {escape(number(lam))} is {escape(margin(verdict))}{escape(read)}</p>"


def _ends(found: UsableRange) -> str:
    low = ("≤ " if found.open_low else "") + number(found.low)
    high = ("≥ " if found.open_high else "") + number(found.high)
    return f"{low} to {high}" + (", with holes" if found.holes else "")


def _over(result: Result) -> bool:
    return bool((result.recorded == len(result.spec.checkpoint_iterations)).all())


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
