"""The laws of the unit-free step sizes: a factor of the loss, the target or a feature changes no prediction."""

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from cvar_core import Problem, SweepSpec
from cvar_core.catalogue import Linearisation, losses, methods, schedules
from cvar_core.engine import Shard, advance, start
from cvar_core.engine.engine import step_sizes
from cvar_core.problem import draws

OURS = [method.name for method in methods if method.whose == "ours"]
ROWS, DIM, STEPS = 90, 5, 400
LAMBDAS = (1e-3, 0.1, 1.0, 3.0)  # stable ones: others make rounding grow
DEGREE = {"squared": 2, "absolute": 1}  # the loss of a target that is s times as large is s to this power as large

every_ours = pytest.mark.parametrize("method", OURS)
every_kind = pytest.mark.parametrize("kind", ["dense", "sparse"])
every_loss = pytest.mark.parametrize("loss", losses.names())


def rows(loss: str, seed: int = 0):
    """Features of unlike sizes, a third of them 0, and targets that they explain in part."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((ROWS, DIM)) * 10.0 ** np.arange(-2, DIM - 2) * (rng.random((ROWS, DIM)) < 2 / 3)
    y = x @ 10.0 ** -np.arange(-2.0, DIM - 2) + rng.standard_normal(ROWS)
    return x, np.sign(y) if losses[loss].task == "classification" else y


def begin(seed: int = 1):
    """θ_0 in the unit of the features of ``rows``, and α_0 in that of the loss."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal(DIM) * 10.0 ** -np.arange(-2.0, DIM - 2), 0.7


def path(monkeypatch, kind, loss, method, *, features=1.0, target=1.0, scale=1.0, lambdas=LAMBDAS):
    """Run a problem in other units from the same start; return θ and α, last and mean, in the units of ``rows``."""
    x, y = rows(loss)
    theta, alpha = begin()
    x, y, theta, grown = x * features, y * target, theta * target / features, target ** DEGREE.get(loss, 1)
    monkeypatch.setattr(draws, "start", lambda seed, dim: (torch.from_numpy(theta), alpha * grown))  # it scales α_0
    made = csr_array(x) if kind == "sparse" else x
    problem = Problem.from_arrays(made, y, loss=loss, beta=0.8, scale=scale)
    spec = SweepSpec(problem.spec, (method,), lambdas, STEPS, seeds=(3,), checkpoints=1)
    shard = Shard(method, 3)
    state, _ = advance(problem, spec, shard, start(problem, spec, shard), STEPS)
    assert not state.diverged.any()
    mean = state.theta_sum / STEPS + (state.theta if kind == "sparse" else 0)
    thetas = torch.stack([state.theta, mean]) * torch.as_tensor(features / target)
    alphas = torch.stack([state.alpha, state.alpha_sum / STEPS]) / (scale * grown)
    assert not torch.equal(thetas[0, -1], torch.from_numpy(begin()[0])), "the runs move"
    return thetas, alphas


def test_the_product_has_them():
    assert OURS == ["sgm-u", "spl-u"]
    assert all("ours" in methods[name].label and "ours, not the paper's" in methods[name].summary for name in OURS)
    assert [method.name for method in methods if method.whose == "the paper's"] == ["sgm", "spl", "spl+"]
    assert methods["sgm-t"].whose == "Asi and Duchi's"
    assert "ours" not in methods["sgm-t"].label + methods["sgm-t"].summary
    assert methods["sgm-t@unit-free"].whose == "Asi and Duchi's and ours"


@every_kind
@every_ours
@every_loss
def test_powers_of_two_in_loss_and_features_change_no_bit(loss, method, kind, monkeypatch):
    plain = path(monkeypatch, kind, loss, method)
    for features, scale in ((1.0, 2.0**-7), (2.0 ** np.array([3, -9, 0, 20, -1]), 1.0), (-(2.0 ** np.arange(5)), 32.0)):
        others = path(monkeypatch, kind, loss, method, features=features, scale=scale)
        assert all(map(torch.equal, plain, others))


@every_kind
@every_ours
@pytest.mark.parametrize("loss", DEGREE)
def test_powers_of_two_in_the_target_change_no_bit(loss, method, kind, monkeypatch):
    plain = path(monkeypatch, kind, loss, method)
    for target in (2.0**-11, 64.0):
        assert all(map(torch.equal, plain, path(monkeypatch, kind, loss, method, target=target)))


@every_kind
@every_ours
@every_loss
def test_any_factors_change_no_more_than_rounding(loss, method, kind, monkeypatch):
    plain = path(monkeypatch, kind, loss, method)
    x = torch.from_numpy(rows(loss)[0])
    target = 9.1e-3 if loss in DEGREE else 1.0
    units = {"features": np.array([1e-6, 3.7, -0.2, 12_345.0, 1e4]), "scale": 7.3e3, "target": target}
    thetas, alphas = path(monkeypatch, kind, loss, method, **units)
    torch.testing.assert_close(thetas @ x.T, plain[0] @ x.T, rtol=1e-8, atol=1e-8)
    torch.testing.assert_close(alphas, plain[1], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("method", ["sgm", "spl", "spl+"])
def test_the_papers_methods_do_see_the_unit_of_a_feature(method, monkeypatch):
    x = torch.from_numpy(rows("absolute")[0])
    plain = path(monkeypatch, "dense", "absolute", method, lambdas=(1e-3,))[0] @ x.T
    thetas, _ = path(monkeypatch, "dense", "absolute", method, features=np.array([1, 1, 2.0, 1, 1]), lambdas=(1e-3,))
    assert float((thetas @ x.T - plain).abs().max()) > 1e-3 * float(plain.abs().max())


@every_ours
def test_an_offset_of_a_feature_is_no_unit(method):
    """With a column of ones the same predictions can be made, from the same start, and others are."""
    x, y = rows("squared")
    with_ones = np.hstack([x, np.ones((ROWS, 1))])
    moved = with_ones + np.array([5.0, 0, 0, 0, 0, 0])
    theta = np.append(begin()[0], 0.0)
    predicted = []
    for features, first in ((with_ones, theta), (moved, theta - np.array([0, 0, 0, 0, 0, 5 * theta[0]]))):
        np.testing.assert_allclose(features @ first, with_ones @ theta, atol=1e-12)
        problem = Problem.from_arrays(features, y, loss="squared", beta=0.8)
        shard = Shard(method, 0)
        spec = SweepSpec(problem.spec, (method,), (0.1,), STEPS, seeds=1, checkpoints=1)
        state = start(problem, spec, shard)._replace(theta=torch.from_numpy(first)[None])
        predicted.append(features @ advance(problem, spec, shard, state, STEPS)[0].theta[0].numpy())
    assert np.abs(predicted[0] - predicted[1]).max() > 0.01


@every_ours
@every_loss
def test_the_step_sizes_are_those_of_the_rule(loss, method):
    x, y = rows(loss)
    x[:, 2] = 0.0  # no sample moves it
    x[:, 4] = 100.0 * (np.arange(ROWS) == 0)  # one sample in ninety does, whatever the first ones are
    problem = Problem.from_arrays(x, y, loss=loss, scale=3.0)
    spec = SweepSpec(problem.spec, (method,), (0.5, 2.0), seeds=(4,))
    sizes = step_sizes(problem, spec, Shard(method, 4))
    prediction = torch.from_numpy(x) @ problem.start(4).theta
    prediction.requires_grad_()
    losses_at_start = 3.0 * losses[loss].value(prediction, torch.from_numpy(y))
    (slopes,) = torch.autograd.grad(losses_at_start.sum(), prediction)
    initial = float(losses_at_start.detach().mean())
    assert sizes.alpha.tolist() == pytest.approx([0.5 * initial, 2 * initial])
    squares = float((slopes**2).mean()) * (x**2).mean(0)  # four are above 0, and √4 = 2
    expected = np.divide(0.5 * initial, 2 * squares, out=np.zeros(DIM), where=squares > 0)
    assert (sizes.theta[0] * sizes.metric).tolist() == pytest.approx(expected.tolist(), rel=1e-12)
    assert sizes.metric[2] == 0
    assert sizes.metric[4] > 0


@every_ours
def test_a_rare_feature_is_learnt_when_it_comes(method):
    x, y = rows("absolute")
    index = draws.index_block(ROWS, draws.SPARSE_BLOCK, 0, 0).tolist()
    row = max(range(ROWS), key=index.index)  # the one that comes last of all
    x[:, 4] = 1e-3 * (np.arange(ROWS) == row)
    problem = Problem.from_arrays(csr_array(x), y, loss="absolute", beta=0.5)
    spec = SweepSpec(problem.spec, (method,), (1.0,), 2_000, seeds=(0,), checkpoints=1)
    shard = Shard(method, 0)
    begun = start(problem, spec, shard)
    before, _ = advance(problem, spec, shard, begun, index.index(row))
    assert before.iteration > 100
    after, _ = advance(problem, spec, shard, before, 2_000)
    assert before.theta[0, 4] == begun.theta[0, 4] != after.theta[0, 4]


@every_kind
@every_ours
@every_loss
def test_single_steps_are_those_of_the_equation(loss, method, kind):
    """One step of the engine from the start against the torch definition, sample by sample."""
    x, y = rows(loss)
    problem = Problem.from_arrays(csr_array(x) if kind == "sparse" else x, y, loss=loss, beta=0.8, scale=1.7)
    spec = SweepSpec(problem.spec, (method,), (0.01, 1.0, 100.0), 30, seeds=(2,), checkpoints=1)
    shard, entry = Shard(method, 2), losses[loss]
    state, sizes = start(problem, spec, shard), step_sizes(problem, spec, shard)
    index = draws.index_block(ROWS, problem.ground.block_length, 2, 0)
    for t, i in enumerate(index[:30].tolist()):
        x_t, y_t = torch.from_numpy(x[i]), torch.tensor(y[i], dtype=torch.float64)
        prediction = state.theta @ x_t
        v = 1.7 * entry.slope(prediction, y_t)[:, None] * x_t
        at = Linearisation(state.theta, state.alpha, 1.7 * entry.value(prediction, y_t), v, 0.8)
        (factor,) = schedules["decreasing"].factors(t, t + 1, 30)
        here = sizes._replace(theta=sizes.theta * factor, alpha=sizes.alpha * factor)
        expected = methods[method].step(at, here)
        state, _ = advance(problem, spec, shard, state, t + 1)
        torch.testing.assert_close(state.theta, expected.theta, rtol=1e-12, atol=1e-12)
        torch.testing.assert_close(state.alpha, expected.alpha, rtol=1e-12, atol=1e-12)


@every_ours
def test_features_too_small_for_floating_point_stay_where_they_are(method):
    x, y = rows("squared")
    x[:, 1] *= 1e-133  # with those of the slopes their squares are not 0, but have no reciprocal
    problem = Problem.from_arrays(1e-12 * x, 1e-12 * y, loss="squared")
    spec = SweepSpec(problem.spec, (method,), (1.0,), 50, seeds=1, checkpoints=1)
    state, _ = advance(problem, spec, Shard(method, 0), start(problem, spec, Shard(method, 0)), 50)
    assert not state.diverged.any()
    assert bool(torch.isfinite(state.theta).all())
