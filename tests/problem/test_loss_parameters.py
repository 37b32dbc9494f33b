"""Losses with parameters: what another value makes of a problem, and that it compiles nothing."""

import math

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from cvar_core import Problem, SpecError, SweepSpec, sweep
from cvar_core.catalogue import full_name, losses
from cvar_core.engine import kernel, sparse_kernel
from cvar_core.problem import evaluation, sparse_sums
from cvar_core.problem.objective import cvar

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


def test_under_refuses_a_parameter_of_another_loss():
    with pytest.raises(SpecError, match="absolute loss has no parameter 'knee'; it has none"):
        huber(2.0).under("absolute", 0.9, loss_params={"knee": 2.0})


def test_a_full_name_says_every_digit():
    knee = 1 / 3
    found = losses[full_name("huber", {"knee": knee})]
    assert (found.parameters, found.constants, found.lipschitz) == ({"knee": knee}, (knee,), knee)
    assert losses["huber"].parameters == {"knee": 1.0}
    assert full_name("huber", None) == "huber"
