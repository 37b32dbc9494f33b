"""Comparisons of many numbers as the bits of one: how few are found among many without a look at each.

Python's forms say what is meant. The compiled ones are what a processor does in a handful of instructions.
"""

from __future__ import annotations

from typing import Any

WORD = 64  # numbers that are compared at once


def at_least(values: Any, first: int, level: float) -> int:
    """Return bits of which number k is set where values[first + k] ≥ level, for ``WORD`` values; NaN sets none."""
    return sum(1 << k for k in range(WORD) if values[first + k] >= level)


def more_than(values: Any, first: int, level: float) -> int:
    """Return the same for values[first + k] > level."""
    return sum(1 << k for k in range(WORD) if values[first + k] > level)


def lowest(bits: int) -> int:
    """Return the number of the lowest bit that is set; there must be one."""
    return (bits & -bits).bit_length() - 1


def ones(bits: int) -> int:
    """Return how many bits are set."""
    return bits.bit_count()


def _comparison(sign: str) -> Any:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def compare(typing_context: Any, values: Any, first: Any, level: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, args[0])
            start = context.cast(builder, args[1], signature.args[1], types.intp)
            place = cgutils.get_item_pointer(context, builder, signature.args[0], array, [start])
            many, zeros = ir.VectorType(ir.DoubleType(), WORD), ir.VectorType(ir.IntType(32), WORD)
            found = builder.load(builder.bitcast(place, many.as_pointer()), align=8)
            unset = ir.Constant(many, ir.Undefined)
            one = builder.insert_element(unset, args[2], ir.Constant(ir.IntType(32), 0))
            levels = builder.shuffle_vector(one, unset, ir.Constant(zeros, [0] * WORD))
            return builder.bitcast(builder.fcmp_ordered(sign, found, levels), ir.IntType(WORD))

        return types.int64(values, first, level), generate

    return compare


def _at_least_compiled() -> Any:
    return _comparison(">=")


def _more_than_compiled() -> Any:
    return _comparison(">")


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


def _ones_compiled() -> Any:
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def count_ones(typing_context: Any, bits: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(bits), generate

    return count_ones


at_least.compiled_form = _at_least_compiled  # type: ignore[attr-defined]
more_than.compiled_form = _more_than_compiled  # type: ignore[attr-defined]
lowest.compiled_form = _lowest_compiled  # type: ignore[attr-defined]
ones.compiled_form = _ones_compiled  # type: ignore[attr-defined]
