"""R(θ) = CVaR_β of the losses at θ, for many θ over many points: exact, and without holding all losses of any.

CVaR is F̃ at VaR, an order statistic. A thinned set, a few thousand of the points, tells two levels between which VaR
almost surely lies. One pass over all points then sums and counts what lies above both, and keeps what lies between:
few losses, among which VaR is found by selection. The same pass makes the sums of the objective. Where the levels miss,
or losses tie by the thousand, another pass keeps everything. Levels and order of additions depend on θ alone, so that
R does not depend on a θ's company.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

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
_MOST_KEPT = 2**20  # keys at once, but for a θ that needs more


def thinning(count: int) -> Tensor:
    """Return the numbers of some points, one from each of equal stretches: enough to place a quantile.

    More of them cost more to look at, and fewer place the quantile less well: count^(2/3) balances the two.
    """
    size = math.ceil(1.5 * count ** (2 / 3))
    edges = torch.arange(size + 1) * count // size
    within = np.random.Generator(np.random.PCG64(0)).random(size)  # not a fixed stride: rows may repeat in one
    return edges[:-1] + (torch.from_numpy(within) * (edges[1:] - edges[:-1])).long()


def risks(points: Points, loss: Loss, thetas: Tensor, beta: float) -> Tensor:
    """Return CVaR_β of the losses at each of thetas (runs, dim), shape (runs,); infinite where losses overflow."""
    return evaluate(points, loss, thetas, None, beta)[2]


def evaluate(
    points: Points, loss: Loss, thetas: Tensor, alphas: Tensor | None, beta: float, surveying: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the tail sums above ``alphas``, with ``surveying`` those of ``Points.survey``, and CVaR_β; all (runs,)."""
    runs, mass = len(thetas), tail_mass(points.count, beta)
    rank = math.ceil(mass)
    sums, others = torch.zeros(2, runs, dtype=torch.float64)
    found = torch.full((runs,), torch.nan, dtype=torch.float64)
    if loss.scalar is None or mass == points.count:
        if alphas is not None and surveying:
            sums, others = points.survey(loss, thetas, alphas)
        elif alphas is not None:
            sums = points.tail_sums(loss, thetas, alphas)
        if mass == points.count:  # the mean: losses are never negative, so it is the sum above α = 0
            found = points.tail_sums(loss, thetas, torch.zeros(runs, dtype=torch.float64)) / mass
        else:
            found = torch.stack([_sorted_mean(points, loss, theta, rank, mass) for theta in thetas])
        return sums, others, _finite_or_infinite(found)
    few = points.count <= _FEW
    thinned = points if few else points.thinned
    share = mass / points.count * thinned.count
    spread = 2.0 + _DEVIATIONS * math.sqrt(share * (1.0 - share / thinned.count))
    room = points.count if few else math.ceil(4.0 * spread / thinned.count * points.count)
    for here in torch.arange(runs).split(max(1, _MOST_KEPT // max(room, thinned.count))):
        at, above = thetas[here], None if alphas is None else alphas[here]
        bracket = Levels.widest(len(here))
        if not few:
            sample = thinned.keep(loss, at, bracket, thinned.count)[2]
            bracket = levels(sample, math.floor(share - spread), math.ceil(share + spread))
        sums[here], others[here], kept = points.keep(loss, at, bracket, room, above, surveying)
        found[here] = tail_means(kept, bracket, points.value_of_key(loss), rank, mass)
    for here in torch.isnan(found).nonzero().ravel().split(max(1, _MOST_KEPT // points.count)):
        everything = Levels.widest(len(here))
        kept = points.keep(loss, thetas[here], everything, points.count)[2]
        found[here] = tail_means(kept, everything, points.value_of_key(loss), rank, mass)
    return sums, others, _finite_or_infinite(found)


def _sorted_mean(points: Points, loss: Loss, theta: Tensor, rank: int, mass: float) -> Tensor:
    values = loss.value(points.predict(theta), points.target).numpy()
    place = len(values) - rank
    ordered = np.partition(values, place)
    with np.errstate(invalid="ignore", over="ignore"):
        return torch.as_tensor(ordered[place] + (ordered[place:] - ordered[place]).sum() / mass)


def _finite_or_infinite(found: Tensor) -> Tensor:
    """Return the same with ∞ for NaN, which is what ∞ − ∞ gives where losses overflow."""
    return torch.where(torch.isnan(found), torch.inf, found)
