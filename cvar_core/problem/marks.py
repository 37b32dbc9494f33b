"""Comparisons of many numbers as the bits of one: how few are found among many without a look at each.

Python's forms say what is meant. The compiled ones are what a processor does in a handful of instructions.
"""

from __future__ import annotations

from typing import Any

WORD = 64  # numbers that are compared at once


def marks(values: Any, first: int, low: float) -> int:
    """Return bits of which number k is set where values[first + k] ≥ low, for ``WORD`` values; NaN sets none."""
    return sum(1 << k for k in range(WORD) if values[first + k] >= low)


def lowest(bits: int) -> int:
    """Return the number of the lowest bit that is set; there must be one."""
    return (bits & -bits).bit_length() - 1


def _marks_compiled() -> Any:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def compare(typing_context: Any, values: Any, first: Any, low: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, args[0])
            start = context.cast(builder, args[1], signature.args[1], types.intp)
            place = cgutils.get_item_pointer(context, builder, signature.args[0], array, [start])
            many, zeros = ir.VectorType(ir.DoubleType(), WORD), ir.VectorType(ir.IntType(32), WORD)
            found = builder.load(builder.bitcast(place, many.as_pointer()), align=8)
            unset = ir.Constant(many, ir.Undefined)
            one = builder.insert_element(unset, args[2], ir.Constant(ir.IntType(32), 0))
            level = builder.shuffle_vector(one, unset, ir.Constant(zeros, [0] * WORD))
            return builder.bitcast(builder.fcmp_ordered(">=", found, level), ir.IntType(WORD))

        return types.int64(values, first, low), generate

    return compare


def _lowest_compiled() -> Any:
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def count_zeros(typing_context: Any, bits: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(bits), generate

    return count_zeros


marks.compiled_form = _marks_compiled  # type: ignore[attr-defined]
lowest.compiled_form = _lowest_compiled  # type: ignore[attr-defined]
