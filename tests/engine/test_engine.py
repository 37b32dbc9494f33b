"""Sweeps: the same bits in any chunks and on any number of workers, and the meaning of an iteration."""

import itertools
import pickle
import threading
import time

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from cvar_core import Cancelled, Problem, ProblemSpec, SweepSpec, sweep
from cvar_core.catalogue import Linearisation, methods
from cvar_core.engine import Shard, advance, next_stop, shards, start
from cvar_core.engine.engine import _Average, _evaluate
from cvar_core.problem import cvar, objective, recorded_names
from cvar_core.results import MEASURES, Criterion

LAMBDAS = (1e-3, 0.1, 1.0, 10.0, 1e4)


def small(**changes) -> tuple[Problem, SweepSpec]:
    chosen = {"loss": "squared", "noise": "lognormal", "eval_size": 1_500, "dim": 6} | changes
    runs = {name: chosen.pop(name) for name in ("schedule", "iterations", "lambdas", "checkpoints") if name in chosen}
    usual = {"methods": methods.names(), "lambdas": LAMBDAS, "iterations": 900}
    spec = SweepSpec(ProblemSpec(**chosen), seeds=2, **(usual | runs))
    return Problem(spec.problem), spec


def by_hand(problem: Problem, spec: SweepSpec, shard: Shard, lam: float, updates: int) -> list[float]:
    """F̃ and R at the mean of x_1 … x_n, and its distance to θ_gen, one update at a time, from the definitions alone."""
    begin = problem.start(shard.seed)
    theta, alpha = begin.theta, torch.tensor(begin.alpha, dtype=torch.float64)
    method, path = methods[shard.method], []
    for t in range(updates):
        (x,), (y,), _ = problem.ground.samples(shard.seed, t, t + 1)
        p = x @ theta
        loss, v = problem.loss.value(p, y), problem.loss.slope(p, y) * x
        decay = 1 / np.sqrt(t + 1) if spec.schedule == "decreasing" else 1 / np.sqrt(spec.iterations)
        sizes = method.step_sizes(*torch.tensor([lam * decay, begin.initial_loss], dtype=torch.float64))
        if method.metric is not None:
            sizes = sizes._replace(metric=method.metric(problem.ground.slope_squares(shard.seed)))
        theta, alpha = method.step(Linearisation(theta, alpha, loss, v, problem.spec.beta), sizes)
        path.append((theta, alpha))
    mean = torch.stack([theta for theta, _ in path]).mean(0)
    level = float(torch.stack([alpha for _, alpha in path]).mean())
    losses, beta = problem.losses(mean), problem.spec.beta
    return [objective(losses, level, beta), cvar(losses, beta), float((mean - problem.theta_gen).norm())]


@pytest.mark.parametrize("method", methods.names())
@pytest.mark.parametrize("schedule", ["decreasing", "constant"])
def test_record_n_is_the_mean_of_the_iterates_after_n_updates(method, schedule):
    problem, spec = small(schedule=schedule, iterations=60, lambdas=(0.01, 0.3), checkpoints=5)
    shard = Shard(method, 1)
    _, records = advance(problem, spec, shard, start(problem, spec, shard), 60)
    assert records.iterations == spec.checkpoint_iterations == (0, 1, 3, 8, 22, 60)
    begin = problem.start(1)
    expected = objective(problem.losses(begin.theta), begin.alpha, 0.95)
    assert records.objectives[0].tolist() == pytest.approx([expected] * 2, rel=1e-12)
    assert records.beside[0, 1].tolist() == records.beside[0, 0].tolist(), "of all runs the start is one"
    assert float(records.beside[0, 0, 0]) == pytest.approx(cvar(problem.losses(begin.theta), 0.95), rel=1e-12)
    for row, n in enumerate(records.iterations[1:], 1):
        for column, lam in enumerate(spec.lambdas):
            by_definition = by_hand(problem, spec, shard, lam, n)
            found = [float(records.objectives[row, column]), *records.beside[row, column].tolist()]
            assert found == pytest.approx(by_definition, rel=1e-10)


def follow(problem, spec, shard, stops):
    state, parts = start(problem, spec, shard), []
    for until in stops:
        state, records = advance(problem, spec, shard, pickle.loads(pickle.dumps(state)), until)
        parts.append(torch.cat([records.objectives[..., None], records.beside], dim=2))
    return state, torch.cat(parts)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("sample_size", [None, 37])
def test_chunks_do_not_change_a_bit(loss, sample_size):
    problem, spec = small(loss=loss, sample_size=sample_size, iterations=5_000)
    for shard in shards(spec)[-len(spec.methods) :]:  # each method
        whole = follow(problem, spec, shard, [5_000])
        for stops in ([0, 1, 2, 5_000], [999, 1_000, 4_096, 4_097, 5_000], range(0, 5_001, 500)):
            state, recorded = follow(Problem(spec.problem), spec, shard, stops)
            torch.testing.assert_close(recorded, whole[1], rtol=0, atol=0, equal_nan=True)
            assert state[:2] == whole[0][:2]
            for ours, theirs in zip(state[2:], whole[0][2:], strict=True):
                torch.testing.assert_close(ours, theirs, rtol=0, atol=0, equal_nan=True)


def test_workers_do_not_change_a_bit():
    results = [sweep(Problem.synthetic(eval_size=1_500), iterations=500, seeds=3, workers=n) for n in (1, 2, 5)]
    for other in results[1:]:
        assert np.array_equal(other.objectives, results[0].objectives, equal_nan=True)
        for name, values in results[0].beside.items():
            assert np.array_equal(other.beside[name], values, equal_nan=True)
        assert other.optimum.value == results[0].optimum.value
        assert torch.equal(other.optimum.theta, results[0].optimum.theta)


def test_a_run_does_not_depend_on_the_grid_it_is_in():
    problem = Problem.synthetic(eval_size=3_000)
    grid = sweep(problem, iterations=500, seeds=[2])
    alone = sweep(problem, methods=["spl+"], lambdas=[1.0], iterations=500, seeds=[7, 2])
    place = grid.spec.lambdas.index(1.0)
    assert np.array_equal(alone.objectives[0, 1, :, 0], grid.objectives[2, 0, :, place])
    for name, values in grid.beside.items():
        assert np.array_equal(alone.beside[name][0, 1, :, 0], values[2, 0, :, place])


@pytest.mark.parametrize("kind", ["squared", "logistic", "sparse"])
@pytest.mark.parametrize("chosen", [(0,), (48,), (3, 7, 47, 49), tuple(range(1, 50)), tuple(range(0, 50, 2))])
def test_a_shard_of_some_step_sizes_has_the_bits_of_one_of_all(kind, chosen):
    """More step sizes than lie side by side in the kernel, and any part of them."""
    problem, spec = small(loss="squared" if kind == "sparse" else kind, lambdas=tuple(np.geomspace(1e-3, 1e4, 50)))
    if kind == "sparse":
        rng = np.random.default_rng(1)
        x = np.where(rng.uniform(size=(80, 6)) < 0.4, rng.standard_normal((80, 6)), 0.0)
        problem = Problem.from_arrays(csr_array(x), x.sum(1) + rng.standard_normal(80), "squared", beta=0.7)
        spec = SweepSpec(problem.spec, lambdas=spec.lambdas, iterations=900, seeds=2)
    _, whole = follow(problem, spec, Shard("spl+", 1), [900])
    part = Shard.of(spec, "spl+", 1, [spec.lambdas[k] for k in chosen])
    _, found = follow(problem, spec, part, [100, 900])
    torch.testing.assert_close(found, whole[:, list(chosen)], rtol=0, atol=0, equal_nan=True)


def test_shards_hold_each_step_size_once():
    _, spec = small()
    begun = [Shard("spl", 1, (0.1, 10.0)), Shard("spl", 1, (1e-3,)), Shard("sgm", 0)]
    found = shards(spec, begun)
    assert set(begun) < set(found)
    assert Shard("spl", 1, (1.0, 1e4)) in found
    held = sorted((shard.seed, shard.method, lam) for shard in found for lam in shard.step_sizes(spec))
    assert held == sorted((seed, method, lam) for seed in spec.seeds for method in spec.methods for lam in LAMBDAS)
    assert shards(spec) == shards(spec, shards(spec))
    assert all(shard.lambdas is None for shard in shards(spec))


def test_methods_and_lambdas_of_a_seed_share_its_start():
    result = sweep(Problem.synthetic(eval_size=1_000), iterations=10, seeds=2)
    starts = result.objectives[:, :, 0, :]
    assert len({*starts[:, 0].ravel()}) == len({*starts[:, 1].ravel()}) == 1
    assert starts[0, 0, 0] != starts[0, 1, 0]


def test_diverged_is_for_ever_and_a_huge_value_is_data():
    problem, spec = small(loss="squared", iterations=900, lambdas=(1e-3, 30.0, 1e4))
    _, recorded = follow(problem, spec, Shard("sgm", 0), [900])
    objectives = recorded[..., 0]
    gone = objectives.isnan()
    assert torch.equal(recorded.isnan(), gone[..., None].expand_as(recorded)), "with it what is recorded beside"
    assert not gone[:, 0].any()
    assert gone[-1, 2]
    assert torch.equal(gone, gone.to(torch.int8).cummax(0).values.bool())
    assert objectives[~gone].max() > 1e20


def test_an_objective_that_overflows_once_marks_the_run_for_ever():
    problem, _ = small()
    thetas = torch.zeros(3, 2, 6, dtype=torch.float64)
    thetas[1, 0] = 1e200  # its squared loss is infinite; the next average is harmless again
    alphas, fine = torch.ones(2, dtype=torch.float64), torch.zeros(2, dtype=torch.bool)
    averages = [_Average(n, thetas[i], alphas, fine) for i, n in enumerate((1, 10, 100))]
    objectives, _, gone = _evaluate(problem, averages, None)
    assert objectives.isnan().tolist() == [[False, False], [True, False], [True, False]]
    assert gone.tolist() == [True, False]


def test_the_other_threads_end_when_one_fails():
    calls = itertools.count()

    def fail_once(progress):
        if next(calls) == 0:
            raise RuntimeError("the reporter broke")

    with pytest.raises(RuntimeError, match="the reporter broke"):
        sweep(Problem.synthetic(eval_size=1_000), iterations=10**9, report=fail_once, workers=3)
    deadline = time.monotonic() + 30
    while any(thread.name.startswith("cvar") for thread in threading.enumerate()):
        assert time.monotonic() < deadline, "a worker goes on for nobody"
        time.sleep(0.05)


def test_a_failing_optimum_ends_the_sweep_at_once(monkeypatch):
    def broken(self, stop=None):
        raise ArithmeticError("no optimum")

    monkeypatch.setattr(Problem, "optimum", broken)
    with pytest.raises(ArithmeticError, match="no optimum"):
        sweep(Problem.synthetic(eval_size=1_000), iterations=10**9, workers=2)


def test_each_chunk_is_short_and_ends_the_run():
    (problem, _), (_, spec) = small(), small(eval_size=1_000_000, iterations=100_000)  # so many need not be drawn
    state, stops = start(problem, spec, Shard("spl", 0)), []
    checkpoints = spec.checkpoint_iterations
    while state.recorded < len(checkpoints):
        until = next_stop(spec, state)
        passed = sum(n <= until for n in checkpoints)
        assert until > state.iteration or passed > state.recorded
        state = state._replace(iteration=until, recorded=passed)
        stops.append(until)
    assert stops[-1] == 100_000
    costs = [(sum(a < n <= b for n in checkpoints)) for a, b in itertools.pairwise([-1, *stops])]
    assert max(costs) * len(LAMBDAS) * 1e6 * 1e-9 < 0.5


@pytest.mark.parametrize("eval_size", [1_000, 10_000_000])
def test_the_first_chunk_has_more_than_the_start(eval_size):
    (problem, _), (_, spec) = small(), small(eval_size=eval_size, iterations=100_000)
    assert next_stop(spec, start(problem, spec, Shard("spl", 0)), seconds=1e-6) == 1 == spec.checkpoint_iterations[1]


def test_a_sweep_stops_when_asked():
    problem = Problem.synthetic(eval_size=1_000)
    with pytest.raises(Cancelled):
        sweep(problem, iterations=10**9, stop=lambda: True)


def test_progress_grows_to_the_end():
    seen = []
    sweep(Problem.synthetic(eval_size=1_000), iterations=100, seeds=2, report=lambda p: seen.append(p.share))
    assert seen[-1] == 1.0
    assert seen == sorted(seen)


@pytest.mark.parametrize("loss", ["squared", "absolute", "huber", "logistic"])
@pytest.mark.parametrize("sample_size", [None, 300])
def test_the_model_alone_is_never_worse_than_with_its_threshold(loss, sample_size):
    problem = Problem.synthetic(loss, "gumbel", eval_size=1_500, sample_size=sample_size)
    result = sweep(problem, iterations=500, seeds=3)
    fine = np.isfinite(result.objectives)
    assert fine.sum() > fine.size / 2
    assert (result.risks[fine] <= result.objectives[fine]).all()
    assert np.nanmin(result.excess_risk) >= -1e-9 * (1 + result.optimum.value)


def test_a_distance_is_recorded_where_it_tells_the_risk():
    assert recorded_names(ProblemSpec()) == ("risk", "distance")
    assert recorded_names(ProblemSpec(loss="logistic")) == ("risk",)
    assert recorded_names(ProblemSpec(sample_size=50)) == ("risk",)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_data_sets_are_swept_too(kind):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((200, 5)) * (rng.random((200, 5)) < 0.5)
    y = np.sign(x[:, 0] + rng.standard_normal(200))
    given = csr_array(x) if kind == "sparse" else x
    result = sweep(Problem.from_arrays(given, y, loss="logistic", beta=0.5), iterations=500, seeds=2)
    assert result.suboptimality.min() >= -1e-9
    for measure in MEASURES:
        assert result.judged(Criterion(measure)).forgiven["spl+"].decades > 0
