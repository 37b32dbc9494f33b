"""Predictions and tail sums over sparse rows, for many θ at once.

The θ lie side by side, (dim, runs): a non-zero then meets all of them in one or two cache lines, and the loop over
runs becomes vector instructions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ..catalogue import Loss
from ..compiled import jit
from ..linear import LANES, add_sparse
from .evaluation import companion
from .selection import Kept, Levels

if TYPE_CHECKING:
    from .points import SparsePoints

_BLOCK = 256  # rows whose terms are summed by themselves: more accurate than one long sum


def side_by_side(rows: Tensor) -> Tensor:
    """Return (runs, dim) as (dim, lanes), where lanes beyond the last run repeat it."""
    runs, dim = rows.shape
    beside = torch.empty(dim, -(-runs // LANES) * LANES, dtype=torch.float64)
    beside[:, :runs] = rows.T
    beside[:, runs:] = rows[-1:].T
    return beside


def tail_sums(points: SparsePoints, loss: Loss, thetas: Tensor, alphas: Tensor) -> Tensor:
    """Return Σ_i max(ℓ_i(θ) − α, 0) for thetas (runs, dim) and alphas (runs,), shape (runs,)."""
    return survey(points, loss, thetas, alphas)[0]


def survey(points: SparsePoints, loss: Loss, thetas: Tensor, alphas: Tensor) -> tuple[Tensor, Tensor]:
    """Return the same, and the sums of ``evaluation.companion``, in one pass over the rows."""
    return _run(points, loss, thetas, alphas, None, 0)[:2]


def keep(
    points: SparsePoints, loss: Loss, thetas: Tensor, levels: Levels, room: int, alphas: Tensor | None = None
) -> tuple[Tensor, Tensor, Kept]:
    """Return the same, and the losses between two levels (see ``selection``), in one pass over the rows."""
    none = torch.zeros(len(thetas), dtype=torch.float64)
    return _run(points, loss, thetas, none if alphas is None else alphas, levels, room)


def _run(
    points: SparsePoints, loss: Loss, thetas: Tensor, alphas: Tensor, levels: Levels | None, room: int
) -> tuple[Tensor, Tensor, Kept]:
    assert loss.scalar is not None, "a loss without a scalar form is summed by torch"
    runs, columns = len(alphas), side_by_side(thetas)
    out, beside = torch.zeros(2, columns.shape[1], dtype=torch.float64)
    kept = Kept.empty(runs, room)
    _sums(loss.scalar, companion(loss), levels is not None)(
        *points.arrays,
        points.target.numpy(),
        columns.numpy(),
        _across(alphas),
        out.numpy(),
        beside.numpy(),
        *(_across(torch.from_numpy(level)) for level in levels or Levels.widest(runs)),
        *kept,
        loss.constants,
    )
    return out[:runs], beside[:runs], kept


def _across(values: Tensor) -> np.ndarray:
    return side_by_side(values.unsqueeze(1))[0].numpy()


def predictions(points: SparsePoints, thetas: Tensor) -> Tensor:
    """Return x_i·θ for all i and all thetas (runs, dim), shape (runs, count)."""
    beside = side_by_side(thetas)
    out = torch.empty(points.count, beside.shape[1], dtype=torch.float64)
    jit(_predictions)(*points.arrays, beside.numpy(), out.numpy())
    return out[:, : len(thetas)].T


def _predictions(indptr: Any, indices: Any, values: Any, thetas: Any, out: Any) -> None:
    for i in range(out.shape[0]):
        add_sparse(indptr[i], indptr[i + 1], indices, values, thetas, out[i])


@functools.cache
def _sums(scalar: Callable[..., Any], also: Callable[..., Any], keeping: bool) -> Callable[..., None]:
    def sums(  # type: ignore[no-untyped-def]
        indptr, indices, values, target, thetas, alphas, out, beside, lows, highs, highest, above, between, kept,
        constants,
    ):  # fmt: skip
        lanes, (runs, places) = thetas.shape[1], kept.shape
        p, part, more = np.empty(lanes), np.empty(lanes), np.empty(lanes)
        tops, higher = np.zeros(lanes), np.zeros(lanes)
        for first in range(0, target.shape[0], _BLOCK):
            part[:] = 0.0
            more[:] = 0.0
            tops[:] = 0.0
            for i in range(first, min(first + _BLOCK, target.shape[0])):
                add_sparse(indptr[i], indptr[i + 1], indices, values, thetas, p)
                y = target[i]
                for j in range(lanes):
                    excess = scalar(p[j], y, *constants)[0] - alphas[j]
                    part[j] += excess if excess > 0.0 else 0.0
                    more[j] += also(p[j], y, *constants)
                if keeping:
                    found = 0
                    for j in range(lanes):
                        p[j] = scalar(p[j], y, *constants)[0]
                        tops[j] += p[j] - highs[j] if p[j] > highs[j] else 0.0
                        higher[j] += 1.0 if p[j] > highs[j] else 0.0
                        found += 1 if p[j] >= lows[j] and p[j] <= highs[j] else 0
                    if found > 0:
                        for j in range(runs):
                            if p[j] >= lows[j] and p[j] <= highs[j]:
                                kept[j, min(between[j], places - 1)] = p[j]
                                between[j] += 1
            for j in range(lanes):
                out[j] += part[j]
                beside[j] += more[j]
            for j in range(runs):
                highest[j] += tops[j]
        for j in range(runs):
            above[j] = int(higher[j])

    return jit(sums)
