"""Claims about what charts say of themselves: a finding that the numbers bear, in a line."""

import math

import pytest

from cvar_core.figures.chart_titles import ends_title, usable_title
from tests.figures.results import gently, made


@pytest.mark.parametrize(
    ("ends", "where", "title"),
    [
        ({"sgm": 4.4, "spl": 0.2, "spl+": 0.3}, "", "At its best λ SPL ends 22 times lower than SGM"),
        ({"sgm": 4.4, "spl": 0.2}, "at λ = 1", "At λ = 1 SPL ends 22 times lower than SGM"),
        ({"sgm": 0.21, "spl": 0.2, "spl+": 0.22}, "", "At their best λ all methods end about alike"),
        ({"sgm": 0.21, "spl": 0.2}, "at λ = 1", "At λ = 1 SPL and SGM end about alike"),
        (
            {"sgm": math.inf, "spl": 0.2, "spl+": 1},
            "at λ = 9",
            "At λ = 9 SPL ends 5 times lower than SPL₊, SGM diverges",
        ),
        ({"sgm": 1e153, "spl": 0.2}, "at λ = 9", "At λ = 9 SPL ends 500 times below the start, SGM diverges"),
        ({"sgm": math.inf, "spl": math.inf}, "at λ = 9", "At λ = 9 SGM and SPL diverge"),
        ({"sgm": 250.0}, "", "At its best λ SGM ends at 250"),
        ({"sgm": 0.0, "spl": 3.0}, "", "At its best λ SGM ends at the optimum"),
        ({"sgm": 90.0, "spl": 0.0000123}, "", "At its best λ SPL ends 10⁷ times lower than SGM"),
    ],
)
def test_how_far_apart_the_methods_end(ends, where, title):
    assert ends_title(ends, where, 100.0) == title


def test_over_how_many_decades_each_is_usable():
    gaps = gently()
    assert usable_title(made(gaps).judged()) == "SGM is usable over ≥ 4.0 decades of λ, SPL over ≥ 4.0, SPL₊ over ≥ 4.0"
    gaps[0, :, 1:] = 90
    gaps[2, :, 1:, 3:] = math.nan
    assert usable_title(made(gaps).judged()) == "SPL is usable over ≥ 4.0 decades of λ, SPL₊ over ≥ 2.0, SGM nowhere"
    gaps[:, :, 1:] = 90
    assert usable_title(made(gaps).judged()) == "No λ of this grid is usable"
    assert usable_title(made(gaps, recorded=3).judged()) == "No λ of this grid is usable yet"
    alone = gently(lambdas=1)
    alone[0, :, 1:] = 90
    assert usable_title(made(alone).judged()) == "λ = 0.001 is usable for SPL and SPL₊"
