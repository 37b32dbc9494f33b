"""The steps on a mix, (1 − μ)·mean + μ·CVaR: each minimises its model, which lies below the objective."""

import numpy as np
import pytest
import torch
from scipy.optimize import lsq_linear
from torch import Tensor

from cvar_core.catalogue import Linearisation, Method, StepSizes, losses, methods
from tests.catalogue.test_methods import in_its_metric, proximal, random_points

ENDS = ("none", "part", "all")  # of a multiplier: at 0, between its bounds, at the upper one
MIXES = (0.0, 1e-3, 0.3, 0.9)
PROX_LINEAR = [method for method in methods if method.model is methods["spl"].model]

every_mix = pytest.mark.parametrize("mix", MIXES)
every_loss = pytest.mark.parametrize("loss", losses, ids=lambda loss: loss.name)
every_method = pytest.mark.parametrize("method", methods, ids=lambda m: m.name)


def lowest(at: Linearisation, sizes: StepSizes, i: int) -> tuple[float, str]:
    """Return a bound on model plus proximal term from below, by the dual, and the case that it is in.

    The multipliers ξ ∈ [0, 1 − μ] and η ∈ [0, μ/(1 − β)] of the two max terms bound the minimum whatever they are; a
    generic solver for least squares between bounds finds the best.
    """
    loss, alpha, lam = (float(each[i]) for each in (at.loss, at.alpha, sizes.alpha))
    along, mu, c = float(sizes.along(at.v)[i]), at.mix, 1 / (1 - at.beta)
    root = np.sqrt(max(along, 1e-300))
    matrix, right = np.array([[root, root], [0.0, np.sqrt(lam)]]), [loss / root, (lam * mu - alpha) / np.sqrt(lam)]
    xi, eta = np.zeros(2)
    if along == 0:  # no least squares, but the loss does not move: ξ is all of it, and η is by itself
        xi, eta = 1 - mu, np.clip((loss - alpha + lam * mu) / lam, 0, mu * c)
    else:
        upper = np.array([1 - mu, mu * c])
        free = upper > 0
        found = lsq_linear(matrix[:, free], right, (0, upper[free]), method="bvls", tol=1e-15)
        both = np.zeros(2)
        both[free] = found.x
        xi, eta = both
    g = xi + eta
    value = g * loss - along * g**2 / 2 + (mu - eta) * alpha - lam * (mu - eta) ** 2 / 2
    ends = (
        ENDS[0 if m <= 1e-12 * top else 2 if m >= top * (1 - 1e-12) else 1] for m, top in ((xi, 1 - mu), (eta, mu * c))
    )
    return value, " ".join(ends)


@every_mix
@every_loss
def test_prox_linear_step_minimises_its_model(mix, loss, rng):
    seen = set()
    for method in PROX_LINEAR:
        at, sizes = random_points(loss, 160, 3, rng)
        at, sizes = at._replace(mix=mix), in_its_metric(method, sizes, 3, rng)
        at.alpha[-40:] *= 30  # so far below 0 that the model of the loss may go there
        reached = proximal(method, at, sizes, *method.step(at, sizes))
        for i in range(len(reached)):
            bound, case = lowest(at, sizes, i)
            assert float(reached[i]) == pytest.approx(bound, rel=1e-9, abs=1e-9), case
            seen.add(case)
    if mix == 0.3 and loss.task == "regression":
        assert {f"{xi} {eta}" for xi in ENDS for eta in ENDS} - seen <= {"none none"}, "every case has to come up"


@every_mix
@every_method
def test_no_neighbour_of_a_mixed_step_is_lower(mix, method, rng):
    at, sizes = random_points(losses["squared"], 400, 5, rng)
    at, sizes = at._replace(mix=mix), in_its_metric(method, sizes, 5, rng)
    theta, alpha = method.step(at, sizes)
    reached = proximal(method, at, sizes, theta, alpha)
    for radius in (1e-1, 1e-3, 1e-5):
        move = radius * torch.randn(theta.shape, dtype=torch.float64, generator=rng)
        lift = radius * torch.randn(alpha.shape, dtype=torch.float64, generator=rng)
        scale = (sizes.theta[:, None] * sizes.metric).sqrt()
        near = proximal(method, at, sizes, theta + scale * move, alpha + sizes.alpha.sqrt() * lift)
        assert bool((near >= reached - 1e-12 * (1 + reached.abs())).all())


def sampled_objective(loss: Tensor, alpha: Tensor, beta: float, mix: float) -> Tensor:
    return (1 - mix) * loss + mix * (alpha + (loss - alpha).clamp(min=0) / (1 - beta))


@every_mix
@every_method
@every_loss
def test_mixed_model_touches_the_objective_and_lies_below_it(mix, method, loss, rng):
    count = 300
    theta, x, other = (torch.randn(count, 3, dtype=torch.float64, generator=rng) for _ in range(3))
    y = torch.sign(x[:, 0]) if loss.task == "classification" else 2 * x[:, 1]
    here, there = (theta * x).sum(-1), ((theta + other) * x).sum(-1)
    alpha, other_alpha = 3 * torch.randn(2, count, dtype=torch.float64, generator=rng)
    v = loss.slope(here, y).unsqueeze(-1) * x
    at = Linearisation(theta, alpha, loss.value(here, y), v, 0.8, mix)
    touching = sampled_objective(at.loss, alpha, 0.8, mix)
    torch.testing.assert_close(method.model(theta, alpha, at), touching, rtol=1e-12, atol=1e-12)
    above = sampled_objective(loss.value(there, y), other_alpha, 0.8, mix)
    assert bool((method.model(theta + other, other_alpha, at) <= above + 1e-12 * (1 + above.abs())).all())


@every_method
@every_loss
def test_all_of_the_tail_is_the_unmixed_step_bit_for_bit(method, loss, rng):
    """The formulas of a mix at μ = 1, which are other formulas, and the numbers of the scalar form."""
    at, sizes = random_points(loss, 200, 3, rng)
    sizes = in_its_metric(method, sizes, 3, rng)
    theta, alpha = method.step(at, sizes)
    near = at._replace(mix=1 - 2.0**-53)
    torch.testing.assert_close(method.step(near, sizes), (theta, alpha), rtol=1e-9, atol=1e-9)
    if method.weight is None:
        return
    for i in range(200):
        numbers = (float(at.loss[i]), float(sizes.along(at.v)[i]), float(at.alpha[i]), float(sizes.alpha[i]), 10.0)
        g, k = method.weight(*numbers, 1.0)
        lam = float(sizes.alpha[i])
        assert float(at.alpha[i]) - lam * k + lam * g == pytest.approx(float(alpha[i]), rel=1e-12, abs=1e-12)


@every_loss
def test_without_a_tail_the_step_is_a_gradient_step_that_stops_at_no_loss(loss, rng):
    at, sizes = random_points(loss, 200, 3, rng)
    at = at._replace(mix=0.0)
    plain, cut = methods["sgm"].step(at, sizes), methods["spl"].step(at, sizes)
    assert torch.equal(plain.alpha, at.alpha)
    assert torch.equal(cut.alpha, at.alpha)
    torch.testing.assert_close(plain.theta, at.theta - sizes.theta[:, None] * at.v, rtol=1e-12, atol=1e-12)
    polyak = torch.minimum(sizes.theta, at.loss / (at.v**2).sum(-1).clamp(min=1e-300))
    torch.testing.assert_close(cut.theta, at.theta - polyak[:, None] * at.v, rtol=1e-12, atol=1e-12)
    assert loss.task == "classification" or bool((polyak < sizes.theta).any()), "some have to stop"


@every_mix
@pytest.mark.parametrize("power", [-20, 7])
def test_mixed_spl_plus_step_does_not_see_the_unit_of_the_loss(mix, power, rng):
    scale = 2.0**power
    at, _ = random_points(losses["squared"], 200, 3, rng)
    at = at._replace(mix=mix)
    lam, initial = 10 ** torch.randn(200, dtype=torch.float64, generator=rng), torch.tensor(7.3, dtype=torch.float64)
    scaled = at._replace(alpha=scale * at.alpha, loss=scale * at.loss, v=scale * at.v)
    plus: Method = methods["spl+"]
    theta, alpha = plus.step(at, plus.step_sizes(lam, initial))
    theta_scaled, alpha_scaled = plus.step(scaled, plus.step_sizes(lam, scale * initial))
    assert torch.equal(theta, theta_scaled)
    assert torch.equal(scale * alpha, alpha_scaled)
