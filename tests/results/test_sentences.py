"""Sentences about a result: each is said where it holds, and only there."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cvar_core import Problem, ProblemSpec, sweep
from cvar_core.results import (
    Criterion,
    Forgiven,
    UsableRange,
    against_constant,
    beginning,
    blurred,
    decades,
    disagreement,
    finding,
    interval,
    judgement,
    margin,
    measured,
    sureness,
    width,
)
from tests.results.making import judged, made

NAN = math.nan
RISK, OBJECTIVE = Criterion("risk"), Criterion("objective")


@pytest.mark.parametrize(
    ("start", "f_star", "share"),
    [(0.9, 100.0, 0.009), (1.0, 100.0, 0.01), (1.1, 100.0, None), (0.5, -100.0, 0.005), (0.0, 0.0, 0.0),
     (-1e-12, 100.0, 0.0), (1e-9, 0.0, None)],
)  # fmt: skip
def test_a_start_within_a_hundredth_of_the_best_leaves_nothing_to_close(start, f_star, share):
    result = made([[[0.1], [0.1], [0.1]]], 50, f_star, models=[[[0.01]] * 3], model_starts=[start, start, 7000])
    assert judged(result).nothing_to_close == (None if share is None else pytest.approx(share))
    assert judged(result, measure="objective").nothing_to_close is None, "α can always be far off"
    assert (judged(result).nothing_to_close is None) == (beginning(judged(result)) == "")


def test_where_nothing_is_to_close_there_is_no_verdict():
    result = made([[[1, 1], [1, 1]]], 50, 100.0, models=[[[0.01, 0.01]] * 2], model_starts=0.5)
    verdict = result.verdict("spl", 1.0)
    assert verdict.starts == verdict.seeds
    assert not verdict.safe
    assert margin(verdict) == "neither safe nor unsafe: there is nothing to close"
    assert judgement(verdict) == (
        "There is no verdict on λ = 1 for SPL by the model's risk: the model at the start is already within 0.5% of "
        "the best, so no step size can do much for it. What λ does to the threshold, the objective tells."
    )
    assert finding(result) == beginning(judged(result))
    assert finding(result).startswith("The model at the start is already within 0.5% of the best: no step size")
    assert disagreement(result, ["spl"], 1.0, RISK) == ""
    assert result.verdict("spl", 1.0, measure="objective").safe
    assert result.to_dict()["nothing_to_close"] == pytest.approx(0.005)
    assert result.to_dict()["by_measure"]["objective"]["nothing_to_close"] is None


def test_a_start_that_is_the_best_is_said_to_be():
    result = made([[[0.0]]], 50, 100.0, models=[[[0.0]]], model_starts=0.0)
    assert beginning(judged(result)).startswith("The model at the start is the best: no step size")
    assert "the model at the start is the best, so" in judgement(result.verdict("spl", 1.0))


def test_before_a_start_is_known_nothing_is_said_of_it():
    result = made([[[1.0]]], 0.5, 100.0, recorded=0)
    assert judged(result).nothing_to_close is None
    assert judged(result).points_needed is None
    assert judged(made([[[1.0]]], recorded=0, floor=5.0)).points_needed is None


@pytest.mark.parametrize(
    ("floor", "epsilon", "needed"),
    [
        (None, 1.0, None),
        (0.0, 1.0, None),
        (0.2, 1.0, None),
        (0.21, 1.0, 105_000),
        (1.0, 1.0, 500_000),
        (2.0, 0.5, 2_000_000),
    ],
)
def test_the_points_needed_are_those_with_a_floor_of_a_fifth_of_epsilon(floor, epsilon, needed):
    result = made([[[1.0]]], floor=floor)  # 100,000 points
    assert judged(result, epsilon).points_needed == needed
    assert (blurred(judged(result, epsilon)) == "") == (needed is None)
    if needed is not None:
        assert floor * result.spec.problem.eval_size / needed == pytest.approx(epsilon / 5, rel=1e-6)


def test_blurred_names_the_floor_and_how_many_points_could_tell():
    assert blurred(judged(made([[[1.0]]], floor=1.3), 2.0)) == (
        "100,000 points cannot tell: even the best model of the whole population shows 1.3 above F* on them, and ε is "
        "2. About 400,000 points could"
    )


def test_a_usable_lambda_that_is_worse_than_a_constant_is_told():
    data = ProblemSpec(data="digest", sample_size=10)
    given = {"f_star": 10.0, "methods": ("sgm", "spl"), "problem": data}
    bad = made([[[900, 50]] * 3, [[5, 1]] * 3], 1000, constant=30.0, **given)
    bad = _with_measure(bad)
    assert against_constant(bad.judged()) == (
        "The start is so bad here that closing most of the gap means little: the best constant prediction has a CVaR "
        "of 30, and at its best λ SGM 60"
    )
    assert "at λ = 10 SGM 60" in against_constant(bad.judged(), 10.0)
    assert against_constant(bad.judged(), 1.0) == "", "where SGM is not usable, and SPL better"
    assert against_constant(bad.judged(), 3.0) == "", "between the points nothing was run"
    better = _with_measure(made([[[900, 50]] * 3, [[5, 1]] * 3], 1000, constant=61.0, **given))
    assert against_constant(better.judged()) == ""
    unknown = _with_measure(made([[[900, 50]] * 3, [[5, 1]] * 3], 1000, **given))
    assert against_constant(unknown.judged()) == ""
    waiting = _with_measure(made([[[900, 50]] * 3, [[5, 1]] * 3], 1000, constant=30.0, recorded=1, **given))
    assert against_constant(waiting.judged()) == ""


def _with_measure(result):
    result.beside["train_mean_loss"] = np.full_like(result.objectives, 2.0)  # which a data set always has
    return result


ALL, NONE, SOME = [5] * 3, [72] * 3, [5, 5, 30]


@pytest.mark.parametrize(
    ("objective", "model", "words"),
    [
        (ALL, ALL, ""),
        (NONE, NONE, ""),
        (SOME, SOME, ""),
        (ALL, NONE, "SPL: by the objective λ = 1 looks safe, but that is the threshold: "
                    "72% of the model's excess risk is left"),
        (NONE, ALL, "SPL: by the model's risk λ = 1 is safe, but its threshold is off: "
                    "72% of the objective's gap is left"),
        (ALL, SOME, "SPL: by the objective λ = 1 is usable for every start, "
                    "by the model's risk for 2 of 3 starts only"),
        (SOME, ALL, "SPL: by the model's risk λ = 1 is usable for every start, "
                    "by the objective for 2 of 3 starts only"),
        ([5, 5, 30], NONE, "SPL: by the objective λ = 1 looks usable for 2 of 3 starts, but that is the threshold: "
                           "72% of the model's excess risk is left"),
        (ALL, [NAN] * 3, "SPL: by the objective λ = 1 looks safe, but that is the threshold"),
    ],
)  # fmt: skip
def test_where_the_measures_disagree_it_is_said_in_plain_words(objective, model, words):
    result = made([[[each] for each in objective]], models=[[[each] for each in model]])
    assert disagreement(result, ["spl"], 1.0, RISK) == words
    assert disagreement(result, ["spl"], 1.0, OBJECTIVE) == words, "whichever is looked at"
    assert disagreement(result, ["spl"], 77.0, RISK) == "", "outside nothing is known"


def test_what_is_the_same_of_several_methods_is_said_once():
    objective, model = [[[5], [5], [5]]] * 3, [[[5], [5], [72]], [[5], [5], [72]], [[5], [5], [5]]]
    result = made(objective, models=model, methods=("sgm", "spl", "spl+"))
    assert disagreement(result, result.spec.methods, 1.0, RISK) == (
        "SGM and SPL: by the objective λ = 1 is usable for every start, by the model's risk for 2 of 3 starts only"
    )


def test_while_the_runs_are_starting_nothing_disagrees():
    result = made([[[5]]], models=[[[72]]], recorded=1)
    assert disagreement(result, ["spl"], 1.0, Criterion(epsilon=1e3)) == ""


def test_the_sentence_of_a_verdict_has_measure_and_starts():
    result = made([[[1, 50], [1, 1], [1, 50]]], models=[[[1, 1], [1, 1], [1, 1]]])
    assert judgement(result.verdict("spl", 10.0, 10)) == (
        "λ = 10 is safe so far for SPL by the model's risk: 3 of 3 starts, which show at least 37% of all, "
        "margin ≥ 1.0 decades below and ≥ 0.0 above (median excess risk of the model 1 ≤ ε = 10)."
    )
    assert judgement(result.verdict("spl", 10.0, 10, "objective")) == (
        "λ = 10 is on the edge for SPL by the objective: usable for 1 of 3 starts, median suboptimality 50 > ε = 10; "
        "usable: 1 to 3.88, best 1."
    )


def test_the_finding_names_the_most_forgiving_first_and_the_measure():
    result = made([[[1000, 1, 1000]], [[1000, 1, 1]], [[60, 70, 80]]], methods=("sgm", "spl", "spl+"))
    assert (
        finding(result)
        == "SPL forgives ≥ 1.3 decades of λ, SGM 0.7, SPL₊ none, judged by the model's risk, from one start"
    )
    assert finding(result, OBJECTIVE).endswith(", judged by the objective, from one start")


def test_decades_have_their_interval():
    ranges = [UsableRange(1.0, 10.0**k, False, k == 3, False) for k in (1, 2, 3)]
    assert decades(Forgiven(tuple(ranges))) == "2.0"
    assert decades(Forgiven(tuple(ranges[1:]))) == "≥ 2.5", "the longer one, which the median hangs on, is cut short"
    assert decades(Forgiven((ranges[2],))) == width(ranges[2]) == "≥ 3.0"
    assert decades(Forgiven((ranges[0], None, None))) == width(None) == "none"
    assert interval(Forgiven(tuple(ranges))) == "1.0–3.0"
    assert interval(Forgiven((ranges[0],))) == ""
    assert sureness(5) == "94% interval of the median over 5 starts"


@given(st.floats(1e-9, 1e9), st.floats(1e-9, 1e9))
def test_points_that_cannot_tell_are_always_too_few(floor, epsilon):
    found = judged(made([[[1.0]]], floor=floor), epsilon).points_needed
    assert found is None or found >= 100_000


def test_what_is_measured_on_data_is_told_at_the_best_lambda_by_the_measure():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    problem = Problem.from_arrays(x, x @ [1.0, 2.0] + rng.normal(size=60), "absolute")
    result = sweep(problem, ["spl"], [1e-3, 1e-2, 0.1, 1.0], 300, seeds=2)
    for k, lam in enumerate(result.spec.lambdas):
        result.judged(OBJECTIVE)._best["spl"] = lam
        told = measured(result, "objective")[1].split()
        assert float(told[1]) == pytest.approx(result.measured("train_mean_loss")[0, k], rel=1e-2)
