"""The numbers of the lessons, in a file that ships: all that takes longer than a blink to compute."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .two_fits import Fit

SHIPPED = Path(__file__).with_name("facts.json")

Range = tuple[float, float]
Floats = tuple[float, ...]


class Losses(NamedTuple):
    """How the losses of Anatomy's problem are spread at its optimum, and what they come to."""

    edges: Floats  # of the bars
    shares: Floats  # of all losses, a bar each
    tail: Floats  # how much of each bar is among the worst 1 − β
    mean: float
    var: float
    cvar: float
    largest: float


class Swept(NamedTuple):
    """What each method leaves of the gap at each λ, and which λ are usable; medians over the starts."""

    lambdas: Floats
    left: Mapping[str, Floats]  # as a share; ∞ where most starts diverge
    usable: Mapping[str, Range | None]


class Threshold(NamedTuple):
    """One method at one λ: what is left, as a share, after so many updates, by either measure."""

    iterations: Floats
    risk: Floats
    objective: Floats
    cvar: Floats  # of the model at the start, in the end and at best


class Units(NamedTuple):
    """Which λ are usable when the loss is multiplied by each scale."""

    scales: Floats
    usable: Mapping[str, tuple[Range | None, ...]]


class Promise(NamedTuple):
    """A method's bound, travel/λ + noise·λ, and the mean suboptimality that was measured."""

    travel: float
    noise: float
    lambdas: Floats
    means: Floats
    start: float

    def at(self, lam: float) -> float:
        return self.travel / lam + self.noise * lam

    @property
    def best(self) -> float:
        """The λ at which the bound is least."""
        return math.sqrt(self.travel / self.noise)

    @property
    def reached(self) -> float:
        """What runs reach at that λ, between two of the grid by the line in log–log."""
        right = next(k for k, lam in enumerate(self.lambdas) if lam >= self.best)
        (x0, x1), (y0, y1) = (
            [math.log(value) for value in values[right - 1 : right + 1]] for values in (self.lambdas, self.means)
        )
        return math.exp(y0 + (y1 - y0) * (math.log(self.best) - x0) / (x1 - x0))


class Facts(NamedTuple):
    """
    Attributes
    ----------
    fits
        By β; 0 is the ordinary fit.
    calm, heavy
        Squared loss under normal noise, by the model's risk, and under log-normal noise, by the objective.
    threshold
        Logistic loss, normal noise, SPL+ at λ = 0.001.
    promises
        Absolute loss, log-normal noise, a thousand updates; by method.
    """

    fits: Mapping[float, Fit]
    losses: Losses
    calm: Swept
    heavy: Swept
    threshold: Threshold
    units: Units
    promises: Mapping[str, Promise]


@functools.cache
def shipped() -> Facts:
    """Return the numbers that ship with this package."""
    told: dict[str, Any] = _tupled(json.loads(SHIPPED.read_text("utf-8")))
    return Facts(
        fits={float(beta): Fit(*line) for beta, line in told["fits"].items()},
        losses=Losses(**told["losses"]),
        calm=_swept(**told["calm"]),
        heavy=_swept(**told["heavy"]),
        threshold=Threshold(**told["threshold"]),
        units=Units(**told["units"]),
        promises={name: Promise(**each) for name, each in told["promises"].items()},
    )


def written(facts: Facts) -> str:
    """Return the content of the file: five digits are more than any chart shows."""
    rows = (f'"{name}": {json.dumps(value)}' for name, value in _plain(facts).items())
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _swept(lambdas: Floats, left: Mapping[str, tuple[float | None, ...]], usable: Mapping[str, Range | None]) -> Swept:
    known = {name: tuple(math.inf if each is None else each for each in row) for name, row in left.items()}
    return Swept(lambdas, known, usable)


def _tupled(value: Any) -> Any:
    """Return JSON's value with a tuple for each of its lists."""
    if isinstance(value, dict):
        return {name: _tupled(each) for name, each in value.items()}
    return tuple(map(_tupled, value)) if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_asdict") and not isinstance(value, Fit):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if value is None or math.isinf(value):  # JSON has no ∞
        return None
    return float(f"{value:.5g}")
