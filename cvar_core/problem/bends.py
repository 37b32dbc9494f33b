"""A loss at the noise: where it bends, and how its two sides differ.

At θ_gen the prediction misses the target by −ζ. Here φ is a function of ζ itself: the loss of predicting 0 for a target
ζ. Its slope consists of lines between knots for all of today's losses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from ..catalogue import Loss

Array = NDArray[np.float64]

_MOST_LINES = 8


def value(loss: Loss, r: Array) -> Array:
    """Return φ at r."""
    return _call(loss.value, r)


def slope(loss: Loss, r: Array) -> Array:
    """Return φ' at r."""
    return -_call(loss.slope, r)


def _call(function: object, r: Array) -> Array:
    assert callable(function)
    y = torch.from_numpy(np.ascontiguousarray(r, dtype=np.float64))
    found: Array = function(torch.zeros_like(y), y).numpy()
    return found


def stretch(loss: Loss) -> float | None:
    """Return the κ with φ(−κr) = φ(r) for every r > 0: 1 for an even loss, and ``None`` where there is none."""
    r = np.geomspace(1e-9, 1e9, 18 * 4 + 1)
    right = value(loss, r)
    low, high = (0.0, 0.0) if _alike(value(loss, -r), right) else (np.log(1e-9), np.log(1e9))
    at_one = value(loss, np.ones(1))
    while low < (middle := (low + high) / 2) < high:
        if value(loss, -np.exp([middle])) < at_one:
            low = middle
        else:
            high = middle
    found = float(np.exp(high))
    return found if _alike(value(loss, -found * r), right) else None


def _alike(one: Array, other: Array) -> bool:
    return bool((np.abs(one - other) <= 1e-12 * np.abs(other)).all())


class Line(NamedTuple):
    """φ'(r) = start + rise·(r − knot) from ``knot`` to the next."""

    knot: float
    start: float
    rise: float

    def at(self, r: float) -> float:
        return self.start + self.rise * (r - self.knot)


@dataclass(frozen=True)
class Bends:
    """The lines that φ' consists of for r > 0; none if it is curved."""

    lines: tuple[Line, ...]

    @classmethod
    def of(cls, loss: Loss) -> Bends:
        r = np.geomspace(1e-9, 1e9, 18 * 12 + 1)
        slopes = slope(loss, r)
        rises = np.diff(slopes) / np.diff(r)
        lines = [Line(0.0, float(slopes[0] - rises[0] * r[0]), float(rises[0]))]
        if abs(lines[0].start) <= 1e-12 * abs(slopes[1]):
            lines[0] = lines[0]._replace(start=0.0)
        k = 1
        while k < len(r) - 1:
            if _fits(lines[-1], r[k + 1], slopes[k + 1]):
                k += 1
                continue
            if len(lines) == _MOST_LINES or k + 3 > len(r):
                return cls(())
            fresh = Line(float(r[k + 1]), float(slopes[k + 1]), float(rises[k + 1]))
            if not _fits(fresh, r[k + 2], slopes[k + 2]):
                return cls(())
            knot = _knot(loss, lines[-1], fresh, r[k], r[k + 1])
            lines.append(Line(knot, fresh.at(knot), fresh.rise))
            k += 1
        return cls(tuple(lines))


def _fits(line: Line, r: float, seen: float) -> bool:
    return bool(abs(line.at(r) - seen) <= 1e-9 * max(abs(seen), 1e-300))


def _knot(loss: Loss, before: Line, after: Line, low: float, high: float) -> float:
    if before.rise != after.rise:
        # Where the slope does not jump, the lines meet, and their crossing has all digits.
        crossing = (after.start - after.rise * after.knot - before.start + before.rise * before.knot) / (
            before.rise - after.rise
        )
        if low <= crossing <= high and _fits(before, crossing, float(slope(loss, np.array([crossing]))[0])):
            return float(crossing)
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return high
        if _fits(before, middle, float(slope(loss, np.array([middle]))[0])):
            low = middle
        else:
            high = middle
