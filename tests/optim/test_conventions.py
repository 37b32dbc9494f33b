"""The optimisers keep torch's conventions: state, groups, schedulers, devices and what goes wrong."""

import copy
import io
import pickle

import pytest
import torch
from torch import nn

from cvar_core.optim import SGM, SPL, SPLU, NotFinite, SPLPlus

from .linear_losses import OPTIMISERS, network

every_optimiser = pytest.mark.parametrize("kind", OPTIMISERS.values())


def parameters(model):
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def trained(kind, steps=6, seed=0, dtype=torch.float64, **settings):
    model, losses = network(seed, dtype)
    opt = kind(model.parameters(), 0.8, 0.05, **settings)
    for t in range(steps):
        opt.step(lambda t=t: losses(slice(t, t + 20)))
    return model, losses, opt


@every_optimiser
@pytest.mark.parametrize("mix", [1.0, 0.5])
def test_a_resumed_run_has_the_same_bits(kind, mix):
    model, losses, opt = trained(kind, average=0.9, mix=mix)
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "opt": opt.state_dict()}, file)
    for _ in range(5):
        opt.step(losses)
    file.seek(0)
    saved = torch.load(file, weights_only=True)
    other, losses = network()
    other.load_state_dict(saved["model"])
    resumed = kind(other.parameters(), 0.5, 3.0, mix=0.1)  # settings come with the state, as torch has it
    resumed.load_state_dict(saved["opt"])
    for _ in range(5):
        resumed.step(losses)
    assert torch.equal(parameters(model), parameters(other))
    assert resumed.alpha == opt.alpha
    with opt.averaged() as here, resumed.averaged() as there:
        assert here == there
        assert torch.equal(parameters(model), parameters(other))


@every_optimiser
def test_a_state_that_was_taken_does_not_change(kind):
    _, losses, opt = trained(kind)
    before = opt.state_dict()
    alpha = opt.alpha
    opt.step(losses)
    assert before["state"]["threshold"]["alpha"] == alpha != opt.alpha


@every_optimiser
def test_it_can_be_pickled_and_copied(kind):
    _, _, opt = trained(kind)
    for twin in (pickle.loads(pickle.dumps(opt)), copy.deepcopy(opt)):
        assert twin.alpha == opt.alpha
        assert twin.state_dict()["param_groups"] == opt.state_dict()["param_groups"]


@every_optimiser
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_tensors_together_or_one_by_one_are_the_same(kind, dtype):
    one = trained(kind, foreach=True, average="uniform", weight_decay=0.1, dtype=dtype)
    other = trained(kind, foreach=False, average="uniform", weight_decay=0.1, dtype=dtype)
    torch.testing.assert_close(
        parameters(one[0]), parameters(other[0]), rtol=1e-5 if dtype == torch.float32 else 1e-12, atol=0
    )
    with one[2].averaged(), other[2].averaged():
        torch.testing.assert_close(parameters(one[0]), parameters(other[0]))


@every_optimiser
def test_float32_follows_float64(kind):
    single, double = (parameters(trained(kind, dtype=dtype)[0]) for dtype in (torch.float32, torch.float64))
    assert single.dtype == torch.float32
    torch.testing.assert_close(single.double(), double, rtol=1e-4, atol=1e-5)


def test_a_group_has_its_own_lam_and_decay():
    model, losses = network()
    frozen = [p.detach().clone() for p in model[2].parameters()]
    groups = [{"params": model[0].parameters()}, {"params": model[2].parameters(), "lam": 0.0}]
    opt = SPLPlus(groups, lam=0.1)
    before = parameters(model[0])
    opt.step(losses)
    assert [group["lr"] for group in opt.param_groups] == [0.1, 0.0]
    assert all(torch.equal(p, was) for p, was in zip(model[2].parameters(), frozen, strict=True))
    assert not torch.equal(parameters(model[0]), before)
    with pytest.raises(ValueError, match="beta is one for the whole optimiser"):
        opt.add_param_group({"params": [nn.Parameter(torch.ones(1))], "beta": 0.5})


def test_the_threshold_takes_the_lam_of_the_first_group():
    model, losses = network()
    opt = SPL([{"params": model[0].parameters(), "lam": 0.0}, {"params": model[2].parameters()}], lam=0.1, alpha=3.0)
    opt.step(losses)
    assert opt.alpha == 3.0


@every_optimiser
def test_frozen_and_unused_parameters_stay(kind):
    model, losses = network()
    unused = nn.Parameter(torch.ones(3, dtype=torch.float64))
    model[0].bias.requires_grad_(False)
    bias = model[0].bias.detach().clone()
    opt = kind([*model.parameters(), unused], 0.8, 0.1, average="uniform")
    for _ in range(3):
        opt.step(losses)
    assert torch.equal(unused, torch.ones(3, dtype=torch.float64))
    assert torch.equal(model[0].bias, bias)
    with opt.averaged():
        assert torch.equal(model[0].bias, bias)
    for p in model.parameters():
        p.requires_grad_(False)
    with pytest.raises(ValueError, match="frozen"):
        kind(model.parameters()).step(losses)


def test_a_scheduler_works_on_lam():
    model, losses = network()
    opt = SPLPlus(model.parameters(), lam=0.4, decay=False)
    scheduler = torch.optim.lr_scheduler.StepLR(opt, step_size=1, gamma=0.5)
    twin, same = network()
    by_hand = SPLPlus(twin.parameters(), lam=0.4, decay=False)
    for t in range(3):
        opt.step(losses)
        scheduler.step()
        by_hand.param_groups[0]["lr"] = 0.4 * 0.5**t
        by_hand.step(same)
    assert opt.param_groups[0]["lr"] == 0.05
    assert torch.equal(parameters(model), parameters(twin))


@every_optimiser
def test_with_lam_0_nothing_moves(kind):
    model, losses = network()
    before = parameters(model)
    opt = kind(model.parameters(), lam=0.0, alpha=0.3)
    opt.step(losses)
    assert torch.equal(parameters(model), before)
    assert opt.alpha == 0.3


BAD = {
    "a single number": (lambda good: good.mean(), ValueError, "reduction='none'"),
    "a matrix": (lambda good: good.reshape(2, -1), ValueError, "shape"),
    "no losses": (lambda good: good[:0], ValueError, "empty"),
    "no tensor": (lambda good: good.tolist(), TypeError, "list"),
    "no graph": (lambda good: good.detach(), ValueError, "graph"),
    "whole numbers": (lambda good: good.detach().long(), TypeError, "real"),
    "NaN": (lambda good: good * torch.where(torch.arange(len(good)) == 3, torch.nan, 1.0), NotFinite, "1 of 40 losses"),
    "a gradient of NaN": (lambda good: torch.where(good > 1e9, 1.0, good - (good * 0).sqrt()), NotFinite, "gradient"),
}


@every_optimiser
@pytest.mark.parametrize("after", [0, 2])
@pytest.mark.parametrize("what", BAD)
def test_a_bad_closure_gets_a_sentence_and_changes_nothing(kind, after, what):
    spoil, error, words = BAD[what]
    model, losses = network()
    opt = kind(model.parameters(), average="uniform", weight_decay=0.1)
    for _ in range(after):
        opt.step(losses)
    before, state = parameters(model), copy.deepcopy(opt.state_dict())
    with pytest.raises(error, match=words):
        opt.step(lambda: spoil(losses()))
    assert torch.equal(parameters(model), before)
    assert str(opt.state_dict()) == str(state)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"beta": 1.0}, "beta is 1.0"), ({"lam": -1.0}, "lam is -1.0"), ({"mix": 2}, "mix is 2"),
        ({"average": 3}, "average is 3"), ({"beta": "x"}, "beta is 'x'"), ({"lam": None}, "lam is None"),
        ({"cut": "x"}, "cut is 'x'"), ({"alpha": float("nan")}, "alpha is nan"),
    ],
)  # fmt: skip
def test_bad_settings_get_a_sentence(settings, words):
    with pytest.raises(ValueError, match=words):
        SPLPlus([nn.Parameter(torch.ones(1))], **settings)


@every_optimiser
def test_sparse_gradients_are_refused_in_a_sentence(kind):
    words = nn.Embedding(5, 2, sparse=True)
    with pytest.raises(ValueError, match="sparse=False"):
        kind(words.parameters(), alpha=0.0).step(lambda: words(torch.arange(4)).square().sum(1))


def test_the_first_threshold_is_a_quantile_of_any_number_of_losses():
    theta = torch.ones(1, requires_grad=True)
    opt = SPL([theta], 0.5, 0.0)
    opt.step(lambda: theta.expand(2**24 + 1))  # more than torch's own quantile takes
    assert opt.alpha == 1.0


@every_optimiser
def test_a_setting_that_does_not_exist_is_refused(kind):
    with pytest.raises(TypeError, match="momentum"):
        kind([torch.zeros(2, requires_grad=True)], momentum=0.9)


def test_a_step_without_a_closure_says_what_it_takes():
    with pytest.raises(ValueError, match="closure"):
        SPL([nn.Parameter(torch.ones(1))]).step()


def test_what_has_no_unit_is_refused():
    model, losses = network()
    with pytest.raises(ValueError, match="initial_loss"):
        SPLPlus(model.parameters()).step(lambda: losses() - 100)
    with pytest.raises(ValueError, match="not be negative"):
        SPL(model.parameters(), mix=0.5).step(lambda: losses() - 100)


def test_clipping_bounds_the_step_of_sgm():
    model, losses = network()
    before = parameters(model)
    SGM(model.parameters(), lam=0.5, max_norm=1e-3, alpha=0.0).step(losses)
    assert float((parameters(model) - before).norm()) == pytest.approx(0.5e-3, rel=1e-3)


def test_averages_need_to_be_asked_for():
    model, losses = network()
    opt = SPL(model.parameters())
    with pytest.raises(ValueError, match="no average is kept"), opt.averaged():
        pass
    with pytest.raises(ValueError, match="before the first step"), SPL(model.parameters(), average=0.9).averaged():
        pass
    opt.step(losses)
    assert sum(len(opt.state[p]) for p in model.parameters()) == 0  # no memory but α's


def test_an_average_forgets_exponentially():
    model, losses = network()
    opt = SPL(model.parameters(), lam=0.1, average=0.75)
    wanted = None
    for _ in range(4):
        opt.step(losses)
        wanted = parameters(model) if wanted is None else 0.75 * wanted + 0.25 * parameters(model)
    with opt.averaged():
        torch.testing.assert_close(parameters(model), wanted)


@every_optimiser
def test_a_closure_under_autocast_and_a_compiled_model(kind):
    model, _ = network(dtype=torch.float32)
    x, y = torch.randn(16, 4), torch.randn(16)
    compiled = torch.compile(model, backend="eager")

    def closure():
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return (compiled(x)[:, 0] - y) ** 2

    opt = kind(model.parameters(), 0.8, 0.05)
    first = opt.step(closure).mean()
    for _ in range(20):
        last = opt.step(closure).mean()
    assert last < first
    assert all(p.dtype == torch.float32 for p in model.parameters())


def test_a_loss_in_another_unit_takes_the_same_path():
    for kind in (SPLPlus, SPLU):
        paths = []
        for unit in (1.0, 1024.0):
            model, losses = network()
            opt = kind(model.parameters(), 0.8, 0.3)
            for _ in range(5):
                opt.step(lambda unit=unit, losses=losses: unit * losses())
            paths.append(parameters(model))
        torch.testing.assert_close(*paths, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", [SPLPlus, SPLU])
@pytest.mark.parametrize("factor", [2.0**-90, 2.0**70])
def test_a_unit_whose_square_no_float32_holds_takes_the_same_path(kind, factor):
    def path(unit):
        model, losses = network(0, torch.float32)
        opt = kind(model.parameters(), 0.8, 1.0)
        for _ in range(4):
            opt.step(lambda: unit * losses())
        return parameters(model)

    torch.testing.assert_close(path(factor), path(1.0), rtol=1e-3, atol=1e-4)


def test_half_precision_holds_the_products_of_gradients():
    theta = torch.ones(4, dtype=torch.float16, requires_grad=True)
    opt = SPL([theta], 0.0, 1.0, alpha=0.0)
    opt.step(lambda: 200 * theta.sum().reshape(1))  # ‖v‖² is 160,000, above the largest number of float16
    assert opt.alpha == pytest.approx(801 / 160_001 - 1, rel=1e-6)


@pytest.mark.parametrize("per", ["tensor", "coordinate"])
def test_splu_does_not_see_the_unit_of_an_input(per):
    outputs = []
    for unit in (1.0, 64.0):
        torch.manual_seed(2)
        layer = nn.Linear(3, 1, bias=False, dtype=torch.float64)
        x, y = torch.randn(30, 3, dtype=torch.float64), torch.randn(30, dtype=torch.float64)
        with torch.no_grad():
            layer.weight /= unit
        x *= unit
        opt = SPLU(layer.parameters(), 0.8, per=per)
        for _ in range(10):
            opt.step(lambda layer=layer, x=x, y=y: (layer(x)[:, 0] - y) ** 2)
        outputs.append(layer(x))
    torch.testing.assert_close(*outputs, rtol=1e-9, atol=1e-9)


def test_splu_finds_the_mean_square_of_the_gradients():
    model, losses = network()
    opt = SPLU(model.parameters(), 0.8)
    opt.step(lambda: losses(slice(0, 12)))  # few enough to be taken one by one
    found = [opt.state[p]["scale"] for p in model.parameters()]
    model, losses = network()
    each = [torch.autograd.grad(losses(slice(i, i + 1)).sum(), model.parameters()) for i in range(12)]
    assert found == pytest.approx(
        [sum(float(g.square().sum()) for g in grads) / 12 for grads in zip(*each, strict=True)]
    )


def test_splu_does_not_freeze_what_has_no_gradient_at_first():
    model, losses = network()
    with torch.no_grad():
        model[2].weight.zero_()  # so the first layer has no gradient yet
    before = model[0].weight.detach().clone()
    opt = SPLU(model.parameters(), 0.8)
    for _ in range(4):
        opt.step(losses)
    assert not torch.equal(model[0].weight, before)
