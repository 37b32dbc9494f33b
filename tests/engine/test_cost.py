"""What a sweep is said to cost, against the operations that it takes: no clock is asked."""

from dataclasses import replace

import pytest

from cvar_core import ProblemSpec, SweepSpec
from cvar_core.engine import Cost, cost
from cvar_core.linear import LANES

DENSE = ProblemSpec(loss="absolute", dim=50, eval_size=200_000)
SPARSE = ProblemSpec(loss="absolute", dim=100_000, sample_size=50_000, nonzeros=2_000_000, data="0" * 32)
SPECS = [SweepSpec(DENSE), SweepSpec(SPARSE)]
FASTEST, SLOWEST = 5e-12, 1e-8  # seconds of a multiplication on any processor of today, in wide registers or from afar


@pytest.fixture(params=SPECS, ids=["dense", "sparse"])
def spec(request):
    return request.param


def numbers(problem: ProblemSpec) -> int:
    """Return how many numbers the features are."""
    return problem.eval_size * problem.dim if problem.nonzeros is None else problem.nonzeros


def test_an_update_is_a_product_and_a_step_of_every_run(spec):
    row = numbers(spec.problem) / spec.problem.eval_size
    operations = 2 * row * len(spec.lambdas)
    assert FASTEST < cost(spec).update / operations < SLOWEST


def test_a_checkpoint_is_a_product_with_every_point_for_every_run(spec):
    operations = numbers(spec.problem) * len(spec.lambdas)
    assert FASTEST < cost(spec).checkpoint / operations < SLOWEST


def test_drawing_is_some_operations_for_every_number(spec):
    assert 1 < cost(spec).draw / numbers(spec.problem) / 1e-9 < 500


def test_the_optimum_is_hundreds_or_thousands_of_looks_at_all_points(spec):
    look = cost(spec, 1).checkpoint / (1 if spec.problem.nonzeros is None else LANES)
    assert 50 < cost(spec).solve / look < 50_000


def test_the_panel_of_the_paper_is_seconds_as_the_readme_says():
    spec = SweepSpec(ProblemSpec(noise="normal"), iterations=100_000)
    assert 0.2 < cost(spec).of_sweep(spec) < 20


@pytest.mark.parametrize("doubled", ["dim", "eval_size"])
def test_twice_as_much_costs_up_to_twice_as_much(doubled):
    once = cost(SweepSpec(DENSE))
    twice = cost(SweepSpec(replace(DENSE, **{doubled: 2 * getattr(DENSE, doubled)})))
    ratios = [after / before for after, before in zip(twice, once, strict=True)]
    most = {"solve": 4.0001}  # Newton's steps: twice as many columns, on twice as many points
    assert all(1 <= ratio <= most.get(kind, 2.0001) for ratio, kind in zip(ratios, Cost._fields, strict=True))
    assert max(ratios) > 1.9


def test_a_shard_costs_what_is_left_of_it():
    spec = SweepSpec(DENSE, iterations=1_000)
    found, records = cost(spec), len(spec.checkpoint_iterations)
    assert found.of_shard(spec, 1_000, records) == 0
    assert found.of_shard(spec, 400, records - 2) == pytest.approx(600 * found.update + 2 * found.checkpoint)
    shards = len(spec.methods) * len(spec.seeds)
    assert found.of_sweep(spec) == pytest.approx(found.draw + found.solve + shards * found.of_shard(spec))
