"""A problem of any loss in torch is a problem like the others."""

import numpy as np
import pytest
import torch
from torch import nn

from cvar_core import Problem, SpecError, check, sweep
from cvar_core.catalogue import losses

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((120, 3)), RNG.standard_normal(120)
LAMBDAS = (0.01, 0.1, 1.0)


def squared(theta, x, y):
    return 0.5 * (x @ theta - y) ** 2


def both(**settings):
    own = Problem.from_torch(squared, (X, Y), dim=3, beta=0.8, convex=True, **settings)
    return own, Problem.from_arrays(X, Y, "squared", 0.8, **settings)


@pytest.mark.parametrize("settings", [{}, {"mix": 0.5}, {"scale": 4.0, "start": "zero"}])
def test_the_squared_loss_gives_the_built_in_sweep(settings):
    own, built_in = both(**settings)
    names = ("sgm", "spl", "spl+")
    one, other = (sweep(each, names, LAMBDAS, 40, 2, checkpoints=4) for each in (own, built_in))
    np.testing.assert_allclose(one.objectives, other.objectives, rtol=1e-9, atol=1e-9)
    for name in ("risk", "train_mean_loss"):
        np.testing.assert_allclose(one.curves[name], other.curves[name], rtol=1e-9, atol=1e-9)
    assert one.optimum.value == pytest.approx(other.optimum.value, rel=1e-5)
    assert one.optimum.value >= other.optimum.value * (1 - 1e-9)
    assert one.optimum.value - one.optimum.gap <= other.optimum.value * (1 + 1e-9)  # what is claimed is true
    assert one.optimum.gap < 1e-3 * one.optimum.value


def test_verdicts_and_words_are_those_of_any_problem():
    own, _ = both()
    result = sweep(own, ("spl", "spl-u"), LAMBDAS, 60, 2, checkpoints=4)
    assert set(result.robustness()["method"]) == {"spl", "spl-u"}
    verdict = check(own, lam=0.1, method="spl", iterations=20, seeds=1)
    assert verdict.method == "spl"


def test_a_module_is_its_parameters_from_where_they_are():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)).double()
    problem = Problem.from_torch(lambda out, y: (out[0] - y) ** 2, (X, Y), module=net, beta=0.5, optimum=np.zeros(21))
    theta = torch.cat([p.detach().reshape(-1) for p in net.parameters()])
    assert problem.spec.dim == len(theta) == 21
    wanted = (net(torch.from_numpy(X))[:, 0] - torch.from_numpy(Y)).square().detach()
    torch.testing.assert_close(problem.losses(theta), wanted)
    result = sweep(problem, ("sgm", "spl", "spl+"), (0.1,), 40, 2, workers=4, checkpoints=3)
    assert result.curves["risk"].iloc[-1] < result.curves["risk"].iloc[0]


def test_a_known_optimum_is_taken():
    best = [0.1, 0.2, 0.3]
    own = Problem.from_torch(squared, (X, Y), dim=3, beta=0.8, optimum=best)
    assert own.optimum().value == pytest.approx(own.risk(best))
    assert own.optimum().gap is None


def test_a_loss_may_have_any_shape_of_data():
    images, labels = RNG.standard_normal((40, 2, 3)), RNG.integers(0, 3, 40)
    own = Problem.from_torch(
        lambda theta, x, y: nn.functional.cross_entropy(theta.reshape(3, 6) @ x.reshape(-1), y),
        (images, labels), dim=18, beta=0.5, start="zero", convex=True,
    )  # fmt: skip
    assert own.risk(np.zeros(18)) == pytest.approx(np.log(3))
    assert own.optimum().value < np.log(3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dim": None}, "either dim"),
        ({"module": nn.Linear(3, 1)}, "either dim"),
        ({"data": (X, Y[:5])}, "120 inputs and 5 targets"),
        ({"loss_fn": lambda theta, x, y: x * 1.0}, "single number"),
        ({"loss_fn": lambda theta, x, y: squared(theta, x, y) - 1e6}, "not negative"),
        ({"loss_fn": lambda theta, x, y: squared(theta, x, y) + x[0]}, "not negative"),  # not in the first sample
        ({"loss_fn": lambda theta, x, y: x @ theta[:2]}, "cannot be computed"),
        ({"loss_fn": lambda theta, x, y: torch.tensor(float(x @ theta))}, "no slope"),
        ({"loss_fn": "squared"}, "loss_fn is 'squared'"),
        ({"data": (np.full_like(X, np.nan), Y)}, "must be numbers"),
        ({"data": None}, "a pair of inputs and targets"),
        ({"data": (1.0, 2.0)}, "a pair of inputs and targets"),
        ({"data": (["a"], ["b"])}, "a pair of inputs and targets"),
        ({"data": (X, Y, Y)}, "a pair of inputs and targets"),
        ({"dim": None, "module": nn.ReLU()}, "no parameters"),
        (
            {
                "dim": None,
                "module": nn.Sequential(nn.Linear(3, 1), nn.Dropout()),
                "loss_fn": lambda out, y: (out[0] - y) ** 2,
            },
            "eval",
        ),
        ({"loss_fn": lambda x, y, theta: (x @ theta - y) ** 2}, r"θ of shape \(3,\), x of .* in this order"),
        ({"optimum": [1.0]}, "optimum"),
        ({"beta": 2.0}, "beta"),
    ],
)
def test_what_is_wrong_gets_a_sentence(change, words):
    before = losses.names()
    with pytest.raises(SpecError, match=words):
        Problem.from_torch(**{"loss_fn": squared, "data": (X, Y), "dim": 3, **change})
    assert losses.names() == before


def test_it_is_in_no_list_of_losses():
    own, _ = both()
    assert own.spec.loss in losses
    assert own.spec.loss not in losses.names()
    assert all(loss.name != own.spec.loss for loss in losses)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_the_optimum_is_that_of_the_loss_in_any_unit(scale):
    own, built_in = both(scale=scale)
    assert own.optimum().value == pytest.approx(built_in.optimum().value, rel=1e-6)
    assert own.optimum().gap < 1e-3 * own.optimum().value


def test_what_it_cannot_do_is_said():
    own, _ = both()
    with pytest.raises(SpecError, match="from_torch"):
        own.under("absolute", 0.5)
    with pytest.raises(SpecError, match="from_torch"):
        own.in_unit(2.0)
