"""Elementary functions that a compiler can vectorise: no branches and no calls into libm.

Both are within a few units in the last place of the correctly rounded value, which the tests hold.
"""

from __future__ import annotations

import math
from typing import Any

_LOG2_E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01  # its product with any exponent of a double is exact
_LN2_LOW = 1.90821492927058770002e-10
_LARGEST = 708.0  # e^-708 is still a normal number
_ROUNDER = 1.5 * 2.0**52  # a double of this size has no fraction: adding it rounds to a whole number


def _halved(shifted: float) -> float:
    """Return 2^-k for shifted = _ROUNDER + k."""
    return math.ldexp(1.0, -int(shifted - _ROUNDER))


def _halved_by_bits() -> Any:
    """Return the compiled form of ``_halved``: k stands in the last bits of ``shifted``."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def from_bits(typing_context: Any, shifted: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            exponent = builder.shl(builder.bitcast(args[0], word), ir.Constant(word, 52))
            return builder.bitcast(builder.sub(ir.Constant(word, 1023 << 52), exponent), ir.DoubleType())

        return types.float64(types.float64), generate

    return from_bits


_halved.compiled_form = _halved_by_bits  # type: ignore[attr-defined]


def exp_minus(a: float) -> float:
    """Return e^-a for a ≥ 0, and e^-708 beyond 708."""
    a = a if a < _LARGEST else _LARGEST
    shifted = a * _LOG2_E + _ROUNDER
    k = shifted - _ROUNDER
    r = k * _LN2_HIGH - a + k * _LN2_LOW  # |r| ≤ ln(2)/2, and e^-a = 2^-k e^r
    e = 1 / 6227020800
    e = e * r + 1 / 479001600
    e = e * r + 1 / 39916800
    e = e * r + 1 / 3628800
    e = e * r + 1 / 362880
    e = e * r + 1 / 40320
    e = e * r + 1 / 5040
    e = e * r + 1 / 720
    e = e * r + 1 / 120
    e = e * r + 1 / 24
    e = e * r + 1 / 6
    e = e * r + 1 / 2
    e = e * r + 1.0
    e = e * r + 1.0
    return e * _halved(shifted)


def log1p_unit(u: float) -> float:
    """Return log(1 + u) for 0 ≤ u ≤ 1, by the series of 2·artanh(u / (2 + u))."""
    w = u / (2.0 + u)
    q = w * w
    s = 1 / 33
    s = s * q + 1 / 31
    s = s * q + 1 / 29
    s = s * q + 1 / 27
    s = s * q + 1 / 25
    s = s * q + 1 / 23
    s = s * q + 1 / 21
    s = s * q + 1 / 19
    s = s * q + 1 / 17
    s = s * q + 1 / 15
    s = s * q + 1 / 13
    s = s * q + 1 / 11
    s = s * q + 1 / 9
    s = s * q + 1 / 7
    s = s * q + 1 / 5
    s = s * q + 1 / 3
    s = s * q + 1.0
    return 2.0 * w * s
