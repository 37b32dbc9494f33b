"""How a sweep is cut for workers that are far away."""

import pytest

from cvar_core import ProblemSpec, SweepSpec
from cvar_core.cluster import cut
from cvar_core.cluster.travelling import LATENCY
from cvar_core.engine import cost, shards
from cvar_core.scheduling.piece import SECONDS

PANEL = SweepSpec(ProblemSpec(eval_size=1_000_000), iterations=100_000, seeds=5)


def test_there_are_shards_for_all_threads_where_that_does_not_waste_much():
    assert cut(PANEL, 2).blocks == cut(PANEL, 15).blocks == 1
    assert cut(PANEL, 30).blocks == 2
    many = cut(PANEL, 1_000)
    parts = shards(PANEL, blocks=many.blocks)
    whole = 15 * cost(PANEL).of_shard(PANEL)
    assert sum(cost(PANEL, len(part.step_sizes(PANEL))).of_shard(PANEL) for part in parts) <= 1.3 * whole


def test_blocks_have_every_step_size_once():
    for blocks in range(1, 16):
        found = shards(PANEL, blocks=blocks)
        assert len(found) <= 15 * blocks
        for method in PANEL.methods:
            for seed in PANEL.seeds:
                parts = [part.step_sizes(PANEL) for part in found if (part.method, part.seed) == (method, seed)]
                assert [lam for part in parts for lam in part] == list(PANEL.lambdas)


def test_a_piece_lasts_until_all_threads_have_got_theirs():
    assert [cut(PANEL, threads).later for threads in (2, 100, 10_000)] == [
        pytest.approx(seconds, rel=0.05) for seconds in (0.26, 0.72, 5.0)
    ]


@pytest.mark.parametrize("dim", [10, 200, 10_000, 40_000])
def test_a_piece_is_worth_its_way(dim):
    spec = SweepSpec(ProblemSpec(dim=dim, eval_size=100))
    seconds = cut(spec, 2).later
    assert SECONDS <= seconds <= 5
    way = LATENCY + 2 * 16 * (dim + 1) * len(spec.lambdas) / 100e6
    assert seconds >= min(5, 10 * way)
