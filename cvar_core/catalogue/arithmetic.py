"""Elementary functions that a compiler can vectorise: no branches and no calls into libm.

The polynomials interpolate at Chebyshev nodes with an error below 5e-17, so that both functions are within a
few units in the last place, which the tests hold.
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

    @intrinsic  # type: ignore[untyped-decorator]
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
    e = 2.5110049204818658e-08
    e = e * r + 2.763265472252779e-07
    e = e * r + 2.755724088722987e-06
    e = e * r + 2.4801485441561313e-05
    e = e * r + 0.00019841269890076403
    e = e * r + 0.0013888888952352863
    e = e * r + 0.008333333333319589
    e = e * r + 0.04166666666648795
    e = e * r + 0.1666666666666668
    e = e * r + 0.5000000000000019
    e = e * r + 1.0
    e = e * r + 1.0
    return e * _halved(shifted)


def log1p_unit(u: float) -> float:
    """Return log(1 + u) for 0 ≤ u ≤ 1, as 2·artanh(u / (2 + u))."""
    w = u / (2.0 + u)
    q = w * w
    s = 0.08890868454125578
    s = s * q + 0.04940165120677236
    s = s * q + 0.06795697646290089
    s = s * q + 0.07681833404286738
    s = s * q + 0.090914301880452
    s = s * q + 0.11111095420420834
    s = s * q + 0.14285714556032425
    s = s * q + 0.19999999997641785
    s = s * q + 0.333333333333413
    s = s * q + 1.0
    return 2.0 * w * s
