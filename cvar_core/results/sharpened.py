"""Sharpening a sweep, method by method: what comes next, and what is known when it has ended."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from ..specs import SpecError, SweepSpec
from .certainty import Interval
from .criterion import Criterion, is_number
from .looks import STAGES
from .pooled import Pooled
from .result import Result
from .sharpening import REACHED, WIDTH, Allowed, Done, Sharp, next_step, sharp

DENSE = 200  # step sizes of the grid that answers the same by filling it, from as many starts as the last stage has
BUDGET = 0.25  # of that grid's updates


@dataclass(frozen=True)
class Sharpened:
    """What is known of the decades, with intervals that count the looks and the grid.

    Attributes
    ----------
    methods
        What is known of those that have been begun.
    why
        Why a method has ended: "reached" if its interval is narrow enough, "starts" if there are no further ones,
        "limit" if more was not allowed, "nothing" if the start leaves nothing to close.
    runs
        How many there are, of one step size from one start each.
    """

    base: SweepSpec
    by: Criterion
    width: float
    methods: dict[str, Sharp]
    why: dict[str, str]
    runs: int

    @property
    def updates(self) -> int:
        """Those of all runs that it took."""
        return self.runs * self.base.iterations

    @property
    def dense_updates(self) -> int:
        """Those of 200 step sizes from 80 starts."""
        return dense_updates(self.base)

    @property
    def whole(self) -> bool:
        """Whether every method has ended."""
        return self.why.keys() == {*self.base.methods}

    @property
    def reached(self) -> bool:
        """Whether every interval is narrow enough."""
        return all(self.why.get(method) == REACHED for method in self.base.methods)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON types; what is not finite is null."""
        return {
            "measure": self.by.measure,
            "width": self.width,
            "updates": self.updates,
            "dense_updates": self.dense_updates,
            "methods": {
                name: {
                    "decades": known.decades,
                    "decades_low": known.interval.low,
                    "decades_high": _finite(known.interval.high),
                    **_named("low_lambda", known.low),
                    **_named("high_lambda", known.high),
                    "starts": len(known.starts),
                    "why": self.why.get(name),
                }
                for name, known in self.methods.items()
            },
        }


class Sharpening:
    """Says what to run next until every method has ended; what it is given decides alone what that is."""

    def __init__(self, base: SweepSpec, by: Criterion, width: float = WIDTH, budget: int | None = None) -> None:
        """Spend at most ``budget`` updates, in equal parts for the methods; a quarter of a dense grid by default."""
        for name, value in (("width", width), ("budget", 1 if budget is None else budget)):
            if not (is_number(value) and 0 < value < math.inf):
                raise SpecError(f"{name} is {value!r}, but it must be a finite number above 0")
        self._base, self._by, self._width = base, by, width
        self._most = int(BUDGET * dense_updates(base)) if budget is None else budget
        self._pooled, self._why = Pooled(), dict[str, str]()

    def next(self, allowed: Allowed = lambda spec: True) -> SweepSpec | None:
        """Return a sweep that is allowed and tells more; ``None`` when all is done."""
        for method in self._base.methods:
            if method in self._why:
                continue
            step = next_step(
                self._base, method, self._pooled, lambda spec: self._affordable(spec) and allowed(spec), self._width
            )
            if not isinstance(step, Done):
                return step
            self._why[method] = step.why
        return None

    def take(self, result: Result) -> None:
        """Go on with what a sweep has found."""
        self._pooled.add(result.judged(self._by))

    @property
    def known(self) -> Sharpened:
        begun = [method for method in self._base.methods if self._pooled.starts(method)]
        return Sharpened(
            self._base,
            self._by,
            self._width,
            {method: sharp(self._pooled, method) for method in begun},
            dict(self._why),
            self._pooled.runs,
        )

    def _affordable(self, spec: SweepSpec) -> bool:
        """Tell whether what is new in a sweep leaves its method within its part of the budget."""
        (method,) = spec.methods
        spent = sum(len(self._pooled.step_sizes(method, seed)) for seed in self._pooled.starts(method))
        new = sum(len({*spec.lambdas} - self._pooled.step_sizes(method, seed)) for seed in spec.seeds)
        return (spent + new) * spec.iterations * len(self._base.methods) <= self._most


def dense_updates(spec: SweepSpec) -> int:
    """Return the updates of a dense grid for the methods of a sweep."""
    return len(spec.methods) * DENSE * STAGES[-1] * spec.iterations


def largest(base: SweepSpec) -> SweepSpec:
    """Return a sweep that costs about as much as sharpening may: what its price is told by."""
    seeds = STAGES[-1]
    lattice = tuple(10.0 ** (-6 + k / 4) for k in range(int(BUDGET * DENSE)))
    return replace(base, lambdas=lattice, seeds=tuple(range(seeds)))


def _named(name: str, interval: Interval | None) -> dict[str, float | None]:
    low, high = (None, None) if interval is None else interval
    return {f"{name}_low": _finite(low), f"{name}_high": _finite(high)}


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
