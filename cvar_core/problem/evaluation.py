"""Σ_i max(ℓ_i(θ) − α, 0) for many (θ, α) over many points: the costliest sum of a study, made exact and fast.

Prediction, loss and hinge are fused over blocks of points that stay in the first cache, so nothing of
size iterates × points is ever written. A block is skipped when none of its points can reach α: the score
(see ``catalogue.losses``) moves by at most ‖x_i‖·‖θ − θ_r‖ from its value at a reference θ_r.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ..catalogue import Loss
from ..compiled import jit
from ..linear import add_rows
from . import selection
from .selection import Kept, Levels

if TYPE_CHECKING:
    from .points import DensePoints

BLOCK = 256  # points; 256 × 10 doubles fit the first cache together with the predictions
_LANES = BLOCK // 4


def tail_sums(points: DensePoints, loss: Loss, thetas: Tensor, alphas: Tensor, skip: bool = True) -> Tensor:
    """Return the sums for thetas (runs, dim) and alphas (runs,), shape (runs,); ``skip=False`` visits every point."""
    return _run(points, loss, thetas, alphas, None, skip=skip)[0]


def survey(points: DensePoints, loss: Loss, thetas: Tensor, alphas: Tensor) -> tuple[Tensor, Tensor]:
    """Return the sums, and those of ``companion``, in one pass over the points."""
    return _run(points, loss, thetas, alphas, companion(loss), skip=False)[:2]


def keep(
    points: DensePoints,
    loss: Loss,
    thetas: Tensor,
    levels: Levels,
    room: int,
    alphas: Tensor | None = None,
    surveying: bool = False,
) -> tuple[Tensor, Tensor, Kept]:
    """Return the same, as far as it is asked for, and what ``selection`` needs of the losses above two levels."""
    also = companion(loss) if surveying else None
    return _run(points, loss, thetas, alphas, also, levels, room, skip=not surveying)


def companion(loss: Loss) -> Callable[..., Any]:
    """Return what else of a point is summed: 1 if it is on the right side in classification, else its loss."""
    assert loss.scalar is not None, "a loss without a scalar form is summed by torch"
    return _right if loss.task == "classification" else _never_below_zero(loss.scalar)


def _right(p: float, y: float, *constants: float) -> float:
    return 1.0 if y * p > 0.0 else 0.0  # a prediction of exactly 0 decides nothing, and is wrong


@functools.cache
def _never_below_zero(scalar: Callable[..., Any]) -> Callable[..., Any]:
    def value(p: float, y: float, *constants: float) -> float:
        found = scalar(p, y, *constants)[0]
        return found if found > 0.0 else 0.0

    return value


def _run(
    points: DensePoints,
    loss: Loss,
    thetas: Tensor,
    alphas: Tensor | None,
    also: Callable[..., Any] | None,
    levels: Levels | None = None,
    room: int = 0,
    *,
    skip: bool,
) -> tuple[Tensor, Tensor, Kept]:
    assert loss.scalar is not None, "a loss without a scalar form is summed by torch"
    nothing = torch.full((len(thetas),), torch.inf, dtype=torch.float64)
    thetas, alphas = thetas.to(torch.float64), nothing if alphas is None else alphas.to(torch.float64)
    reach = loss.reach or (lambda alpha: -math.inf)
    reaches = torch.tensor([reach(alpha) for alpha in alphas.tolist()], dtype=torch.float64)
    cutoffs = _clearly_below(reaches) if skip else torch.full_like(reaches, -math.inf)
    floors = nothing
    if levels is not None:
        lows = levels.low if loss.log_form is not None else [reach(low) for low in levels.low.tolist()]
        floors = _clearly_below(torch.as_tensor(lows, dtype=torch.float64))
    out, beside, kept = torch.zeros_like(alphas), torch.zeros_like(alphas), Kept.empty(len(thetas), room)
    _kernel(loss.scalar, loss.log_form, also, None if levels is None else selection.sieve(*selection.keys(loss)))(
        points.columns.numpy(),
        points.target.numpy(),
        thetas.contiguous().numpy(),
        alphas.contiguous().numpy(),
        reaches.numpy(),
        cutoffs.numpy(),
        floors.numpy(),
        torch.linalg.vector_norm(thetas - points.reference, dim=1).numpy(),
        points.block_scores.numpy(),
        points.block_norms.numpy(),
        out.numpy(),
        beside.numpy(),
        *(levels or Levels.widest(0)),
        *kept,
        loss.constants,
    )
    return out, beside, kept


def _clearly_below(scores: Tensor) -> Tensor:
    """Return levels that a block is skipped at: a level is rounded, and infinity stays what it is."""
    return torch.where(torch.isfinite(scores), scores - 1e-12 * scores.abs(), scores)


def predict(columns: Tensor, theta: Tensor) -> Tensor:
    """Return θ·x_i for the columns x_i, shape (count,), in the same order of additions on any number of threads."""
    out = torch.empty(columns.shape[1], dtype=torch.float64)
    jit(add_rows)(columns.numpy(), theta.contiguous().numpy(), out.numpy())
    return out


def predictions(columns: Tensor, thetas: Tensor) -> Tensor:
    """Return θ·x_i for the columns x_i and each row of ``thetas``, shape (runs, count)."""
    out = torch.empty(len(thetas), columns.shape[1], dtype=torch.float64)
    jit(_predictions)(columns.numpy(), thetas.contiguous().numpy(), out.numpy())
    return out


def _predictions(columns: Any, thetas: Any, out: Any) -> None:
    dim, count = columns.shape
    block = np.empty((dim, BLOCK))
    for first in range(0, count, BLOCK):
        size = min(BLOCK, count - first)
        for k in range(dim):
            block[k, :size] = columns[k, first : first + size]
        for r in range(thetas.shape[0]):
            add_rows(block[:, :size], thetas[r], out[r, first : first + size])


def combine(columns: Tensor, weights: Tensor) -> Tensor:
    """Return Σ_i w_i x_i over the columns x_i, shape (dim,), likewise."""
    out = torch.empty(columns.shape[0], dtype=torch.float64)
    jit(_combine)(columns.numpy(), weights.contiguous().numpy(), out.numpy())
    return out


def _combine(columns: Any, weights: Any, out: Any) -> None:
    dim, count = columns.shape
    lanes = np.empty(16)  # sixteen sums side by side, which vectorise
    for k in range(dim):
        x = columns[k]
        lanes[:] = 0.0
        for first in range(0, count - 15, 16):
            for j in range(16):
                lanes[j] += weights[first + j] * x[first + j]
        total = 0.0
        for i in range(count - count % 16, count):
            total += weights[i] * x[i]
        for j in range(16):
            total += lanes[j]
        out[k] = total


@functools.cache
def _kernel(
    scalar: Callable[..., Any],
    log_form: Callable[..., Any] | None,
    also: Callable[..., Any] | None,
    sieve: Callable[..., None] | None,
) -> Callable[..., None]:
    """Compile the sums for a loss. Each point gives a term to add and a factor, whose logarithm is added too.

    A logarithm is dear, and the factors lie between 1 and 2: one logarithm of a block's product serves them all.
    What ``also`` gives is summed beside, and ``sieve`` keeps what lies between two levels.
    """
    if sieve is None:
        sifting = False

        def sift(*_: Any) -> None:
            pass
    else:
        sifting = True
        sift = sieve

    if also is None:
        surveying = False

        def more(p: float, y: float, *constants: float) -> float:
            return 0.0
    else:
        surveying = True
        more = also

    if log_form is None:
        logarithms = False

        def term(p: float, y: float, alpha: float, level: float, *constants: float) -> tuple[float, float]:
            excess = scalar(p, y, *constants)[0] - alpha
            return (excess if excess > 0.0 else 0.0), 1.0
    else:
        logarithms = True

        def term(p: float, y: float, alpha: float, level: float, *constants: float) -> tuple[float, float]:
            score, factor = log_form(p, y, *constants)
            excess = (score if score > 0.0 else 0.0) - alpha
            return (excess if score > level else 0.0), (factor if score > level else 1.0)

    def hinges(
        p: Any, y: Any, alpha: float, level: float, h: Any, f: Any, m: Any, constants: tuple[float, ...]
    ) -> tuple[float, float]:
        # What is summed beside has loops of its own: where the compiler shares a loss between the two, it no longer
        # makes one instruction of its last product and the subtraction of α, and the sum gets other bits.
        if y.shape[0] == BLOCK:
            for i in range(_LANES):  # four points at a time, which the processor works on side by side
                h0, f0 = term(p[i], y[i], alpha, level, *constants)
                h1, f1 = term(p[i + _LANES], y[i + _LANES], alpha, level, *constants)
                h2, f2 = term(p[i + 2 * _LANES], y[i + 2 * _LANES], alpha, level, *constants)
                h3, f3 = term(p[i + 3 * _LANES], y[i + 3 * _LANES], alpha, level, *constants)
                h[i] = (h0 + h1) + (h2 + h3)
                if logarithms:
                    f[i] = (f0 * f1) * (f2 * f3)
            if surveying:
                for i in range(_LANES):
                    m0 = more(p[i], y[i], *constants)
                    m1 = more(p[i + _LANES], y[i + _LANES], *constants)
                    m2 = more(p[i + 2 * _LANES], y[i + 2 * _LANES], *constants)
                    m3 = more(p[i + 3 * _LANES], y[i + 3 * _LANES], *constants)
                    m[i] = (m0 + m1) + (m2 + m3)
        else:
            h[:] = 0.0
            f[:] = 1.0
            m[:] = 0.0
            for i in range(y.shape[0]):
                h0, f0 = term(p[i], y[i], alpha, level, *constants)
                h[i % _LANES] += h0
                f[i % _LANES] *= f0
            if surveying:
                for i in range(y.shape[0]):
                    m[i % _LANES] += more(p[i], y[i], *constants)
        width = _LANES // 2
        while width >= 8:  # by halves: vectorised, and more accurate than one by one
            for i in range(width):
                h[i] += h[i + width]
                if logarithms:
                    f[i] *= f[i + width]
                if surveying:
                    m[i] += m[i + width]
            width //= 2
        total, product, others = 0.0, 1.0, 0.0
        for i in range(8):
            total += h[i]
            if logarithms:
                product *= f[i]
            if surveying:
                others += m[i]
        return (total + math.log(product) if logarithms else total), others

    def sums(  # type: ignore[no-untyped-def]
        columns, target, thetas, alphas, levels, cutoffs, floors, distances, scores, norms, out, beside,
        lows, highs, highest, above, between, kept, constants,
    ):  # fmt: skip
        dim, count = columns.shape
        block = np.empty((dim, BLOCK))
        p, spare = np.empty(BLOCK), np.empty(BLOCK)
        h, f, m = np.empty(_LANES), np.empty(_LANES), np.empty(_LANES)
        for b in range(scores.shape[0]):
            first = b * BLOCK
            size = min(BLOCK, count - first)
            loaded = False
            y = target[first : first + size]
            for r in range(thetas.shape[0]):
                most = scores[b] + norms[b] * distances[r]
                idle = most <= cutoffs[r]
                if idle and (not sifting or most < floors[r]):
                    continue
                if not loaded:
                    for k in range(dim):
                        block[k, :size] = columns[k, first : first + size]
                        block[k, size:] = 0.0
                    loaded = True
                add_rows(block, thetas[r], p)
                if not idle:
                    total, others = hinges(p, y, alphas[r], levels[r], h, f, m, constants)
                    out[r] += total
                    beside[r] += others
                if sifting and not most < floors[r]:
                    sift(p, y, spare, r, lows, highs, highest, above, between, kept, constants)

    return jit(sums)
