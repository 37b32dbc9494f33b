"""The inner products that every kernel is built on, for dense rows and for sparse ones."""

from __future__ import annotations

from typing import Any

LANES = 16  # runs are padded to a multiple of this, so that every run takes the same instructions
ALIKE = 32  # runs that torch computes alike: no processor has registers for more
AHEAD = 16  # non-zeros: so long before it is used a place in memory is asked for
FAR = 2_048  # columns, beyond which vectors side by side do not fit the second cache, and asking pays


def prefetch(columns: Any, k: int) -> None:
    """Ask for row k of ``columns`` to be brought near: it changes no number, only when it is there."""


def _prefetch_by_line() -> Any:
    """Return the compiled form of ``prefetch``: the processor's own instruction, for each line of the row."""
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def ask(typing_context: Any, columns: Any, k: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
            called = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
            instruction = cgutils.get_or_insert_function(builder.module, called, "llvm.prefetch.p0i8")
            array = context.make_array(signature.args[0])(context, builder, args[0])
            row = context.cast(builder, args[1], signature.args[1], types.intp)
            lanes = builder.extract_value(array.shape, 1)
            start, step = (context.get_constant(types.intp, each) for each in (0, 8))  # eight doubles are a line
            with cgutils.for_range_slice(builder, start, lanes, step) as (lane, _):
                place = cgutils.get_item_pointer(context, builder, signature.args[0], array, [row, lane])
                builder.call(instruction, [builder.bitcast(place, byte), word(0), word(3), word(1)])
            return context.get_dummy_value()

        return types.void(columns, k), generate

    return ask


prefetch.compiled_form = _prefetch_by_line  # type: ignore[attr-defined]


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


def weigh_squares(rows: Any, weights: Any, out: Any) -> None:
    """Put Σ_k weights[k]·rows[i, k]² into ``out``: (n, dim), (dim,) and (n,). Four sums side by side for each row."""
    n, dim = rows.shape
    fours = dim // 4 * 4
    for i in range(n):
        row = rows[i]
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for k in range(0, fours, 4):
            a += weights[k] * (row[k] * row[k])
            b += weights[k + 1] * (row[k + 1] * row[k + 1])
            c += weights[k + 2] * (row[k + 2] * row[k + 2])
            d += weights[k + 3] * (row[k + 3] * row[k + 3])
        for k in range(fours, dim):
            a += weights[k] * (row[k] * row[k])
        out[i] = (a + b) + (c + d)


def weigh_sparse_squares(indptr: Any, indices: Any, values: Any, index: Any, weights: Any, out: Any) -> None:
    """Put the same of the sparse rows number ``index`` into ``out``: index and out (n,)."""
    for t in range(index.shape[0]):
        total = 0.0
        for e in range(indptr[index[t]], indptr[index[t] + 1]):
            total += weights[indices[e]] * (values[e] * values[e])
        out[t] = total


def add_sparse(first: Any, last: Any, indices: Any, values: Any, columns: Any, out: Any) -> None:
    """Put Σ_e values[e]·columns[indices[e]] over first ≤ e < last into ``out``, for compilation into kernels.

    ``columns`` has shape (dim, lanes) and ``out`` shape (lanes,): one sparse row against many vectors that lie side
    by side. Four non-zeros at a time, whose places in memory are then fetched together.
    """
    lanes = out.shape[0]
    fours = first + (last - first) // 4 * 4
    far = columns.shape[0] > FAR
    for j in range(lanes):
        out[j] = 0.0
    for e in range(first, fours, 4):
        if far:
            for ahead in range(e + AHEAD, e + AHEAD + 4):
                prefetch(columns, indices[min(ahead, last - 1)])
        a, b, c, d = values[e], values[e + 1], values[e + 2], values[e + 3]
        p, q, r, s = columns[indices[e]], columns[indices[e + 1]], columns[indices[e + 2]], columns[indices[e + 3]]
        for j in range(lanes):
            out[j] += (a * p[j] + b * q[j]) + (c * r[j] + d * s[j])
    for e in range(fours, last):
        a = values[e]
        p = columns[indices[e]]
        for j in range(lanes):
            out[j] += a * p[j]
