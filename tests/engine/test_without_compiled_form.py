"""What has no compiled form is slower, and else as good: its bits are its own, it is costed and cancelled as it is."""

import dataclasses

import pytest
import torch
from scipy.sparse import csr_array

from cvar_core import Problem, SweepSpec
from cvar_core.cancel import Cancelled
from cvar_core.catalogue import losses, methods
from cvar_core.engine import Shard, advance, cost, engine, next_stop, start
from cvar_core.engine.kernel import steps_in_torch
from cvar_core.engine.sparse_kernel import sparse_steps_in_torch

ROWS = 80


@pytest.fixture
def slow_spl():
    """SPL without its scalar form."""
    model = dataclasses.replace(methods["spl"].model, name="slow", weight=None)
    yield methods.add(dataclasses.replace(methods["spl"], name="slow", model=model))
    methods.remove("slow")


@pytest.fixture
def slow_huber():
    yield losses.add(dataclasses.replace(losses["absolute"], name="slow", scalar=None))
    losses.remove("slow")


def rows(dim: int, task: str):
    rng = torch.Generator().manual_seed(dim)
    x, y = (torch.randn(*shape, dtype=torch.float64, generator=rng) for shape in ((ROWS, dim), (ROWS,)))
    return x / dim**0.5, torch.sign(y) if task == "classification" else y


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("dim", [3, 10, 33, 200])
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_torch_gives_a_run_the_same_bits_whatever_its_neighbours(loss, dim, kind):
    """As one product of matrices, or with a register that is not full, it would not."""
    x, y = rows(dim, losses[loss].task)
    lam, factors = torch.logspace(-3, 1, 35, dtype=torch.float64), torch.ones(ROWS, dtype=torch.float64)
    theta = torch.randn(1, dim, dtype=torch.float64, generator=torch.Generator().manual_seed(1)).repeat(35, 1)
    state = (theta, torch.full_like(lam, 0.5), torch.zeros_like(theta), torch.zeros_like(lam), lam < 0)
    points = Problem.from_arrays(csr_array(x.numpy()), y, loss=loss).ground.points
    method = methods["spl"]

    def taken(some: slice):
        sizes, runs = method.step_sizes(lam[some], torch.ones(())), tuple(part[some] for part in state)
        if kind == "sparse":
            return sparse_steps_in_torch(points, torch.arange(ROWS), 0, factors, sizes, runs, 0.9, 1.0, loss, "spl")
        return steps_in_torch(x, y, (x * x).sum(1), factors, *sizes[:2], *runs, 0.9, 1.0, loss, "spl")

    whole = taken(slice(None))
    for some in (slice(0, 1), slice(3, 5), slice(0, 7), slice(5, 13), slice(16, 35), slice(31, 33)):
        assert all(torch.equal(one, other[some]) for one, other in zip(taken(some), whole, strict=True))


def spec_of(problem: Problem, method: str = "spl", **fields) -> SweepSpec:
    given = {"lambdas": (0.01, 0.1), "iterations": 20_000, "seeds": 1, "checkpoints": 1}
    return SweepSpec(problem.spec, (method,), **{**given, **fields})


def test_it_is_costed_as_what_torch_takes(slow_spl, slow_huber):
    problem = Problem.synthetic(loss="absolute", eval_size=500)
    compiled, plain = (cost(spec_of(problem, name)) for name in ("spl", "slow"))
    assert plain.update > 100 * compiled.update, "a call of torch costs microseconds, and a step has dozens"
    assert plain.checkpoint == compiled.checkpoint
    assert cost(spec_of(Problem.synthetic(loss="slow", eval_size=500))).update == plain.update
    both = SweepSpec(problem.spec, ("spl", "slow"))
    assert cost(both).update == pytest.approx((cost(both, method="spl").update + cost(both, method="slow").update) / 2)
    state = start(problem, spec_of(problem), Shard("spl", 0))._replace(recorded=1)
    fast, careful = (next_stop(spec_of(problem, name), state, 0.25, name) for name in ("spl", "slow"))
    assert fast == 20_000
    assert 100 < careful < 5_000


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_it_is_cancelled_within_a_block(slow_spl, kind):
    x, y = rows(4, "regression")
    problem = Problem.from_arrays(csr_array(x.numpy()) if kind == "sparse" else x, y)
    spec, asked = spec_of(problem, "slow"), []

    def stop() -> bool:
        asked.append(True)
        return len(asked) > 4

    shard = Shard("slow", 0)
    with pytest.raises(Cancelled):
        advance(problem, spec, shard, start(problem, spec, shard), 20_000, stop)
    assert spec.iterations < problem.ground.block_length, "all of it lies in one block"


def test_pieces_change_no_bit(slow_spl, monkeypatch):
    problem = Problem.synthetic(eval_size=300, dim=3)
    spec, shard = spec_of(problem, "slow", iterations=150), Shard("slow", 0)
    begin = start(problem, spec, shard)
    whole, _ = advance(problem, spec, shard, begin, 150)
    monkeypatch.setattr(engine, "_PATIENCE", 1e-3)
    assert 1 < engine._most_at_once(spec, shard, 2) < 20
    pieces, _ = advance(problem, spec, shard, begin, 150)
    assert all(torch.equal(one, other) for one, other in zip(whole[2:], pieces[2:], strict=True))
