"""How many decades of λ a method forgives when more, or less, of the gap has to be closed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .judged import Judged
from .robustness import ROUNDING

Array = NDArray[np.float64]


def decades_by_share(judged: Judged, shares: Sequence[float]) -> Array:
    """Return the decades that each method forgives at each share of the gap, shape (methods, shares).

    0 where the median start has no usable λ. The same as ``Judged.forgiven`` says for each share, of all of them at
    once: a start's stretch around its best λ ends where the largest gap on the way there is first above ε.
    """
    limits = np.stack([judged.limits_at(share) for share in shares])  # (shares, seeds)
    ends = judged.gaps[:, :, judged.result.reached, :]
    places = np.log10(np.array(judged.result.spec.lambdas))
    found = np.array([[_decades(places, gaps, limits[:, s]) for s, gaps in enumerate(of_one)] for of_one in ends])
    most = 2 * np.isfinite(found).sum(axis=1) > found.shape[1]  # of the starts have a usable λ
    return np.where(most, np.median(np.where(np.isfinite(found), found, 0.0), axis=1), 0.0)


def most_closed(judged: Judged) -> Array:
    """Return the largest share of the gap at which the median start still has a usable λ, for each method."""
    ends = judged.gaps[:, :, judged.result.reached, :]
    least = np.where(np.isfinite(ends), ends, np.inf).min(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        closed = np.where(judged.starts > 0, 1 - least / judged.starts, -np.inf)
    found: Array = np.sort(closed, axis=1)[:, ::-1][:, closed.shape[1] // 2]  # more than half of the starts
    return found


def _decades(places: Array, gaps: Array, limits: Array) -> Array:
    """Return the width of one start's usable stretch for each ε; NaN where there is none."""
    finite = np.where(np.isfinite(gaps), gaps, np.inf)
    best = int(np.argmin(finite))
    logs = _reach(places[best:], finite[best:], limits) - _reach(places[best::-1], finite[best::-1], limits)
    usable = (finite[best] <= limits) & (finite[best] < np.inf)
    return np.where(usable, logs, np.nan)


def _reach(places: Array, gaps: Array, limits: Array) -> Array:
    """Return how far from its first place a stretch goes for each ε, to where the line in log–log crosses it."""
    way = np.maximum.accumulate(gaps)
    last = np.clip(np.searchsorted(way, limits, side="right") - 1, 0, len(gaps) - 1)
    beyond = np.minimum(last + 1, len(gaps) - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        inside, outside = (np.log(np.maximum(gaps[k] / limits, ROUNDING)) for k in (last, beyond))
        share = np.where((beyond > last) & np.isfinite(outside) & (outside > inside), -inside / (outside - inside), 0.0)
    reached: Array = places[last] + np.where(np.isfinite(share), share, 0.0) * (places[beyond] - places[last])
    return reached
