"""How sure is it: bounds on shares, paired differences, and what may be called safe."""

import gc
import math
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cvar_core.results import Comparison, finding, judgement
from cvar_core.results.certainty import mean_interval, median_interval, share_at_least
from tests.results.making import made

NAN = math.nan


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_bound_on_a_share_is_clopper_and_pearsons(pair):
    fine, count = pair
    bound = share_at_least(fine, count)
    assert 0 <= bound < 1
    if fine:
        assert stats.binom.sf(fine - 1, count, bound) == pytest.approx(0.05, rel=1e-6)


def test_twenty_nine_of_twenty_nine_are_the_least_that_show_ninety_percent():
    assert share_at_least(28, 28) < 0.9 <= share_at_least(29, 29)


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=30))
def test_a_mean_has_students_interval(values):
    low, high = mean_interval(values)
    spread = np.std(values, ddof=1)
    if spread > 1e-9:
        expected = stats.t.interval(0.9, len(values) - 1, np.mean(values), spread / math.sqrt(len(values)))
        assert (low, high) == pytest.approx(expected, abs=1e-9)
    else:
        assert low == pytest.approx(high, abs=1e-6)


def test_one_value_tells_nothing_of_a_mean():
    assert mean_interval([3.0]) == (-math.inf, math.inf)
    assert median_interval([3.0]) == (3.0, 3.0)


def test_methods_are_compared_start_by_start():
    wide, narrow = [1, 1, 1, 1000], [1, 1000, 1000, 1000]
    result = made([[wide, wide, narrow], [narrow, narrow, narrow]], methods=("spl", "sgm"))
    found = result.compare("spl", "sgm", epsilon=10)
    assert found.differences == pytest.approx((2.0, 2.0, 0.0))
    assert found.difference == pytest.approx(4 / 3)
    assert (found.agree, found.told_apart) == (2, False)
    assert (found.low, found.high) == pytest.approx(mean_interval([2.0, 2.0, 0.0]))
    back = result.compare("sgm", "spl", epsilon=10)
    assert (back.difference, back.low, back.high) == pytest.approx((-found.difference, -found.high, -found.low))


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=20))
def test_a_difference_is_claimed_only_where_its_interval_excludes_nought(differences):
    found = Comparison("spl", "sgm", "risk", tuple(differences))
    assert found.told_apart == (not found.low <= 0 <= found.high)


def test_what_cannot_be_told_apart_is_said():
    wide, narrow = [1000, 1, 1, 1, 1000], [1000, 1, 1000, 1000, 1000]
    methods = ("sgm", "spl", "spl+")
    clear = made([[narrow] * 5, [wide] * 5, [wide] * 5], methods=methods)
    assert finding(clear) == (
        "SPL forgives 2.7 decades of λ, SPL₊ 2.7, SGM 0.7, judged by the model's risk; "
        "SPL and SPL₊ cannot be told apart"
    )
    alike = made([[wide] * 5] * 3, methods=methods)
    assert finding(alike).endswith("; none of them can be told apart")
    four = made([[narrow] * 5, [wide] * 5, [wide] * 5, [wide] * 5], methods=(*methods, "spl-u"))
    assert finding(four).endswith("; SPL, SPL₊ and SPL-U (ours) cannot be told apart")
    chain = made([[narrow] * 3, [narrow, wide, wide], [wide] * 3], methods=methods)
    assert finding(chain).endswith("; neither SPL and SPL₊ nor SPL and SGM can be told apart")
    apart = made([[narrow] * 5, [[1000, 1, 1, 1000, 1000]] * 5, [wide] * 5], methods=methods)
    assert finding(apart).endswith("judged by the model's risk")


@pytest.mark.parametrize(
    ("gaps", "lam", "state"),
    [
        ([[1000, 1, 1, 1, 1000]] * 28, 100.0, "safe so far"),
        ([[1000, 1, 1, 1, 1000]] * 29, 100.0, "safe"),
        ([[1000, 1, 1, 1, 1000]] * 29 + [[1000, 1, 50, 1, 1000]], 100.0, "on the edge"),
        ([[1000, 1, 1, 9, 1000]] * 29, 1000.0, "on the edge"),  # the end is just above
        ([[1000, 1, 50, 1, 1000]] * 29, 100.0, "not safe"),
        ([[1, 1, 1, 1, NAN]] * 29, 1.0, "safe"),  # the grid begins there, which is no end
    ],
)
def test_safe_is_said_with_its_certainty(gaps, lam, state):
    verdict = made([gaps]).verdict("spl", lam, 10)
    assert verdict.state == state
    assert verdict.safe == (state in ("safe", "safe so far"))
    assert verdict.sure == (state == "safe")
    assert f"is {state} for SPL" in judgement(verdict)


def test_margins_have_the_interval_of_their_median():
    gaps = [[1000, 1, 1, 1, 1000]] * 2 + [[1000, 1, 1, 1, 1]] * 3
    verdict = made([gaps]).verdict("spl", 100.0, 10)
    assert verdict.above_interval == pytest.approx((4 / 3, 2.0))
    assert verdict.above == pytest.approx(2.0)
    assert verdict.below_interval == pytest.approx((verdict.below, verdict.below))


def test_every_end_and_every_best_has_its_interval():
    gaps = [[1000, 0.5, 1, 1, 1000], [1000, 1, 0.5, 1, 1000], [1000, 1, 1, 0.5, 1000], [1000, 1000, 1, 1, 1000]] * 2
    row = made([gaps]).robustness(10).iloc[0]
    assert (row["best_lambda_low"], row["best_lambda_high"]) == (10.0, 1000.0)
    assert row["low_lambda_low"] < row["low_lambda"] <= row["low_lambda_high"]
    hopeless = made([[[1000, 1000]] * 3]).robustness(10).iloc[0]
    assert hopeless["low_lambda_low"] is None or math.isnan(hopeless["low_lambda_low"])


def test_an_end_is_open_only_where_the_median_start_has_it_open():
    """One start that the grid cuts short must not hide that the ends of the others are near."""
    grid = tuple(10.0**k for k in range(6))
    short, near = [1, 1, 1, 1e6, 1e6, 1e6], [1e6, 9.99, 1, 1, 1, 1e6]
    result = made([[short] + [near] * 4], lambdas=grid)
    verdict = result.verdict("spl", 10.0)
    assert verdict.starts == 5
    assert (verdict.open_below, verdict.near, verdict.state) == (False, True, "on the edge")
    assert result.judged().forgiven["spl"].at_least, "its decades may still be more"


def test_a_difference_is_not_claimed_where_the_lesser_is_cut_short_by_the_grid():
    cut, whole = [1, 1, 1e6, 1e6, 1e6], [1e6, 1, 1, 1, 1e6]
    result = made([[cut] * 5, [whole] * 5], methods=("sgm", "spl"))
    found = result.compare("sgm", "spl")
    assert found.high < 0
    assert not found.told_apart
    assert not result.compare("spl", "sgm").told_apart
    assert "cannot be told apart" in finding(result)


def test_a_judged_result_is_freed_as_soon_as_nobody_has_it():
    result = made([[[1, 1, 1000]] * 3])
    finding(result)
    result.verdict("spl", 1.0)
    gone = weakref.ref(result)
    gc.disable()
    try:
        del result
        assert gone() is None
    finally:
        gc.enable()
