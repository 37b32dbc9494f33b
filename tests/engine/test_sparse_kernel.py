"""Steps on sparse rows: the dense steps' numbers at the cost of the non-zeros, the mean included."""

import itertools

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array, random_array

from cvar_core import Problem, SweepSpec, sweep
from cvar_core.catalogue import StepSizes, losses, methods, schedules
from cvar_core.engine import Shard, advance, start
from cvar_core.engine.sparse_kernel import sparse_steps, sparse_steps_in_torch
from cvar_core.linear import FAR, LANES
from cvar_core.problem.points import SparsePoints
from tests.engine.in_metric import norms_in, random_metric, sizes_at

every_method = pytest.mark.parametrize("method", methods.names())
every_loss = pytest.mark.parametrize("loss", losses.names())
dense_steps = torch.ops.cvar_core.steps


def data(loss: str, rows: int, dim: int, seed: int = 0, density: float = 0.2) -> SparsePoints:
    rng = np.random.default_rng(seed)
    x = random_array((rows, dim), density=density, format="csr", rng=rng, data_sampler=rng.standard_normal)
    x = csr_array(x)
    y = 3 * rng.standard_normal(rows)
    return SparsePoints(x, torch.from_numpy(np.sign(y) if losses[loss].task == "classification" else y))


def fresh(runs: int, dim: int, rng: torch.Generator):
    theta = torch.randn(runs, dim, dtype=torch.float64, generator=rng)
    alpha = 4 * torch.randn(runs, dtype=torch.float64, generator=rng)
    return theta, alpha, torch.zeros_like(theta), torch.zeros_like(alpha), torch.zeros(runs, dtype=torch.bool)


def densely(points, index, first, factors, sizes, runs, *rest):
    x = points.rows(index)
    norms = norms_in(sizes.metric, x)
    return dense_steps(x, points.target[index], norms, factors, *sizes[:2], *runs, *rest, sizes.metric)


def drawn(points: SparsePoints, count: int, rng: torch.Generator) -> torch.Tensor:
    return torch.randint(points.count, (count,), generator=rng)


@every_method
@every_loss
def test_single_steps_agree_with_the_dense_kernel(loss, method, rng):
    points = data(loss, 60, 31)
    for t in range(60):
        lam_theta, lam_alpha = (10 ** torch.randn(100, dtype=torch.float64, generator=rng) for _ in range(2))
        sizes = StepSizes(lam_theta, lam_alpha, random_metric(method, 31, rng))
        factors = schedules["decreasing"].factors(t, t + 1, 60)
        args = (points, torch.tensor([t]), 0, factors, sizes, fresh(100, 31, rng), 0.9, 1.7, loss, method)
        theta, alpha, lag, alpha_sum, diverged = sparse_steps(*args)
        for one, other in zip((theta, alpha, theta + lag, alpha_sum), densely(*args)[:4], strict=True):
            torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)
        assert not diverged.any()


@every_method
@every_loss
def test_whole_paths_and_their_means_agree_where_the_dynamics_are_stable(loss, method, rng):
    lam = torch.tensor([1e-6, 1e-3, 0.1, 1.0, 3.0, 10.0], dtype=torch.float64)
    points, n = data(loss, 300, 40, density=0.1), 2_000
    points.matrix.data /= 2
    begin = fresh(1, 40, rng)
    sizes = sizes_at(method, lam, begin[0][0], points.rows(torch.arange(300)), points.target, loss)
    runs = tuple(part.repeat(len(lam), *[1] * (part.dim() - 1)) for part in begin)
    factors = schedules["decreasing"].factors(0, n, n)
    args = (points, drawn(points, n, rng), 0, factors, sizes, runs, 0.95, 1.0, loss, method)
    ours, theirs = sparse_steps(*args), densely(*args)
    assert torch.equal(ours[4], theirs[4])
    kept = ~theirs[4]
    assert int(kept.sum()) >= len(lam) - 1
    means = ours[0] + ours[2] / n, ours[3] / n
    pairs = ((ours[0], theirs[0]), (ours[1], theirs[1]), (means[0], theirs[2] / n), (means[1], theirs[3] / n))
    for one, other in pairs:
        torch.testing.assert_close(one[kept], other[kept], rtol=1e-10, atol=1e-10)


@every_method
@every_loss
def test_many_columns_which_are_fetched_ahead_change_nothing(loss, method, rng):
    points, n = data(loss, 50, FAR + 100, density=0.02), 200  # some forty non-zeros in a row
    lam = torch.logspace(-3, 0, 5, dtype=torch.float64)
    factors = schedules["decreasing"].factors(0, n, n)
    runs, sizes = fresh(5, points.dim, rng), StepSizes(lam, lam, random_metric(method, points.dim, rng).clamp(max=1))
    args = (points, drawn(points, n, rng), 0, factors, sizes, runs, 0.9, 1.0, loss, method)
    ours, theirs = sparse_steps(*args), densely(*args)
    for one, other in ((ours[0], theirs[0]), (ours[1], theirs[1]), (ours[0] + ours[2] / n, theirs[2] / n)):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-10)
    predicted = points.matrix @ ours[0].T.numpy()
    torch.testing.assert_close(points.predictions(ours[0]), torch.from_numpy(predicted.T), rtol=1e-12, atol=1e-12)


@every_method
def test_the_compiled_steps_are_the_torch_steps(method, rng):
    points = data("logistic", 50, 20)
    lam = torch.logspace(-3, 1, 5, dtype=torch.float64)
    factors = schedules["constant"].factors(10, 110, 500)
    sizes = StepSizes(lam, lam, random_metric(method, 20, rng))
    args = (points, drawn(points, 100, rng), 10, factors, sizes, fresh(5, 20, rng), 0.9, 2.0, "logistic")
    for one, other in zip(sparse_steps(*args, method), sparse_steps_in_torch(*args, method), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-10)


@every_method
def test_pieces_and_neighbours_change_no_bit(method, rng):
    points, runs = data("absolute", 80, 25), LANES + 5
    state, lam = fresh(runs, 25, rng), torch.logspace(-4, 3, runs, dtype=torch.float64)
    index, factors = drawn(points, 400, rng), schedules["decreasing"].factors(0, 400, 400)
    metric = random_metric(method, 25, rng)

    def steps(first, last, lam, state):
        here = slice(first, last)
        sizes = StepSizes(lam, lam, metric)
        return sparse_steps(points, index[here], first, factors[here], sizes, state, 0.9, 1.0, "absolute", method)

    whole, pieces = steps(0, 400, lam, state), state
    for first, last in itertools.pairwise((0, 1, 150, 151, 400)):
        pieces = steps(first, last, lam, pieces)
    assert all(torch.equal(one, other) for one, other in zip(whole, pieces, strict=True))
    for some in (slice(0, 1), slice(3, 6), slice(LANES - 1, LANES + 2)):
        alone = steps(0, 400, lam[some], tuple(part[some] for part in state))
        assert all(torch.equal(one, other[some]) for one, other in zip(alone, whole, strict=True))


@every_method
def test_overflowing_runs_diverge_as_they_do_on_dense_rows(method, rng):
    points = data("squared", 30, 8, density=0.5)
    lam = torch.tensor([1e-3, 1e12, 1e-3, 1e-3], dtype=torch.float64)
    theta, *rest = (part.repeat(4, *[1] * (part.dim() - 1)) for part in fresh(1, 8, rng))
    theta[2, int(points.matrix.indices[0])] = torch.inf
    theta[3] *= 1e160  # its losses overflow, and then SPL does not even move
    factors, index = schedules["decreasing"].factors(0, 300, 300), drawn(points, 300, rng)
    args = (points, index, 0, factors, StepSizes(lam, lam), (theta, *rest), 0.95, 1.0, "squared", method)
    linear = methods[method].model is methods["sgm"].model
    assert sparse_steps(*args)[4].tolist() == densely(*args)[4].tolist() == [False, linear, True, True]


def test_inputs_are_left_alone(rng):
    points, runs = data("squared", 30, 8), fresh(3, 8, rng)
    before, lam = [part.clone() for part in runs], torch.ones(3, dtype=torch.float64)
    sparse_steps(
        points, torch.arange(30), 0, torch.ones(30).double(), StepSizes(lam, lam), runs, 0.9, 1.0, "squared", "spl"
    )
    assert all(torch.equal(one, other) for one, other in zip(runs, before, strict=True))


def problem() -> Problem:
    points = data("logistic", 400, 60, density=0.1)
    return Problem.from_arrays(points.matrix, points.target, loss="logistic", beta=0.8)


def test_a_sparse_sweep_has_the_same_bits_in_any_chunks_on_any_number_of_workers():
    ours = problem()
    given = {"methods": methods.names(), "lambdas": (1e-3, 0.1, 10.0, 1e4), "iterations": 900, "seeds": 2}
    results = [sweep(problem(), workers=workers, **given) for workers in (1, 3)]
    assert np.array_equal(results[0].objectives, results[1].objectives, equal_nan=True)
    spec = SweepSpec(ours.spec, **given)
    for m, method in enumerate(spec.methods):
        state, found = start(ours, spec, Shard(method, 1)), []
        for until in (0, 1, 7, 350, 899, 900):
            state, records = advance(ours, spec, Shard(method, 1), state, until)
            found.append(records.objectives)
        assert np.array_equal(torch.cat(found).numpy(), results[0].objectives[m, 1], equal_nan=True)


def test_sparse_and_dense_problems_have_the_same_curves(rng):
    ours = problem()
    dense = Problem.from_arrays(
        ours.ground.points.matrix.toarray(), ours.ground.points.target, loss="logistic", beta=0.8
    )
    given = {"methods": methods.names(), "lambdas": (1e-3, 0.1, 1.0, 10.0), "iterations": 1_500, "seeds": 1}
    one, other = sweep(ours, **given), sweep(dense, **given)
    np.testing.assert_allclose(one.objectives, other.objectives, rtol=1e-10)
    assert one.optimum.value == pytest.approx(other.optimum.value, rel=1e-8)
