"""The one inner product that every kernel is built on."""

from __future__ import annotations

from typing import Any


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
