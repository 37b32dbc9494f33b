"""R(θ) = CVaR_β of the losses at θ, for many θ over many points: exact, and without holding all losses of any.

CVaR is F̃ at VaR, an order statistic. A thinned set, a few thousand of the points, tells two levels between which VaR
almost surely lies. One pass over all points then sums and counts what lies above both, and keeps what lies between:
few losses, among which VaR is found by selection. The same pass makes the sums of the objective. Where the levels miss,
or losses tie by the thousand, another pass keeps everything. Levels and order of additions depend on θ alone, so that
R does not depend on a θ's company.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..catalogue import Loss
from .objective import tail_mass
from .selection import Levels, levels, tail_means

if TYPE_CHECKING:
    from .points import Points

_FEW = 1_024  # points that need no thinning
_DEVIATIONS = 4.0  # of VaR's rank in a thinned set, to either side
_MOST_KEPT = 2**21  # keys at once, but for a θ that needs more


def thinning(count: int) -> Tensor:
    """Return the numbers of some points, one from each of equal stretches: enough to place a quantile.

    More of them cost more to look at, and fewer place the quantile less well: count^(2/3) balances the two.
    """
    size = math.ceil(1.5 * count ** (2 / 3))
    edges = torch.arange(size + 1) * count // size
    within = np.random.Generator(np.random.PCG64(0)).random(size)  # not a fixed stride: rows may repeat in one
    chosen: Tensor = edges[:-1] + (torch.from_numpy(within) * (edges[1:] - edges[:-1])).long()
    return chosen


def risks(points: Points, loss: Loss, thetas: Tensor, beta: float) -> Tensor:
    """Return CVaR_β of the losses at each of thetas (runs, dim), shape (runs,); infinite where losses overflow."""
    return evaluate(points, loss, thetas, None, beta)[2]


def evaluate(
    points: Points, loss: Loss, thetas: Tensor, alphas: Tensor | None, beta: float, surveying: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the tail sums above ``alphas``, with ``surveying`` those of ``Points.survey``, and CVaR_β; all (runs,)."""
    tail = _Tail.of(points.count, beta)
    if loss.scalar is not None and tail.mass < points.count:
        return _fused(points, loss, thetas, alphas, tail, surveying)
    sums, others = torch.zeros(2, len(thetas), dtype=torch.float64)
    if alphas is not None and surveying:
        sums, others = points.survey(loss, thetas, alphas)
    elif alphas is not None:
        sums = points.tail_sums(loss, thetas, alphas)
    if tail.mass < points.count:
        found = torch.stack([_by_numpy(points, loss, theta, tail) for theta in thetas])
    else:  # the mean: losses are never negative, so it is the sum above α = 0
        found = points.tail_sums(loss, thetas, torch.zeros(len(thetas), dtype=torch.float64)) / tail.mass
    return sums, others, _overflown(found)


class _Tail(NamedTuple):
    """The largest ``mass`` losses, the last one in part: the ``rank``-th from above, which is VaR."""

    mass: float
    rank: int

    @classmethod
    def of(cls, count: int, beta: float) -> _Tail:
        mass = tail_mass(count, beta)
        return cls(mass, math.ceil(mass))


def _fused(
    points: Points, loss: Loss, thetas: Tensor, alphas: Tensor | None, tail: _Tail, surveying: bool
) -> tuple[Tensor, Tensor, Tensor]:
    sums, others, found = torch.full((3, len(thetas)), torch.nan, dtype=torch.float64)
    few = points.count <= _FEW
    thinned = points if few else points.thinned
    share = tail.mass * thinned.count / points.count
    spread = 2.0 + _DEVIATIONS * math.sqrt(share * (1.0 - share / thinned.count))
    most = 2.0 * spread + 6.0 * math.sqrt(2.0 * spread)  # of the thinned points, between the levels
    room = points.count if few else math.ceil(most * points.count / thinned.count)
    for here in _tiles(len(thetas), max(room, thinned.count)):
        between = Levels.widest(len(thetas[here]))
        if not few:
            sample = thinned.keep(loss, thetas[here], between, thinned.count)[2]
            between = levels(sample, math.floor(share - spread), math.ceil(share + spread))
        above = None if alphas is None else alphas[here]
        sums[here], others[here], kept = points.keep(loss, thetas[here], between, room, above, surveying)
        found[here] = tail_means(kept, between, points.value_of_key(loss), loss.constants, tail.rank, tail.mass)
    missed = torch.isnan(found).nonzero().ravel()
    for some in _tiles(len(missed), points.count):
        these = missed[some]
        everything = Levels.widest(len(these))
        kept = points.keep(loss, thetas[these], everything, points.count)[2]
        found[these] = tail_means(kept, everything, points.value_of_key(loss), loss.constants, tail.rank, tail.mass)
    return sums, others, _overflown(found)


def _tiles(runs: int, room: int) -> Iterator[slice]:
    tile = max(1, _MOST_KEPT // room)
    return (slice(first, first + tile) for first in range(0, runs, tile))


def _by_numpy(points: Points, loss: Loss, theta: Tensor, tail: _Tail) -> Tensor:
    values = loss.value(points.predict(theta), points.target).numpy()
    place = len(values) - tail.rank
    ordered = np.partition(values, place)
    with np.errstate(invalid="ignore", over="ignore"):
        excess = (ordered[place:] - ordered[place]).sum()  # numpy's sum does not depend on threads
    return torch.as_tensor(ordered[place] + excess / tail.mass)


def _overflown(found: Tensor) -> Tensor:
    """Return the same with ∞ for NaN: what ∞ − ∞ gave is the risk of losses that overflow."""
    return torch.where(torch.isnan(found), torch.inf, found)
