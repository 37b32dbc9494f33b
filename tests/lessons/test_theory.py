"""Theorem 1 as a calculator: its bounds hold, its best step sizes are the best, and what it cannot say is said."""

import functools
import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some

from cvar_core import Problem, sweep
from cvar_core.catalogue import Distances, StepSizes, methods, sharp_bound
from cvar_core.lessons import theory
from cvar_core.lessons.theory import Bound, Setting, bounds
from cvar_core.reading import log_range
from cvar_core.results import number

every_method = pytest.mark.parametrize("method", methods, ids=lambda method: method.name)
sizes = some.floats(0.01, 100.0)
any_setting = some.builds(
    Setting,
    theta=some.tuples(sizes, sizes),
    alpha=some.tuples(sizes, sizes),
    initial_loss=some.tuples(sizes, sizes),
    slopes=some.lists(some.floats(0.01, 20.0), min_size=1, max_size=4).map(tuple),
    beta=some.floats(0.0, 0.99),
    updates=some.integers(1, 10**6),
)


@functools.cache
def measured(loss, beta, noise="normal"):
    spec = theory.experiment(loss, noise, beta, 1_000)
    problem = replace(spec.problem, eval_size=3_000)
    return theory.measure(replace(spec, problem=problem, lambdas=log_range(1e-3, 1e3, 13)))


def of_formula(rule, method, setting, lam):
    """The mean over starts of a bound, straight from the catalogue's formula."""
    total = 0.0
    for theta, alpha, initial_loss in zip(setting.theta, setting.alpha, setting.initial_loss, strict=True):
        pair = method.step_sizes(
            torch.tensor(lam, dtype=torch.float64), torch.tensor(initial_loss, dtype=torch.float64)
        )
        start = Distances(theta, alpha, torch.tensor(setting.slopes, dtype=torch.float64))
        total += float(rule(start, pair, setting.beta, setting.updates))
    return total / len(setting.theta)


# The bounds hold.


@pytest.mark.parametrize("beta", [0.5, 0.95])
@pytest.mark.parametrize("loss", ["absolute", "logistic"])
def test_bounds_hold_for_the_mean_over_seeds(loss, beta):
    setting, runs = measured(loss, beta)
    assert len(runs.spec.seeds) == 20
    assert runs.spec.schedule == "constant"
    for m, name in enumerate(runs.spec.methods):
        both = bounds(methods[name], setting)
        for lam, mean in zip(runs.spec.lambdas, runs.mean[m], strict=True):
            assert 0 < mean <= both.sharper.at(lam) <= both.theorem.at(lam)


@pytest.mark.parametrize("beta", [0.5, 0.95])
@pytest.mark.parametrize("loss", ["absolute", "logistic"])
def test_bounds_hold_in_the_metric_of_a_method_that_has_one(loss, beta):
    spec = theory.experiment(loss, "normal", beta, 300)
    problem = Problem(replace(spec.problem, eval_size=5_000))
    names = tuple(method.name for method in methods if method.metric is not None)
    result = sweep(problem, names, (1e-3, 0.03, 1.0, 30.0, 1e3), 300, 20, "constant", checkpoints=1)
    means = result.suboptimality[:, :, -1].mean(axis=1)
    for m, name in enumerate(names):
        both = theory.bounds_on(problem, result.spec, name)
        for lam, mean in zip(result.spec.lambdas, means[m], strict=True):
            assert 0 < mean <= both.sharper.at(lam) <= both.theorem.at(lam)


@pytest.mark.parametrize("beta", [0.5, 0.95])
@pytest.mark.parametrize("loss", ["absolute", "logistic"])
def test_bounds_hold_for_models_and_rules_beyond_the_paper(loss, beta):
    spec = theory.experiment(loss, "normal", beta, 300)
    problem = Problem(replace(spec.problem, eval_size=5_000))
    names = ("sgm-t", "sgm@pair", "sgm-t@pair")
    result = sweep(problem, names, (1e-3, 0.03, 1.0, 30.0, 1e3), 300, 20, "constant", checkpoints=1)
    setting, means = theory.setting_of(problem, result.spec), result.suboptimality[:, :, -1].mean(axis=1)
    for m, name in enumerate(names):
        both = bounds(methods[name], setting)
        for lam, mean in zip(result.spec.lambdas, means[m], strict=True):
            assert 0 < mean <= both.sharper.at(lam) <= both.theorem.at(lam)


@pytest.mark.parametrize("name", ["sgm", "spl", "spl+", "sgm-t"])
def test_without_a_metric_a_problems_own_bounds_are_the_bounds(name):
    spec = replace(theory.experiment("logistic", "normal", 0.9, 100), seeds=range(3))
    spec = replace(spec, problem=replace(spec.problem, eval_size=500))
    problem = Problem(spec.problem)
    found, expected = theory.bounds_on(problem, spec, name), bounds(methods[name], theory.setting_of(problem, spec))
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other, rel=1e-9)
    squared = Problem(replace(spec.problem, loss="squared"))
    assert theory.bounds_on(squared, replace(spec, problem=squared.spec), name) is None


def test_what_is_measured_is_the_mean_and_not_the_median():
    spec = replace(theory.experiment("absolute", "lognormal", 0.9, 100), lambdas=(0.1, 10.0), seeds=range(4))
    spec = replace(spec, problem=replace(spec.problem, eval_size=1_000))
    _, runs = theory.measure(spec)
    result = sweep(Problem(spec.problem), lambdas=spec.lambdas, iterations=100, seeds=4, schedule="constant")
    ends = result.curves[result.curves["iteration"] == 100]
    means = ends.groupby(["method", "lambda"])["suboptimality"].mean()
    for m, name in enumerate(spec.methods):
        assert runs.mean[m] == pytest.approx(means[name].to_numpy())
        assert (runs.low[m] < runs.mean[m]).all()
        assert (runs.mean[m] < runs.high[m]).all()
    starts = result.curves[(result.curves["iteration"] == 0) & (result.curves["lambda"] == 0.1)]
    assert runs.start == pytest.approx(starts["suboptimality"].mean())


def test_what_bounds_the_objective_bounds_the_models_excess_risk_all_the_more():
    spec = replace(theory.experiment("absolute", "normal", 0.95, 300), lambdas=(0.01, 0.1, 1.0), seeds=range(4))
    problem = Problem(replace(spec.problem, eval_size=1_000))
    setting = theory.setting_of(problem, spec)
    result = sweep(problem, lambdas=spec.lambdas, iterations=300, seeds=4, schedule="constant")
    ends = result.curves[result.curves["iteration"] == 300]
    means = ends.groupby(["method", "lambda"])[["excess_risk", "suboptimality"]].mean()
    for (name, lam), (risk, objective) in means.iterrows():
        assert 0 < risk < objective <= bounds(methods[name], setting).theorem.at(lam)


def test_the_problem_itself_says_how_far_and_how_steep():
    setting, runs = measured("absolute", 0.95)
    problem = Problem(runs.spec.problem)
    best, first = problem.optimum(), problem.start(0)
    assert setting.theta[0] == pytest.approx(float(torch.linalg.vector_norm(first.theta - best.theta)), rel=1e-3)
    assert setting.alpha[0] == pytest.approx(abs(first.alpha - best.alpha), rel=1e-3)
    assert setting.initial_loss[0] == pytest.approx(first.initial_loss)
    assert setting.slopes == (1.0,)
    assert setting.numbers()["theta"] == pytest.approx(np.sqrt(np.mean(np.square(setting.theta))))
    scaled = Problem(replace(runs.spec.problem, scale=7.0))
    assert theory.setting_of(scaled, runs.spec).slopes == (7.0,)


@every_method
@settings(max_examples=20)
@given(setting=any_setting, lam=some.floats(1e-4, 1e4))
def test_a_bound_is_what_the_catalogue_says(method, setting, lam):
    both = bounds(method, setting)
    assert both.theorem.at(lam) == pytest.approx(of_formula(method.bound, method, setting, lam), rel=1e-9)
    assert both.sharper.at(lam) == pytest.approx(of_formula(sharp_bound, method, setting, lam), rel=1e-9)


@every_method
@settings(max_examples=20)
@given(setting=any_setting, lam=some.floats(1e-4, 1e4))
def test_the_sharper_bound_is_never_above_the_theorem(method, setting, lam):
    both = bounds(method, setting)
    assert both.sharper.at(lam) <= both.theorem.at(lam) * (1 + 1e-12)


# The best step sizes are the best.


@every_method
@settings(max_examples=20)
@given(setting=any_setting)
def test_the_best_lambda_minimises_its_bound(method, setting):
    for bound, rule in zip(bounds(method, setting), (method.bound, sharp_bound), strict=True):
        scanned = [of_formula(rule, method, setting, bound.best_lambda * step) for step in np.geomspace(0.01, 100, 9)]
        assert min(scanned) == pytest.approx(scanned[4], rel=1e-9)
        assert bound.least == pytest.approx(scanned[4], rel=1e-9)


def test_the_best_lambda_of_sgm_is_the_papers():
    setting = Setting((3.0,), (4.0,), (9.0,), (1.0,), 0.95, 100)
    bound = bounds(methods["sgm"], setting).theorem
    assert bound.best_lambda == pytest.approx(5 / math.sqrt(2 * 801))
    assert bound.least == pytest.approx(math.sqrt(2) * 5 * math.sqrt(801) / 10)


@settings(max_examples=20)
@given(setting=any_setting)
def test_the_best_pair_minimises_the_bound_over_both_step_sizes(setting):
    pair, method = theory.best_pair(setting), methods["spl"]

    def promised(theta, alpha):
        pair = StepSizes(torch.tensor(theta, dtype=torch.float64), torch.tensor(alpha, dtype=torch.float64))
        slopes = torch.tensor(setting.slopes, dtype=torch.float64)
        starts = [Distances(a, b, slopes) for a, b in zip(setting.theta, setting.alpha, strict=True)]
        return np.mean([float(method.bound(start, pair, setting.beta, setting.updates)) for start in starts])

    assert pair.bound == pytest.approx(promised(pair.theta, pair.alpha), rel=1e-9)
    for theta in (0.5, 0.9, 1.1, 2.0):
        for alpha in (0.5, 0.9, 1.1, 2.0):
            assert pair.bound < promised(theta * pair.theta, alpha * pair.alpha)


def test_the_printed_pair_is_worse_where_slopes_differ():
    same = Setting((3.0,), (1e-6,), (1.0,), (2.0,), 0.9, 100)
    assert theory.printed_pair(same) == pytest.approx(theory.best_pair(same))
    unlike = replace(same, slopes=theory.slopes_with(0.5, 1.0))
    best, printed = theory.best_pair(unlike), theory.printed_pair(unlike)
    assert printed.theta == pytest.approx(2 * best.theta)  # E[M] is half of √E[M²]
    assert printed.bound / best.bound == pytest.approx((2 + 1 / 2) / 2, rel=1e-5)


def test_the_constants_are_801_against_800():
    found = theory.constants(Setting((1.0,), (1.0,), (5.0,), (1.0,), 0.95, 1_000))
    assert found == pytest.approx((801, 800, 761))


def test_so_many_updates_promise_a_gap():
    setting = Setting((3.0,), (4.0,), (9.0,), (1.0,), 0.95, 100)
    needed = theory.updates_to_promise(0.5, bounds(methods["spl+"], setting).theorem, 100)
    later = bounds(methods["spl+"], replace(setting, updates=round(needed))).theorem
    assert later.least == pytest.approx(0.5, rel=1e-6)


# What if.


@given(mean=some.floats(1e-3, 1e3), share=some.floats(1.0, 1e4))
def test_slopes_have_the_moments_that_were_asked_for(mean, share):
    slopes = np.array(theory.slopes_with(mean, share * mean**2))
    assert slopes.min() >= 0
    assert slopes.mean() == pytest.approx(mean, rel=1e-6)
    assert (slopes**2).mean() == pytest.approx(share * mean**2, rel=1e-6)


OWN = Setting((3.0, 4.0), (1.0, 2.0), (9.0, 9.5), (1.0,), 0.95, 100)


def test_given_numbers_take_the_place_of_the_problems_own():
    changed, wrong = theory.what_if(OWN, {"theta": 7.0, "alpha": None, "initial_loss": 2.0, "mean_square_slope": 4.0})
    assert not wrong
    assert changed == replace(OWN, theta=(7.0, 7.0), initial_loss=(2.0, 2.0), slopes=(2.0,))
    assert theory.what_if(OWN, dict.fromkeys(OWN.numbers())) == (OWN, {})


@pytest.mark.parametrize("value", [0.0, -1.0, 1e7, math.nan, math.inf])
def test_a_number_that_cannot_be_gets_a_sentence_and_changes_nothing(value):
    for name in OWN.numbers():
        changed, wrong = theory.what_if(OWN, {name: value})
        assert changed == OWN
        assert list(wrong) == [name]
        assert "must lie between 10⁻⁶ and 10⁶" in wrong[name]


def test_no_mean_square_is_below_the_squared_mean():
    changed, wrong = theory.what_if(OWN, {"mean_slope": 2.0})
    assert changed == OWN
    assert "E[M]² is 4 and E[M²] is 1, but a mean square is at least the squared mean" in wrong["mean_slope"]
    changed, wrong = theory.what_if(OWN, {"mean_slope": 0.5})
    assert not wrong
    assert changed.numbers()["mean_slope"] == pytest.approx(0.5)
    assert changed.numbers()["mean_square_slope"] == pytest.approx(1.0)
    assert "mean_slope" in theory.what_if(OWN, {"mean_slope": 1e-6})[1]


# Where it does not apply.


def test_the_theorem_says_nothing_of_squared_loss():
    setting, runs = measured("squared", 0.95)
    assert setting.slopes is None
    assert theory.bounds_by_name(runs.spec.methods, setting) == {}
    assert theory.best_pair(setting) is theory.printed_pair(setting) is theory.constants(setting) is None
    assert theory.chosen_steps(setting, {}) == ""
    assert theory.unexplained(setting, runs, {}) == []
    rows = dict(theory.brief(runs, {}, 1e3))
    assert list(rows) == ["", "the runs reach", "at best", "which is at λ ="]
    assert rows["the runs reach"][0] == "diverged"
    assert [rows["which is at λ ="][2], rows["at best"][2]] == [number(each) for each in runs.best("spl+")]
    assert theory.what_if(setting, {"mean_slope": 2.0, "theta": 1.0})[0].slopes is None


# Before the runs.


@pytest.mark.parametrize("loss", ["absolute", "squared"])
def test_what_is_expected_is_what_is_measured_but_for_the_runs(loss):
    setting, runs = measured(loss, 0.5)
    expected, awaited = theory.expect(runs.spec)
    assert expected == setting
    assert awaited.start == pytest.approx(runs.start)
    assert (awaited.spec, awaited.there, runs.there) == (runs.spec, False, True)


def test_where_runs_are_awaited_dots_stand_for_their_numbers_only():
    setting, runs = measured("absolute", 0.5)
    _, awaited = theory.expect(runs.spec)
    promised = theory.bounds_by_name(runs.spec.methods, setting)
    before, after = (dict(theory.table(setting, each, promised, 0.2)[1:]) for each in (awaited, runs))
    assert before.keys() == after.keys()
    of_runs = {"measured there", "promised ÷ measured", "least measured, at λ", "updates to promise that"}
    for label, cells in before.items():
        assert all("…" in cell for cell in cells) == (label in of_runs or label.startswith("measured at")), label
        assert label in of_runs or "…" in cells[0] or cells == after[label]
    said, told = (theory.unexplained(setting, each, promised) for each in (awaited, runs))
    assert [text.split("**")[1] for text in said] == [text.split("**")[1] for text in told]
    assert "at λ = …, … ends … times lower" in said[0]
    assert "nan" not in " ".join(said)
    assert "…" not in " ".join(told)


# In between, and in words.


def runs_of(*rows):
    """Measured means of SGM, SPL and SPL+ at λ = 0.1, 1 and 10."""
    spec = replace(theory.experiment("absolute", "normal", 0.95, 100), lambdas=(0.1, 1.0, 10.0))
    means = np.array(rows)
    return theory.Measured(spec, means, means, means, np.isinf(means).astype(np.int64), 5.0)


def test_between_two_lambdas_the_mean_is_on_the_line_in_log_log():
    runs = runs_of([1.0, 4.0, math.inf], [2.0, 2.0, 2.0], [4.0, 2.0, 1.0])
    assert runs.at("sgm", math.sqrt(0.1)) == pytest.approx(2.0)
    assert runs.at("sgm", 1.0) == 4.0
    assert runs.at("sgm", 2.0) == math.inf
    assert runs.at("sgm", 10.0) == math.inf
    assert runs.at("sgm", 0.05) is None
    assert runs.at("sgm", 11.0) is None
    assert runs.best("spl+") == (10.0, 1.0)


def test_the_words_name_the_method_that_is_lower():
    setting = replace(OWN, updates=100)
    promised = theory.bounds_by_name(("sgm", "spl", "spl+"), setting)
    said = theory.unexplained(setting, runs_of([1.0, 8.0, math.inf], [1.0, 2.0, 1.0], [1.0, 1.0, 0.5]), promised)[0]
    assert "$L^2$ = 801 and SPL 800: their thin lines coincide" in said
    assert "at λ = 1, SPL ends 4 times lower" in said
    said = theory.unexplained(setting, runs_of([0.1, 2.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 0.5]), promised)[0]
    assert "at λ = 0.1, SGM ends 10 times lower" in said
    flat = replace(setting, beta=0.0)
    promised = theory.bounds_by_name(("sgm", "spl", "spl+"), flat)
    said = theory.unexplained(flat, runs_of([1.0] * 3, [1.0] * 3, [1.0] * 3), promised)[0]
    assert "$L^2$ = 3 and SPL 2: their thin lines are never more than 1.5 times apart" in said


def test_three_rows_tell_what_is_promised_reached_and_between_them():
    bound = theory.Bounds(Bound(2.0, 8.0), Bound(2.0, 4.0))
    promised = dict.fromkeys(("sgm", "spl", "spl+"), bound)
    rows = theory.brief(runs_of([4.0, 0.5, math.inf], [4.0, 0.5, 2.0], [4.0, 0.25, 2.0]), promised, 1.0)
    assert rows == [
        ("", ["SGM", "SPL", "SPL₊"]),
        ("promised at most", ["10"] * 3),
        ("the runs reach", ["0.5", "0.5", "0.25"]),
        ("promised ÷ reached", ["20 ×", "20 ×", "40 ×"]),
    ]
    lost = dict(theory.brief(runs_of(*[[4.0, 0.5, math.inf]] * 3), promised, 10.0))
    assert lost["the runs reach"] == ["diverged"] * 3
    assert lost["promised ÷ reached"] == ["–"] * 3


def test_the_table_has_the_sum_and_the_ratio():
    bound = theory.Bounds(Bound(2.0, 8.0), Bound(2.0, 4.0))
    rows = theory.table(OWN, runs_of(*[[4.0, 0.5, 2.0]] * 3), dict.fromkeys(("sgm", "spl", "spl+"), bound), 1.0)
    found = [(label, cells[0]) for label, cells in rows]
    assert found == [
        ("", "SGM"),
        ("the bound's best λ", "0.5"),
        ("promised there", "≤ 8"),
        ("measured there", "0.935"),
        ("promised ÷ measured", "8.56 ×"),
        ("least measured, at λ", "0.5, at 1"),
        ("updates to promise that", "2.56·10⁴"),
        ("at λ = 1: way left", "2"),
        ("+ noise", "8"),
        ("= promised", "≤ 10"),
        ("by the sharper bound", "≤ 6"),
        ("measured at λ = 1", "0.5"),
        ("promised ÷ measured", "20 ×"),
    ]


def test_a_best_lambda_that_was_not_run_is_said_to_be_so():
    bound = theory.Bounds(Bound(8e6, 2.0), Bound(8e6, 1.0))
    rows = theory.table(OWN, runs_of(*[[4.0, 0.5, 2.0]] * 3), dict.fromkeys(("sgm", "spl", "spl+"), bound), 1.0)
    assert ("measured there", ["not run"] * 3) in rows
    assert rows[4] == ("promised ÷ measured", ["–"] * 3)


def test_looseness_is_over_all_methods_and_lambdas():
    bound = theory.Bounds(Bound(1.0, 1.0), Bound(1.0, 0.5))
    promised = dict.fromkeys(("sgm", "spl", "spl+"), bound)
    runs = runs_of([1.0, 1.0, math.inf], [1.0, 0.01, 1.0], [1.0, 1.0, 1.0])
    assert theory.looseness(promised, runs) == pytest.approx((2.0, 200.0))
