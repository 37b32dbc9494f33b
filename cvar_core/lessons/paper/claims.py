"""What the paper says of these figures, held against the results: a verdict for each claim, with its numbers.

Methods are compared start by start. What the starts cannot tell counts neither for a claim nor against it, and is said.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...catalogue import methods
from ...results import JUDGED_BY, Comparison, Criterion, Forgiven, Result

DECADE = 1.0  # the least difference that counts: a factor of ten in λ
STRICTER = (0.99, 0.999)  # where the verdict on logistic loss is looked at again
_BASE = "sgm"
_MODELS = ("spl", "spl+")

Ranges = dict[str, Forgiven]


@dataclass(frozen=True)
class Claim:
    """One claim.

    Attributes
    ----------
    says
        The claim, in our words.
    held, tried
        In how many cases it holds, of how many that could be told; 0 of 0 where no method has a usable λ.
    found
        The numbers.
    often
        Whether the paper claims it of most cases only.
    """

    says: str
    held: int
    tried: int
    found: str
    often: bool = False

    @property
    def verdict(self) -> str:
        if not self.tried:
            return "cannot be told"
        share = self.held / self.tried
        if share == 1 or (self.often and share > 0.5):
            return "reproduces"
        if share == 0:
            return "does not reproduce"
        return "reproduces mostly" if share > 0.5 else "reproduces in part"


def claims(results: Sequence[Result], by: Criterion) -> list[Claim]:
    """Judge the paper's claims about the nine panels by a criterion."""
    squared, absolute, logistic = (_of(results, loss) for loss in ("squared", "absolute", "logistic"))
    again = "".join(
        f" At {100 * share:g}% of the gap: {_widths(logistic, replace(by, closed=share))}."
        for share in STRICTER
        if not math.isclose(share, by.closed)
    )
    return [
        _gains(squared, by, "Squared loss: SPL and SPL₊ forgive far more than SGM.", far=True),
        _gains(logistic, by, "Logistic loss: SPL and SPL₊ forgive far more than SGM.", far=True, further=again),
        _gains(absolute, by, "Absolute loss: the three hardly differ.", far=False),
        _widest(results, by),
        _one(results, by),
        _reached(results, by),
    ]


def headline(results: Sequence[Result], by: Criterion, *, whole: bool = True) -> str:
    """Say in a sentence what each method forgives, from the least of all panels to the most.

    The ``whole`` sentence also has of how many problems, and judged by what.
    """
    known, what = _told(results, by), f"judged by {JUDGED_BY[by.measure]}"
    found = {name: _of_method(known, name, by) for name in ("spl+", "spl", "sgm")}
    if not known:
        return f"In none of {len(results)} problems does the start leave the model anything to close, {what}"
    if not any(each.decades is not None for ranges in found.values() for each in ranges):
        return f"No λ is usable for any method in any of {len(known)} problems, {what}"
    spans = {methods[name].label: _span(each) for name, each in found.items()}
    (label, widest), *others = spans.items()
    rest = ", ".join(f"{name} {span}" for name, span in others)
    forgiven = f"{label} forgives {widest} decades of λ, {rest}"
    return f"Over {len(known)} problems {forgiven}, {what}" if whole else forgiven


def _of(results: Sequence[Result], loss: str) -> list[Result]:
    return [result for result in results if result.spec.problem.loss == loss]


def _told(results: Sequence[Result], by: Criterion) -> list[Result]:
    """Leave out the problems in which the start leaves nothing to close: nothing can be told of them."""
    return [result for result in results if result.judged(by).nothing_to_close is None]


def _ranges(result: Result, by: Criterion) -> Ranges:
    return result.judged(by).forgiven


def _of_method(results: Sequence[Result], method: str, by: Criterion) -> list[Forgiven]:
    return [_ranges(result, by)[method] for result in results]


def _span(found: Sequence[Forgiven]) -> str:
    """Return from the narrowest to the widest, such as "none to 2.4"."""
    if not found:
        return "nothing to tell"
    widths = sorted(-1.0 if each.decades is None else each.decades for each in found)
    low, high = ("none" if width < 0 else f"{width:.1f}" for width in (widths[0], widths[-1]))
    cut = any(each.typical is not None and (each.typical.open_low or each.typical.open_high) for each in found)
    most = f"≥ {high}" if cut else high  # the grid ends before the range does
    return most if low == high else f"{low} to {most}"


def _widths(results: Sequence[Result], by: Criterion) -> str:
    known = _told(results, by)
    return ", ".join(f"{methods[name].label} {_span(_of_method(known, name, by))}" for name in (_BASE, *_MODELS))


def _usable(results: Sequence[Result], by: Criterion) -> list[Result]:
    """Return the problems where some method has a usable λ, and the start leaves something to close."""
    told = _told(results, by)
    return [result for result in told if any(each.decades is not None for each in _ranges(result, by).values())]


def _gains(results: Sequence[Result], by: Criterion, says: str, *, far: bool, further: str = "") -> Claim:
    """Judge whether SPL and SPL+ forgive a decade more than SGM or, if not ``far``, less than that."""
    known, silent = _usable(results, by), len(results) - len(_told(results, by))
    found = {name: [_a_decade_more(result.judged(by).compare(name, _BASE)) for result in known] for name in _MODELS}
    counts = ", ".join(f"{methods[name].label} in {_counted(each, far)}" for name, each in found.items())
    than = "A decade more than SGM" if far else "Less than a decade apart from SGM"
    nothing = "" if silent == len(results) else " No method has a usable λ."
    told = f" {than}: {counts}." if known else nothing
    left = f" Left out: {silent} in which the start leaves the model nothing to close." if silent else ""
    words = f"Decades forgiven, from noise to noise: {_widths(results, by)}.{told}{left}{further}"
    every = [each for answers in found.values() for each in answers if each is not None]
    return Claim(says, sum(each == far for each in every), len(every), words)


def _a_decade_more(compared: Comparison) -> bool | None:
    """Tell whether the first forgives a decade more than the second; ``None`` if the starts cannot tell."""
    if compared.low >= DECADE and not compared.second_cut:
        return True
    return False if compared.high < DECADE and not compared.first_cut else None


def _wider(compared: Comparison) -> bool | None:
    """Tell whether the first forgives more than the second; ``None`` if the starts cannot tell."""
    return compared.difference > 0 if compared.told_apart else None


def _counted(answers: Sequence[bool | None], wanted: bool = True) -> str:
    """Say in how many problems the answer is the wanted one."""
    unknown = sum(each is None for each in answers)
    open_ = f" (and {unknown} that the starts cannot tell)" if unknown else ""
    return f"{sum(each == wanted for each in answers)} of {len(answers)} problems{open_}"


def _widest(results: Sequence[Result], by: Criterion) -> Claim:
    answers: list[bool | None] = []
    for result in _usable(results, by):
        wider = [_wider(result.judged(by).compare("spl+", other)) for other in (_BASE, "spl")]
        answers.append(False if False in wider else None if None in wider else True)
    told = [each for each in answers if each is not None]
    found = f"It has the widest range in {_counted(answers)}."
    return Claim("SPL₊ often has the widest range of all.", sum(told), len(told), found, often=True)


def _one(results: Sequence[Result], by: Criterion) -> Claim:
    known = _told(results, by)
    safe = {name: sum(result.judged(by).verdict(name, 1.0).safe for result in known) for name in ("spl+", "spl", "sgm")}
    found = ", ".join(f"{count} with {methods[name].label}" for name, count in safe.items())
    words = f"Of {len(known)} problems λ = 1 is safe for every start in {found}."
    return Claim("λ = 1 is often a good choice for SPL₊.", safe["spl+"], len(known), words, often=True)


def _reached(results: Sequence[Result], by: Criterion) -> Claim:
    """Judge whether SPL+ reaches ε at no fewer λ than SGM, every seed of it."""
    counts, told = [], _told(results, by)
    for result in told:
        reached = np.isfinite(result.judged(by).iterations()).all(axis=1).sum(axis=1)
        counts.append(dict(zip(result.spec.methods, reached.tolist(), strict=True)))
    known = [each for each in counts if any(each.values())]
    held = sum(each["spl+"] >= each["sgm"] for each in known)
    pairs = sum(len(result.spec.lambdas) for result in told)
    totals = ", ".join(f"{methods[name].label} at {sum(each[name] for each in counts)}" for name in (_BASE, *_MODELS))
    words = f"Of {pairs} pairs of a problem and a λ, every seed reaches ε with {totals}."
    return Claim("Iterations to ε tell the same: SPL₊ gets there at no fewer λ than SGM.", held, len(known), words)
