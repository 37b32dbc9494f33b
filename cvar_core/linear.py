"""The inner products that every kernel is built on, for dense rows and for sparse ones."""

from __future__ import annotations

from typing import Any

LANES = 16  # runs are padded to a multiple of this, so that every run takes the same instructions


def add_rows(rows: Any, weights: Any, out: Any) -> None:
    """Put Σ_k weights[k]·rows[k] into ``out``, for compilation into kernels.

    ``rows`` has shape (dim, n) and ``out`` shape (n,). Eight rows at a time, then two, then one: each pass reads
    and writes ``out`` once, and its loop along n becomes vector instructions. The order of the additions
    depends on dim alone.
    """
    dim, n = rows.shape
    eights = dim // 8 * 8
    pairs = dim // 2 * 2
    for i in range(n):
        out[i] = 0.0
    for k in range(0, eights, 8):
        a, b, c, d = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
        e, f, g, h = weights[k + 4], weights[k + 5], weights[k + 6], weights[k + 7]
        for i in range(n):
            low = a * rows[k, i] + b * rows[k + 1, i] + c * rows[k + 2, i] + d * rows[k + 3, i]
            out[i] += low + (e * rows[k + 4, i] + f * rows[k + 5, i] + g * rows[k + 6, i] + h * rows[k + 7, i])
    for k in range(eights, pairs, 2):
        a, b = weights[k], weights[k + 1]
        for i in range(n):
            out[i] += a * rows[k, i] + b * rows[k + 1, i]
    for k in range(pairs, dim):
        a = weights[k]
        for i in range(n):
            out[i] += a * rows[k, i]


def add_sparse(first: Any, last: Any, indices: Any, values: Any, columns: Any, out: Any) -> None:
    """Put Σ_e values[e]·columns[indices[e]] over first ≤ e < last into ``out``, for compilation into kernels.

    ``columns`` has shape (dim, lanes) and ``out`` shape (lanes,): one sparse row against many vectors that lie side
    by side. Four non-zeros at a time, whose places in memory are then fetched together.
    """
    lanes = out.shape[0]
    fours = first + (last - first) // 4 * 4
    for j in range(lanes):
        out[j] = 0.0
    for e in range(first, fours, 4):
        a, b, c, d = values[e], values[e + 1], values[e + 2], values[e + 3]
        p, q, r, s = columns[indices[e]], columns[indices[e + 1]], columns[indices[e + 2]], columns[indices[e + 3]]
        for j in range(lanes):
            out[j] += (a * p[j] + b * q[j]) + (c * r[j] + d * s[j])
    for e in range(fours, last):
        a = values[e]
        p = columns[indices[e]]
        for j in range(lanes):
            out[j] += a * p[j]
