"""The gap in its two parts: what is judged by each measure, and that neither knows the unit of the loss."""

import dataclasses
import math

import numpy as np
import pytest
import torch

from cvar_core import Problem, ProblemSpec, SpecError, check, sweep
from cvar_core.results import MEASURES, Criterion, criterion
from tests.results.making import QUIET, forgiven, judged, made

NAN = math.nan
HALVES = tuple(10 ** (k / 2) for k in range(-6, 7))


@pytest.fixture(scope="module")
def real():
    return sweep(Problem.synthetic(**QUIET), lambdas=HALVES, iterations=1_000, seeds=4)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_the_models_part_is_never_more_than_the_whole(loss):
    result = sweep(Problem.synthetic(loss, "gumbel", eval_size=1_500), iterations=500, seeds=3)
    fine = np.isfinite(result.objectives)
    assert (result.excess_risk[fine] <= result.suboptimality[fine]).all()
    assert np.array_equal(np.isnan(result.risks), ~fine)
    curves = result.curves.dropna(subset="objective")
    assert (curves["excess_risk"] <= curves["suboptimality"]).all()


def test_the_two_parts_add_up(real):
    threshold = real.objectives - real.risks
    np.testing.assert_allclose(real.excess_risk + threshold, real.suboptimality, atol=1e-12)
    assert np.nanmin(threshold) >= 0
    assert np.nanmin(real.excess_risk) >= -1e-9


# The objective is best at λ = 10, the model at 100, and each is usable where the other is not.
TWO = made([[[50, 1, 9, 50]]], 100, models=[[[50, 0.9, 0.1, 0.2]]], model_starts=5)


def test_the_measure_switches_all_that_is_said():
    assert judged(TWO).epsilon == pytest.approx(0.5)
    assert judged(TWO, measure="objective").epsilon == pytest.approx(10)
    assert (TWO.epsilon(), TWO.epsilon(measure="objective")) == (pytest.approx(0.5), pytest.approx(10))
    assert (TWO.best_lambda("spl"), TWO.best_lambda("spl", "objective")) == (100.0, 10.0)
    assert TWO.summary()["median"].tolist() == [50, 0.9, 0.1, 0.2]
    assert TWO.summary("objective")["median"].tolist() == [50, 1, 9, 50]
    assert TWO.at(measure="objective").median.tolist() == [[50, 1, 9, 50]]
    assert judged(TWO).usable.tolist() == [[0, 0, 1, 1]]
    assert judged(TWO, measure="objective").usable.tolist() == [[0, 1, 1, 0]]
    assert judged(TWO).iterations().tolist() == [[[math.inf, math.inf, 10, 10]]]
    assert judged(TWO, measure="objective").iterations().tolist() == [[[math.inf, 10, 10, math.inf]]]
    for measure, safe in (("risk", [False, False, True, True]), ("objective", [False, True, True, False])):
        verdicts = [TWO.verdict("spl", lam, measure=measure) for lam in TWO.spec.lambdas]
        assert [each.unanimous for each in verdicts] == safe
        assert {each.measure for each in verdicts} == {measure}
        row = TWO.robustness(measure=measure).iloc[0]
        assert row["decades"] == forgiven(TWO, measure=measure).decades
        assert row["best_lambda"] == TWO.best_lambda("spl", measure)


def test_to_dict_has_both_measures(real):
    told = real.to_dict(Criterion("objective", 0.8))
    assert told["measure"] == "objective"
    assert set(told["by_measure"]) == set(MEASURES)
    said = {
        "comparisons",
        "gap",
        "closed",
        "epsilon",
        "epsilons",
        "start_gaps",
        "start_gap",
        "nothing_to_close",
        "points_needed",
        "taken",
        "methods",
    }
    for measure, each in told["by_measure"].items():
        assert set(each) == said
        by = real.judged(Criterion(measure, 0.8))
        assert (each["epsilon"], each["start_gap"]) == (by.epsilon, by.start)
        for m, (name, found) in enumerate(by.forgiven.items()):
            assert each["methods"][name]["decades"] == found.decades
            assert each["methods"][name]["usable_starts"] == by.usable[m].tolist()
            assert each["methods"][name]["decades_low"] == found.decades_low
    assert {name: told[name] for name in said} == told["by_measure"]["objective"]
    assert real.to_dict()["measure"] == "risk"
    assert real.to_dict()["epsilon"] == real.epsilon()


@pytest.mark.parametrize("power", [20, -20, 3])
@pytest.mark.parametrize("loss", ["absolute", "squared"])
def test_the_unit_of_the_loss_changes_what_spl_plus_forgives_by_no_bit(loss, power):
    found = []
    for scale in (1.0, 2.0**power):
        problem = Problem.synthetic(**{**QUIET, "loss": loss}, scale=scale)
        found.append(sweep(problem, ["spl+"], HALVES, 1_000, seeds=4))
    one, other = found
    for measure in MEASURES:
        mine, theirs = one.judged(Criterion(measure)), other.judged(Criterion(measure))
        assert mine.forgiven["spl+"].decades > 0
        assert mine.forgiven == theirs.forgiven
        assert mine.usable.tolist() == theirs.usable.tolist()
        assert mine.best_lambda("spl+") == theirs.best_lambda("spl+")
        assert 2.0**power * mine.epsilon == theirs.epsilon
        assert one.verdict("spl+", 0.5, measure=measure).starts == other.verdict("spl+", 0.5, measure=measure).starts
        assert mine.nothing_to_close == theirs.nothing_to_close


def test_the_unit_changes_what_the_others_forgive():
    grids = [sweep(Problem.synthetic(**QUIET, scale=scale), ["spl"], HALVES, 500, seeds=2) for scale in (1.0, 2.0**20)]
    assert grids[0].judged().forgiven != grids[1].judged().forgiven


class Bowl:
    """A population whose excess risk is the distance squared."""

    def excess(self, distances):
        return distances**2


def test_where_the_population_is_known_the_model_is_judged_by_it(monkeypatch):
    monkeypatch.setattr("cvar_core.results.result.population_risk", lambda spec: Bowl())
    distances = np.array([[[[3.0, 3.0], [0.1, NAN]]]])
    plain = made([[[50, NAN]]], problem=ProblemSpec(scale=4.0), floor=7.0)
    assert plain.true_excess_risk is None, "there is no distance"
    result = dataclasses.replace(plain, beside={**plain.beside, "distance": distances})
    np.testing.assert_allclose(result.true_excess_risk, [[[[36, 36], [0.04, NAN]]]])
    assert result.gaps() is result.true_excess_risk
    assert result.gaps("objective") is result.suboptimality
    assert result.judged().epsilon == pytest.approx(3.6)
    assert (result.judged().floor, judged(result, measure="objective").floor) == (None, 7.0)
    assert judged(plain).floor == 7.0
    assert result.curves["true_excess_risk"].tolist()[:2] == pytest.approx([36, 0.04])
    assert "true_excess_risk" not in plain.curves


def test_without_a_known_population_the_points_judge(monkeypatch):
    monkeypatch.setattr("cvar_core.results.result.population_risk", lambda spec: None)
    result = sweep(Problem.synthetic(**QUIET), ["spl"], [1.0], 50, seeds=1)
    assert set(result.beside) == {"risk", "distance"}
    assert result.true_excess_risk is None
    assert result.gaps() is result.excess_risk


def test_the_distance_is_that_to_the_parameters_that_made_the_data():
    problem = Problem.synthetic(**QUIET)
    result = sweep(problem, ["spl"], [1.0], 50, seeds=[3])
    at_start = float(torch.linalg.vector_norm(problem.start(3).theta - problem.theta_gen))
    assert result.beside["distance"][0, 0, 0, 0] == pytest.approx(at_start)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"measure": "loss"}, "measure is 'loss', but it must be one of risk, objective"),
        ({"closed": 1.0}, "between 0 and 1"),
        ({"closed": NAN}, "between 0 and 1"),
        ({"closed": True}, "between 0 and 1"),
        ({"epsilon": 0.0}, "finite number above 0"),
        ({"epsilon": math.inf}, "finite number above 0"),
        ({"epsilon": "1"}, "finite number above 0"),
    ],
)
def test_a_criterion_checks_itself(wrong, words):
    for refused in (
        lambda: criterion(**wrong),
        lambda: TWO.verdict("spl", 10.0, **wrong),
        lambda: TWO.robustness(**wrong),
        lambda: check(Problem.synthetic(eval_size=500), 1.0, report=lambda p: pytest.fail("it worked first"), **wrong),
    ):
        with pytest.raises(SpecError, match=words):
            refused()
    if "measure" in wrong:
        with pytest.raises(SpecError, match=words):
            TWO.gaps(**wrong)
