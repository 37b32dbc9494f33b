"""Laws of every loss: its slope is its derivative, its scalar form is its torch form, it is convex."""

import math

import numpy as np
import pytest
import torch

from cvar_core.catalogue import losses
from cvar_core.catalogue.arithmetic import exp_minus, log1p_unit
from cvar_core.compiled import jit
from tests.catalogue.variants import over_losses

every_loss = over_losses()


def predictions_and_targets(loss) -> tuple[torch.Tensor, torch.Tensor]:
    p = torch.cat(
        [torch.linspace(-40, 40, 4001, dtype=torch.float64), torch.tensor([0.0, -0.0, 1e-9, 3e5, -3e5, 2.5, -2.5])]
    )
    y = torch.where(torch.arange(len(p)) % 2 == 0, 1.0, -1.0).to(p)
    return p, y if loss.task == "classification" else 2.5 * y


@every_loss
def test_slope_is_the_derivative_of_the_value(loss):
    p, y = predictions_and_targets(loss)
    before, after = (loss.slope(p + step, y) for step in (-1e-8, 1e-8))
    kinked = (after - before).abs() > 1e-3
    slope, on_it = loss.slope(p, y), kinked & (p == y)
    torch.testing.assert_close(slope[on_it], (before + after)[on_it] / 2, rtol=1e-12, atol=1e-14)
    p.requires_grad_()
    (derivative,) = torch.autograd.grad(loss.value(p, y).sum(), p)
    torch.testing.assert_close(slope[~kinked], derivative[~kinked], rtol=1e-12, atol=1e-14)


@over_losses(lambda loss: loss.curvature)
def test_curvature_is_the_derivative_of_the_slope(loss):
    p, y = predictions_and_targets(loss)
    h = 1e-5
    before, here, after = (loss.slope(p + step, y) for step in (-h, 0.0, h))
    kept = ((after + before - 2 * here).abs() < 1e-2 * h) & (p.abs() < 1e5)  # not where the slope itself has a kink
    assert float(kept.double().mean()) > 0.99
    torch.testing.assert_close(loss.curvature(p, y)[kept], ((after - before) / (2 * h))[kept], rtol=1e-4, atol=1e-7)


@every_loss
def test_loss_is_convex_and_never_negative(loss):
    p, y = predictions_and_targets(loss)
    p, y = p[:4001], y[0].expand(4001)
    slope = loss.slope(p, y)
    assert bool((slope.diff() >= -1e-15).all())
    assert bool((loss.value(p, y) >= 0).all())


@every_loss
def test_a_degree_is_how_the_loss_grows_with_its_unit(loss):
    p, y = predictions_and_targets(loss)
    kept = ((p - y).abs() > 1e-3) & (p.abs() < 30)
    grown = [(loss.value(c * p, c * y) / loss.value(p, y))[kept] for c in (0.5, 3.0)]
    if loss.degree is None:
        assert max(float(each.max() / each.min()) for each in grown) > 1.1, "there is no such power"
    else:
        for c, each in zip((0.5, 3.0), grown, strict=True):
            torch.testing.assert_close(each, torch.full_like(each, c**loss.degree), rtol=1e-12, atol=0)


@over_losses(lambda loss: loss.scalar)
def test_scalar_form_is_the_torch_form(loss):
    p, y = predictions_and_targets(loss)
    p, y = torch.cat([p, y[:5], torch.zeros(5).to(p)]), torch.cat([y, y[:5], y[:5]])  # where a loss may have a kink
    value, slope = loss.value(p, y), loss.slope(p, y)
    pairs = zip(p.tolist(), y.tolist(), strict=True)
    plain = torch.tensor([loss.scalar(a, b, *loss.constants) for a, b in pairs], dtype=torch.float64)
    torch.testing.assert_close(plain[:, 0], value, rtol=2e-15, atol=1e-300)
    torch.testing.assert_close(plain[:, 1], slope, rtol=2e-15, atol=1e-300)
    compiled = np.empty((2, len(p)))
    jit(_elementwise(loss.scalar))(p.numpy(), y.numpy(), compiled, loss.constants)
    torch.testing.assert_close(torch.from_numpy(compiled[0]), value, rtol=2e-15, atol=1e-300)
    torch.testing.assert_close(torch.from_numpy(compiled[1]), slope, rtol=2e-15, atol=1e-300)


def _elementwise(scalar):
    def apply(p, y, out, constants):
        for i in range(p.shape[0]):
            out[0, i], out[1, i] = scalar(p[i], y[i], *constants)

    return apply


@over_losses(lambda loss: loss.reach)
def test_reach_is_the_largest_score_below_alpha(loss):
    y = torch.tensor(1.0, dtype=torch.float64)
    for alpha in (0.01, 0.3, 0.7, 2.0, 50.0):
        reach = loss.reach(alpha)
        sides = (y + reach, y - reach) if loss.task == "regression" else (-reach * y,)
        # Of the two sides of a loss, the one on which it grows faster decides.
        assert max(float(loss.value(at, y)) for at in sides) == pytest.approx(alpha, rel=1e-12)
    assert loss.reach(-0.1) == -math.inf


@over_losses(lambda loss: loss.lipschitz)
def test_lipschitz_constant_is_the_steepest_slope(loss):
    p, y = predictions_and_targets(loss)
    assert float(loss.slope(p, y).abs().max()) == pytest.approx(loss.lipschitz, rel=1e-12)
    assert losses["squared"].lipschitz is None


@over_losses(lambda loss: loss.smoothed)
def test_what_is_smoothed_is_near_and_its_lines_are_below(loss):
    p, y = predictions_and_targets(loss)
    rounding = 1e-12 * (1 + p.abs())
    for mu in (1.0, 1e-3, 1e-9):
        value, slope, curvature, touch = loss.smoothed(p, y, mu)
        assert bool(((value - loss.value(p, y)).abs() <= mu + rounding).all())
        assert bool((loss.value(p, y) - touch <= mu + rounding).all()), "no line of that slope is much higher"
        for further in (-3.0, 0.0, 0.7, 50.0):
            assert bool((touch + slope * further <= loss.value(p + further, y) + rounding).all())
        h = 1e-3 * mu
        _, before, _, _ = loss.smoothed(p - h, y, mu)
        _, after, _, _ = loss.smoothed(p + h, y, mu)
        kept = ((after + before - 2 * slope).abs() < 1e-2 * h * curvature) & (p.abs() < 1e5)
        torch.testing.assert_close(curvature[kept], ((after - before) / (2 * h))[kept], rtol=1e-3, atol=1e-7 / mu)


def test_elementary_functions_are_accurate_to_the_last_places():
    a = np.concatenate([np.linspace(0, 745, 20011), np.geomspace(1e-300, 1, 500)])
    exact = np.exp(-np.minimum(a, 708.0))
    np.testing.assert_allclose([exp_minus(v) for v in a], exact, rtol=6e-16)
    u = np.concatenate([np.linspace(0, 1, 20011), np.geomspace(1e-300, 1, 500)])
    np.testing.assert_allclose([log1p_unit(v) for v in u], np.log1p(u), rtol=6e-16)


@over_losses(lambda loss: loss.log_form)
def test_log_form_is_the_value_with_the_logarithm_put_off(loss):
    p, y = predictions_and_targets(loss)
    pairs = zip(p.tolist(), y.tolist(), strict=True)
    score, factor = torch.tensor([loss.log_form(a, b, *loss.constants) for a, b in pairs], dtype=torch.float64).T
    assert bool(((factor >= 1) & (factor <= 2)).all()), "a block's product must not overflow"
    torch.testing.assert_close(score.clamp(min=0) + factor.log(), loss.value(p, y), rtol=1e-14, atol=1e-15)
