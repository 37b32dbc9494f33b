"""The best constant prediction against closed forms and a fine grid."""

import math

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from cvar_core.catalogue import losses
from cvar_core.problem import cvar
from cvar_core.problem.constant import best_constant

REGRESSION = [loss.name for loss in losses if loss.task == "regression"]
CLASSIFICATION = [loss.name for loss in losses if loss.task == "classification"]

levels = st.one_of(st.floats(0, 0.99), st.sampled_from([0.0, 0.5, 0.95, 2 / 3]))
targets = st.lists(st.integers(-50, 50), min_size=1, max_size=25).map(
    lambda values: torch.tensor(values, dtype=torch.float64) / 8
)


def risk(c, target, loss, beta):
    return cvar(loss.value(torch.full_like(target, c), target), beta)


@pytest.mark.parametrize("name", REGRESSION)
@given(target=targets, beta=levels)
@example(target=torch.tensor([0.0, 0, 0, 0, -1, -1, -1], dtype=torch.float64) / 8, beta=0.25)
@example(target=torch.tensor([0.0, 0, 0, 1, 1, 1, 1], dtype=torch.float64), beta=0.25)
def test_no_constant_is_better_and_one_is_as_good(name, target, beta):
    loss = losses[name]
    found = best_constant(target, loss, beta)
    low, high = float(target.min()), float(target.max())
    grid = torch.linspace(low, high, 101, dtype=torch.float64).tolist()
    on_grid = min(risk(c, target, loss, beta) for c in grid)
    assert found <= on_grid + 1e-10 * (1 + on_grid)
    # CVaR changes by no more than the steepest loss does over half a step.
    ends = torch.tensor([low, high], dtype=torch.float64)
    steepest = float(loss.slope(ends, ends.flip(0)).abs().max())
    assert found >= on_grid - steepest * (high - low) / 200 - 1e-12


@given(targets)
def test_under_the_mean_it_is_the_mean_and_the_median(target):
    mean, median = float(target.mean()), float(target.quantile(0.5))
    squares, distances = 0.5 * (target - mean) ** 2, (target - median).abs()
    assert best_constant(target, losses["squared"], 0.0) == pytest.approx(float(squares.mean()), rel=1e-9, abs=1e-15)
    assert best_constant(target, losses["absolute"], 0.0) == pytest.approx(float(distances.mean()), rel=1e-9, abs=1e-15)


@given(targets)
def test_under_the_maximum_it_is_the_middle(target):
    reach = float(target.max() - target.min()) / 2
    assert best_constant(target, losses["absolute"], 0.999) == pytest.approx(reach, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("beta", [0.0, 0.5, 0.99])
@pytest.mark.parametrize("loss", REGRESSION)
def test_one_target_is_met(loss, beta):
    assert best_constant(torch.tensor([3.7], dtype=torch.float64), losses[loss], beta) == 0.0
    assert best_constant(torch.full((7,), -2.0, dtype=torch.float64), losses[loss], beta) == 0.0


@pytest.mark.parametrize("beta", [0.0, 0.2, 0.6, 0.95])
def test_the_tail_of_many_normal_targets(beta, rng):
    """CVaR is convex in the constant, and another way to its minimum finds the same."""
    target = 10 + torch.randn(20_000, dtype=torch.float64, generator=rng)
    for name in REGRESSION:
        found = best_constant(target, losses[name], beta)
        other = minimize_scalar(risk, (8.0, 12.0), (5.0, 15.0), (target, losses[name], beta), "bounded").fun
        assert found <= other * (1 + 1e-10)
        assert found == pytest.approx(other, rel=1e-5)


@given(st.integers(1, 40), st.integers(1, 40))
def test_the_mean_of_logistic_loss_is_the_entropy_of_the_labels(ones, others):
    target = torch.cat([torch.ones(ones), -torch.ones(others)]).to(torch.float64)
    share = ones / (ones + others)
    entropy = -share * math.log(share) - (1 - share) * math.log(1 - share)
    assert best_constant(target, losses["logistic"], 0.0) == pytest.approx(entropy, rel=1e-9)


@pytest.mark.parametrize("name", CLASSIFICATION)
@given(ones=st.integers(0, 30), others=st.integers(1, 30), beta=levels)
def test_no_constant_score_is_better(name, ones, others, beta):
    loss = losses[name]
    target = torch.cat([torch.ones(ones), -torch.ones(others)]).to(torch.float64)
    found = best_constant(target, loss, beta)
    on_grid = min(risk(k / 10, target, loss, beta) for k in range(-80, 81))
    assert found <= on_grid * (1 + 1e-10)
    assert found >= on_grid - 0.051 if ones else found == 0.0
