"""Order statistics of losses of which only few are kept: those between two levels.

What is compared is a loss's key, which grows with the loss: the loss itself, or for a loss with a ``log_form`` its
score, which is cheaper.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..catalogue import Loss
from ..compiled import jit
from .marks import WORD, at_least, lowest, more_than, ones

_TOGETHER = 16  # losses that are computed at once, which the processor works on side by side
_SORTED = 24  # keys that are put in order one by one


class Levels(NamedTuple):
    """Two keys for each θ, low ≤ high, between which a quantile is looked for; both (runs,)."""

    low: np.ndarray
    high: np.ndarray

    @classmethod
    def widest(cls, runs: int) -> Levels:
        return cls(np.full(runs, -math.inf), np.full(runs, math.inf))


class Kept(NamedTuple):
    """What a pass over the points finds above and between two levels; all (runs,) but ``keys``."""

    sums: np.ndarray  # Σ (ℓ_i − the loss at high) over the keys above high
    above: np.ndarray  # how many keys lie above high
    between: np.ndarray  # how many keys lie in [low, high], whether there was room for them or not
    keys: np.ndarray  # (runs, room + 1) those in [low, high], in the order of the points; the last place is for spills

    @classmethod
    def empty(cls, runs: int, room: int) -> Kept:
        counts = np.zeros((2, runs), dtype=np.int64)
        return cls(np.zeros(runs), counts[0], counts[1], np.empty((runs, room + 1)))


def same(key: float, *constants: float) -> float:
    """Return the loss of a key that is the loss."""
    return key


def keys(loss: Loss) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return (p, y, *constants) ↦ key and (key, *constants) ↦ loss, for compilation into kernels."""
    assert loss.scalar is not None, "a loss without a scalar form is left to torch"
    return _keys(loss.scalar, loss.log_form)


@functools.cache
def _keys(
    scalar: Callable[..., Any], log_form: Callable[..., Any] | None
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def value(p: float, y: float, *constants: float) -> Any:
        return scalar(p, y, *constants)[0]

    if log_form is None:
        return value, same

    def score(p: float, y: float, *constants: float) -> Any:
        return log_form(p, y, *constants)[0]

    def of_score(key: float, *constants: float) -> Any:
        return scalar(-key, 1.0, *constants)[0]

    return score, of_score


@functools.cache
def sieve(key: Callable[..., Any], value: Callable[..., Any]) -> Callable[..., None]:
    """Return what adds a block of points with predictions ``p``, which it overwrites, to what run r has kept.

    ``p`` and ``spare`` have one shape, a multiple of ``WORD``; beyond the last target there is no point.
    """

    by_score = value is not same

    def sift(p, y, spare, r, lows, highs, sums, above, between, kept, constants):  # type: ignore[no-untyped-def]
        low, high, room = lows[r], highs[r], kept.shape[1] - 1
        for i in range(y.shape[0]):
            p[i] = key(p[i], y[i], *constants)
        for i in range(y.shape[0], p.shape[0]):
            p[i] = math.nan
        n, here = 0, between[r]
        for first in range(0, p.shape[0], WORD):
            higher = more_than(p, first, high)
            bits = at_least(p, first, low) & ~higher
            while bits != 0:
                kept[r, min(here, room)] = p[first + lowest(bits)]
                here += 1
                bits &= bits - 1
            if by_score:  # a loss is dear, and few of them count
                while higher != 0:
                    spare[n] = p[first + lowest(higher)]
                    n += 1
                    higher &= higher - 1
            else:
                n += ones(higher)
        between[r] = here
        if n == 0:
            return
        above[r] += n
        if by_score:
            ceiling = value(high, *constants)
            padded = -(-n // _TOGETHER) * _TOGETHER
            spare[n:padded] = high
            for i in range(padded):
                spare[i] = value(spare[i], *constants) - ceiling
            sums[r] += _total(spare[:padded])
        else:
            for i in range(p.shape[0]):
                p[i] = p[i] - high if p[i] > high else 0.0
            sums[r] += _total(p)

    return sift


def _total(values: Any) -> float:
    """Return the sum of values, which it overwrites, in sums side by side; there is a multiple of ``_TOGETHER``."""
    lanes = values[:_TOGETHER]
    for first in range(_TOGETHER, values.shape[0], _TOGETHER):
        more = values[first : first + _TOGETHER]
        for j in range(_TOGETHER):
            lanes[j] += more[j]
    total = 0.0
    for j in range(_TOGETHER):
        total += lanes[j]
    return total


def select(values: Any, first: int, last: int, place: int) -> None:
    """Reorder values[first:last] so that values[place] is what it is in order, with none above it to its left."""
    few = np.empty(_SORTED)
    while last - first > _SORTED:
        # A pivot near the place in question: the one of a few spread values that stands there among them.
        step = (last - first) // _SORTED
        for i in range(_SORTED):
            few[i] = values[first + i * step]
        _sort(few, 0, _SORTED)
        pivot = few[(place - first) * _SORTED // (last - first)]
        middle = first
        for i in range(first, last):
            x = values[i]
            values[i] = values[middle]
            values[middle] = x
            middle += 1 if x < pivot else 0
        if place < middle:
            last = middle
        elif middle > first:
            first = middle
        else:  # nothing is below the pivot: those equal to it come first
            for i in range(first, last):
                x = values[i]
                values[i] = values[middle]
                values[middle] = x
                middle += 1 if x <= pivot else 0
            if place < middle:
                return
            first = middle
    _sort(values, first, last)


def _sort(values: Any, first: int, last: int) -> None:
    for i in range(first + 1, last):
        x = values[i]
        j = i
        while j > first and values[j - 1] > x:
            values[j] = values[j - 1]
            j -= 1
        values[j] = x


def levels(sample: Kept, least: int, most: int) -> Levels:
    """Return the keys that are ``most``-th and ``least``-th from above in a sample; beyond its ends, infinite ones."""
    found = Levels.widest(len(sample.between))
    jit(_fill_levels)(sample.keys, sample.between, least, most, *found)
    return found


def _fill_levels(keys: Any, counts: Any, least: int, most: int, low: Any, high: Any) -> None:
    for r in range(counts.shape[0]):
        n = counts[r]
        first = 0
        if most <= n:
            select(keys[r], 0, n, n - most)
            low[r] = keys[r, n - most]
            first = n - most
        if 1 <= least <= n:
            select(keys[r], first, n, n - least)
            high[r] = keys[r, n - least]


def tail_means(
    kept: Kept, between: Levels, value: Callable[..., Any], constants: tuple[float, ...], rank: int, mass: float
) -> Tensor:
    """Return CVaR from what was kept, shape (runs,): the mean of the ``mass`` largest losses, the last one in part.

    VaR is the ``rank``-th loss from above, the first with no fewer than ``mass`` losses at or above it. NaN where it
    does not lie between the levels, or where there was no room for what does.
    """
    out = torch.full((len(kept.sums),), torch.nan, dtype=torch.float64)
    _fill_tail_means(value)(*kept, *between, rank, mass, out.numpy(), constants)
    return out


@functools.cache
def _fill_tail_means(value: Callable[..., Any]) -> Callable[..., None]:
    def fill(sums, above, between, keys, low, high, rank, mass, out, constants):  # type: ignore[no-untyped-def]
        for r in range(out.shape[0]):
            n = between[r]
            if not above[r] < rank <= above[r] + n:
                continue
            if low[r] == high[r]:  # all that were kept tie, however many they are
                out[r] = value(high[r], *constants) + sums[r] / mass
                continue
            if n >= keys.shape[1]:
                continue
            row = keys[r]
            place = n - (rank - above[r])
            select(row, 0, n, place)
            var = value(row[place], *constants)
            total = sums[r]
            if above[r] > 0:
                total += above[r] * (value(high[r], *constants) - var)
            higher = row[place + 1 : n]
            for i in range(higher.shape[0]):
                higher[i] = value(higher[i], *constants) - var
            rest = 0.0
            for i in range(higher.shape[0]):
                rest += higher[i]
            out[r] = var + (total + rest) / mass

    return jit(fill)
