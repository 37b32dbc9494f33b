"""What the two main charts found, in a line each."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..catalogue import methods
from ..results import Forgiven, Judged, decades, listed, number
from ..results.verdict_sentences import near_the_best

_ALIKE = 1.5  # times: ends closer than that are about the same
_BEYOND = 1e6  # times the start: who ends higher has diverged for all that a reader cares
_FEW = 4  # methods that have a line's room


def usable_title(judged: Judged) -> str:
    """Say over how many decades of λ each method is usable, the most forgiving first."""
    if judged.nothing_to_close is not None:
        return f"The model at the start {near_the_best(judged.nothing_to_close)}"
    found = judged.forgiven
    usable = [name for name in found if found[name].decades is not None]
    labels = [methods[name].label for name in usable]
    lambdas = judged.result.spec.lambdas
    if len(lambdas) == 1:
        return f"λ = {number(lambdas[0])} is usable for {listed(labels) if labels else 'no method'}"
    if not usable:
        going = judged.at().iteration < judged.result.spec.iterations
        return "No λ of this grid is usable" + (" yet" if going else "")
    usable.sort(key=lambda name: found[name].decades or 0.0, reverse=True)
    nowhere = [methods[name].label for name in found if found[name].decades is None]
    first, *others = usable
    one = "" if decades(found[first]) == "1.0" else "s"
    words = [f"{methods[first].label} is usable over {decades(found[first])} decade{one} of λ"]
    words += _others(found, others) if len(found) > _FEW else [_over(found, name) for name in others]
    return ", ".join(words) + (f", {listed(nowhere)} nowhere" if nowhere else "")


def _others(found: dict[str, Forgiven], others: Sequence[str]) -> list[str]:
    """Name the second, and sum the rest up."""
    if len(others) < 3:
        return [_over(found, name) for name in others]
    second, *rest = others
    widest, narrowest = decades(found[rest[0]]), decades(found[rest[-1]])
    reach = widest if widest == narrowest else f"{narrowest} to {widest}"
    return [_over(found, second), f"{len(rest)} others over {reach}"]


def _over(found: dict[str, Forgiven], name: str) -> str:
    return f"{methods[name].label} over {decades(found[name])}"


def ends_title(ends: dict[str, float], where: str, start: float) -> str:
    """Say how much lower the best method ends than the worst.

    Parameters
    ----------
    ends
        Each method's median gap; ∞ where it has diverged.
    where
        At which step size, such as "at λ = 1"; without it, each method is at its best.
    start
        The gap at the start.
    """
    labels = {name: methods[name].label for name in ends}
    kept = sorted((name for name in ends if ends[name] <= _BEYOND * start), key=ends.__getitem__)
    lost = [labels[name] for name in ends if name not in kept]
    at = f"{where[:1].upper()}{where[1:]} " if where else "At its best λ "
    if not kept:
        return f"{at}{listed(lost)} diverge{'s' if len(lost) == 1 else ''}"
    fails = f", {listed(lost)} diverge{'s' if len(lost) == 1 else ''}" if lost else ""
    first, last = kept[0], kept[-1]
    low, high = max(ends[first], 0.0), ends[last]
    if len(kept) == 1:
        less = f"{_times(start / low)} times below the start" if 0 < low < start / _ALIKE else f"at {number(low)}"
        return f"{at}{labels[first]} ends {less}{fails}"
    if low == 0:
        return f"{at}{labels[first]} ends at the optimum{fails}"
    if high / low < _ALIKE:
        alike = "all methods" if len(kept) > 2 and not lost else listed([labels[name] for name in kept])
        return f"{at if where else 'At their best λ '}{alike} end about alike{fails}"
    return f"{at}{labels[first]} ends {_times(high / low)} times lower than {labels[last]}{fails}"


def _times(ratio: float) -> str:
    """Return a ratio with two digits: 1.7, 22, 1,200; powers of ten where it is beyond reading."""
    if ratio >= 1e6:
        return number(10.0 ** round(math.log10(ratio)))
    rounded = float(f"{ratio:.2g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}"
