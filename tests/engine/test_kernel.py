"""The compiled steps against the plain torch step, which is their definition."""

import sys
import warnings

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from cvar_core import Problem, SweepSpec
from cvar_core.catalogue import losses, methods, schedules
from cvar_core.compiled import jit
from cvar_core.engine import Shard, advance, start
from cvar_core.engine.kernel import LANES, TILE, steps_in_torch
from cvar_core.linear import FAR
from cvar_core.problem.evaluation import BLOCK
from tests.engine.in_metric import norms_in, random_metric, sizes_at

every_method = pytest.mark.parametrize("method", methods.names())
every_loss = pytest.mark.parametrize("loss", losses.names())
every_schedule = pytest.mark.parametrize("schedule", schedules.names())
compiled = torch.ops.cvar_core.steps


def samples(loss: str, count: int, dim: int, rng: torch.Generator):
    x = torch.randn(count, dim, dtype=torch.float64, generator=rng)
    x /= x.norm(dim=1, keepdim=True)
    y = 3 * torch.randn(count, dtype=torch.float64, generator=rng)
    return x, torch.sign(y) if losses[loss].task == "classification" else y, (x * x).sum(1)


def fresh(runs: int, dim: int, rng: torch.Generator):
    theta = torch.randn(runs, dim, dtype=torch.float64, generator=rng)
    alpha = 4 * torch.randn(runs, dtype=torch.float64, generator=rng)
    return theta, alpha, torch.zeros_like(theta), torch.zeros_like(alpha), torch.zeros(runs, dtype=torch.bool)


def close(ours, theirs, tolerance: float) -> None:
    for mine, other in zip(ours[:4], theirs[:4], strict=True):
        torch.testing.assert_close(mine, other, rtol=tolerance, atol=tolerance)
    assert torch.equal(ours[4], theirs[4])


@every_schedule
@every_method
@every_loss
def test_ten_thousand_single_steps_agree(loss, method, schedule, rng):
    runs, dim = 400, 7
    factors = schedules[schedule].factors(0, 25, 25)
    for t in range(25):
        x, y, _ = samples(loss, 1, dim, rng)
        metric = random_metric(method, dim, rng)
        state = fresh(runs, dim, rng)
        lam_theta, lam_alpha = (10 ** torch.randn(runs, dtype=torch.float64, generator=rng) for _ in range(2))
        sizes = (norms_in(metric, x), factors[t : t + 1], lam_theta, lam_alpha)
        args = (x, y, *sizes, *state, 0.9, 1.7, loss, method, metric)
        close(compiled(*args), steps_in_torch(*args), 1e-12)


@pytest.mark.parametrize("loss", ["squared", "absolute", "huber"])
@every_method
def test_ties_and_zero_slopes_agree(loss, method):
    """Whole numbers, so that both see exactly the same ties."""
    alphas = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.5, -1.0], dtype=torch.float64)
    runs = len(alphas)
    theta = torch.zeros(runs, 2, dtype=torch.float64)
    ones = torch.ones(runs, dtype=torch.float64)
    for target in (-1.0, 0.0, 1.0, 2.0, 3.0):
        state = (theta, alphas, torch.zeros_like(theta), torch.zeros(runs).double(), torch.zeros(runs).bool())
        x, y = torch.tensor([[1.0, 0.0]], dtype=torch.float64), torch.tensor([target], dtype=torch.float64)
        one = torch.ones(1, dtype=torch.float64)
        args = (x, y, one, one, ones, ones, *state, 0.5, 1.0, loss, method)
        ours = compiled(*args)
        close(ours, steps_in_torch(*args), 1e-15)
        value = float(losses[loss].value(torch.zeros(1), y))
        if methods[method].model is methods["sgm"].model:
            still = ours[0].eq(0).all(1)
            assert torch.equal(still, (alphas >= value) | (y == 0)), "α_t ≥ ℓ_t means no θ step"


@every_schedule
@every_method
@every_loss
def test_whole_paths_agree_where_the_dynamics_are_stable(loss, method, schedule, rng):
    steps = 500
    lam = torch.tensor([1e-6, 1e-4, 1e-2, 0.1, 1.0, 3.0, 10.0], dtype=torch.float64)
    x, y, _ = samples(loss, steps, 10, rng)
    theta, *rest = fresh(1, 10, rng)
    sizes = sizes_at(method, lam, theta[0], x, y, loss)
    state = [part.repeat(len(lam), *[1] * (part.dim() - 1)) for part in (theta, *rest)]
    factors = schedules[schedule].factors(0, steps, steps)
    norms = norms_in(sizes.metric, x)
    args = (x, y, norms, factors, *sizes[:2], *state, 0.95, 1.0, loss, method, sizes.metric)
    ours, theirs = compiled(*args), steps_in_torch(*args)
    assert torch.equal(ours[4], theirs[4])
    kept = ~theirs[4]  # SGM overflows on squared loss at λ = 10, in both
    assert int(kept.sum()) >= len(lam) - 1
    ours, theirs = ([part[kept] for part in each] for each in (ours, theirs))
    for each in (ours, theirs):
        each[2], each[3] = each[2] / steps, each[3] / steps  # the sums are over all iterates
    close(ours, theirs, 1e-10)


@every_loss
def test_spl_plus_path_is_free_of_the_unit_of_loss(loss, rng):
    lam = torch.logspace(-3, 4, 15, dtype=torch.float64)
    x, y, norms = samples(loss, 3_000, 10, rng)
    theta, alpha, *rest = (part.repeat(15, *[1] * (part.dim() - 1)) for part in fresh(1, 10, rng))
    factors = schedules["decreasing"].factors(0, 3_000, 3_000)

    def path(scale: float):
        sizes = methods["spl+"].step_sizes(lam, torch.tensor(2.5 * scale, dtype=torch.float64))
        return compiled(x, y, norms, factors, *sizes[:2], theta, scale * alpha, *rest, 0.95, scale, loss, "spl+")

    plain = path(1.0)
    for power in (-20, -3, 1, 30):
        scaled = path(2.0**power)
        assert torch.equal(scaled[0], plain[0]), "θ is bit-identical"
        assert torch.equal(scaled[1], 2.0**power * plain[1])


def test_spl_does_see_the_unit_of_loss(rng):
    x, y, norms = samples("squared", 100, 10, rng)
    state = fresh(1, 10, rng)
    factors = schedules["decreasing"].factors(0, 100, 100)
    lam = torch.ones(1, dtype=torch.float64)
    one, two = (
        compiled(x, y, norms, factors, lam, lam, state[0], s * state[1], *state[2:], 0.95, s, "squared", "spl")[0]
        for s in (1.0, 2.0)
    )
    assert not torch.allclose(one, two)


@every_method
def test_a_run_does_not_depend_on_its_neighbours(method, rng):
    runs = TILE + LANES + 3
    x, y, _ = samples("logistic", 500, 5, rng)
    metric = random_metric(method, 5, rng)
    norms = norms_in(metric, x)
    state = fresh(runs, 5, rng)
    lam = torch.logspace(-3, 3, runs, dtype=torch.float64)
    factors = schedules["decreasing"].factors(0, 500, 500)
    together = compiled(x, y, norms, factors, lam, lam, *state, 0.9, 1.0, "logistic", method, metric)
    for some in (slice(0, 1), slice(7, 9), slice(TILE - 1, TILE + 2), slice(runs - 1, runs)):
        part = [each[some] for each in state]
        alone = compiled(x, y, norms, factors, lam[some], lam[some], *part, 0.9, 1.0, "logistic", method, metric)
        assert all(torch.equal(mine, whole[some]) for mine, whole in zip(alone, together, strict=True))


def test_steps_in_pieces_are_the_steps_in_one_go(rng):
    x, y, norms = samples("squared", 700, 5, rng)
    state = fresh(20, 5, rng)
    lam = torch.logspace(-3, 3, 20, dtype=torch.float64)
    factors = schedules["decreasing"].factors(0, 700, 700)
    whole = compiled(x, y, norms, factors, lam, lam, *state, 0.9, 1.0, "squared", "spl")
    for first, last in ((0, 1), (1, 300), (300, 700)):
        part = (each[first:last] for each in (x, y, norms, factors))
        state = compiled(*part, lam, lam, *state, 0.9, 1.0, "squared", "spl")
    assert all(torch.equal(a, b) for a, b in zip(state, whole, strict=True))


@pytest.mark.parametrize("run", [compiled, steps_in_torch], ids=["compiled", "torch"])
def test_overflowing_runs_are_diverged_and_stay_so(run, rng):
    x, y, norms = samples("squared", 300, 4, rng)
    theta, alpha, *rest = (part.repeat(3, *[1] * (part.dim() - 1)) for part in fresh(1, 4, rng))
    theta[2, 0] = torch.inf
    lam = torch.tensor([1e-3, 1e12, 1e-3], dtype=torch.float64)
    factors = schedules["decreasing"].factors(0, 300, 300)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        state = run(x, y, norms, factors, lam, lam, theta, alpha, *rest, 0.95, 1.0, "squared", "sgm")
        assert state[4].tolist() == [False, True, True]
        again = run(x, y, norms, factors, 0 * lam, 0 * lam, *state, 0.95, 1.0, "squared", "sgm")
    assert again[4].tolist() == [False, True, True]


def test_inputs_are_left_alone(rng):
    x, y, norms = samples("squared", 50, 4, rng)
    state = fresh(3, 4, rng)
    before = [part.clone() for part in state]
    lam, factors = torch.ones(3, dtype=torch.float64), torch.ones(50, dtype=torch.float64)
    compiled(x, y, norms, factors, lam, lam, *state, 0.9, 1.0, "squared", "spl")
    assert all(torch.equal(a, b) for a, b in zip(state, before, strict=True))


# Every function of the package that is given to the compiler.
KERNELS = {
    "engine.kernel.steps",
    "engine.sparse_kernel.steps",
    "linear.add_rows",
    "linear.weigh_sparse_squares",
    "linear.weigh_squares",
    "problem.evaluation._combine",
    "problem.evaluation._predictions",
    "problem.evaluation.sums",
    "problem.selection._fill_levels",
    "problem.selection.fill",
    "problem.sparse_sums._predictions",
    "problem.sparse_sums.sums",
}


@pytest.fixture
def uncompiled(monkeypatch):
    """Runs the kernels in Python, where every index is checked; gives the names of those that ran."""
    ran = set()

    def plain(function):
        def run(*args):
            ran.add(f"{function.__module__}.{function.__name__}".removeprefix("cvar_core."))
            function(*args)

        return run

    for module in [module for name, module in sys.modules.items() if name.startswith("cvar_core.")]:
        if getattr(module, "jit", None) is jit:
            monkeypatch.setattr(module, "jit", plain)
            for name, builder in vars(module).copy().items():  # which keep what they have compiled
                if hasattr(builder, "cache_clear") and builder.__module__ == module.__name__:
                    monkeypatch.setattr(module, name, builder.__wrapped__)
    return ran


def a_few_steps(problem, runs):
    lambdas = tuple(1.0 + k for k in range(runs))
    for method in ("spl", "spl-u"):  # without a metric, and in one
        spec = SweepSpec(problem.spec, (method,), lambdas, iterations=4, seeds=1, checkpoints=2)
        advance(problem, spec, Shard(method, 0), start(problem, spec, Shard(method, 0)), 4)


def test_no_index_is_out_of_bounds(uncompiled, rng):
    """An overrun would take a whole server down: run every kernel once with every index checked.

    A loss and a method bring no index of their own, but a loss that is a logarithm is summed in another way.
    """
    for loss in ("squared", "logistic"):
        for dim, size, runs in ((2, 20, TILE + 6), (1, BLOCK, 3), (10, 2 * BLOCK - 1, 2), (3, 1_100, 1)):
            a_few_steps(Problem.synthetic(loss, "normal", eval_size=size, dim=dim), runs)
        for made, dim, size in ((np.asarray, 3, 40), (csr_array, 3, BLOCK + 4), (csr_array, FAR + 1, 9)):
            x, y, _ = samples(loss, size, dim, rng)
            x[1:] *= torch.rand(size - 1, dim, generator=rng) < 40 / dim
            x[[2, -1]] = 0.0  # a row may be empty, and the first is full
            a_few_steps(Problem.from_arrays(made(x), y, loss, test=(made(x), y)), 3)
    Problem.synthetic(eval_size=300, dim=3).optimum()
    assert uncompiled == KERNELS
