"""The bounds of Theorem 1, and a sharper one, as functions of λ.

Along a method's step sizes λ_θ(λ), λ_α(λ), which are both proportional to λ, every bound here is A/λ + Bλ: what is
left of the way to the minimiser, and the noise of the samples. So its best λ is √(A/B), where it is 2√(AB). The mean
of such bounds over random starts is of the same form, and bounds the mean over those starts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np
import torch

from ...catalogue import Distances, Method, StepSizes, methods, sharp_bound
from ...results import number

_EXTREME = 1e60  # at such a λ, or its inverse, one of the two terms is all that floating point sees
_SMALLEST, _LARGEST = 1e-6, 1e6  # of a number that a person may put in
_STEEPEST = 1e4  # E[M²]/E[M]²: more would need as many samples


@dataclass(frozen=True)
class Setting:
    """What the bounds depend on; of several starts they are the mean.

    Attributes
    ----------
    theta, alpha
        ‖θ_0 − θ*‖ and |α_0 − α*| of each start.
    initial_loss
        ℓ_0 of each start, which SPL+'s step sizes need.
    slopes
        M(z) of equally likely samples; ``None`` if the losses are not Lipschitz, and the theorem does not apply.
    updates
        n, with the constant schedule λ/√n. (The paper counts from 0 to T, which makes T + 1 of them.)
    """

    theta: tuple[float, ...]
    alpha: tuple[float, ...]
    initial_loss: tuple[float, ...]
    slopes: tuple[float, ...] | None
    beta: float
    updates: int

    def numbers(self) -> dict[str, float]:
        """Return what a person reads and may change: root mean squares of the distances, means of the rest."""
        found = {
            "theta": _root_mean_square(self.theta),
            "alpha": _root_mean_square(self.alpha),
            "initial_loss": float(np.mean(self.initial_loss)),
        }
        if self.slopes is not None:
            slopes = np.array(self.slopes)
            found |= {"mean_slope": float(slopes.mean()), "mean_square_slope": float((slopes**2).mean())}
        return found


class Bound(NamedTuple):
    """A/λ + Bλ."""

    travel: float  # A
    noise: float  # B

    def at(self, lam: float) -> float:
        return self.travel / lam + self.noise * lam

    @property
    def best_lambda(self) -> float:
        return math.sqrt(self.travel / self.noise)

    @property
    def least(self) -> float:
        return 2 * math.sqrt(self.travel * self.noise)


class Bounds(NamedTuple):
    """What holds of one method: as the theorem has it, and tighter."""

    theorem: Bound
    sharper: Bound


def bounds(method: Method, setting: Setting) -> Bounds | None:
    """Return the bounds on the averaged iterate's mean suboptimality; ``None`` if the theorem does not apply."""
    if setting.slopes is None:
        return None
    slopes = torch.tensor(setting.slopes, dtype=torch.float64)
    lam = torch.tensor([1 / _EXTREME, _EXTREME], dtype=torch.float64)
    # One row a start: the formulas are the same for many at once.
    theta, alpha, initial_loss = (
        torch.tensor(values, dtype=torch.float64).unsqueeze(-1)
        for values in (setting.theta, setting.alpha, setting.initial_loss)
    )
    starts = Distances(cast(Any, theta), cast(Any, alpha), slopes)
    sizes = method.step_sizes(lam, initial_loss)
    both = (rule(starts, sizes, setting.beta, setting.updates) for rule in (method.bound, sharp_bound))
    return Bounds(*(Bound(*(each.expand(len(theta), -1).mean(0) / _EXTREME).tolist()) for each in both))


def bounds_by_name(names: Iterable[str], setting: Setting) -> dict[str, Bounds]:
    """Return the bounds of some methods by their names; none at all if the theorem does not apply."""
    found = {name: bounds(methods[name], setting) for name in names}
    return {name: both for name, both in found.items() if both is not None}


class Pair(NamedTuple):
    """λ_θ and λ_α chosen apart, and SPL+'s bound there."""

    theta: float
    alpha: float
    bound: float


def best_pair(setting: Setting) -> Pair | None:
    """Return the λ_θ and λ_α with the least bound for SPL+: λ_θ needs √E[M²]."""
    known = setting.numbers()
    return _pair(setting, math.sqrt(known["mean_square_slope"])) if setting.slopes is not None else None


def printed_pair(setting: Setting) -> Pair | None:
    """Return the pair as the paper prints it, with E[M]: the same if M is one number, and else worse."""
    return _pair(setting, setting.numbers()["mean_slope"]) if setting.slopes is not None else None


def _pair(setting: Setting, slope: float) -> Pair:
    known, share = setting.numbers(), (1 - setting.beta) / math.sqrt(2)
    theta, alpha = known["theta"] * share / slope, known["alpha"] * share
    sizes = StepSizes(torch.tensor(theta, dtype=torch.float64), torch.tensor(alpha, dtype=torch.float64))
    # For one pair the bound is linear in the squared distances, so their means stand for all starts.
    start = Distances(known["theta"], known["alpha"], torch.tensor(setting.slopes, dtype=torch.float64))
    return Pair(theta, alpha, float(methods["spl+"].bound(start, sizes, setting.beta, setting.updates)))


class Constants(NamedTuple):
    """The L² of the bounds where λ_θ = λ_α."""

    sgm: float  # of the theorem
    spl: float  # of the theorem
    tight: float  # G², which serves both


def constants(setting: Setting) -> Constants | None:
    sgm, spl = (bounds(methods[name], setting) for name in ("sgm", "spl"))
    if sgm is None or spl is None:
        return None
    n = setting.updates
    tight = sgm.sharper.noise * 2 * n / (n + 1)
    return Constants(*(noise * math.sqrt(n) for noise in (sgm.theorem.noise, spl.theorem.noise, tight)))


def what_if(own: Setting, given: Mapping[str, float | None]) -> tuple[Setting, dict[str, str]]:
    """Return the setting with given numbers in place of its own, and a sentence on each that cannot be.

    The names are those of ``Setting.numbers``; ``None``, and what cannot be, leaves the problem's own number. Without
    an E[M], M is the same for all samples.
    """
    numbers = own.numbers()
    wrong = {
        name: f"{_SIGNS[name]} is {number(value)}, but it must lie between {number(_SMALLEST)} and {number(_LARGEST)}"
        for name, value in given.items()
        if name in numbers and value is not None and not _SMALLEST <= value <= _LARGEST
    }
    taken = {
        name: value for name, value in given.items() if name in numbers and name not in wrong and value is not None
    }
    slopes = own.slopes
    if "mean_slope" in taken or "mean_square_slope" in taken:
        square = taken.get("mean_square_slope", numbers.get("mean_square_slope", 1.0))
        mean = taken.get("mean_slope", math.sqrt(square))
        if 1 - 1e-12 <= square / mean**2 <= _STEEPEST:
            slopes = slopes_with(mean, square)
        else:
            wrong["mean_slope"] = (
                f"E[M]² is {number(mean**2)} and E[M²] is {number(square)}, but a mean square is at least the squared "
                f"mean, and here at most {_STEEPEST:,.0f} times as large"
            )

    def every(name: str, values: tuple[float, ...]) -> tuple[float, ...]:
        return (taken[name],) * len(values) if name in taken else values

    changed = replace(
        own,
        theta=every("theta", own.theta),
        alpha=every("alpha", own.alpha),
        initial_loss=every("initial_loss", own.initial_loss),
        slopes=slopes,
    )
    return changed, wrong


_SIGNS = {
    "theta": "‖θ₀ − θ*‖",
    "alpha": "|α₀ − α*|",
    "initial_loss": "ℓ₀",
    "mean_slope": "E[M]",
    "mean_square_slope": "E[M²]",
}


def slopes_with(mean: float, mean_square: float) -> tuple[float, ...]:
    """Return equally likely slopes with two given moments: all alike but for one that is steeper.

    >>> slopes_with(2.0, 4.0), slopes_with(2.0, 5.0)
    ((2.0,), (1.0, 3.0))
    """
    spread = math.sqrt(max(mean_square - mean**2, 0.0))
    if spread <= 1e-12 * mean:
        return (mean,)
    others = max(1, math.ceil((spread / mean) ** 2))  # enough of them that none is below zero
    low = max(mean - spread / math.sqrt(others), 0.0)
    return (*(low,) * others, mean + spread * math.sqrt(others))


def updates_to_promise(gap: float, bound: Bound, updates: int) -> float:
    """Return after how many updates the theorem promises a gap at its best λ: its bounds fall as 1/√n."""
    return updates * (bound.least / gap) ** 2


def _root_mean_square(values: tuple[float, ...]) -> float:
    return math.sqrt(sum(value**2 for value in values) / len(values))
