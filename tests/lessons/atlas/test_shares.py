"""Claims about the atlas's answers: each is what counting by hand gives, and an origin is resampled as a whole."""

import itertools

import numpy as np
import pytest

from cvar_core.lessons.atlas import HELD_OUT, LAMBDAS, METHODS, SOLVED, View, record
from cvar_core.results import OBJECTIVE, RISK
from tests.lessons.atlas.toy import SHAPE, at, at_random, entry, toy


def test_a_share_is_a_count_over_the_problems_that_have_a_verdict():
    atlas = at_random(12, 4, unjudged=(3, 7))
    view = View(atlas)
    assert [each.name for each in view.without_verdict] == ["problem 3", "problem 7"]
    judged = [k for k in range(12) if k not in (3, 7)]
    assert len(view) == len(judged)
    for m, name in enumerate(METHODS):
        for k in range(len(LAMBDAS)):
            safe = sum(atlas.states[p, 0, m, k] >= 3 for p in judged)
            assert view.shares(name).share[k] == pytest.approx(safe / len(judged))
    assert len(View(atlas, OBJECTIVE)) == 12


def test_the_single_lambda_is_safe_most_often_and_in_the_middle_of_those_that_are():
    three = (0.1, LAMBDAS[LAMBDAS.index(0.1) + 1], 1.0)
    atlas = toy([entry("a"), entry("b")], [at("spl", *three, 100.0), at("spl", *three)])
    assert View(atlas).shares("spl").lam == three[1]
    assert View(atlas).count("spl") == 2
    assert View(atlas).failures("spl") == ()


def test_the_single_lambda_is_never_chosen_on_what_is_held_out():
    entries = [entry("a"), entry("b", role=HELD_OUT), entry("c", role=HELD_OUT)]
    atlas = toy(entries, [at("spl", 1.0), at("spl", 10.0), at("spl", 10.0)])
    everything, held = View(atlas), View(atlas).only(HELD_OUT)
    assert everything.shares("spl").lam == 1.0
    assert [each.name for each in held.entries] == ["b", "c"]
    assert held.shares("spl").lam == 1.0, "a view of nothing else has it from the rest of the atlas"
    assert held.count("spl") == everything.count("spl", HELD_OUT) == 0
    assert everything.count("spl", "seen") == everything.count("spl") == 1
    assert [each.name for each in everything.failures("spl")] == ["b", "c"]
    alone = toy(entries[1:], [at("spl", 10.0), at("spl", 10.0)])
    assert View(alone).shares("spl").lam == 10.0, "there is nothing else"


def test_the_interval_is_that_of_all_ways_to_resample_whole_origins():
    sizes, origins = (1, 2, 2, 5), "abcd"
    entries = [entry(f"{o}{k}", o) for o, size in zip(origins, sizes, strict=True) for k in range(size)]
    values = np.random.default_rng(1).integers(0, 2, len(entries)).astype(float)
    of = {o: [v for e, v in zip(entries, values, strict=True) if e.origin == o] for o in origins}
    drawn = itertools.product(origins, repeat=4)  # each as likely as any other
    means = np.array([np.mean([v for o in each for v in of[o]]) for each in drawn])
    low, high = (float(end[0]) for end in View(toy(entries, np.zeros(SHAPE))).interval(values[:, None]))
    for end, level in ((low, 0.025), (high, 0.975)):
        below, reached = (means < end - 1e-12).mean(), (means <= end + 1e-12).mean()
        assert below - 0.01 <= level <= reached + 0.01


def test_variants_of_the_same_data_make_no_interval_narrower():
    safe = np.random.default_rng(2).random((8, *SHAPE)) < 0.5
    once = toy([entry(f"{k}", f"origin {k}") for k in range(8)], safe)
    copied = toy([entry(f"{k}, {c}", f"origin {k}") for k in range(8) for c in range(3)], safe.repeat(3, axis=0))
    as_if = toy([entry(f"{k}, {c}", f"origin {k} {c}") for k in range(8) for c in range(3)], safe.repeat(3, axis=0))
    first, same, narrow = (View(each).shares("spl") for each in (once, copied, as_if))
    np.testing.assert_allclose(same.low, first.low)
    np.testing.assert_allclose(same.high, first.high)
    assert (narrow.high - narrow.low).mean() < 0.8 * (first.high - first.low).mean()


def test_an_interval_holds_its_share():
    shares = View(at_random(30, 9)).shares("sgm")
    assert (shares.low <= shares.share).all()
    assert (shares.share <= shares.high).all()
    assert shares.low.min() >= 0
    assert shares.high.max() <= 1


def test_the_best_method_is_behind_by_a_factor_of_one():
    view = View(at_random(20, 5))
    own, single = view.behind(False), view.behind(True)
    assert (own >= 1).all()
    assert (own.min(axis=1) == 1).all()
    assert (single >= own).all()
    left = np.maximum(view.left, SOLVED)
    m = METHODS.index("spl")
    assert single[:, m] == pytest.approx(left[:, m, view.shares("spl").best] / left.min(axis=(1, 2)))


def test_methods_that_leave_next_to_nothing_are_level():
    left = np.full((1, *SHAPE), 0.5)
    left[0, :2, 12] = SOLVED / 10, SOLVED / 1_000
    behind = View(toy([entry("a")], np.zeros(SHAPE), left)).behind(False)[0]
    assert behind.tolist() == [1, 1, *[500] * (len(METHODS) - 2)]


@pytest.mark.parametrize("single", [False, True])
def test_a_profile_counts_the_problems_within_each_factor(single):
    view = View(at_random(25, 5))
    for m, name in enumerate(METHODS):
        behind = view.behind(single)[:, m]
        factors, shares = view.profile(name, single)
        assert (np.diff(factors) > 0).all()
        assert (np.diff(shares) > 0).all()
        assert shares.tolist() == [np.mean([each <= factor for each in behind]) for factor in factors]
        assert shares[-1] == np.isfinite(behind).mean()
    assert any(view.profile(name, False)[0][0] == 1 for name in METHODS)


def test_a_difference_is_taken_problem_by_problem():
    view = View(at_random(20, 6))
    apart, low, high = view.further("spl", "sgm")
    assert apart == pytest.approx((view.count("spl") - view.count("sgm")) / len(view))
    assert low <= apart <= high
    assert view.further("sgm", "spl") == pytest.approx((-apart, -high, -low))
    assert view.further("spl", "spl") == (0, 0, 0)
    other = view.safe[:, METHODS.index("sgm"), view.shares("sgm").best]
    paired = view.interval((view.safe[:, METHODS.index("spl"), view.shares("spl").best] - 1.0 * other)[:, None])
    assert (low, high) == pytest.approx([float(end[0]) for end in paired])


@pytest.mark.parametrize("measure", [RISK, OBJECTIVE])
def test_the_record_is_that_of_the_single_lambda_on_all_problems_and_on_those_held_out(measure):
    atlas = at_random(14, 5)
    found, view = record(atlas, "spl-u", measure), View(atlas, measure)
    shares, held = view.shares("spl-u"), view.only(HELD_OUT)
    assert (found.lam, found.safe, found.problems) == (shares.lam, view.count("spl-u"), 14)
    assert (found.held_out_safe, found.held_out) == (held.count("spl-u"), 1)
    assert (found.low, found.high) == (held.shares("spl-u").low[shares.best], held.shares("spl-u").high[shares.best])
    assert len(found.failures) == 14 - found.safe
    without = toy([entry("a"), entry("b")], [at("spl", 1.0), at("sgm", 1.0)])
    assert (record(without, "spl").low, record(without, "spl").high) == (0, 1), "of all, where none is held out"
