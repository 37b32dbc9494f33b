"""Which λ is usable, on gaps made for the purpose and on real sweeps."""

import dataclasses
import json
import math

import numpy as np
import pandas as pd
import pytest

from cvar_core import Problem, ProblemSpec, SpecError, SweepSpec, check, paper_grid, sweep
from cvar_core.results import Criterion, decades, finding, judgement, number
from tests.results.making import QUIET, forgiven, judged, made

NAN = math.nan


def test_ends_are_interpolated_in_log_log():
    (found,) = forgiven(made([[[1000, 1, 0.1, 1, 1000]]]), 10).starts
    assert found.low == pytest.approx(10 ** (2 / 3))
    assert found.high == pytest.approx(10 ** (3 + 1 / 3))
    assert found.decades == pytest.approx(8 / 3)
    assert not found.open_low
    assert not found.open_high
    assert not found.holes


def test_end_beside_a_diverged_neighbour_is_the_grid_point():
    assert forgiven(made([[[1000, 1, 1, NAN]]]), 10).typical.high == 100.0


def test_end_at_the_edge_of_the_grid_is_open():
    found = forgiven(made([[[1, 1, 1000]]]), 10)
    assert found.typical.open_low
    assert found.typical.low == 1.0
    assert decades(found).startswith("≥ 1.3")


def test_a_diverged_run_makes_a_lambda_unusable_for_its_start_alone():
    result = made([[[1, 1, 1], [0.5, NAN, 1], [1, 1, 1]]])
    first, second, third = forgiven(result, 10).starts
    assert (second.low, second.high, second.holes) == (1.0, 1.0, True)
    assert (first.low, first.high, first.holes) == (third.low, third.high, third.holes) == (1.0, 100.0, False)
    assert judged(result, 10).usable.tolist() == [[3, 2, 3]]
    assert forgiven(result, 10).decades == pytest.approx(2.0)
    assert not result.verdict("spl", 10.0, 10).safe, "but then it is not safe for all"
    assert list(result.summary()["status"]) == ["ok", "partly", "ok"]


def test_the_best_lambda_is_one_at_which_no_seed_diverged():
    result = made([[[50, 20, 1], [50, 20, NAN], [50, 20, 1]]])
    assert result.best_lambda("spl") == 10.0
    assert forgiven(result, 30).typical.low < 10.0
    assert made([[[NAN, 1], [2, NAN], [2, 1]]]).best_lambda("spl") == 10.0, "unless every λ is like that"


def test_what_a_sweep_did_not_run_is_named():
    result = made([[[1.0, 2.0]]])
    for lam in (0.5, 10.1, -1.0, 0.0, NAN, math.inf):
        with pytest.raises(SpecError, match="this sweep ran from 1 to 10"):
            result.verdict("spl", lam)
    with pytest.raises(SpecError, match="this sweep ran 1 alone"):
        made([[[1.0]]]).verdict("spl", 2.0)
    with pytest.raises(SpecError, match="this sweep ran spl"):
        result.best_lambda("sgm")


@pytest.mark.parametrize("wrong", [{"epsilon": -1}, {"epsilon": "a"}, {"closed": 2}])
def test_a_bad_epsilon_is_refused_before_the_work(wrong):
    with pytest.raises(SpecError):
        check(Problem.synthetic(eval_size=500), 1.0, report=lambda p: pytest.fail("it worked first"), **wrong)


def test_diverged_counts_as_infinite_in_the_median():
    rows = made([[[1, NAN], [2, NAN], [3, 5]], ]).summary()  # fmt: skip
    assert rows["median"].tolist() == [2.0, math.inf]
    assert rows["high"].tolist() == [3.0, math.inf]
    assert rows["low"].tolist() == [1.0, 5.0]


def test_nothing_usable_is_none():
    result = made([[[50, 60]]], methods=("sgm",))
    row = result.robustness().iloc[0]
    assert row["best_lambda"] == 1.0
    assert pd.isna(row["decades"])
    assert (row["decades_low"], row["decades_high"]) == (0, 0)
    assert result.to_dict()["methods"]["sgm"]["decades"] is None
    assert finding(result) == "No λ of this grid is usable for SGM, judged by the model's risk"
    assert finding(result, Criterion("objective")).endswith("usable for SGM, judged by the objective")


def test_epsilon_is_a_tenth_of_the_gap_at_the_start_with_a_floor():
    result = made([[[1.0], [1.0], [1.0]]], starts=[30.0, 20.0, 900.0], f_star=5.0)
    assert judged(result).limits.tolist() == pytest.approx([3.0, 2.0, 90.0])
    assert result.epsilon() == pytest.approx(3.0), "the median start's"
    assert result.epsilon(0.99) == pytest.approx(0.3)
    tiny = made([[[0.0]]], starts=1e-9, f_star=5.0, problem=ProblemSpec(scale=2.0))
    assert tiny.epsilon() == pytest.approx(7e-6)
    with pytest.raises(SpecError):
        result.epsilon(1.5)


def test_epsilon_has_the_unit_of_the_loss():
    problems = [Problem.synthetic(**QUIET, scale=scale) for scale in (1.0, 1e-9)]
    one, tiny = (sweep(problem, methods=["spl+"], iterations=1_000, seeds=3) for problem in problems)
    for measure in ("risk", "objective"):
        assert tiny.epsilon(measure=measure) == pytest.approx(1e-9 * one.epsilon(measure=measure), rel=1e-9)
        widths = [forgiven(each, measure=measure, method="spl+").decades for each in (one, tiny)]
        assert widths[1] == pytest.approx(widths[0], rel=1e-6)


def test_verdict_has_signed_margins():
    result = made([[[1000, 1, 0.1, 1, 1000]]])
    safe = result.verdict("spl", 100.0, 10)
    assert safe.safe
    assert (safe.below, safe.above) == (pytest.approx(4 / 3), pytest.approx(4 / 3))
    unsafe = result.verdict("spl", 10_000.0, 10)
    assert not unsafe.safe
    assert unsafe.above == pytest.approx(-2 / 3)
    assert "not safe" in judgement(unsafe)


def test_a_running_sweep_is_read_as_far_as_every_run_has_come():
    result = made([[[1.0, 2.0], [3.0, 4.0]]])
    running = dataclasses.replace(result, recorded=np.array([[2, 1]]))
    assert running.at().iteration == 0
    assert len(running.curves) == 6
    nothing = made([[[1.0, 2.0], [3.0, 4.0]]], recorded=0)
    assert nothing.at().diverged.sum() == 0
    assert forgiven(nothing, 1.0).starts == (None, None)
    assert forgiven(nothing).decades is None
    assert math.isinf(nothing.epsilon())


@pytest.mark.parametrize(("measure", "column"), [("risk", "true_excess_risk"), ("objective", "suboptimality")])
def test_iterations_to_epsilon_is_the_first_checkpoint_there(measure, column):
    result = sweep(Problem.synthetic(**QUIET), iterations=500, seeds=2)
    by = judged(result, measure=measure)
    counts, curves = by.iterations(), result.curves
    column = column if column in curves else "excess_risk"
    assert np.isfinite(counts).any()
    assert np.isinf(counts).any()
    for (method, lam, seed), rows in curves.groupby(["method", "lambda", "seed"]):
        m, s = result.spec.methods.index(method), result.spec.seeds.index(seed)
        below = rows.loc[rows[column] <= by.limits[s], "iteration"]
        assert counts[m, s, result.spec.lambdas.index(lam)] == (below.min() if len(below) else math.inf)


COLUMNS = ["method", "lambda", "seed", "iteration", "objective", "suboptimality", "risk", "excess_risk"]


def test_curves_are_tidy_and_complete():
    result = sweep(Problem.synthetic(eval_size=500), iterations=50, seeds=[3, 1], lambdas=[1e4, 1.0])
    curves = result.curves
    true = [] if result.true_excess_risk is None else ["true_excess_risk"]
    assert list(curves) == [*COLUMNS, *true, "status"]
    assert len(curves) == 3 * 2 * 2 * len(result.spec.checkpoint_iterations)
    assert set(curves["status"]) == {"ok", "diverged"}
    assert curves.loc[curves["status"] == "diverged", [*COLUMNS[4:], *true]].isna().all(axis=None)
    assert curves.loc[curves["status"] == "ok"].notna().all(axis=None)
    one = curves.query("method == 'spl' and seed == 1 and iteration == 50").set_index("lambda")
    m, s = result.spec.methods.index("spl"), result.spec.seeds.index(1)
    for name, values in (("objective", result.objectives), ("risk", result.risks)):
        assert one[name].to_dict() == dict(zip(result.spec.lambdas, values[m, s, -1], strict=True))


def test_only_what_can_be_known_has_a_column():
    logistic = sweep(Problem.synthetic("logistic", eval_size=500), ["spl"], [1.0], 20, seeds=1)
    assert list(logistic.curves) == [*COLUMNS, "status"]
    rng = np.random.default_rng(0)
    data = Problem.from_arrays(rng.normal(size=(30, 2)), rng.normal(size=30), "absolute")
    assert list(sweep(data, ["spl"], [1.0], 20, seeds=1).curves) == [*COLUMNS, "status", "train_mean_loss"]


def test_summary_is_strict_json():
    result = sweep(Problem.synthetic(eval_size=500), iterations=50, seeds=2, lambdas=[1.0, 1e4])
    told = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert told["methods"]["sgm"]["median"][1] is None
    assert set(told) >= {
        "spec", "f_star", "alpha_star", "floor", "measure", "epsilon", "methods", "by_measure", "timings"
    }  # fmt: skip
    assert set(told["timings"]) == {"sample", "step", "evaluate", "optimum", "total"}
    assert SweepSpec.from_dict(told["spec"]) == result.spec


def test_check_agrees_with_the_sweep():
    problem = Problem.synthetic(**QUIET)
    for measure in ("risk", "objective"):
        verdict = check(problem, lam=0.3, method="spl+", iterations=1_000, seeds=3, measure=measure)
        assert verdict.safe
        assert (verdict.starts, verdict.seeds, verdict.measure) == (3, 3, measure)
        assert verdict.below > 0 < verdict.above
        swept = sweep(problem, ["spl+"], {*paper_grid(), 0.3}, 1_000, seeds=3)
        assert verdict == swept.verdict("spl+", 0.3, measure=measure)
    hopeless = check(problem, lam=1e4, method="sgm", iterations=1_000, seeds=3)
    assert not hopeless.safe
    assert hopeless.starts == 0


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0123, "0.0123"), (45.67, "45.7"), (999.7, "1000"), (78900.0, "7.89·10⁴"), (1e-6, "10⁻⁶"), (-2.5, "−2.5"),
     (math.inf, "∞"), (None, "none"), (1e16, "10¹⁶"), (-1e-7, "−10⁻⁷"), (-0.0, "0")],
)  # fmt: skip
def test_numbers_are_readable(value, text):
    assert number(value) == text


def test_one_lambda_has_its_own_sentence():
    assert finding(made([[[1.0]]])) == "λ = 1 is usable for SPL, judged by the model's risk"
    assert finding(made([[[50.0]]])) == "λ = 1 is not usable for SPL, judged by the model's risk"


def test_each_criterion_is_answered_by_itself():
    result = made([[[1000, 1, 0.1, 1, 1000]]])
    found = forgiven(result, 10)
    assert judged(result, 10) is judged(result, 10), "made once"
    assert forgiven(result, 100).decades > found.decades
    assert forgiven(result, 10) == found


def test_a_result_with_another_record_answers_anew():
    result = made([[[1000, 1, 0.1, 1, 1000]]])
    assert result.best_lambda("spl") == 100.0
    assert result.verdict("spl", 1.0, 10).range == forgiven(result, 10).typical
    later = made([[[0.1, 1000, 1000, 1000, 1000]]])
    later = dataclasses.replace(result, objectives=later.objectives, beside=later.beside)
    assert later.best_lambda("spl") == 1.0
    assert forgiven(later, 10).typical.open_low
    assert later.verdict("spl", 1.0, 10).safe
