"""The floor: what the population's minimiser scores above F* on the evaluation points."""

import numpy as np
import pytest
import torch

from cvar_core import Problem
from cvar_core.cancel import Cancelled
from cvar_core.problem import cvar, draws
from cvar_core.problem.floor import floor
from cvar_core.problem.optimum import minimise
from cvar_core.problem.points import DensePoints


def test_there_is_none_where_the_points_are_the_population():
    sample = Problem.synthetic("squared", "normal", sample_size=50, dim=2)
    assert floor(sample, sample.optimum()) is None
    data = Problem.from_arrays(np.eye(4), np.array([1.0, -1.0, 1.0, -1.0]), loss="absolute")
    assert floor(data, data.optimum()) is None


@pytest.mark.parametrize("scale", [1.0, 100.0])
@pytest.mark.parametrize(("loss", "noise"), [("squared", "lognormal"), ("absolute", "normal"), ("huber", "student")])
def test_in_regression_it_is_what_the_generating_parameters_score(loss, noise, scale):
    problem = Problem.synthetic(loss, noise, eval_size=2_000, dim=3, scale=scale)
    best = problem.optimum()
    found = floor(problem, best)
    assert found == cvar(problem.losses(problem.theta_gen), 0.95) - best.value
    assert 0 < found < best.value
    one = Problem.synthetic(loss, noise, eval_size=2_000, dim=3)
    assert found == pytest.approx(scale * floor(one, one.optimum()), rel=1e-6)


def test_it_falls_with_the_number_of_points():
    found = []
    for size in (1_000, 16_000):
        seeds = [Problem.synthetic("squared", "normal", 0.5, eval_size=size, dim=5, seed=seed) for seed in range(6)]
        found.append(np.mean([floor(problem, problem.optimum()) for problem in seeds]))
    assert found[0] / found[1] == pytest.approx(16, rel=0.6), "like 1/N"


def test_it_is_zero_where_the_best_classifier_is_none():
    problem = Problem.synthetic("logistic", "normal", 0.95, eval_size=2_000)
    best = problem.optimum()
    assert not best.theta.any()
    assert floor(problem, best) == 0.0


def test_in_classification_it_is_that_of_the_population_s_minimiser():
    """θ of many more points than either is nearly the population's: what it scores is the floor itself."""
    direct, found = [], []
    for seed in range(5):
        problem = Problem.synthetic("logistic", "normal", 0.3, eval_size=2_000, dim=4, seed=seed)
        best = problem.optimum()
        columns, target = draws.independent(problem.spec, problem.theta_gen, 30_000, 99)
        theta = minimise(DensePoints.build(columns, target, problem.loss), problem.loss, 0.3).theta
        direct.append(cvar(problem.losses(theta), 0.3) - best.value)
        found.append(floor(problem, best))
    assert min(found) > 0
    assert np.mean(found) == pytest.approx(np.mean(direct), rel=0.6)


def test_the_unit_of_the_loss_is_the_unit_of_the_floor():
    one, cents = (Problem.synthetic("logistic", "normal", 0.3, eval_size=500, dim=3, scale=s) for s in (1.0, 100.0))
    assert floor(cents, cents.optimum()) == pytest.approx(100 * floor(one, one.optimum()), rel=1e-6)


def test_independent_draws_are_of_the_problem_s_law_and_of_nothing_else():
    problem = Problem.synthetic("logistic", "normal", 0.3, eval_size=500, dim=3)
    columns, target = draws.independent(problem.spec, problem.theta_gen, 500, 0)
    torch.testing.assert_close(torch.linalg.vector_norm(columns, dim=0), torch.ones(500, dtype=torch.float64))
    assert set(target.tolist()) == {-1.0, 1.0}
    # The labels follow x·θ_gen, as those of the problem do.
    agreeing = [float((torch.sign(x.T @ problem.theta_gen) == y).double().mean()) for x, y in (
        (columns, target), (problem.ground.points.columns, problem.ground.points.target),
    )]  # fmt: skip
    assert agreeing[0] == pytest.approx(agreeing[1], abs=0.1)
    others = [draws.independent(problem.spec, problem.theta_gen, 500, 1)[0], problem.ground.points.columns]
    others += [draws.fresh_block(problem.spec, problem.theta_gen, seed, 0)[0][:500].T for seed in (0, 1)]
    for other in others:
        assert not torch.isclose(columns, other).all(0).any()


def test_it_can_be_stopped():
    problem = Problem.synthetic("logistic", "normal", 0.3, eval_size=500, dim=3)
    best = problem.optimum()
    with pytest.raises(Cancelled):
        floor(problem, best, stop=lambda: True)
