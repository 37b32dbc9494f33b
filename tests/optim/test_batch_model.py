"""The step on a batch minimises the model that it states, and that model lies below the batch's objective."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from cvar_core.catalogue import losses
from cvar_core.optim import SPL
from cvar_core.optim.batch_model import CUTS, Threshold, cut_implicit, dual_weights, prox_linear_pieces

from .linear_losses import Linear, loss_of

BETA, LAM = 0.8, 0.4
every_cut = pytest.mark.parametrize("cut", CUTS)
every_mix = pytest.mark.parametrize("mix", [1.0, 0.3, 0.0])


def drawn(seed, loss="squared", count=12):
    rng = torch.Generator().manual_seed(seed)
    theta, x = (
        torch.randn(4, dtype=torch.float64, generator=rng),
        torch.randn(count, 4, dtype=torch.float64, generator=rng),
    )
    y = torch.randn(count, dtype=torch.float64, generator=rng)
    alpha, lam = torch.randn(2, dtype=torch.float64, generator=rng).tolist()
    return theta, x, y.sign() if losses[loss].task == "classification" else y, 2 * alpha, 10**lam


def pieces_with_slopes(theta, x, y, at, cut, loss="squared"):
    values, slopes = losses[loss].value(x @ theta, y), losses[loss].slope(x @ theta, y)[:, None] * x
    found = prox_linear_pieces(values, at, cut)
    return [(piece, piece.weights @ slopes) for piece in found]


def model(theta, alpha, base, at, pieces):
    """m(θ, α), as the docstring has it."""
    lines = [piece.value + g @ (theta - base) + piece.slope * (alpha - at.shifted) for piece, g in pieces]
    return at.mix * alpha + sum(line.clamp(min=0) for line in lines)


def least(base, at, pieces, lam):
    """Minimise model and proximal term with a generic solver, each max written as a slack variable."""
    d, k = len(base), len(pieces)

    def lines(z):
        return np.array(
            [p.value + float(g @ torch.from_numpy(z[:d])) + p.slope * (at.alpha + z[d] - at.shifted) for p, g in pieces]
        )

    found = minimize(
        lambda z: at.mix * (at.alpha + z[d]) + z[d + 1 :].sum() + z[:d] @ z[:d] / (2 * lam) + z[d] ** 2 / (2 * at.lam),
        np.concatenate([np.zeros(d + 1), [10.0] * k]),
        constraints=[{"type": "ineq", "fun": lambda z: z[d + 1 :] - lines(z)}] if k else (),
        bounds=[(None, None)] * (d + 1) + [(0, None)] * k,
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 500},
    )
    return found.fun


@every_cut
@every_mix
def test_the_step_minimises_its_model(cut, mix):
    for seed in range(6):
        theta, x, y, alpha, lam = drawn(seed)
        net = Linear(theta)
        opt = SPL(net.parameters(), BETA, lam, alpha=alpha, mix=mix, cut=cut)
        opt.step(lambda net=net, x=x, y=y: loss_of("squared", net.theta, x, y))
        at = Threshold(alpha, lam, BETA, mix)
        pieces = pieces_with_slopes(theta, x, y, at, cut)

        def proximal(th, al, theta=theta, at=at, pieces=pieces, lam=lam):
            away = ((th - theta) ** 2).sum() / (2 * lam) + (al - at.alpha) ** 2 / (2 * at.lam)
            return float(model(th, torch.tensor(al, dtype=torch.float64), theta, at, pieces) + away)

        here = proximal(net.theta.detach(), opt.alpha)
        assert here == pytest.approx(least(theta, at, pieces, lam), rel=1e-6, abs=1e-6)
        for _ in range(100):
            near = net.theta.detach() + 0.1 * torch.randn(4, dtype=torch.float64)
            assert here <= proximal(near, opt.alpha + 0.1 * float(torch.randn(()))) + 1e-12


@every_cut
@every_mix
@pytest.mark.parametrize("loss", losses.names())
def test_the_model_lies_below_the_objective(cut, mix, loss):
    for seed in range(5):
        theta, x, y, alpha, lam = drawn(seed, loss)
        at = Threshold(alpha, lam, BETA, mix)
        pieces = pieces_with_slopes(theta, x, y, at, cut, loss)
        for _ in range(40):
            th, al = theta + 2 * torch.randn(4, dtype=torch.float64), alpha + 2 * torch.randn((), dtype=torch.float64)
            now = losses[loss].value(x @ th, y)
            objective = (1 - mix) * now.mean() + mix * (al + (now - al).clamp(min=0).mean() / (1 - BETA))
            assert model(th, al, theta, at, pieces) <= objective + 1e-9 * (1 + abs(objective))


@given(
    st.lists(st.floats(0, 10), min_size=1, max_size=9),
    st.floats(-5, 15), st.floats(1e-3, 1e3), st.sampled_from([0.0, 0.5, 0.9]), st.sampled_from([1.0, 0.4]),
)  # fmt: skip
def test_the_implicit_cut_is_that_of_the_proximal_step_in_alpha(values, alpha, lam, beta, mix):
    at, found = Threshold(alpha, lam, beta, mix), torch.tensor(values, dtype=torch.float64)
    q = cut_implicit(found, at)
    a = at.shifted + at.lam * at.steepness * float(q.mean())  # the stationary point that q is a certificate of
    slack = 1e-9 * (1 + abs(a) + lam)
    assert ((q >= 0) & (q <= 1)).all()
    assert ((found >= a - slack) | (q == 0)).all()
    assert ((found <= a + slack) | (q == 1)).all()


def test_a_large_step_of_alpha_lands_in_the_worst_share_of_the_batch():
    found = torch.arange(20, dtype=torch.float64)
    wide = Threshold(0.0, 1e6, 0.9, 1.0)
    assert cut_implicit(found, wide).tolist() == pytest.approx([0.0] * 18 + [1.0] * 2, abs=1e-3)
    assert CUTS["shifted"](found, wide).all()


@given(
    st.tuples(st.floats(0, 5), st.floats(0, 5)),
    st.tuples(st.floats(-2, 2), st.floats(-2, 2), st.floats(-2, 2), st.floats(-2, 2)),
)
def test_the_dual_weights_are_the_best_of_the_square(values, root):
    L = np.array(root).reshape(2, 2)
    A = L @ L.T
    gamma = np.array(dual_weights(list(values), A.tolist()))
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 21)] * 2), -1).reshape(-1, 2)
    worth = grid @ values - 0.5 * np.einsum("ni,ij,nj->n", grid, A, grid)
    assert ((gamma >= 0) & (gamma <= 1)).all()
    assert gamma @ values - 0.5 * gamma @ A @ gamma >= worth.max() - 1e-9
