"""F*: against closed forms, exact linear programmes, its own certificate and the runs."""

import math

import numpy as np
import pytest
import torch
from scipy.optimize import linprog

from cvar_core import Cancelled, Problem, sweep
from cvar_core.catalogue import losses
from cvar_core.problem import cvar
from cvar_core.problem.draws import targets
from cvar_core.problem.optimum.descent import Tail
from cvar_core.problem.optimum.polish import split_at
from cvar_core.results import Criterion
from tests.lessons.paper.optima import OPTIMA


@pytest.mark.parametrize(
    ("loss", "noise", "size"),
    [
        # The rest of the paper's problems, at its size, ships: tests/lessons/paper/test_shipped.py.
        pytest.param("squared", "lognormal", 1_000_000, marks=pytest.mark.paper),
        ("absolute", "gumbel", 100_000),
        ("logistic", "normal", 100_000),
        ("squared", "normal", 50_000),
        ("absolute", "normal", 50_000),
        ("absolute", "lognormal", 50_000),
    ],
)
def test_optimum_of_the_papers_problems_is_the_closed_form(loss, noise, size):
    problem = Problem.synthetic(loss=loss, noise=noise, eval_size=size)
    best = problem.optimum()
    value, error = OPTIMA[loss, noise]
    assert best.value == pytest.approx(value, abs=3.5 * error * math.sqrt(1_000_000 / size))
    assert best.gap is not None
    assert best.gap <= 1e-9 * (1 + best.value)
    assert best.value == pytest.approx(cvar(problem.losses(best.theta), 0.95), rel=1e-13)
    if loss != "logistic":
        _, noise_drawn = targets(problem.spec, torch.zeros(size, dtype=torch.float64))
        at_generator = cvar(problem.loss.value(noise_drawn, torch.zeros_like(noise_drawn)), 0.95)
        assert best.value <= at_generator * (1 + 1e-12)


def exact_by_linear_programme(
    x: np.ndarray, y: np.ndarray, beta: float, over: float = 1.0, under: float = 1.0
) -> float:
    """min α + Σ s_i/((1−β)n) with s_i ≥ over·r_i − α, s_i ≥ −under·r_i − α, r_i = x_i·θ − y_i and s_i ≥ 0, by HiGHS."""
    n, d = x.shape
    cost = np.concatenate([np.zeros(d), [1.0], np.full(n, 1 / ((1 - beta) * n))])
    above = np.hstack([over * x, -np.ones((n, 1)), -np.eye(n)])
    below = np.hstack([-under * x, -np.ones((n, 1)), -np.eye(n)])
    bounds = [(None, None)] * (d + 1) + [(0, None)] * n
    found = linprog(
        cost, A_ub=np.vstack([above, below]), b_ub=np.concatenate([over * y, -under * y]), bounds=bounds, method="highs"
    )
    assert found.success
    return float(found.fun)


@pytest.mark.parametrize("n", [10, 11, 150])
@pytest.mark.parametrize("level", ["erm", "0.3", "0.95", "max"])
def test_absolute_loss_agrees_with_an_exact_linear_programme(n, level):
    beta = {"erm": 0.0, "max": (n - 1) / n}.get(level) if level in ("erm", "max") else float(level)
    rng = np.random.default_rng(n)
    x, y = rng.standard_normal((n, 4)), rng.standard_t(3, n)
    best = Problem.from_arrays(x, y, loss="absolute", beta=beta).optimum()
    exact = exact_by_linear_programme(x, y, beta)
    assert best.value == pytest.approx(exact, abs=1e-6)
    assert best.value >= exact - 1e-9
    assert best.gap is not None
    assert best.gap <= 1e-6
    assert best.value - best.gap <= exact + 1e-9, "the certificate is a bound from below"


@pytest.mark.parametrize("tau", [0.02, 0.7, 0.95])
@pytest.mark.parametrize("beta", [0.0, 0.3, 0.95])
def test_pinball_loss_agrees_with_an_exact_linear_programme(tau, beta):
    rng = np.random.default_rng(3)
    x, y = rng.standard_normal((120, 4)), rng.standard_t(3, 120)
    best = Problem.from_arrays(x, y, "pinball", beta, loss_params={"tau": tau}).optimum()
    exact = exact_by_linear_programme(x, y, beta, over=1 - tau, under=tau)
    assert best.value == pytest.approx(exact, rel=1e-8)
    assert best.gap is not None
    assert best.gap <= 1e-8 * best.value
    assert best.value - best.gap <= exact + 1e-12


@pytest.mark.parametrize("loss", losses.names())
@pytest.mark.parametrize("beta", [0.0, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("n", [10, 2_000])
def test_optimum_is_certified_for_any_level_and_size(loss, beta, n):
    problem = Problem.synthetic(loss=loss, noise="student", beta=beta, dim=3, sample_size=n)
    best = problem.optimum()
    assert best.value == pytest.approx(problem.objective(best.theta, best.alpha), rel=1e-12, abs=1e-12)
    near = best.theta + 1e-3 * torch.randn(50, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    assert min(cvar(problem.losses(theta), beta) for theta in near) >= best.value - 1e-9 * (1 + best.value)
    if best.gap is None:  # separable labels: the infimum is not attained
        assert loss == "logistic"
    else:
        assert best.gap <= 1e-6 * (1 + best.value)


@pytest.mark.parametrize("beta", [0.0, 0.8, 0.95, 0.98])
def test_separable_labels_have_an_infimum_of_zero(beta):
    x = np.random.default_rng(0).standard_normal((50, 3))
    best = Problem.from_arrays(x, np.sign(x @ [1, 2, 3]), loss="logistic", beta=beta).optimum()
    assert 0 <= best.value < 1e-6
    assert best.gap is not None


@pytest.mark.parametrize("seed", range(10))
def test_small_classification_sets_do_not_stick_at_the_kink(seed):
    draw = np.random.default_rng(seed)
    x = draw.standard_normal((60, 3))
    y = np.sign(x @ [1, 2, 3] + 0.3 * draw.standard_normal(60))
    problem = Problem.from_arrays(x, y, loss="logistic", beta=0.9)
    best = problem.optimum()
    assert best.gap is not None
    assert best.gap <= 1e-6
    for length in (0.1, 1.0, 3.0, 10.0):
        assert best.value <= cvar(problem.losses(length * torch.tensor([1.0, 2.0, 3.0]).double()), 0.9) + 1e-9


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_the_unit_of_the_targets_does_not_matter(loss, rng):
    x = torch.randn(80, 4, dtype=torch.float64, generator=rng)
    y = torch.randn(80, dtype=torch.float64, generator=rng)
    power = {"squared": 2, "absolute": 1}[loss]
    one, tiny = (Problem.from_arrays(x, unit * y, loss=loss, beta=0.8).optimum().value for unit in (1.0, 1e-8))
    assert tiny == pytest.approx(1e-8**power * one, rel=1e-7)


def test_erm_of_squared_loss_is_least_squares(rng):
    x = torch.randn(400, 6, dtype=torch.float64, generator=rng)
    y = torch.randn(400, dtype=torch.float64, generator=rng)
    best = Problem.from_arrays(x, y, loss="squared", beta=0.0).optimum()
    exact = torch.linalg.lstsq(x, y.unsqueeze(1)).solution.squeeze(1)
    torch.testing.assert_close(best.theta, exact, rtol=1e-6, atol=1e-6)
    assert best.alpha == pytest.approx(float((0.5 * (x @ best.theta - y) ** 2).min()))


def test_sparse_and_dense_arrays_have_one_optimum(rng):
    from scipy.sparse import csr_array

    x = torch.randn(300, 8, dtype=torch.float64, generator=rng) * (torch.rand(300, 8, generator=rng) < 0.3)
    y = torch.randn(300, dtype=torch.float64, generator=rng)
    dense = Problem.from_arrays(x, y, loss="huber", beta=0.8).optimum()
    sparse = Problem.from_arrays(csr_array(x.numpy()), y, loss="huber", beta=0.8).optimum()
    assert sparse.value == pytest.approx(dense.value, rel=1e-9)


def test_scale_multiplies_the_optimum():
    one, cents = (Problem.synthetic(eval_size=2_000, scale=scale).optimum() for scale in (1.0, 100.0))
    assert cents.value == pytest.approx(100 * one.value, rel=1e-12)
    assert torch.equal(cents.theta, one.theta)


@pytest.mark.parametrize("after", [0, 3, 12])
def test_solving_stops_when_asked(after):
    calls = 0

    def stop() -> bool:
        nonlocal calls
        calls += 1
        return calls > after

    with pytest.raises(Cancelled):
        Problem.synthetic(eval_size=5_000).optimum(stop)
    assert calls == after + 1


@pytest.mark.parametrize("loss", ["squared", "absolute", "logistic"])
def test_no_run_beats_the_optimum(loss):
    result = sweep(Problem.synthetic(loss=loss, noise="gumbel", eval_size=20_000), iterations=20_000, seeds=2)
    assert np.nanmin(result.suboptimality) >= -1e-9 * (1 + abs(result.optimum.value))
    assert np.nanmin(result.suboptimality) < 0.02 * result.judged(Criterion("objective")).start, (
        "some run comes near it"
    )


@pytest.mark.parametrize("loss", ["squared", "absolute", "logistic"])
def test_the_risk_lies_between_the_optimum_and_the_objective(loss):
    problem = Problem.synthetic(loss=loss, noise="gumbel", eval_size=20_000)
    result = sweep(problem, iterations=5_000, seeds=2)
    best, known = result.optimum, ~np.isnan(result.objectives)
    assert (result.risks <= result.objectives)[known].all()
    assert (result.risks[known] >= best.value - 1e-9 * (1 + abs(best.value))).all()
    assert problem.risk(best.theta) == pytest.approx(best.value, rel=1e-12)


def test_no_point_is_kept_twice_however_its_loss_is_rounded():
    """A point that counted twice would make the bound from below a number about another problem."""
    rng = np.random.default_rng(0)
    losses = rng.uniform(1, 20, 100_000)
    alphas = losses * rng.uniform(0.001, 1, len(losses))
    (rounded,) = np.nonzero(losses > alphas + np.abs(losses - alphas))
    assert len(rounded) > 100, "such numbers are common"
    problem = Problem.synthetic(loss="squared", noise="normal", eval_size=60, dim=2)
    for k in rounded[:50]:
        values = np.concatenate([np.full(30, losses[k]), np.full(30, alphas[k] - 2 * losses[k])])
        nothing = torch.zeros(0)
        tail = Tail(0.0, float(alphas[k]), torch.from_numpy(values), nothing, nothing)
        split = split_at(problem.ground.points, tail, 0.5, 30, torch.zeros(60, dtype=torch.bool))
        assert len(split.y) == 30


def test_without_a_bound_from_below_there_is_no_certificate(monkeypatch):
    made = {"loss": "absolute", "noise": "normal", "eval_size": 2_000}
    known = Problem.synthetic(**made).optimum()
    monkeypatch.setattr("cvar_core.problem.optimum.stand_ins", lambda loss: [])  # nothing to take a bound from
    best = Problem.synthetic(**made).optimum()
    assert best.gap is None, "that F* is at least 0 certifies nothing"
    assert known.value <= best.value <= 1.01 * known.value
