"""Runs on (1 − μ)·mean + μ·CVaR: the compiled steps, what is recorded, and the laws of units."""

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from cvar_core import Problem, SweepSpec, sweep
from cvar_core.catalogue import StepSizes, losses, methods
from cvar_core.engine import Shard, advance, start
from cvar_core.engine.kernel import steps_in_torch
from cvar_core.engine.sparse_kernel import sparse_steps, sparse_steps_in_torch
from cvar_core.problem.points import SparsePoints
from tests.engine.in_metric import norms_in, random_metric
from tests.engine.test_kernel import close, compiled, fresh, samples

MIXES = (0.0, 0.3, 0.9)
every_method = pytest.mark.parametrize("method", methods.names())
every_loss = pytest.mark.parametrize("loss", losses.names())
every_mix = pytest.mark.parametrize("mix", MIXES)


@every_mix
@every_method
def test_compiled_steps_are_the_definitions(mix, method, rng):
    """Single steps from random states, among them α < 0, and step sizes that are decades apart."""
    runs, dim, one = 400, 4, torch.ones(1, dtype=torch.float64)
    for loss in losses.names():
        for _ in range(3):
            x, y, _ = samples(loss, 1, dim, rng)
            metric = random_metric(method, dim, rng)
            lam_theta, lam_alpha = (10 ** torch.randn(runs, dtype=torch.float64, generator=rng) for _ in range(2))
            sizes = (norms_in(metric, x), one, lam_theta, lam_alpha)
            args = (x, y, *sizes, *fresh(runs, dim, rng), 0.9, 1.7, loss, method, metric, mix)
            close(compiled(*args), steps_in_torch(*args), 1e-11)


@every_mix
@every_method
def test_sparse_steps_are_the_definitions(mix, method, rng):
    x, y = samples("absolute", 30, 5, rng)[:2]
    x = torch.where(torch.rand(x.shape, generator=rng) < 0.5, x, 0.0)
    points = SparsePoints(csr_array(x.numpy()), y)
    state = fresh(9, 5, rng)
    sizes = StepSizes(*(10 ** torch.randn(9, dtype=torch.float64, generator=rng) for _ in range(2)))
    metric = random_metric(method, 5, rng)
    sizes = sizes if metric is None else sizes._replace(metric=metric)
    factors = torch.ones(4, dtype=torch.float64)
    args = (points, torch.tensor([3, 7, 3, 11]), 5, factors, sizes, state, 0.8, 1.0, "absolute", method, mix)
    close(sparse_steps(*args), sparse_steps_in_torch(*args), 1e-11)


def test_a_mix_of_one_runs_the_same_bits(rng):
    runs, dim = 70, 6
    x, y, norms = samples("squared", 40, dim, rng)
    sizes = (norms, torch.ones(40, dtype=torch.float64), *(torch.full((runs,), 0.3, dtype=torch.float64),) * 2)
    args = (x, y, *sizes, *fresh(runs, dim, rng), 0.9, 1.7, "squared", "spl", None)
    assert all(map(torch.equal, compiled(*args), compiled(*args, 1.0)))
    assert not torch.equal(compiled(*args)[0], compiled(*args, 0.5)[0])


@pytest.mark.parametrize("method", ["sgm", "spl", "spl+", "spl-u"])
def test_without_a_tail_the_threshold_stays(method):
    problem = Problem.synthetic("absolute", "normal", dim=3, eval_size=500, mix=0)
    spec = SweepSpec(problem.spec, (method,), (0.01, 1.0, 100.0), 500, seeds=1, checkpoints=2)
    shard = Shard(method, 0)
    state, records = advance(problem, spec, shard, start(problem, spec, shard), 500)
    torch.testing.assert_close(
        state.alpha, torch.full((3,), problem.start(0).alpha, dtype=torch.float64), rtol=0, atol=1e-12
    )
    assert torch.equal(records.objectives, records.beside[..., 0]), "the mean is all there is"


@every_mix
@pytest.mark.parametrize(("loss", "noise"), [("squared", "lognormal"), ("absolute", "normal"), ("logistic", "normal")])
def test_no_mixed_run_beats_the_optimum_and_the_gap_has_two_parts(mix, loss, noise):
    problem = Problem.synthetic(loss, noise, 0.9, dim=4, eval_size=1_500, mix=mix)
    result = sweep(problem, methods.names(), (1e-3, 0.1, 10.0), iterations=300, seeds=2, checkpoints=5)
    best = result.optimum
    curves = result.curves
    told = curves[curves.status == "ok"]
    slack = 1e-9 * (1 + best.value)
    assert (told.suboptimality >= -slack).all()
    assert (told.risk >= best.value - slack).all()
    assert (told.objective >= told.risk).all()
    threshold = told.objective - told.risk
    assert np.allclose(told.suboptimality, (told.risk - best.value) + threshold, rtol=1e-9, atol=slack)
    assert told.suboptimality.min() < 0.5 * told.suboptimality.max(), "some have to get somewhere"


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_mixed_runs_keep_the_laws_of_units(kind):
    """SPL+ does not see a factor of the loss, SPL-U neither that nor a factor of any feature."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((60, 3)) * (rng.random((60, 3)) < 0.7)
    y = x @ [1.0, 2.0, -1.0] + rng.standard_normal(60)

    def predictions(method: str, scale: float, features: float) -> torch.Tensor:
        units = x * [1.0, features, 1.0]
        made = csr_array(units) if kind == "sparse" else units
        problem = Problem.from_arrays(made, y, "absolute", 0.8, scale, start="zero", mix=0.4)
        spec = SweepSpec(problem.spec, (method,), (0.03, 1.0), 200, seeds=1, checkpoints=1)
        shard = Shard(method, 0)
        state, _ = advance(problem, spec, shard, start(problem, spec, shard), 200)
        return state.theta @ torch.from_numpy(units).T

    plus, unit_free = predictions("spl+", 1.0, 1.0), predictions("spl-u", 1.0, 1.0)
    torch.testing.assert_close(predictions("spl+", 64.0, 1.0), plus, rtol=0, atol=0)
    torch.testing.assert_close(predictions("spl-u", 1e3, 1e-2), unit_free, rtol=1e-9, atol=1e-9)
    assert not torch.allclose(predictions("spl", 64.0, 1.0), predictions("spl", 1.0, 1.0)), "SPL sees it"


def test_a_run_on_data_measures_what_it_did_before(rng):
    """The mean that a mix needs is the one that is measured; cutting a run changes nothing."""
    x = torch.randn(300, 3, dtype=torch.float64, generator=rng)
    y = x @ torch.tensor([1.0, 0.0, 2.0]).double() + torch.randn(300, dtype=torch.float64, generator=rng)
    problem = Problem.from_arrays(x, y, "squared", 0.9, mix=0.3, test=(x[:20], y[:20]))
    spec = SweepSpec(problem.spec, ("spl",), (0.01, 1.0), 100, seeds=1, checkpoints=3)
    shard = Shard("spl", 0)
    whole, records = advance(problem, spec, shard, start(problem, spec, shard), 100)
    half, _ = advance(problem, spec, shard, start(problem, spec, shard), 37)
    again, _ = advance(problem, spec, shard, half, 100)
    assert all(map(torch.equal, whole[2:], again[2:]))
    theta, alpha = whole.theta_sum / 100, whole.alpha_sum / 100
    found = problem.ground.evaluate(theta, alpha)
    assert torch.equal(found.objectives, records.objectives[-1])
    for run in range(2):
        assert float(found.measures[run, 0]) == pytest.approx(float(problem.losses(theta[run]).mean()), rel=1e-12)
