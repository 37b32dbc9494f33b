"""Data without a minimum: where every loss that can fall to 0 does so only as ‖θ‖ → ∞.

That is so for separable data, and for data that are separable but for rows that contradict each other: the same
features with both labels. Such a group has a least loss whatever θ is, and that bounds CVaR_β from below.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...catalogue import Loss
from ..objective import tail_mass
from ..points import DensePoints, Points, SparsePoints
from .descent import tail_at

if TYPE_CHECKING:
    from . import Optimum

_DEEP = 750.0  # e^-750 is 0 in floating point


def separates(points: Points, theta: Tensor) -> bool:
    """Tell whether every point is on its right side of θ, by more than rounding."""
    margins = points.predict(theta) * points.target
    return float(margins.min()) > 1e-9 * float(margins.max())


def infimum(points: Points, loss: Loss, beta: float, theta: Tensor, mix: float = 1.0) -> Optimum | None:
    """Return the infimum, 0 but for rounding, if every point is on its right side of θ; else ``None``."""
    from . import Optimum

    if not separates(points, theta):
        return None
    far = theta * (_DEEP / float((points.predict(theta) * points.target).min()))
    tail = tail_at(points, loss, beta, far, mix)
    at_origin = tail_at(points, loss, beta, torch.zeros_like(theta), mix)
    if not tail.value <= 1e-12 * at_origin.value:
        return None  # a loss that does not vanish on the right side
    return Optimum(tail.value, far, tail.alpha, tail.value, attained=False)


def contradictions(points: Points, loss: Loss, beta: float, mix: float = 1.0) -> tuple[float, bool]:
    """Return a bound on the risk from below, and whether only ‖θ‖ → ∞ can reach it.

    With the tail's weights on the groups whose rows are worst on average, F̃_β ≥ Σ_g min_p Σ_{i∈g} ℓ(p, y_i)/((1−β)N).
    If they are fewer than the tail holds, reaching the bound takes losses of 0 in the rest of the tail. The mean has
    room for all groups, and reaching its bound takes losses of 0 in all other rows.
    """
    counts = [pair for pair in _label_counts(_suspects(points)) if min(pair) > 0]
    if not counts:
        return 0.0, True
    right, wrong = torch.tensor(counts, dtype=torch.float64).T
    least = _least_losses(loss, right, wrong)
    sizes = right + wrong
    order = torch.argsort(least / sizes, descending=True)
    mass = tail_mass(points.count, beta)
    taken = order[sizes[order].cumsum(0) <= mass]
    tail = float(least[taken].sum()) / mass
    if mix == 1:
        return tail, float(sizes.sum()) < mass
    return mix * tail + (1 - mix) * float(least.sum()) / points.count, float(sizes.sum()) < points.count


def _label_counts(points: Points) -> list[tuple[int, int]]:
    """Return how many positive and negative labels each group of identical rows has."""
    groups: defaultdict[bytes, list[int]] = defaultdict(lambda: [0, 0])
    labels = (points.target > 0).tolist()
    if isinstance(points, SparsePoints):
        starts, indices, values = points.arrays
        bounds = starts.tolist()
        for i, positive in enumerate(labels):
            here = slice(bounds[i], bounds[i + 1])
            groups[indices[here].tobytes() + values[here].tobytes()][positive] += 1
    else:
        for first in range(0, points.count, 10_000):
            block = points.rows(torch.arange(first, min(first + 10_000, points.count))).numpy()
            for row, positive in zip(block, labels[first:], strict=False):
                groups[row.tobytes()][positive] += 1
    return [(positive, negative) for negative, positive in groups.values()]


def _suspects(points: Points) -> Points:
    """Return the points whose row has the key of one with the other label: few, as a rule, and all that contradict."""
    positive = (points.target > 0).numpy()
    keys = _keys(points)
    shared = np.intersect1d(keys[positive], keys[~positive])
    return points.subset(torch.from_numpy(np.flatnonzero(np.isin(keys, shared))))


def _keys(points: Points) -> NDArray[np.uint64]:
    """Return a number for each row, the same for identical rows, and hardly ever for others."""
    factors = np.random.default_rng(0).integers(2**63, size=points.dim, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    if isinstance(points, SparsePoints):
        starts, indices, values = points.arrays
        sums = np.concatenate([[np.uint64(0)], np.cumsum(_mixed(values) * factors[indices])])
        return np.asarray(sums[starts[1:]] - sums[starts[:-1]])
    assert isinstance(points, DensePoints)
    keys = np.zeros(points.count, dtype=np.uint64)
    for column, factor in zip(points.columns.numpy(), factors, strict=True):
        keys += _mixed(column) * factor
    return keys


def _mixed(values: NDArray[np.float64]) -> NDArray[np.uint64]:
    bits = values.view(np.uint64)
    return bits ^ (bits >> np.uint64(32))  # the low bits of small whole numbers are 0


def _least_losses(loss: Loss, positive: Tensor, negative: Tensor) -> Tensor:
    """Return min over p of the groups' summed losses, by halving on the slope, which rises with p."""
    low, high = torch.full_like(positive, -50.0), torch.full_like(positive, 50.0)
    one = torch.ones_like(positive)
    for _ in range(80):
        p = (low + high) / 2
        rises = positive * loss.slope(p, one) + negative * loss.slope(p, -one) > 0
        low, high = torch.where(rises, low, p), torch.where(rises, p, high)
    p = (low + high) / 2
    return positive * loss.value(p, one) + negative * loss.value(p, -one)
