"""(1 − μ)·mean + μ·CVaR: what a point is worth, the certified minimum, and what is known of the population."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from scipy.optimize import linprog, minimize
from scipy.sparse import csr_array

from cvar_core import Problem, ProblemSpec, SpecError, SweepSpec
from cvar_core.catalogue import losses
from cvar_core.problem import cvar, objective, tail_mass
from cvar_core.problem.constant import best_constant
from cvar_core.problem.ground import Ground
from cvar_core.problem.optimum.origin import bound_on_data
from cvar_core.problem.population import population_risk

MIXES = (0.0, 0.3, 0.9)
every_mix = pytest.mark.parametrize("mix", MIXES)
every_loss = pytest.mark.parametrize("loss", losses.names())


def rows(loss: str, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((count, 3)) * (rng.random((count, 3)) < 0.7)
    y = x @ [1.0, -2.0, 0.5] + rng.standard_normal(count) * 3
    return x, np.sign(y) if losses[loss].task == "classification" else y


def by_definition(values: torch.Tensor, alpha: float, beta: float, mix: float) -> float:
    return (1 - mix) * float(values.mean()) + mix * objective(values, alpha, beta)


def test_mix_of_one_is_no_mix_and_keeps_every_id():
    assert ProblemSpec(mix=1) == ProblemSpec() == ProblemSpec(mix=None)
    assert "mix" not in ProblemSpec(mix=1.0).to_dict()
    assert SweepSpec(ProblemSpec(mix=1)).id == SweepSpec(ProblemSpec()).id
    assert ProblemSpec.from_dict(ProblemSpec(mix=0.3).to_dict()) == ProblemSpec(mix=0.3)
    assert SweepSpec(ProblemSpec(mix=0.3)).id != SweepSpec(ProblemSpec()).id
    assert SweepSpec(ProblemSpec(mix=-0.0)).id == SweepSpec(ProblemSpec(mix=0)).id


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan, math.inf, "half", True])
def test_bad_mix_gets_a_sentence(bad):
    with pytest.raises(SpecError, match=r"^mix is"):
        ProblemSpec(mix=bad)


@every_mix
@every_loss
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_points_are_worth_what_the_definition_says(mix, loss, kind, rng):
    """Dense and sparse, above and below α = 0, in another unit, more points than one pass keeps."""
    x, y = rows(loss, 1_500)
    beta, scale = 0.83, 2.5
    problem = Problem.from_arrays(csr_array(x) if kind == "sparse" else x, y, loss, beta, scale, mix=mix)
    thetas = torch.randn(5, 3, dtype=torch.float64, generator=rng)
    alphas = torch.tensor([-3.0, 0.0, 0.7, 2.0, 40.0], dtype=torch.float64)
    found = problem.ground.evaluate(thetas, alphas)
    assert torch.equal(found.objectives, problem.ground.objectives(thetas, alphas))
    torch.testing.assert_close(found.risks, problem.ground.risks(thetas), rtol=1e-13, atol=0)
    for theta, alpha, value, risk in zip(thetas, alphas.tolist(), found.objectives, found.risks, strict=True):
        each = problem.losses(theta)
        assert float(value) == pytest.approx(by_definition(each, alpha, beta, mix), rel=1e-12)
        assert float(risk) == pytest.approx((1 - mix) * float(each.mean()) + mix * cvar(each, beta), rel=1e-12)
        assert float(value) >= float(risk)
        assert mix > 0 or float(value) == float(risk), "α has no part in the mean"


def test_losses_left_to_torch_are_mixed_too(monkeypatch, rng):
    from dataclasses import replace

    plain = replace(losses["absolute"], scalar=None)
    thetas, alphas = torch.randn(3, 10, dtype=torch.float64, generator=rng), torch.tensor([0.5, 3.0, -1.0])
    problem = Problem.synthetic("absolute", "normal", eval_size=2_000, mix=0.4)
    compiled = problem.ground.evaluate(thetas, alphas.double())
    monkeypatch.setattr(Ground, "loss", plain)
    found = problem.ground.evaluate(thetas, alphas.double())
    torch.testing.assert_close(found.objectives, compiled.objectives, rtol=1e-12, atol=0)
    torch.testing.assert_close(found.risks, compiled.risks, rtol=1e-12, atol=0)


@every_mix
@pytest.mark.parametrize("beta", [0.0, 0.9])
@every_loss
def test_the_minimum_is_certified_and_no_other_solver_gets_below_it(mix, beta, loss):
    x, y = rows(loss, 200)
    problem = Problem.from_arrays(x, y, loss, beta, mix=mix)
    best = problem.optimum()
    assert best.gap is not None
    assert best.gap <= 1e-9 * best.value
    assert problem.objective(best.theta, best.alpha) == pytest.approx(best.value, rel=1e-12)
    values, tails, features = losses[loss].value, problem.ground.points.target, torch.from_numpy(x)

    def risk(theta: np.ndarray) -> float:
        each = values(features @ torch.from_numpy(theta), tails)
        return (1 - mix) * float(each.mean()) + mix * cvar(each, beta)

    near = best.theta.numpy() + 0.1 * np.random.default_rng(0).standard_normal(3)
    tried = minimize(risk, near, method="Nelder-Mead", options={"maxiter": 300, "xatol": 1e-9, "fatol": 1e-12})
    assert tried.fun >= best.value * (1 - 1e-9)
    assert tried.fun <= best.value * (1 + 1e-3) + 1e-9, "the other solver has to come near, or it checks nothing"


def test_least_absolute_mix_is_that_of_a_linear_programme():
    """(1 − μ)·mean + μ·CVaR of absolute residuals is a linear programme, which HiGHS solves."""
    x, y = rows("absolute", 120)
    n, beta, mix = len(y), 0.85, 0.4
    mass = tail_mass(n, beta)
    # θ (3), α, r (n) ≥ |residual|, z (n) ≥ r − α
    cost = np.concatenate([np.zeros(3), [mix], np.full(n, (1 - mix) / n), np.full(n, mix / mass)])
    eye, zero, one = np.eye(n), np.zeros((n, n)), np.ones((n, 1))
    upper = np.vstack([np.hstack([x, 0 * one, -eye, zero]), np.hstack([-x, 0 * one, -eye, zero]),
                       np.hstack([0 * x, -one, eye, -eye])])  # fmt: skip
    bounds = [(None, None)] * 4 + [(0, None)] * (2 * n)
    expected = linprog(cost, upper, np.concatenate([y, -y, np.zeros(n)]), bounds=bounds, method="highs").fun
    assert Problem.from_arrays(x, y, "absolute", beta, mix=mix).optimum().value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_minimum_is_concave_in_the_mix_and_lies_between_its_ends(loss):
    """A minimum of functions that are linear in μ is concave in it: never below the line between two others."""
    grid = (0.0, 0.25, 0.5, 0.75, 1.0)
    best = [Problem.synthetic(loss, "normal", 0.8, dim=3, eval_size=500, mix=mix).optimum().value for mix in grid]
    for left, middle, right in zip(best, best[1:], best[2:], strict=False):
        assert middle >= (left + right) / 2 * (1 - 1e-9)
    assert all(high >= low * (1 - 1e-9) for low, high in pairwise(best)), "CVaR is never below the mean"
    for mix, value in zip(grid, best, strict=True):
        assert value >= ((1 - mix) * best[0] + mix * best[-1]) * (1 - 1e-9)


@every_mix
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_population_is_the_sum_of_its_two_parts(mix, loss):
    """Of normal noise both have closed forms: the mean, and the mean of the worst, of ½ζ² and |ζ|."""
    spec = ProblemSpec(loss, "normal", mix=mix)
    mean, tail = {"squared": (2.0, 11.1640), "absolute": (2 * math.sqrt(2 / math.pi), 4.6756)}[loss]
    known = population_risk(spec)
    assert known.value == pytest.approx((1 - mix) * mean + mix * tail, rel=1e-4)
    distances = torch.tensor([0.0, 0.1, 1.0, 30.0], dtype=torch.float64)
    parts = (population_risk(ProblemSpec(loss, "normal", beta)).excess(distances) for beta in (0.0, 0.95))
    expected = sum(weight * part for weight, part in zip((1 - mix, mix), parts, strict=True))
    torch.testing.assert_close(known.excess(distances), expected, rtol=1e-14, atol=0)
    problem = Problem.synthetic(loss, "normal", eval_size=20_000, mix=mix)
    best = problem.optimum()
    at_gen = problem.risk(problem.theta_gen)
    assert best.value <= at_gen == pytest.approx(known.value, rel=0.05)
    assert best.floor == pytest.approx(at_gen - best.value, abs=1e-12 * at_gen)


@pytest.mark.parametrize("mix", [0.3, 0.7, 0.95])
def test_theta_is_zero_exactly_where_the_gradients_balance(mix):
    """θ = 0 minimises iff weights in the tail undo the mean's gradient, which a linear programme decides."""
    answers = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        x = rng.standard_normal((300, 3))
        y = np.where(x[:, 0] + (0.5 + 2 * seed) * rng.standard_normal(300) > 0, 1.0, -1.0)
        for beta in (0.3, 0.6, 0.9):
            problem = Problem.from_arrays(x, y, "logistic", beta, mix=mix)
            slopes, mass = y[:, None] * x, tail_mass(300, beta)
            sides = np.append(-(1 - mix) * mass / (mix * 300) * slopes.sum(0), mass)
            wanted = linprog(np.zeros(300), A_eq=np.vstack([slopes.T, np.ones(300)]), b_eq=sides, bounds=(0, 1))
            bound = bound_on_data(problem.ground.points, problem.loss, beta, None, mix)
            assert (bound > 0) == (wanted.status == 0)
            best = problem.optimum()
            assert bool(best.theta.any()) == (wanted.status != 0)
            assert best.gap <= 1e-9
            answers.append(wanted.status == 0)
    assert 0.1 < np.mean(answers) < 0.9, "both answers should be tried"


def test_separable_data_have_no_minimum_and_contradicting_rows_a_bound():
    x = np.array([[1.0], [2.0], [-1.0], [-3.0]])
    apart = Problem.from_arrays(x, np.sign(x[:, 0]), "logistic", 0.5, mix=0.5).optimum()
    assert not apart.attained
    assert apart.value == pytest.approx(0, abs=1e-12)
    # One pair of rows that contradict: both lose log 2 at best, all others nothing as θ → ∞ along the other column.
    x = np.array([[1.0, 0.0], [1.0, 0.0], *[[0.0, s] for s in (1.0, -1.0) * 9]])
    y = np.array([1.0, -1.0, *[1.0, -1.0] * 9])
    beta, mix = 0.8, 0.5  # the tail holds four rows
    best = Problem.from_arrays(x, y, "logistic", beta, mix=mix).optimum()
    assert best.value == pytest.approx((mix * 2 / 4 + (1 - mix) * 2 / 20) * math.log(2), rel=1e-4)
    assert not best.attained


@every_mix
@every_loss
def test_best_constant_is_that_of_a_fine_grid(mix, loss):
    _, y = rows(loss, 200)
    target, entry = torch.from_numpy(y), losses[loss]
    found = best_constant(target, entry, 0.8, mix)
    grid = torch.linspace(-6, 6, 801, dtype=torch.float64)
    each = (entry.value(torch.full_like(target, float(c)), target) for c in grid)
    least = min((1 - mix) * float(values.mean()) + mix * cvar(values, 0.8) for values in each)
    assert found <= least * (1 + 1e-9)
    assert found == pytest.approx(least, rel=1e-3)
