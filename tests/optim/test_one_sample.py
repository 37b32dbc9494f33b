"""On one sample the optimisers take the catalogue's steps."""

import pytest
import torch

from cvar_core.catalogue import losses, methods
from cvar_core.catalogue.methods import StepSizes
from cvar_core.optim.batch_model import CUTS

from .linear_losses import OPTIMISERS, Linear, linearised, loss_of

every_optimiser = pytest.mark.parametrize("name", OPTIMISERS)
every_loss = pytest.mark.parametrize("loss", losses.names())


def drawn(seed, loss):
    rng = torch.Generator().manual_seed(seed)
    theta, x = torch.randn(2, 5, dtype=torch.float64, generator=rng)
    y = torch.randn((), dtype=torch.float64, generator=rng)
    y = y.sign() if losses[loss].task == "classification" else x @ theta + 2 * y
    alpha, lam = torch.randn(2, dtype=torch.float64, generator=rng).tolist()
    return theta, x, y, 3 * alpha, 10**lam


def catalogue_step(name, at, lam, initial_loss, squares):
    method = methods[name]
    sizes = method.step_sizes(torch.tensor(lam, dtype=torch.float64), torch.tensor(initial_loss, dtype=torch.float64))
    metric = sizes.metric if method.metric is None else method.metric(squares)
    return method.step(at, StepSizes(sizes.theta, sizes.alpha, metric))


def stepped(name, loss, theta, x, y, alpha, lam, initial_loss, squares, **settings):
    model = Linear(theta)
    if name == "spl-u":
        settings |= {"per": "coordinate", "scales": [squares]}
    opt = OPTIMISERS[name](model.parameters(), 0.9, lam, alpha=alpha, initial_loss=initial_loss, **settings)
    opt.step(lambda: loss_of(loss, model.theta, x, y).unsqueeze(0))
    return model.theta.detach(), opt.alpha


@every_optimiser
@every_loss
@pytest.mark.parametrize("mix", [1.0, 0.6, 0.1, 0.0])
def test_a_step_is_the_catalogue_s(name, loss, mix):
    squares = torch.tensor([2.0, 0.5, 0.0, 1e-3, 40.0], dtype=torch.float64)
    for seed in range(20):
        theta, x, y, alpha, lam = drawn(seed, loss)
        at = linearised(loss, theta, alpha, x, y, 0.9)._replace(mix=mix)
        if seed % 4 == 0:
            alpha = float(at.loss)  # a tie
            at = at._replace(alpha=at.loss)
        wanted = catalogue_step(name, at, lam, 1.7, squares)
        for cut in [{}] if name == "sgm" else [{"cut": cut} for cut in CUTS]:
            found, moved = stepped(name, loss, theta, x, y, alpha, lam, 1.7, squares, mix=mix, **cut)
            torch.testing.assert_close(found, wanted.theta, rtol=1e-12, atol=1e-12)
            assert moved == pytest.approx(float(wanted.alpha), rel=1e-12, abs=1e-12)


@every_optimiser
def test_a_path_is_the_catalogue_s(name):
    rng = torch.Generator().manual_seed(3)
    theta = torch.randn(5, dtype=torch.float64, generator=rng)
    squares = torch.tensor([0.7, 0.7, 0.0, 0.5, 1.0], dtype=torch.float64)  # four: √d is exact in any precision
    model, alpha, average = Linear(theta), 0.4, torch.zeros(5, dtype=torch.float64)
    more = {"per": "coordinate", "scales": [squares]} if name == "spl-u" else {}
    opt = OPTIMISERS[name](model.parameters(), 0.8, 0.03, alpha=alpha, initial_loss=1.3, average="uniform", **more)
    for t in range(50):
        x = torch.randn(5, dtype=torch.float64, generator=rng)
        y = torch.randn((), dtype=torch.float64, generator=rng)
        at = linearised("squared", theta, alpha, x, y, 0.8)
        theta, alpha = catalogue_step(name, at, 0.03 / (t + 1) ** 0.5, 1.3, squares)
        alpha, average = float(alpha), average + theta
        opt.step(lambda x=x, y=y: loss_of("squared", model.theta, x, y).unsqueeze(0))
    torch.testing.assert_close(model.theta.detach(), theta, rtol=1e-11, atol=1e-11)
    assert opt.alpha == pytest.approx(alpha, rel=1e-11)
    with opt.averaged():
        torch.testing.assert_close(model.theta.detach(), average / 50, rtol=1e-11, atol=1e-11)
    torch.testing.assert_close(model.theta.detach(), theta, rtol=1e-11, atol=1e-11)


def test_without_a_slope_alpha_is_clipped_to_the_loss():
    x, y = torch.zeros(5, dtype=torch.float64), torch.tensor(1.0, dtype=torch.float64)  # ℓ = ½, v = 0
    for alpha, wanted in ((0.45, 0.5), (3.0, 2.8), (-5.0, -5 + 0.2 * 9)):
        _, moved = stepped("spl", "squared", torch.ones(5, dtype=torch.float64), x, y, alpha, 0.2, 1.0, None)
        assert moved == pytest.approx(wanted, rel=1e-12)
