"""The fused sum over points, with and without skipping, against the definition."""

import dataclasses

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from cvar_core import Problem
from cvar_core.catalogue import losses
from cvar_core.problem import objective
from cvar_core.problem.evaluation import BLOCK, combine, predict, tail_sums

every_loss = pytest.mark.parametrize("loss", losses.names())


def iterates(problem: Problem, rng: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Points near and far from where the targets come from, with α below, at and above the quantile there."""
    near, far = problem.theta_gen, torch.tensor([0.0, 0.01, 0.3, 3.0, 1e3], dtype=torch.float64).repeat(4)
    thetas = near + far[:, None] * torch.randn(20, problem.spec.dim, dtype=torch.float64, generator=rng)
    level = torch.quantile(problem.losses(near), problem.spec.beta)
    alphas = level * torch.tensor([-1.0, 0.0, 0.5, 1.0, 1.5], dtype=torch.float64).repeat_interleave(4)
    return thetas, alphas


@every_loss
@pytest.mark.parametrize("size", [1, BLOCK - 1, BLOCK, 10 * BLOCK + 7])
@pytest.mark.parametrize("dim", [1, 3, 4, 10])
def test_fused_sum_is_the_definition(loss, size, dim, rng):
    problem = Problem.synthetic(loss=loss, noise="gumbel", eval_size=size, dim=dim, beta=0.8)
    thetas, alphas = iterates(problem, rng)
    found = problem.ground.objectives(thetas, alphas)
    for theta, alpha, value in zip(thetas, alphas.tolist(), found.tolist(), strict=True):
        assert value == pytest.approx(objective(problem.losses(theta), alpha, 0.8), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("loss", [loss.name for loss in losses if loss.scalar and loss.reach])
@pytest.mark.parametrize("noise", ["normal", "lognormal"])
def test_skipping_changes_nothing_and_skips_something(loss, noise, rng):
    problem = Problem.synthetic(loss=loss, noise=noise, eval_size=20_000)
    thetas, alphas = iterates(problem, rng)
    skipped = tail_sums(problem.ground.points, problem.loss, thetas, alphas)
    visited = tail_sums(problem.ground.points, problem.loss, thetas, alphas, skip=False)
    assert torch.equal(skipped, visited)
    if problem.loss.task == "regression":
        level = float(torch.quantile(problem.losses(problem.theta_gen), problem.spec.beta))
        assert float((problem.ground.points.block_scores <= problem.loss.reach(level)).double().mean()) > 0.3


def test_value_of_a_run_does_not_depend_on_its_company(rng):
    problem = Problem.synthetic(loss="logistic", noise="normal", eval_size=20_000)
    thetas, alphas = iterates(problem, rng)
    together = problem.ground.objectives(thetas, alphas)
    alone = torch.cat([problem.ground.objectives(thetas[i : i + 1], alphas[i : i + 1]) for i in range(len(alphas))])
    assert torch.equal(together, alone)


def data(loss: str, size: int, sparse: bool) -> Problem:
    draw = np.random.default_rng(size)
    x = draw.standard_normal((size, 9)) * (draw.random((size, 9)) < 0.4)
    y = draw.standard_normal(size)
    y = np.where(y > 0, 1.0, -1.0) if losses[loss].task == "classification" else y
    return Problem.from_arrays(csr_array(x) if sparse else x, y, loss=loss, beta=0.8, scale=1.5)


@every_loss
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("size", [1, BLOCK, 3 * BLOCK + 77])
def test_one_pass_gives_objectives_and_measures(loss, sparse, size, rng):
    problem = data(loss, size, sparse)
    thetas = torch.randn(20, 9, dtype=torch.float64, generator=rng)
    thetas[3] = 0  # a classifier that decides nothing
    alphas = torch.linspace(-1, 3, 20, dtype=torch.float64)
    values, _, measured = problem.ground.evaluate(thetas, alphas)
    assert torch.equal(values, problem.ground.objectives(thetas, alphas))
    predictions = problem.ground.points.predictions(thetas)
    right = (predictions * problem.ground.points.target > 0).double().mean(1)
    mean = 1.5 * problem.loss.value(predictions, problem.ground.points.target).mean(1)
    expected = right if problem.loss.task == "classification" else mean
    torch.testing.assert_close(measured[:, 0], expected, rtol=1e-12, atol=1e-12)
    alone = [problem.ground.evaluate(thetas[i : i + 1], alphas[i : i + 1]) for i in range(20)]
    assert torch.equal(torch.cat([each.objectives for each in alone]), values)
    assert torch.equal(torch.cat([each.measures for each in alone]), measured)
    plain = dataclasses.replace(problem.loss, scalar=None)  # torch's way, for losses that have no other
    sums, others = problem.ground.points.survey(plain, thetas, alphas)
    for one, other in zip(problem.ground.points.survey(problem.loss, thetas, alphas), (sums, others), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)


def test_products_with_the_points(rng):
    columns = torch.randn(7, 1003, dtype=torch.float64, generator=rng)
    theta = torch.randn(7, dtype=torch.float64, generator=rng)
    weights = torch.randn(1003, dtype=torch.float64, generator=rng)
    torch.testing.assert_close(predict(columns, theta), theta @ columns, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(combine(columns, weights), columns @ weights, rtol=1e-12, atol=1e-12)
