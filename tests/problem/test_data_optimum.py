"""F* on data sets: against independent solvers, for sparse rows, and where there is no minimum."""

from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack, random_array, vstack

from cvar_core import Problem, load, sweep
from cvar_core.problem import cvar
from cvar_core.problem.optimum.separable import _label_counts as label_counts
from cvar_core.problem.optimum.separable import _suspects as suspects
from cvar_core.problem.optimum.separable import contradictions

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


def by_linear_programme(x: csr_array, y: np.ndarray, beta: float) -> float:
    """min α + Σ s_i/((1−β)n) with s_i ≥ |x_i·θ − y_i| − α and s_i ≥ 0, solved by HiGHS."""
    n, d = x.shape
    cost = np.concatenate([np.zeros(d), [1.0], np.full(n, 1 / ((1 - beta) * n))])
    ones, slack = csr_array(np.ones((n, 1))), csr_array(np.eye(n))
    matrix = vstack([hstack([x, -ones, -slack]), hstack([-x, -ones, -slack])])
    bounds = [(None, None)] * (d + 1) + [(0, None)] * n
    found = linprog(cost, matrix, np.concatenate([y, -y]), bounds=bounds, method="highs")
    assert found.success
    return float(found.fun)


def by_cutting_planes(problem: Problem, beta: float) -> float:
    """Bracket F* for a smooth loss: HiGHS on tangents of the losses from below, CVaR_β at its answer from above."""
    points, loss = problem.ground.points, problem.loss
    x, y = csr_array(points.rows(torch.arange(points.count)).numpy()), points.target
    n, d = x.shape
    cost = np.concatenate([np.zeros(d), [1.0], np.full(n, 1 / ((1 - beta) * n))])
    bounds = [(-1e4, 1e4)] * d + [(None, None)] + [(0, None)] * n
    ones, slack = csr_array(np.ones((n, 1))), csr_array(np.eye(n))
    rows, sides = [], []

    def cut(p: torch.Tensor) -> None:
        value, slope = loss.value(p, y).numpy(), loss.slope(p, y).numpy()
        rows.append(hstack([csr_array(x * slope[:, None]), -ones, -slack], format="csr"))
        sides.append(slope * p.numpy() - value)

    for shift in (-60, -20, -6, -2, 0, 2, 6, 20, 60):
        cut((y if loss.task == "regression" else 0 * y) + shift)
    best = np.inf
    for _ in range(40):
        found = linprog(cost, vstack(rows), np.concatenate(sides), bounds=bounds, method="highs")
        assert found.success
        p = torch.from_numpy(x @ found.x[:d])
        best = min(best, cvar(loss.value(p, y), beta))
        if best - found.fun <= 1e-6 * best:
            return best
        cut(p)
    raise AssertionError("the bracket did not close")


def subsample(name: str, rows: int, **options):
    if not (SHARED / name).exists():
        pytest.skip("the shared data are not here")
    data = load(SHARED / name, **options)
    return data.rows(np.arange(rows) * (data.shape[0] // rows))


def test_absolute_loss_on_real_rows_is_the_linear_programmes():
    data = subsample("cpu_small.csv", 300, target="usr", standardise=True, intercept=True)
    best = data.problem("absolute", beta=0.9).optimum()
    assert best.value == pytest.approx(by_linear_programme(csr_array(data.x), data.y, 0.9), rel=1e-5)


@pytest.mark.parametrize(("name", "loss", "options"), [
    ("cpu_small.csv", "squared", {"target": "usr", "standardise": True, "intercept": True}),
    ("a9a", "logistic", {}),
])  # fmt: skip
def test_smooth_losses_on_real_rows_are_another_solvers(name, loss, options):
    data = subsample(name, 300, **options)
    if loss == "logistic":  # ten columns: all of them separate 300 rows
        keep = np.argsort(-np.abs(data.x.toarray().mean(axis=0) - 0.5))[-10:]
        data = type(data)(data.name, data.x[:, keep], data.y)
    problem = data.problem(loss, beta=0.5)
    assert problem.optimum().value == pytest.approx(by_cutting_planes(problem, 0.5), rel=1e-5)


def sparse_rows(rows: int, dim: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    x = csr_array(random_array((rows, dim), density=0.05, format="csr", rng=rng, data_sampler=rng.standard_normal))
    return x, x @ rng.standard_normal(dim) + rng.standard_normal(rows)


def test_sparse_rows_have_the_dense_rows_optimum():
    x, y = sparse_rows(400, 30)
    one, other = (Problem.from_arrays(each, y, loss="absolute", beta=0.8).optimum() for each in (x, x.toarray()))
    assert one.value == pytest.approx(other.value, rel=1e-9)


def test_many_columns_come_close_to_the_linear_programme_without_newton(monkeypatch):
    monkeypatch.setattr("cvar_core.problem.optimum._LARGEST_NEWTON", 10)
    x, y = sparse_rows(300, 40)
    best = Problem.from_arrays(x, y, loss="absolute", beta=0.8).optimum()
    exact = by_linear_programme(x, y, 0.8)
    assert exact * (1 - 1e-9) <= best.value <= exact * (1 + 1e-5)


def test_more_columns_than_rows_fit_every_target():
    x, y = sparse_rows(60, 1_500)
    best = Problem.from_arrays(x, y, loss="squared", beta=0.9).optimum()
    assert best.value < 1e-6 * np.mean(y**2)


def separable():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((80, 4))
    return x, np.sign(x @ [1.0, -2.0, 0.5, 0.0])


def test_separable_data_have_no_minimum_and_no_run_is_below_the_best_value_found():
    x, y = separable()
    problem = Problem.from_arrays(x, y, loss="logistic", beta=0.7)
    best = problem.optimum()
    assert not best.attained
    assert best.value == 0
    assert problem.objective(best.theta, best.alpha) == 0
    result = sweep(problem, iterations=3_000, seeds=2)
    assert result.suboptimality.min() >= 0
    assert result.reference == {"train_accuracy": 1.0}


def test_rows_that_contradict_each_other_bound_the_objective_and_may_leave_no_minimum():
    x, y = separable()
    odd = np.eye(6)[[4, 4, 4, 5, 5]]  # in columns of their own: 2 against 1, and 1 against 1
    x, y = np.vstack([np.hstack([x, np.zeros((80, 2))]), odd]), np.concatenate([y, [1, 1, -1, 1, -1]])
    problem = Problem.from_arrays(csr_array(x), y, loss="logistic", beta=0.5)
    least = -2 * np.log(2 / 3) - np.log(1 / 3) + 2 * np.log(2)
    floor, only_at_infinity = contradictions(problem.ground.points, problem.loss, 0.5)
    assert floor == pytest.approx(least / (0.5 * len(y)), rel=1e-12)
    assert only_at_infinity
    best = problem.optimum()
    assert not best.attained
    assert floor <= best.value <= floor + 1e-6
    one_more = Problem.from_arrays(csr_array(np.vstack([x, x[0]])), np.append(y, -y[0]), loss="logistic", beta=0.5)
    assert one_more.optimum().attained, "a row that contradicts another elsewhere leaves a minimum, above its bound"


def test_where_nothing_is_optimal_that_is_said_and_no_accuracy_given():
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((2_000, 5)), rng.choice([-1.0, 1.0], 2_000)
    problem = Problem.from_arrays(x, y, loss="logistic", beta=0.95)
    best = problem.optimum()
    assert best.value == pytest.approx(np.log(2), rel=1e-12)
    assert best.gap < 1e-9
    assert best.measures == ()


def rare_columns(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Standardised rows whose last columns each mark one row, with a loss far below the tail: it alone holds θ."""
    rng = np.random.default_rng(2)
    x = np.hstack([rng.standard_normal((rows, 4)), np.zeros((rows, 6))])
    y = np.where(x[:, 0] - 0.5 * x[:, 1] + rng.standard_normal(rows) > 0, 1.0, -1.0)
    x[np.argsort(-y * (x[:, 0] - 0.5 * x[:, 1]))[:6], 4 + np.arange(6)] = 1.0
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    return np.hstack([x, np.ones((rows, 1))]), y


@pytest.mark.parametrize("sparse", [False, True])
def test_a_part_of_very_many_points_leads_to_the_same_optimum(monkeypatch, sparse):
    x, y = rare_columns(40_000)
    problem, other = (
        Problem.from_arrays(csr_array(x) if sparse else x, y, loss="logistic", beta=0.3) for _ in range(2)
    )
    exact = other.optimum()
    for place in ("cvar_core.problem.optimum.MANY", "cvar_core.problem.optimum.descent.MANY"):
        monkeypatch.setattr(place, 3_000)
    monkeypatch.setattr("cvar_core.problem.optimum.polish._MOST_AT_ONCE", 100_000)
    best = problem.optimum()
    assert best.gap < 2e-9
    assert best.value - best.gap <= exact.value, "the bound from below is one"
    assert best.value == pytest.approx(exact.value, rel=2e-10)


def test_contradicting_rows_are_found_among_rows_of_any_kind():
    rng = np.random.default_rng(3)
    x = np.vstack([rng.integers(0, 2, (300, 12)), rng.standard_normal((300, 12))]).astype(float)
    x[450:] = x[300:450]
    y = rng.choice([-1.0, 1.0], len(x))
    groups: dict[bytes, list[float]] = {}
    for row, label in zip(x, y, strict=True):
        groups.setdefault(row.tobytes(), []).append(label)
    expected = sorted((labels.count(1.0), labels.count(-1.0)) for labels in groups.values() if len(set(labels)) == 2)
    assert len(expected) > 50
    for each in (x, csr_array(x)):
        points = Problem.from_arrays(each, y, loss="logistic").ground.points
        assert sorted(pair for pair in label_counts(suspects(points)) if min(pair) > 0) == expected
        assert len(suspects(points).target) == sum(map(sum, expected)), "and no others are looked at"
