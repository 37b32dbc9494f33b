"""Losses with parameters: what another value makes of a problem, and that it compiles nothing."""

import itertools
import math

import numpy as np
import pytest
import torch
from scipy import integrate
from scipy.optimize import brentq
from scipy.sparse import csr_array

from cvar_core import Problem, ProblemSpec, SpecError, SweepSpec, sweep
from cvar_core.catalogue import Loss, full_name, losses, noises
from cvar_core.engine import kernel, sparse_kernel
from cvar_core.problem import evaluation, sparse_sums
from cvar_core.problem.bends import stretch
from cvar_core.problem.constant import best_constant
from cvar_core.problem.noise_law import NoiseLaw
from cvar_core.problem.objective import cvar
from cvar_core.problem.population import population_risk

BETAS = (0.0, 0.8, 0.95)


def rows(count: int = 700, dim: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    x = rng.standard_normal((count, dim))
    return x, x @ np.arange(1.0, dim + 1) + 2 * rng.standard_normal(count) ** 3


def huber(knee: float, beta: float = 0.9, scale: float = 1.0, unit: float = 1.0) -> Problem:
    x, y = rows()
    return Problem.from_arrays(x, y / unit, "huber", beta, scale, loss_params={"knee": knee})


@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("knee", [0.25, 3.0])
def test_a_knee_is_a_unit_of_the_residual(knee, beta, rng):
    """huber(r; k) = k² huber(r/k; 1)."""
    here, there = huber(knee, beta), huber(1.0, beta, scale=knee**2, unit=knee)
    thetas = torch.randn(5, 4, dtype=torch.float64, generator=rng)
    torch.testing.assert_close(here.ground.risks(thetas), there.ground.risks(thetas / knee), rtol=1e-12, atol=0)
    assert here.optimum().value == pytest.approx(there.optimum().value, rel=1e-9)
    torch.testing.assert_close(here.optimum().theta, knee * there.optimum().theta, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("beta", BETAS)
def test_huber_lies_between_squared_and_absolute_loss(beta):
    x, y = rows()
    squared, absolute = (Problem.from_arrays(x, y, loss, beta).optimum().value for loss in ("squared", "absolute"))
    assert huber(1e5, beta).optimum().value == pytest.approx(squared, rel=1e-9)
    knee = 1e-5
    assert huber(knee, beta).optimum().value / knee == pytest.approx(absolute, abs=knee)


def test_a_parameter_is_in_the_steps_the_risks_and_the_names(rng):
    x, y = rows()
    for matrix in (x, csr_array(x)):
        one, other = (Problem.from_arrays(matrix, y, "huber", loss_params={"knee": k}) for k in (1.0, 2.0))
        assert one.spec == Problem.from_arrays(matrix, y, "huber").spec
        found = [sweep(each, ["spl+"], [0.1], iterations=40, seeds=1) for each in (one, other)]
        assert not np.allclose(found[0].objectives, found[1].objectives)
        theta = torch.from_numpy(np.arange(4.0))
        by_hand = torch.nn.functional.huber_loss(
            torch.from_numpy(x) @ theta, torch.from_numpy(y), reduction="none", delta=2.0
        )
        assert other.risk(theta) == pytest.approx(cvar(by_hand, 0.95), rel=1e-12)
        assert SweepSpec(one.spec).id != SweepSpec(other.spec).id
        assert "loss_params={'knee': 2.0}" in repr(other)
        assert one.under("huber", 0.95, loss_params={"knee": 2.0}).spec == other.spec


@pytest.mark.parametrize(
    "loss", [loss for loss in losses if loss.parameters and loss.scalar], ids=lambda loss: loss.name
)
def test_another_value_compiles_nothing(loss):
    x, y = rows(300)

    def compiled() -> list[int]:
        makers = (kernel._kernel, sparse_kernel._kernel, evaluation._kernel, sparse_sums._sums)
        return [maker.cache_info().misses for maker in makers]

    def run(share: float) -> list[int]:
        moved = {
            name: low + share * ((high if math.isfinite(high) else 10.0) - low)
            for name, (low, high) in loss.between.items()
        }
        for matrix in (x, csr_array(x)):
            problem = Problem.from_arrays(matrix, y, loss.name, loss_params=moved, test=(x, y))
            sweep(problem, ["spl"], [0.1], iterations=20, seeds=1)
        return compiled()

    assert run(0.3) == run(0.4)
    makers = kernel._kernel(loss.scalar, kernel.methods["spl"].weight, False)
    assert len(makers.dispatcher.signatures) == 1


@pytest.mark.parametrize("beta", BETAS)
def test_half_of_absolute_loss_is_pinball_loss(beta, rng):
    """At τ = ½, in every number: the risks, the steps, the optimum and the population."""
    x, y = rows()
    absolute, half = (
        Problem.from_arrays(x, y, loss, beta, scale, loss_params=chosen)
        for loss, scale, chosen in (("absolute", 0.5, None), ("pinball", 1.0, {"tau": 0.5}))
    )
    thetas = torch.randn(5, 4, dtype=torch.float64, generator=rng)
    assert torch.equal(half.ground.risks(thetas), absolute.ground.risks(thetas))
    assert half.optimum().value == pytest.approx(absolute.optimum().value, rel=1e-9)
    features, target = torch.from_numpy(x), torch.from_numpy(y)
    ones, runs = torch.ones(len(y), dtype=torch.float64), torch.ones(5, dtype=torch.float64)
    state = (thetas, runs, torch.zeros_like(thetas), torch.zeros_like(runs), torch.zeros(5, dtype=torch.bool))
    for method in ("sgm", "spl"):
        shared = (features, target, (features**2).sum(1), 0.1 * ones, runs, runs, *state, beta)
        one = torch.ops.cvar_core.steps.default(*shared, 0.5, "absolute", method)
        other = torch.ops.cvar_core.steps.default(*shared, 1.0, "pinball(tau=0.5)", method)
        assert all(torch.equal(*pair) for pair in zip(one, other, strict=True))


@pytest.mark.parametrize("noise", ["gumbel", "lognormal", "student"])
@pytest.mark.parametrize("tau", [0.05, 0.3, 0.9])
def test_the_population_of_pinball_loss(noise, tau):
    """F* is CVaR of pinball(ζ), by quadrature over its tail; and without a tail only |ζ| is left of the excess."""
    beta, law, distances = (
        0.9,
        NoiseLaw.build(noises[noise], noises[noise].parameters, np.abs),
        torch.logspace(-3, 3, 13),
    )
    found = population_risk(ProblemSpec("pinball", noise, beta, loss_params={"tau": tau}))

    def beyond(level: float) -> float:
        return float(law.tails(np.array([level / tau]))[1][0] + law.tails(np.array([-level / (1 - tau)]))[0][0])

    level = brentq(lambda level: beyond(level) - (1 - beta), 0, 1e4, xtol=1e-13)
    parts = [level, *(level * np.geomspace(2, 1e9, 40))]
    total = sum(integrate.quad(beyond, *ends, epsrel=1e-11)[0] for ends in itertools.pairwise(parts))
    assert found.value == pytest.approx(level + total / (1 - beta), rel=1e-7)
    mean = population_risk(ProblemSpec("pinball", noise, 0.0, loss_params={"tau": tau}))
    absolute = population_risk(ProblemSpec("absolute", noise, 0.0))
    torch.testing.assert_close(mean.excess(distances), 0.5 * absolute.excess(distances), rtol=1e-7, atol=1e-14)


def test_a_mirror_changes_over_and_under():
    """pinball(τ) under ζ is pinball(1 − τ) under −ζ; normal noise is its own mirror but for its mean."""
    distances = torch.logspace(-3, 3, 13)
    one, other = (
        population_risk(ProblemSpec("pinball", "normal", 0.8, 3, noise_params={"mean": mean}, loss_params={"tau": tau}))
        for tau, mean in ((0.8, 1.5), (1 - 0.8, -1.5))
    )
    assert one.value == pytest.approx(other.value, rel=1e-10)
    torch.testing.assert_close(one.excess(distances), other.excess(distances), rtol=1e-7, atol=0)


def test_a_loss_that_is_not_the_same_on_both_sides_has_no_table():
    """exp(r) − r − 1 has no κ with φ(−κr) = φ(r): the points' excess risk is what there is."""
    entry = losses.add(
        Loss(
            "linex",
            "eʳ − r − 1",
            "regression",
            lambda p, y: torch.expm1(p - y) - (p - y),
            lambda p, y: torch.expm1(p - y),
        )
    )
    try:
        assert stretch(entry) is None
        problem = Problem.synthetic("linex", "normal", noise_params={"std": 0.3}, dim=3, eval_size=500)
        result = sweep(problem, ["spl+"], [0.1], iterations=50, seeds=2)
        assert population_risk(problem.spec) is None
        assert np.isfinite(result.excess_risk).all()
    finally:
        losses.remove("linex")


def test_the_least_mean_of_pinball_loss_is_at_the_quantile():
    """The convention: a prediction that is too low costs τ, so that the best constant is the quantile τ."""
    target = torch.arange(1.0, 101.0, dtype=torch.float64)
    for tau in (0.1, 0.505, 0.9):
        loss = losses[full_name("pinball", {"tau": tau})]
        at = {c: float(loss.value(torch.full_like(target, c), target).mean()) for c in target.tolist()}
        assert min(at, key=at.get) == math.ceil(100 * tau)
        assert best_constant(target, loss, 0.0) == pytest.approx(min(at.values()), rel=1e-9)


def test_under_refuses_a_parameter_of_another_loss():
    with pytest.raises(SpecError, match="absolute loss has no parameter 'knee'; it has none"):
        huber(2.0).under("absolute", 0.9, loss_params={"knee": 2.0})


def test_a_full_name_says_every_digit():
    knee = 1 / 3
    found = losses[full_name("huber", {"knee": knee})]
    assert (found.parameters, found.constants, found.lipschitz) == ({"knee": knee}, (knee,), knee)
    assert losses["huber"].parameters == {"knee": 1.0}
    assert full_name("huber", None) == "huber"
