"""Any λ of the grid's span can be judged, start by start, and the judgement agrees with the usable ranges."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cvar_core import Result
from cvar_core.results import (
    EDGE,
    NOT_SAFE,
    NOT_YET,
    SO_FAR,
    UsableRange,
    Verdict,
    advice,
    finding,
    how_near,
    judgement,
    margin,
)
from tests.results.making import forgiven, judged
from tests.results.making import made as made_of_methods

NAN = math.nan


def made(finals, recorded=2, **given) -> Result:
    """A result of SPL that starts at gaps of 100 and ends at ``finals``, shape (seeds, lambdas), λ = 1, 10, …"""
    return made_of_methods([finals], recorded=recorded, **given)


def stretches(result: Result, epsilon: float) -> list[UsableRange]:
    """Every usable stretch of the only start, found from each point of the grid by itself."""
    verdicts = [result.verdict("spl", lam, epsilon) for lam in result.spec.lambdas]
    return [one.range for one in verdicts if one.starts]


finals = st.one_of(st.floats(1e-6, 1e6), st.sampled_from([NAN, 0.0, -1e-12, 1e-300, 1e160, 1.7e308, 10.0]))


@given(
    gaps=st.integers(1, 4).flatmap(
        lambda seeds: st.lists(st.lists(finals, min_size=seeds, max_size=seeds), min_size=2, max_size=6)
    ),
    where=st.lists(st.floats(0, 1), min_size=1, max_size=5),
)
def test_a_lambda_is_usable_for_a_start_exactly_if_it_lies_in_one_of_its_stretches(gaps, where):
    gaps, epsilon = np.array(gaps).T, 10.0
    result = made(gaps)
    alone = [made(each[None]) for each in gaps]
    usable = [stretches(each, epsilon) for each in alone]
    ends = [end for one in usable for stretch in one for end in (stretch.low, stretch.high)]
    top = math.log10(result.spec.lambdas[-1])
    lams = [10 ** (share * top) for share in where] + ends
    lams += [end * nudge for end in ends for nudge in (1 - 1e-6, 1 + 1e-6)]
    for lam in lams:
        if not 1 <= lam <= result.spec.lambdas[-1]:
            continue
        verdict = result.verdict("spl", lam, epsilon)
        single = [each.verdict("spl", lam, epsilon) for each in alone]
        assert verdict.lam == pytest.approx(lam, rel=1e-9)  # the grid's own, where it is that up to rounding
        assert [each.unanimous for each in single] == [any(verdict.lam in stretch for stretch in one) for one in usable]
        assert verdict.starts == sum(each.unanimous for each in single)
        assert verdict.unanimous == (verdict.starts == verdict.seeds == len(gaps))
        assert verdict.safe == (verdict.unanimous and not verdict.near)
        assert not verdict.sure, "five starts are too few"
        for each, one in zip(single, usable, strict=True):
            if each.unanimous:
                assert each.range in one
                assert each.diverged == 0
                assert each.gap <= epsilon * (1 + 1e-9)
                assert each.below >= 0 <= each.above
            elif not each.diverged:
                assert each.gap >= epsilon * (1 - 1e-9)
        if verdict.unanimous:
            assert verdict.diverged == 0
            assert verdict.below >= 0 <= verdict.above
        assert judgement(verdict)
        words = "safe so far" if verdict.safe else "on the edge" if verdict.starts else "not safe"
        assert margin(verdict).startswith(words)
        assert f"is {words} for SPL by the model's risk" in judgement(verdict)


def test_a_lambda_is_safe_only_if_it_is_for_every_start():
    result = made([[1000, 1, 1, 1000], [1000, 1, 50, 1000], [1000, 1, 1, 1000]])
    verdicts = [result.verdict("spl", lam, 10) for lam in result.spec.lambdas]
    assert [(each.starts, each.seeds) for each in verdicts] == [(0, 3), (3, 3), (2, 3), (0, 3)]
    assert [each.safe for each in verdicts] == [False, True, False, False]


def test_margins_are_those_of_the_median_start():
    result = made([[1000, 1, 1000, 1000, 1000], [1000, 1, 1, 1000, 1000], [1000, 1, 1, 1, 1000]])
    verdict = result.verdict("spl", 10.0, 10)
    assert verdict.range == forgiven(result, 10).typical
    assert verdict.below == pytest.approx(1 / 3)
    assert verdict.above == pytest.approx(4 / 3)


def test_of_each_start_the_stretch_counts_that_lambda_lies_in():
    split = [0.1, 1000, 1, 1, 1000]  # best at 1, and usable around 100 too
    result = made([split, split, [1000, 1000, 1, 1, 1000]])
    verdict = result.verdict("spl", 300.0, 10)
    assert verdict.safe
    assert verdict.range.low == pytest.approx(10 ** (1 + 2 / 3))
    assert forgiven(result, 10).typical.low == 1.0, "the best λ of most lies elsewhere"


def test_the_share_that_is_left_is_each_starts_own():
    result = made([[5.0], [5.0], [5.0]], starts=[10, 40, 1000])
    verdict = result.verdict("spl", 1.0)
    assert verdict.left == pytest.approx(0.125)
    assert verdict.starts == 1
    assert verdict.gap == 5.0
    assert verdict.epsilon == pytest.approx(4.0)
    grown = made([[500.0], [NAN], [200.0]]).verdict("spl", 1.0)
    assert grown.left == pytest.approx(5)
    assert made([[NAN], [NAN], [1.0]]).verdict("spl", 1.0).left == math.inf


def test_between_two_points_each_start_is_read_on_its_line_in_log_log():
    result = made([[1000, 1, 0.1, 1, 1000]])
    verdict = result.verdict("spl", 10**0.5, 10)
    assert verdict.gap == pytest.approx(1000**0.5)
    assert verdict.between == (1.0, 10.0)
    assert not verdict.safe
    assert result.verdict("spl", 10**0.67, 10).unanimous
    assert not result.verdict("spl", 10**0.66, 10).unanimous
    crossing = made([[1000, 0.1, 1], [0.1, 1000, 1], [1000, 0.1, 1]])
    verdict = crossing.verdict("spl", 10**0.5, 20)
    assert verdict.starts == 3, "each lies on its own line"
    assert verdict.gap == pytest.approx(10)


def test_the_words_tell_where_a_lambda_that_was_not_run_is_read():
    result = made([[1, 0.1, 1, 1000]])
    assert judgement(result.verdict("spl", 3, 10)) == (
        "λ = 3 is safe so far for SPL by the model's risk: 1 of 1 start, which shows at least 5% of all, "
        "margin ≥ 0.5 decades below and 1.9 above"
        " (median excess risk of the model 0.333 ≤ ε = 10, read between λ = 1 and 10)."
    )
    assert judgement(result.verdict("spl", 500, 10, measure="objective")) == (
        "λ = 500 is not safe for SPL by the objective: usable for 0 of 1 start, it ends 1.25 × as far off as it "
        "began: median suboptimality 125 > ε = 10, read between λ = 100 and 1000; usable: 1 to 215, best 10."
    )
    assert "between" not in judgement(result.verdict("spl", 10, 10))


@pytest.mark.parametrize("factor", [1.0, 1 - 1e-10, 1 + 1e-10])
def test_a_lambda_of_the_grid_up_to_rounding_is_that_of_the_grid(factor):
    result = made([[1000, 1, 0.1, NAN], [1000, 1, 0.1, 2]])
    for lam in result.spec.lambdas:
        verdict = result.verdict("spl", lam * factor, 10)
        assert verdict == result.verdict("spl", lam, 10)
        assert verdict.between is None


def test_beside_a_point_at_which_a_start_diverged_nothing_is_safe():
    result = made([[1, 1, 1], [1, 1, NAN], [1, 1, 1]])
    verdict = result.verdict("spl", 10.1, 10)
    assert not verdict.safe
    assert (verdict.starts, verdict.diverged) == (2, 1)
    assert margin(verdict) == "on the edge: usable for 2 of 3 starts"
    assert "usable for 2 of 3 starts, 1 of 3 diverged beside it, read between λ = 10 and 100" in judgement(verdict)
    alone = made([[1, 1, NAN]]).verdict("spl", 10.1, 10)
    assert alone.range.high == 10
    assert margin(alone) == "not safe: the run diverged beside it"


def test_a_lambda_in_another_stretch_than_the_best_has_that_one():
    result = made([[0.1, 1000, 1, 1, 1000]])
    verdict = result.verdict("spl", 300, 10)
    assert verdict.safe
    assert verdict.range.low > 10
    assert verdict.range.holes
    hole = result.verdict("spl", 10**1.1, 10)
    assert not hole.safe
    assert hole.range.low == 1.0, "of a λ in no stretch, the margins are those to the best λ's"


def test_rounding_below_no_gap_at_all_moves_no_end():
    ends = {forgiven(made([[1000, gap, 1000]]), 10).typical.high for gap in (1e-9, 1e-17, 0.0, -1e-17)}
    assert len(ends) == 1


@pytest.mark.parametrize(
    ("finals", "lam", "words"),
    [
        ([[1000, 1, 0.1, 1, 1000]], 100, "safe so far: 1 of 1 start, margin 1.3 decades below and 1.3 above"),
        (
            [[1, 1, 0.1, 1, 1]] * 2,
            10,
            "safe so far: 2 of 2 starts, margin ≥ 1.0 decades below and ≥ 3.0 above",
        ),
        ([[1, NAN], [1, NAN], [1, 5]], 10, "on the edge: usable for 1 of 3 starts"),
        ([[1, NAN], [1, NAN], [1, 50]], 10, "not safe: 2 of 3 starts diverged"),
        ([[1, NAN]], 10, "not safe: the run diverged"),
        ([[1, 23]], 10, "not safe: stalls 2.3 × above ε"),
        ([[1, 10.1]], 10, "not safe: misses ε by 1%"),
        ([[1, 10.001]], 10, "not safe: misses ε by 0.01%"),
        ([[1, 23], [1, 30], [1, 12]], 10, "not safe for any of 3 starts: stalls 2.3 × above ε"),
        ([[1, 450]], 10, "not safe: ends 4.5 × as far off as it began"),
        ([[1, 1e160]], 10, "not safe: diverges"),
    ],
)
def test_a_margin_is_a_few_words(finals, lam, words):
    assert margin(made(finals).verdict("spl", lam, 10)) == words


@pytest.mark.parametrize(
    ("best", "words"),
    [(0.05, "stalls 1,200 × above SPL"), (1e-9, "stalls far above SPL"), (40, "stalls 6 × above ε")],
)
def test_what_stalls_is_held_against_the_method_that_comes_nearest(best, words):
    result = made_of_methods([[[60, 90]], [[best, 99]], [[70, 80]]], methods=("sgm", "spl", "spl+"))
    assert how_near(result.verdict("sgm", 1, 10)) == words
    assert how_near(result.verdict("spl+", 1, 10)) == words.replace("1,200", "1,400").replace("6", "7")
    assert "above ε" in how_near(result.verdict("spl", 10, 10)) or best > 1, "which is its own best"


def running(finals) -> Result:
    """The same, one update into a hundred."""
    ended = made([finals])
    spec = dataclasses.replace(ended.spec, iterations=100, checkpoints=3)
    risks = np.full((1, 1, len(spec.checkpoint_iterations), len(finals)), NAN)
    risks[:, :, :2] = ended.risks
    return Result(spec, ended.optimum, risks + 1, np.array([[2]]), {"risk": risks})


def test_what_is_not_usable_yet_is_not_unsafe_while_the_runs_go_on():
    result = running([1, 15, 60, 1e9, NAN])
    verdicts = [result.verdict("spl", lam) for lam in result.spec.lambdas]
    assert [each.state for each in verdicts] == [SO_FAR, NOT_YET, NOT_YET, NOT_YET, NOT_SAFE]
    assert [margin(each) for each in verdicts[1:]] == [
        "not yet: misses ε by 50%",
        "not yet: has closed 40% of the gap",
        "not yet: is far above its start so far",
        "not safe: the run diverged",
    ]
    assert finding(running([60, 70])).startswith("No λ of this grid is usable for SPL yet, judged")


def test_advice_names_what_is_usable():
    result = made([[1000, 1, 0.1, 1, 1000]])
    assert advice(result.verdict("spl", 1, 10)) == "usable: 4.64 to 2154, best 100"
    assert advice(result.verdict("spl", 1, 1e-3)) == "no λ of the grid is usable"


@pytest.mark.parametrize("recorded", [0, 1])
@pytest.mark.parametrize("lam", [1.0, 3.0])
def test_before_the_runs_have_moved_nothing_is_known(recorded, lam):
    result = made([[1, 1], [1, 1]], recorded)
    verdict = result.verdict("spl", lam)
    assert not verdict.safe
    assert margin(verdict) == "not known yet"
    assert "not known yet" in judgement(verdict)
    assert forgiven(result).starts == (None, None)
    assert judged(result).usable.tolist() == [[0, 0]]


def test_a_running_sweep_is_judged_as_far_as_it_has_come():
    result = running([1, 0.1, 1000])
    assert result.verdict("spl", 3).iteration == 1
    assert result.verdict("spl", 3).safe
    assert not result.verdict("spl", 90).unanimous


@pytest.mark.parametrize(
    ("open_low", "open_high", "state"), [(True, True, SO_FAR), (False, True, EDGE), (True, False, EDGE)]
)
def test_an_end_of_the_grid_is_no_edge(open_low, open_high, state):
    found = Verdict(
        "spl", 1.0, "risk", starts=5, seeds=5, range=UsableRange(0.9, 1.1, open_low, open_high, False),
        below_interval=None, above_interval=None, epsilon=0.1, gap=0.01, left=0.01, diverged=0, iteration=10,
        best_lambda=1.0,
    )  # fmt: skip
    assert (found.state, found.near) == (state, state == EDGE)
