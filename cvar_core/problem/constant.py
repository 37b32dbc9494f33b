"""The best constant prediction: what a model has to beat."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import torch
from torch import Tensor

from ..catalogue import Loss
from .objective import mixed, tail_mass

_MOST_STEPS = 200
_TOLERANCE = 1e-11  # of the value
_LONGEST = 1_000.0  # in classification; beyond this prediction a loss is 0 or as good as infinite


class _Line(NamedTuple):
    """The risk at a constant c, and the slope of a line through it that is nowhere above the risk."""

    c: float
    value: float
    slope: float


def best_constant(target: Tensor, loss: Loss, beta: float, mix: float = 1.0) -> float:
    """Return the least (1 − μ)·mean + μ·CVaR_β of φ(c, y_i) over constant predictions c.

    >>> from cvar_core.catalogue import losses
    >>> round(best_constant(torch.tensor([1.0, 2.0, 6.0], dtype=torch.float64), losses["squared"], 0.0), 9)
    2.333333333
    """
    if loss.task == "regression":
        ordered = target.sort().values
        low, high = float(ordered[0]), float(ordered[-1])
        tail = functools.partial(_of_ends, ordered, loss)
    else:
        low, high = -_LONGEST, _LONGEST
        labels, counts = target.unique(return_counts=True)
        tail = functools.partial(_of_labels, labels, counts, loss)

    def at(c: float) -> _Line:
        worst = tail(beta, c)
        if mix == 1:
            return worst
        mean = tail(0.0, c)  # both lines lie below, so that their mix does, too
        return _Line(c, mix * worst.value + (1 - mix) * mean.value, mix * worst.slope + (1 - mix) * mean.slope)

    left, right = at(low), at(high)
    best = min(left, right, key=lambda line: line.value)
    for step in range(_MOST_STEPS):
        # Both lines are below the risk, so their crossing is a lower bound: the minimum itself, if that is a kink.
        if left.slope >= 0 or right.slope <= 0:
            break
        shift = (left.value - right.value + right.slope * (right.c - left.c)) / (right.slope - left.slope)
        bound = left.value + left.slope * shift
        if best.value - bound <= _TOLERANCE * best.value:
            break
        middle = at(left.c + shift if step % 2 == 0 else (left.c + right.c) / 2)
        if not left.c < middle.c < right.c:
            break
        best = min(best, middle, key=lambda line: line.value)
        if middle.slope < 0:
            left = middle
        else:
            right = middle
    return mixed(loss.value(torch.full_like(target, best.c), target), beta, mix)


def _of_ends(ordered: Tensor, loss: Loss, beta: float, c: float) -> _Line:
    """Losses grow away from c on either side, so that the tail holds targets from both ends of their order."""
    count, mass = len(ordered), tail_mass(len(ordered), beta)
    whole = math.ceil(mass)
    here = ordered.new_full((2,), c)
    low, high = 0, whole  # how many of the tail are at the lower end
    while low < high:
        middle = (low + high) // 2
        ends = ordered[[middle, count - whole + middle]]
        # A target on the other side of c counts against its end, the more the further it is away.
        lowest, highest = (loss.value(here, ends) * torch.sign((here - ends) * ends.new_tensor([1, -1]))).tolist()
        if lowest > highest:
            low = middle + 1
        else:
            high = middle
    tail = torch.cat([ordered[:low], ordered[count - whole + low :]])
    prediction = torch.full_like(tail, c)
    losses, slopes = loss.value(prediction, tail), loss.slope(prediction, tail)
    least, surplus = int(losses.argmin()), whole - mass
    value = float(losses.sum()) - surplus * float(losses[least])
    return _Line(c, value / mass, (float(slopes.sum()) - surplus * float(slopes[least])) / mass)


def _of_labels(labels: Tensor, counts: Tensor, loss: Loss, beta: float, c: float) -> _Line:
    prediction = torch.full_like(labels, c)
    losses, order = loss.value(prediction, labels).sort(descending=True)
    slopes, sizes = loss.slope(prediction, labels)[order], counts[order].to(torch.float64)
    mass = tail_mass(int(counts.sum()), beta)
    parts = torch.minimum(sizes, (mass - (sizes.cumsum(0) - sizes)).clamp(min=0))
    return _Line(c, float(losses @ parts) / mass, float(slopes @ parts) / mass)
