"""What is said of a recommendation: which λ to take with which method, how far it may be wrong, and at what price."""

from __future__ import annotations

import math

from ..catalogue import methods
from .judged import Judged
from .readable import listed, number, percent
from .recommended import Choice, Recommended
from .result_sentences import against_constant
from .verdict_sentences import JUDGED_BY, starts_fine

_HARDLY = 0.05  # decades: a factor of 1.1 is no room
_WHOSE = {"risk": "the model's excess risk", "objective": "the objective's gap"}


def take(judged: Judged) -> str:
    """Say which λ to take, with which method, and why no other; empty where nothing was run that can tell.

    That there is nothing to close, that no method has a usable λ, or that no update has been taken, the finding says.
    """
    if judged.at().iteration == 0 or judged.nothing_to_close is not None:
        return ""
    choice = judged.choice
    if choice is None and not any(found.typical for found in judged.forgiven.values()):
        return ""
    if choice is None:
        return _whenever(judged, "No λ of this grid can be recommended: none is usable for most starts")
    further = _price(choice), _dear(choice), _constant(judged, choice.taken)
    return ". ".join([_whenever(judged, _taken(choice.taken)), *filter(None, further)])


def unusable(judged: Judged, method: str) -> str:
    """Say that a method has no λ to take."""
    label, what = methods[method].label, f"by {JUDGED_BY[judged.criterion.measure]}"
    return f"No λ of the grid can be recommended for {label} {what}: none is usable for most starts"


def most_forgiving(judged: Judged) -> str:
    """Say whether the method to take forgives the most decades, as far as the starts can tell; else nothing."""
    names = judged.result.spec.methods
    if judged.choice is None or len(names) == 1:
        return ""
    taken = judged.choice.taken.method
    found = [judged.compare(taken, name) for name in names if name != taken]
    if all(each.told_apart and each.difference > 0 for each in found):
        return f"Of these, {methods[taken].label} forgives the most decades"
    alike = [methods[each.second].label for each in found if not each.told_apart]
    return f"By the decades that they forgive, the starts cannot tell {listed(alike)} from it" if alike else ""


def _whenever(judged: Judged, words: str) -> str:
    """Say that the runs are not over."""
    over = judged.at().iteration == judged.result.spec.iterations
    return words if over else f"So far: {words[0].lower()}{words[1:]}"


def _taken(found: Recommended) -> str:
    verdict = found.verdict
    which = f"λ = {number(found.lam)} with {methods[found.method].label}"
    if verdict.safe:
        return f"Take {which}: {verdict.state} for {starts_fine(verdict)}, and {_room(found)}"
    some = f"No λ of this grid is safe. The nearest to it is {which}: usable for {starts_fine(verdict)}"
    return f"{some}, but {_room(found)}" if verdict.unanimous else some


def _room(found: Recommended) -> str:
    """Say how far λ may be wrong, for the worst of the starts."""
    if found.decades >= _HARDLY:
        factor = number(float(f"{found.factor:.2g}"))
        return f"it may be wrong by a factor of {factor}{' or more' if found.at_least else ''} either way"
    if found.at_least:
        return "how far it may be wrong is not known, because the grid ends there"
    return "it may hardly be wrong"


def _price(choice: Choice) -> str:
    """Say what is left at the λ to take, and what is the least that could be."""
    here, least = choice.taken.verdict, choice.least
    if not (math.isfinite(here.left) and math.isfinite(least.left)):
        return ""
    leaves = f"It leaves {percent(here.left)} of {_WHOSE[here.measure]}"
    if percent(here.left) == percent(least.left):
        return f"{leaves}, the least of all"
    if here.left < least.left:  # the least is that of the median gap, and each start has a gap of its own to close
        return f"{leaves}, about the least of all"
    return f"{leaves}; the least, {methods[least.method].label} at λ = {number(least.lam)}, is {percent(least.left)}"


def _dear(choice: Choice) -> str:
    """Say why a method that may be wrong by more is not the one to take."""
    if not choice.dear:
        return ""
    names = [f"{methods[each.method].label} ({percent(each.verdict.left)})" for each in choice.dear]
    return f"{listed(names)} may be wrong by more, but would leave more"


def _constant(judged: Judged, found: Recommended) -> str:
    """Say that the λ to take is worse than none at all, which its share of a terrible start's gap would hide."""
    worse = against_constant(judged, found.lam, found.method)
    return "But predicting a constant would do better still" if worse else ""
