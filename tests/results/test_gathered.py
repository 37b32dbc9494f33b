"""Records come in shard by shard, and step sizes of one start may be at different checkpoints."""

import numpy as np
import torch

from cvar_core import ProblemSpec, SweepSpec
from cvar_core.engine import Records, Seconds, Shard
from cvar_core.results import Early, Gathered

SPEC = SweepSpec(ProblemSpec(), methods=("sgm",), lambdas=(0.1, 1.0, 10.0), seeds=2, iterations=8, checkpoints=4)


def records(first, last, *values):
    """So many checkpoints, each step size with a value of its own."""
    ours = SPEC.checkpoint_iterations[first:last]
    objectives = torch.tensor(values, dtype=torch.float64).repeat(len(ours), 1)
    return Records(ours, objectives, torch.stack([objectives / 2, objectives / 4], dim=2), Seconds())


def test_no_step_size_is_shown_ahead_of_the_others_of_its_start():
    gathered = Gathered(SPEC)
    gathered.put(Shard("sgm", 0, (0.1, 10.0)), records(0, 5, 1.0, 3.0))
    assert Early.so_far(SPEC, gathered) is None
    gathered.put(Shard("sgm", 0, (1.0,)), records(0, 2, 2.0))
    gathered.put(Shard("sgm", 1), records(0, 5, 4.0, 5.0, 6.0))
    objectives, recorded, beside = gathered.snapshot()
    assert recorded.tolist() == [[2, 5]]
    assert not gathered.whole
    assert objectives[0, 0, 1].tolist() == [1.0, 2.0, 3.0]
    assert np.isnan(objectives[0, 0, 2:]).all()
    assert np.isnan(beside["risk"][0, 0, 2:]).all()
    assert objectives[0, 1, 4].tolist() == [4.0, 5.0, 6.0]
    gathered.put(Shard("sgm", 0, (1.0,)), records(2, 5, 7.0))
    assert gathered.whole
    objectives, recorded, beside = gathered.snapshot()
    assert recorded.tolist() == [[5, 5]]
    assert objectives[0, 0, 4].tolist() == [1.0, 7.0, 3.0]
    assert beside["distance"][0, 0, 1].tolist() == [0.25, 0.5, 0.75]
