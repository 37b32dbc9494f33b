"""What the paper says of these figures, held against the results: a verdict for each claim, with its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..catalogue import methods
from ..results import GAP_TO_CLOSE, Result, UsableRange

DECADE = 1.0  # the least difference that counts: a factor of ten in λ
STRICTER = (0.99, 0.999)  # where the verdict on logistic loss is looked at again
_BASE = "sgm"
_MODELS = ("spl", "spl+")

Ranges = dict[str, UsableRange | None]


@dataclass(frozen=True)
class Claim:
    """One claim.

    Attributes
    ----------
    says
        The claim, in our words.
    held, tried
        In how many cases it holds, of how many; 0 of 0 where no method has a usable λ.
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


def claims(results: Sequence[Result], closed: float = GAP_TO_CLOSE) -> list[Claim]:
    """Judge the paper's claims about the nine panels, where a usable λ closes a share ``closed`` of the gap."""
    squared, absolute, logistic = (_of(results, loss) for loss in ("squared", "absolute", "logistic"))
    again = "".join(
        f" At {100 * share:g}% of the gap: {_widths(logistic, share)}."
        for share in STRICTER
        if not math.isclose(share, closed)
    )
    return [
        _gains(squared, closed, "Squared loss: SPL and SPL₊ forgive far more than SGM.", far=True),
        _gains(logistic, closed, "Logistic loss: SPL and SPL₊ forgive far more than SGM.", far=True, further=again),
        _gains(absolute, closed, "Absolute loss: the three hardly differ.", far=False),
        _widest(results, closed),
        _one(results, closed),
        _reached(results, closed),
    ]


def headline(results: Sequence[Result], closed: float = GAP_TO_CLOSE) -> str:
    """Say in a sentence what each method forgives, from the least of all panels to the most."""
    found = {name: _of_method(results, name, closed) for name in ("spl+", "spl", "sgm")}
    if not any(each is not None for ranges in found.values() for each in ranges):
        return f"No λ is usable for any method in any of {len(results)} problems"
    spans = {methods[name].label: _span(each) for name, each in found.items()}
    (label, widest), *others = spans.items()
    rest = ", ".join(f"{name} {span}" for name, span in others)
    return f"Over {len(results)} problems {label} forgives {widest} decades of λ, {rest}"


def _of(results: Sequence[Result], loss: str) -> list[Result]:
    return [result for result in results if result.spec.problem.loss == loss]


def _ranges(result: Result, closed: float) -> Ranges:
    return result.ranges(result.epsilon(closed))


def _of_method(results: Sequence[Result], method: str, closed: float) -> list[UsableRange | None]:
    return [_ranges(result, closed)[method] for result in results]


def _width(found: UsableRange | None) -> float:
    return 0.0 if found is None else found.decades


def _span(found: Sequence[UsableRange | None]) -> str:
    """Return from the narrowest to the widest, such as "none to 2.4"."""
    widths = sorted(-1.0 if each is None else each.decades for each in found)
    low, high = ("none" if width < 0 else f"{width:.1f}" for width in (widths[0], widths[-1]))
    cut = any(each is not None and (each.open_low or each.open_high) for each in found)
    most = f"≥ {high}" if cut else high  # the grid ends before the range does
    return most if low == high else f"{low} to {most}"


def _widths(results: Sequence[Result], closed: float) -> str:
    parts = [f"{methods[name].label} {_span(_of_method(results, name, closed))}" for name in (_BASE, *_MODELS)]
    return ", ".join(parts)


def _gains(results: Sequence[Result], closed: float, says: str, *, far: bool, further: str = "") -> Claim:
    """Judge whether SPL and SPL+ forgive a decade more than SGM or, if not ``far``, less than that."""
    found = [_ranges(result, closed) for result in results]
    known = [ranges for ranges in found if any(each is not None for each in ranges.values())]
    held = {
        name: sum((_width(ranges[name]) - _width(ranges[_BASE]) >= DECADE) == far for ranges in known)
        for name in _MODELS
    }
    counts = ", ".join(f"{methods[name].label} in {count} of {len(known)} problems" for name, count in held.items())
    than = "A decade more than SGM" if far else "Less than a decade apart from SGM"
    told = f" {than}: {counts}." if known else " No method has a usable λ."
    words = f"Decades forgiven, from noise to noise: {_widths(results, closed)}.{told}{further}"
    return Claim(says, sum(held.values()), len(_MODELS) * len(known), words)


def _widest(results: Sequence[Result], closed: float) -> Claim:
    """Judge by the digits that are shown: a range that is wider by less than that is not wider."""
    known = [ranges for ranges in (_ranges(result, closed) for result in results) if any(ranges.values())]
    widths = [{name: round(_width(found), 1) for name, found in ranges.items()} for ranges in known]
    held = sum(each["spl+"] > max(each["sgm"], each["spl"]) for each in widths)
    found = f"It has the widest range in {held} of {len(known)} problems."
    return Claim("SPL₊ often has the widest range of all.", held, len(known), found, often=True)


def _one(results: Sequence[Result], closed: float) -> Claim:
    safe = {
        name: sum(result.verdict(name, 1.0, result.epsilon(closed)).safe for result in results)
        for name in ("spl+", "spl", "sgm")
    }
    found = ", ".join(f"{count} with {methods[name].label}" for name, count in safe.items())
    words = f"Of {len(results)} problems λ = 1 is safe in {found}."
    return Claim("λ = 1 is often a good choice for SPL₊.", safe["spl+"], len(results), words, often=True)


def _reached(results: Sequence[Result], closed: float) -> Claim:
    """Judge whether SPL+ reaches ε at no fewer λ than SGM, every seed of it."""
    counts = []
    for result in results:
        reached = np.isfinite(result.iterations_to(result.epsilon(closed))).all(axis=1).sum(axis=1)
        counts.append(dict(zip(result.spec.methods, reached.tolist(), strict=True)))
    known = [each for each in counts if any(each.values())]
    held = sum(each["spl+"] >= each["sgm"] for each in known)
    pairs = sum(len(result.spec.lambdas) for result in results)
    totals = ", ".join(f"{methods[name].label} at {sum(each[name] for each in counts)}" for name in (_BASE, *_MODELS))
    words = f"Of {pairs} pairs of a problem and a λ, every seed reaches ε with {totals}."
    return Claim("Iterations to ε tell the same: SPL₊ gets there at no fewer λ than SGM.", held, len(known), words)
