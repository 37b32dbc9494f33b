"""Usable step sizes start by start: each start has its own range, and a method what its median start has."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from cvar_core import Problem, sweep
from cvar_core.results import Criterion, Forgiven, UsableRange, coverage
from cvar_core.results.certainty import order_statistic
from cvar_core.results.robustness import usable_range
from tests.results.making import QUIET, forgiven, judged, made

NAN = math.nan

gaps = st.one_of(st.floats(1e-6, 1e6), st.sampled_from([NAN, 0.0, -1e-12, 1e-300, 1e160, 10.0]))
grids = st.tuples(st.integers(1, 3), st.integers(1, 5), st.integers(1, 6)).flatmap(
    lambda shape: hnp.arrays(float, shape, elements=gaps)
)
widths = st.lists(st.one_of(st.none(), st.floats(0, 6)), min_size=1, max_size=25)


def wide(decades: float | None) -> UsableRange | None:
    return None if decades is None else UsableRange(1.0, 10.0**decades, False, False, False)


@given(finals=grids, starts=st.lists(st.floats(1e-3, 1e6), min_size=5, max_size=5))
def test_a_start_is_judged_by_nothing_but_its_own_runs(finals, starts):
    names, seeds, _ = finals.shape
    methods = ("sgm", "spl", "spl+")[:names]
    together = made(finals, starts[:seeds], methods=methods).judged()
    for m, method in enumerate(methods):
        for s in range(seeds):
            alone = made(finals[m : m + 1, s : s + 1], starts[s], methods=(method,)).judged()
            assert together.forgiven[method].starts[s] == alone.forgiven[method].starts[0]
            assert together.limits[s] == alone.limits[0]
            assert (together.iterations()[m, s] == alone.iterations()[0, 0]).all()
        assert (
            together.usable[m].tolist()
            == sum(
                made(finals[m : m + 1, s : s + 1], starts[s], methods=(method,)).judged().usable[0]
                for s in range(seeds)
            ).tolist()
        )


def test_each_start_has_to_close_its_own_gap():
    result = made([[[1000, 5, 1000], [1000, 5, 1000], [1000, 5, 1000]]], [100, 40, 1000])
    assert judged(result).limits.tolist() == pytest.approx([10, 4, 100])
    assert [each is None for each in forgiven(result).starts] == [False, True, False]
    assert judged(result).usable.tolist() == [[0, 2, 0]]
    widths = [each.decades for each in forgiven(result).starts if each is not None]
    assert widths[0] < widths[1], "of a start that is further off, more is usable"


def test_an_epsilon_given_outright_is_that_of_every_start():
    result = made([[[5, 1], [5, 1]]], [100, 10])
    assert judged(result, 2.0).limits.tolist() == [2, 2]
    assert judged(result, 2.0).usable.tolist() == [[0, 2]]


def test_a_range_does_not_depend_on_what_else_was_swept():
    problem = Problem.synthetic(**QUIET)
    lambdas = tuple(10 ** (k / 2) for k in range(-6, 7))
    whole = sweep(problem, lambdas=lambdas, iterations=1_000, seeds=4)
    for by in (Criterion("risk"), Criterion("objective")):
        starts = whole.judged(by).forgiven["spl"].starts
        assert any(each is not None for each in starts)
        few = sweep(problem, ["spl"], lambdas, 1_000, seeds=[3, 1]).judged(by)
        assert few.forgiven["spl"].starts == (starts[3], starts[1])
        for s, each in enumerate(starts):
            if each is None or each.open_low or each.open_high:
                continue
            near = [lam for lam in lambdas if each.low / 3.2 <= lam <= each.high * 3.2]
            assert len(near) < len(lambdas)
            cut = sweep(problem, ["spl"], near, 1_000, seeds=[s]).judged(by)
            assert cut.forgiven["spl"].starts == (each,), "the ends need no point but their neighbours"


@given(widths)
def test_decades_are_the_median_over_starts_where_most_have_any(given_widths):
    found = Forgiven(tuple(map(wide, given_widths)))
    numbers = sorted(0.0 if each is None else math.log10(10.0**each) for each in given_widths)
    if 2 * sum(each is not None for each in given_widths) <= len(given_widths):
        assert found.decades is None
        assert found.typical is None
    else:
        assert found.decades == pytest.approx(float(np.median(numbers)), abs=1e-12)
        assert found.decades_low - 1e-12 <= found.decades <= found.decades_high + 1e-12
    assert found.decades_low in [pytest.approx(each, abs=1e-12) for each in numbers]
    assert found.decades_high in [pytest.approx(each, abs=1e-12) for each in numbers]


@pytest.mark.parametrize(
    ("count", "first", "last"), [(1, 1, 1), (2, 1, 2), (5, 1, 5), (7, 1, 7), (8, 2, 7), (20, 6, 15)]
)
def test_the_interval_of_the_median_is_between_two_order_statistics(count, first, last):
    found = Forgiven(tuple(wide(k / 10) for k in np.random.default_rng(0).permutation(np.arange(1, count + 1))))
    assert found.decades_low == pytest.approx(first / 10)
    assert found.decades_high == pytest.approx(last / 10)


@pytest.mark.parametrize("count", range(1, 60))
def test_the_interval_holds_the_median_with_the_probability_of_coin_tosses(count):
    from scipy.stats import binom

    skipped = order_statistic(count)
    assert coverage(count) == pytest.approx(1 - 2 * binom.cdf(skipped, count, 0.5), abs=1e-12)
    if count >= 5:
        assert coverage(count) >= 0.9
        narrower = 1 - 2 * binom.cdf(skipped + 1, count, 0.5)
        assert narrower < 0.9, "a narrower one would not do"
    else:
        assert skipped == 0


def test_the_interval_covers_as_often_as_it_says():
    rng = np.random.default_rng(1)
    draws = rng.exponential(size=(4_000, 20))
    intervals = [Forgiven(tuple(map(wide, each))) for each in draws]
    held = np.mean([each.decades_low <= math.log(2) <= each.decades_high for each in intervals])
    assert held == pytest.approx(coverage(20), abs=0.015)


@given(hnp.arrays(float, st.integers(1, 8), elements=gaps), st.floats(1e-3, 1e3))
def test_a_range_is_the_stretch_around_the_best_lambda(final, epsilon):
    lambdas = [10.0**k for k in range(len(final))]
    found = usable_range(lambdas, final, epsilon)
    good = final <= epsilon
    if not good.any():
        assert found is None
        return
    best = lambdas[int(np.argmin(np.where(good, final, np.inf)))]
    inside = [lam in found for lam in lambdas]
    assert best in found
    first, last = inside.index(True), len(inside) - 1 - inside[::-1].index(True)
    assert all(inside[first : last + 1])
    assert all(good[first : last + 1])
    assert found.open_low == (first == 0)
    assert found.open_high == (last == len(final) - 1)
    assert first == 0 or (not good[first - 1] and lambdas[first - 1] <= found.low)
    assert last == len(final) - 1 or (not good[last + 1] and found.high <= lambdas[last + 1])
    assert found.holes == (good.sum() > last - first + 1)


@given(hnp.arrays(float, st.integers(1, 8), elements=gaps), st.floats(1e-3, 1e3), st.integers(-40, 40))
def test_a_range_does_not_depend_on_the_unit_by_a_bit(final, epsilon, power):
    lambdas = [10.0 ** (k / 2) for k in range(len(final))]
    final = np.where(np.abs(final) < 1e-200, 0.0, final)  # no unit makes them fewer digits
    assert usable_range(lambdas, 2.0**power * final, 2.0**power * epsilon) == usable_range(lambdas, final, epsilon)


def test_typical_ends_are_medians_and_open_where_they_may_be_cut():
    ranges = [UsableRange(1.0, 100.0, False, False, False), UsableRange(10.0, 1e3, False, True, False),
              UsableRange(0.1, 1e5, True, False, True)]  # fmt: skip
    found = Forgiven((*ranges, None))
    assert (found.typical.low, found.typical.high) == (1.0, 1e3)
    assert found.decades == pytest.approx(2.0)
    assert found.typical.open_high
    assert not found.typical.open_low, "the widest start may be wider still, and the median stays"
    assert not found.typical.holes
    halfway = Forgiven((ranges[0], ranges[2]))
    assert halfway.typical.low == pytest.approx(10**-0.5), "halfway in the logarithm"
