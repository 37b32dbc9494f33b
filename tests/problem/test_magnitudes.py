"""Numbers of any size: an answer that is right, or a sentence; never a traceback, a warning or a wrong certificate."""

import functools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cvar_core import Problem, SpecError, check, sweep

RNG = np.random.default_rng(0)
X = RNG.standard_normal((30, 2))
Y = X @ [1.0, -2.0] + RNG.standard_normal(30)
powers = st.integers(-320, 308)


@functools.cache
def least(loss: str) -> float:
    return Problem.from_arrays(X, Y, loss, 0.5).optimum().value


@pytest.mark.filterwarnings("error")
@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.tuples(powers, powers), powers, st.sampled_from(["squared", "absolute"]))
@example((300, 300), 0, "squared")
@example((-300, -300), 0, "absolute")
@example((17, 17), 150, "squared")  # a line search goes where losses overflow
@example((-140, -77), 59, "absolute")  # where a bound was lost in rounding
@example((-100, -100), 150, "absolute")
@example((105, 105), -112, "absolute")
@example((0, 0), 308, "absolute")
@example((-323, 0), -323, "squared")
def test_f_star_has_no_unit_or_a_sentence_says_why(columns, target, loss):
    """F* does not depend on the unit of a feature, and goes with that of the target."""
    with np.errstate(over="ignore"):
        x, y = X * 10.0 ** np.array(columns, dtype=float), Y * 10.0**target
    if not np.isfinite(x).all() or not np.isfinite(y).all():
        return
    try:
        best = Problem.from_arrays(x, y, loss, 0.5).optimum()
    except SpecError:
        return
    expected = least(loss) * (10.0**target) ** (2 if loss == "squared" else 1)
    assert np.isfinite(best.value)
    if best.gap is not None and expected > 1e-290:  # below this losses have few digits
        assert abs(best.value - expected) <= best.gap + 1e-8 * expected


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("factor", "target"),
    [(1.0, 1e17 + 16 * np.arange(30)), (1.0, 1.7e18 + 1e9 * np.arange(30)), (1e140, Y), (1e-140, Y), (1.0, 0 * Y)],
    ids=["1e17 + k", "nanoseconds", "large", "small", "zero"],
)
def test_a_sweep_and_a_verdict_on_odd_numbers(factor, target):
    problem = Problem.from_arrays(X * factor, target, beta=0.5)
    asked = {"iterations": 50, "seeds": 2, "workers": 1, "checkpoints": 3}
    result = sweep(problem, ("sgm", "spl+", "spl-u"), (1e-3, 1.0, 1e3), **asked)
    assert not result.robustness().empty
    assert check(problem, 1.0, "spl+", **asked).state in (
        "safe",
        "safe so far",
        "on the edge",
        "not safe",
        "no verdict",
    )


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (
            [1.0, 1e300],
            r"column 2 of X has values up to 1\.96e\+300, too large to compute with beside targets up to \d",
        ),
        (
            [1e-300, 1.0],
            r"column 1 of X has no value beyond 2\.\d+e-300, too small to compute with beside targets up to",
        ),
    ],
)
def test_the_sentence_names_the_column_and_what_helps(scale, words, sparse):
    x = X * scale
    with pytest.raises(SpecError, match=rf"^{words}.*; standardise the features"):
        Problem.from_arrays(sp.csr_array(x) if sparse else x, Y)


def test_a_column_of_zeros_and_targets_of_zero_are_no_trouble():
    assert Problem.from_arrays(X * [0.0, 1.0], Y).optimum().gap is not None
    assert Problem.from_arrays(X, 0 * Y).optimum().value == 0
