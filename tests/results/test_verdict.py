"""Any λ of the grid's span can be judged, and the judgement agrees with the usable ranges."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cvar_core import Optimum, ProblemSpec, Result, SweepSpec
from cvar_core.results import UsableRange, advice, judgement, margin

NAN = math.nan


def made(finals, recorded=2) -> Result:
    """A result of SPL that starts at gaps of 100 and ends at ``finals``, shape (seeds, lambdas), λ = 1, 10, …"""
    ends = np.array(finals, dtype=float)[None]
    spec = SweepSpec(ProblemSpec(), ("spl",), tuple(10.0**k for k in range(ends.shape[2])), 10, ends.shape[1],
                     checkpoints=1)  # fmt: skip
    objectives = np.stack([np.full_like(ends, 100.0), ends], axis=2)
    objectives[:, :, recorded:] = NAN
    return Result(spec, Optimum(0.0, torch.zeros(1), 0.0, None), objectives, np.full(ends.shape[:2], recorded))


def stretches(result: Result, epsilon: float) -> list[UsableRange]:
    """Every usable stretch, found from each point of the grid by itself."""
    verdicts = [result.verdict("spl", lam, epsilon) for lam in result.spec.lambdas]
    return [one.range for one in verdicts if one.safe]


finals = st.one_of(st.floats(1e-6, 1e6), st.sampled_from([NAN, 0.0, -1e-12, 1e-300, 1e160, 1.7e308, 10.0]))


@given(
    gaps=st.integers(1, 4).flatmap(
        lambda seeds: st.lists(st.lists(finals, min_size=seeds, max_size=seeds), min_size=2, max_size=6)
    ),
    where=st.lists(st.floats(0, 1), min_size=1, max_size=5),
)
def test_a_lambda_is_safe_exactly_if_it_lies_in_a_usable_stretch(gaps, where):
    result, epsilon = made(np.array(gaps).T), 10.0
    usable = stretches(result, epsilon)
    ends = [end for one in usable for end in (one.low, one.high)]
    top = math.log10(result.spec.lambdas[-1])
    lams = [10 ** (share * top) for share in where] + ends
    lams += [end * nudge for end in ends for nudge in (1 - 1e-6, 1 + 1e-6)]
    for lam in lams:
        if not 1 <= lam <= result.spec.lambdas[-1]:
            continue
        verdict = result.verdict("spl", lam, epsilon)
        assert verdict.lam == pytest.approx(lam, rel=1e-9)  # the grid's own, where it is that up to rounding
        assert verdict.safe == any(verdict.lam in one for one in usable)
        if verdict.safe:
            assert verdict.range in usable
            assert verdict.diverged == 0
            assert verdict.suboptimality <= epsilon * (1 + 1e-9)
            assert verdict.below >= 0 <= verdict.above
        elif not verdict.diverged:
            assert verdict.suboptimality >= epsilon * (1 - 1e-9)
        assert judgement(verdict)
        assert margin(verdict).startswith("safe" if verdict.safe else "not safe")


def test_between_two_points_the_median_is_read_on_the_line_in_log_log():
    result = made([[1000, 1, 0.1, 1, 1000]])
    verdict = result.verdict("spl", 10**0.5, 10)
    assert verdict.suboptimality == pytest.approx(1000**0.5)
    assert verdict.between == (1.0, 10.0)
    assert not verdict.safe
    assert result.verdict("spl", 10**0.67, 10).safe
    assert not result.verdict("spl", 10**0.66, 10).safe


def test_the_words_tell_where_a_lambda_that_was_not_run_is_read():
    result = made([[1, 0.1, 1, 1000]])
    assert judgement(result.verdict("spl", 3, 10)) == (
        "λ = 3 is safe for SPL: margin ≥ 0.5 decades below and 1.9 above"
        " (median suboptimality 0.333 ≤ ε = 10, read between λ = 1 and 10)."
    )
    assert judgement(result.verdict("spl", 500, 10)) == (
        "λ = 500 is not safe for SPL: median suboptimality 125 > ε = 10, read between λ = 100 and 1000;"
        " usable: 1 to 215, best 10."
    )
    assert "between" not in judgement(result.verdict("spl", 10, 10))


@pytest.mark.parametrize("factor", [1.0, 1 - 1e-10, 1 + 1e-10])
def test_a_lambda_of_the_grid_up_to_rounding_is_that_of_the_grid(factor):
    result = made([[1000, 1, 0.1, NAN], [1000, 1, 0.1, 2]])
    for lam in result.spec.lambdas:
        verdict = result.verdict("spl", lam * factor, 10)
        assert verdict == result.verdict("spl", lam, 10)
        assert verdict.between is None


def test_beside_a_point_at_which_a_seed_diverged_nothing_is_safe():
    result = made([[1, 1, 1], [1, 1, NAN], [1, 1, 1]])
    verdict = result.verdict("spl", 10.1, 10)
    assert not verdict.safe
    assert verdict.range.high == 10
    assert margin(verdict) == "not safe: 1 of 3 seeds diverged beside it"
    assert "1 of its seeds diverged beside it, read between λ = 10 and 100" in judgement(verdict)


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
    ends = {made([[1000, gap, 1000]]).ranges(10)["spl"].high for gap in (1e-9, 1e-17, 0.0, -1e-17)}
    assert len(ends) == 1


@pytest.mark.parametrize(
    ("finals", "lam", "words"),
    [
        ([[1000, 1, 0.1, 1, 1000]], 100, "safe, margin 1.3 decades below and 1.3 above"),
        ([[1, 1, 0.1, 1, 1]], 10, "safe, margin ≥ 1.0 decades below and ≥ 3.0 above"),
        ([[1, NAN], [1, NAN], [1, 5]], 10, "not safe: 2 of 3 seeds diverged"),
        ([[1, NAN]], 10, "not safe: the run diverged"),
        ([[1, 23]], 10, "not safe: 2.3 × ε"),
        ([[1, 10.001]], 10, "not safe: just above ε"),
    ],
)
def test_a_margin_is_a_few_words(finals, lam, words):
    assert margin(made(finals).verdict("spl", lam, 10)) == words


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
    assert result.ranges() == {"spl": None}


def test_a_running_sweep_is_judged_as_far_as_it_has_come():
    ended = made([[1, 0.1, 1000]])
    spec = dataclasses.replace(ended.spec, iterations=100, checkpoints=3)
    objectives = np.full((1, 1, len(spec.checkpoint_iterations), 3), NAN)
    objectives[:, :, :2] = ended.objectives
    running = Result(spec, ended.optimum, objectives, np.array([[2]]))
    assert running.verdict("spl", 3).iteration == 1
    assert running.verdict("spl", 3).safe
    assert not running.verdict("spl", 90).safe
