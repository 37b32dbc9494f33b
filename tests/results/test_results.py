"""Which λ is usable, on medians made for the purpose and on real sweeps."""

import dataclasses
import json
import math

import numpy as np
import pandas as pd
import pytest
import torch

from cvar_core import Optimum, Problem, ProblemSpec, Result, SpecError, SweepSpec, check, sweep
from cvar_core.results import decades, finding, judgement, number

NAN = math.nan


def made(finals, starts=100.0, f_star=0.0, methods=("spl",), lambdas=None, scale=1.0) -> Result:
    """A result whose final gaps are ``finals``, shape (methods, seeds, lambdas)."""
    finals = np.array(finals, dtype=float)
    lambdas = tuple(10.0**k for k in range(finals.shape[2])) if lambdas is None else lambdas
    spec = SweepSpec(ProblemSpec(scale=scale), methods, lambdas, 10, seeds=finals.shape[1], checkpoints=1)
    objectives = np.stack([np.full_like(finals, starts), finals], axis=2) + f_star
    optimum = Optimum(f_star, torch.zeros(1), 0.0, None)
    return Result(spec, optimum, objectives, np.full(finals.shape[:2], 2))


def test_ends_are_interpolated_in_log_log():
    found = made([[[1000, 1, 0.1, 1, 1000]]]).ranges(epsilon=10)["spl"]
    assert found.low == pytest.approx(10 ** (2 / 3))
    assert found.high == pytest.approx(10 ** (3 + 1 / 3))
    assert found.decades == pytest.approx(8 / 3)
    assert not (found.open_low)
    assert not (found.open_high)
    assert not (found.holes)


def test_end_beside_a_diverged_neighbour_is_the_grid_point():
    result = made([[[1000, 1, 1, NAN]], ], lambdas=(1.0, 10.0, 100.0, 1000.0))  # fmt: skip
    assert result.ranges(epsilon=10)["spl"].high == 100.0


def test_end_at_the_edge_of_the_grid_is_open():
    found = made([[[1, 1, 1000]]]).ranges(epsilon=10)["spl"]
    assert found.open_low
    assert found.low == 1.0
    assert decades(found).startswith("≥ 1.3")


def test_one_diverged_seed_makes_a_lambda_unusable():
    result = made([[[1, 1, 1], [1, NAN, 1], [1, 1, 1]]])
    found = result.ranges(epsilon=10)["spl"]
    assert (found.low, found.high) == (1.0, 1.0)
    assert found.holes
    assert list(result.summary()["status"]) == ["ok", "partly", "ok"]


def test_the_best_lambda_is_one_at_which_no_seed_diverged():
    result = made([[[50, 20, 1], [50, 20, NAN], [50, 20, 1]]])
    assert result.best_lambda("spl") == 10.0
    assert result.ranges(epsilon=30)["spl"].low < 10.0
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
    assert result.to_dict()["methods"]["sgm"]["decades"] is None
    assert finding(result) == "No λ of this grid is usable for any method"


def test_epsilon_is_a_tenth_of_the_gap_at_the_start_with_a_floor():
    result = made([[[1.0]]], starts=30.0, f_star=5.0)
    assert result.epsilon() == pytest.approx(3.0)
    assert result.epsilon(0.99) == pytest.approx(0.3)
    assert made([[[0.0]]], starts=1e-9, f_star=5.0).epsilon() == pytest.approx(6e-6)
    with pytest.raises(SpecError):
        result.epsilon(1.5)


def test_epsilon_has_the_unit_of_the_loss():
    problems = [Problem.synthetic("absolute", "normal", eval_size=500, scale=scale) for scale in (1.0, 2.0**-30)]
    one, tiny = (sweep(problem, methods=["spl+"], iterations=1_000, seeds=3) for problem in problems)
    assert tiny.epsilon() == pytest.approx(2.0**-30 * one.epsilon(), rel=1e-9)
    assert tiny.ranges()["spl+"].decades == pytest.approx(one.ranges()["spl+"].decades, rel=1e-6)


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
    running = Result(result.spec, result.optimum, result.objectives, np.array([[2, 1]]))
    assert running.at().iteration == 0
    assert len(running.curves) == 6
    nothing = Result(result.spec, result.optimum, np.full_like(result.objectives, NAN), np.array([[0, 0]]))
    assert nothing.at().diverged.sum() == 0
    assert nothing.ranges(1.0) == {"spl": None}


def test_iterations_to_epsilon_is_the_first_checkpoint_there():
    result = sweep(Problem.synthetic(loss="absolute", noise="normal", eval_size=1_000), iterations=500, seeds=2)
    limit = result.epsilon()
    counts = result.iterations_to(limit)
    curves = result.curves
    for (method, lam, seed), rows in curves.groupby(["method", "lambda", "seed"]):
        below = rows.loc[rows["suboptimality"] <= limit, "iteration"]
        m, s = result.spec.methods.index(method), result.spec.seeds.index(seed)
        assert counts[m, s, result.spec.lambdas.index(lam)] == (below.min() if len(below) else math.inf)


def test_curves_are_tidy_and_complete():
    result = sweep(Problem.synthetic(eval_size=500), iterations=50, seeds=[3, 1], lambdas=[1e4, 1.0])
    curves = result.curves
    assert list(curves) == ["method", "lambda", "seed", "iteration", "objective", "suboptimality", "status"]
    assert len(curves) == 3 * 2 * 2 * len(result.spec.checkpoint_iterations)
    assert set(curves["status"]) == {"ok", "diverged"}
    assert curves.loc[curves["status"] == "diverged", ["objective", "suboptimality"]].isna().all(axis=None)
    one = curves.query("method == 'spl' and seed == 1 and iteration == 50")
    m, s = result.spec.methods.index("spl"), result.spec.seeds.index(1)
    assert one.set_index("lambda")["objective"].to_dict() == dict(
        zip(result.spec.lambdas, result.objectives[m, s, -1], strict=True)
    )


def test_summary_is_strict_json():
    result = sweep(Problem.synthetic(eval_size=500), iterations=50, seeds=2, lambdas=[1.0, 1e4])
    told = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert told["methods"]["sgm"]["median"][1] is None
    assert set(told) >= {"spec", "f_star", "alpha_star", "epsilon", "methods", "timings"}
    assert set(told["timings"]) == {"sample", "step", "evaluate", "optimum", "total"}
    assert SweepSpec.from_dict(told["spec"]) == result.spec


def test_check_agrees_with_the_sweep():
    problem = Problem.synthetic(eval_size=2_000)
    verdict = check(problem, lam=0.3, method="spl+", iterations=1_000, seeds=3)
    assert verdict.safe
    assert verdict.below > 0 < verdict.above
    hopeless = check(problem, lam=1e4, method="sgm", iterations=1_000, seeds=3)
    assert not hopeless.safe


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0123, "0.0123"), (45.67, "45.7"), (999.7, "1000"), (78900.0, "7.89·10⁴"), (1e-6, "10⁻⁶"), (-2.5, "−2.5"),
     (math.inf, "∞"), (None, "none"), (1e16, "10¹⁶"), (-1e-7, "−10⁻⁷"), (-0.0, "0")],
)  # fmt: skip
def test_numbers_are_readable(value, text):
    assert number(value) == text


def test_one_lambda_has_its_own_sentence():
    assert finding(made([[[1.0]]])) == "λ = 1 is usable for SPL"


def test_what_a_result_has_answered_cannot_be_changed_from_outside():
    result = made([[[1000, 1, 0.1, 1, 1000]]])
    found = result.ranges(epsilon=10)["spl"]
    result.ranges(epsilon=10).clear()
    assert result.ranges(epsilon=10) == {"spl": found}
    assert result.ranges(epsilon=100)["spl"].decades > found.decades


def test_a_result_with_another_record_answers_anew():
    result = made([[[1000, 1, 0.1, 1, 1000]]])
    assert result.best_lambda("spl") == 100.0
    assert result.verdict("spl", 1.0, 10).range == result.ranges(10)["spl"]
    objectives = result.objectives.copy()
    objectives[0, 0, 1] = [0.1, 1000, 1000, 1000, 1000]
    later = dataclasses.replace(result, objectives=objectives)
    assert later.best_lambda("spl") == 1.0
    assert later.ranges(10)["spl"].open_low
    assert later.verdict("spl", 1.0, 10).safe
