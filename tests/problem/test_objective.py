"""VaR, CVaR and F̃ against their definitions."""

import math
from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cvar_core.problem import cvar, objective, tail_mass, var

loss_lists = st.lists(st.integers(0, 12), min_size=1, max_size=30).map(
    lambda values: torch.tensor(values, dtype=torch.float64)
)
levels = st.one_of(st.floats(0, 0.999), st.sampled_from([0.0, 0.5, 0.9, 0.95, 2 / 3]))


@given(loss_lists, levels)
def test_var_is_the_lowest_value_that_covers_a_share_beta(losses, beta):
    value = var(losses, beta)

    def covered(a):
        return float((losses <= a).double().mean())

    assert covered(value) >= beta - 1e-12
    lower = losses[losses < value]
    if len(lower) and beta > 0:
        assert covered(float(lower.max())) < beta + 1e-12


@given(loss_lists, levels)
def test_cvar_is_the_mean_of_the_worst_losses_the_last_one_in_part(losses, beta):
    mass = tail_mass(len(losses), beta)
    ordered = sorted(losses.tolist(), reverse=True)
    whole = math.floor(mass)
    total = sum(ordered[:whole]) + (mass - whole) * (ordered[whole] if whole < len(ordered) else 0)
    assert cvar(losses, beta) == pytest.approx(total / mass, rel=1e-12, abs=1e-12)


@given(loss_lists, levels, st.floats(-5, 20))
def test_cvar_is_the_minimum_over_alpha(losses, beta, alpha):
    assert cvar(losses, beta) <= objective(losses, alpha, beta) + 1e-9


def test_extremes():
    losses = torch.tensor([1.0, 2.0, 4.0, 8.0], dtype=torch.float64)
    assert cvar(losses, 0.0) == losses.mean()
    assert var(losses, 0.0) == 1.0
    assert cvar(losses, 3 / 4) == 8.0, "β = (n−1)/n is the max"
    assert cvar(losses, 0.99) == 8.0
    assert var(losses, 0.99) == 8.0
    assert cvar(losses, 1 / 4) == pytest.approx((2 + 4 + 8) / 3), "β = 1/n drops the smallest loss: it is not the mean"


@pytest.mark.parametrize("count", [10, 20, 100, 10**6, 10**7])
@pytest.mark.parametrize("beta", ["0.95", "0.9", "0.8", "0.05", "0.999"])
def test_tail_mass_does_not_trust_the_rounding_of_beta(count, beta):
    exact = (1 - Fraction(beta)) * count
    mass = tail_mass(count, float(beta))
    if exact.denominator == 1 and exact >= 1:
        assert mass == float(exact)
    else:
        assert mass == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("n", [2, 3, 7, 49, 1000])
def test_max_loss_level_holds_one_point(n):
    assert tail_mass(n, (n - 1) / n) == 1.0
