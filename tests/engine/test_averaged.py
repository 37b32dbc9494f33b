"""The models of runs that have ended: only their records are kept, so they are run again, to the bit."""

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from cvar_core import Problem, SweepSpec, sweep
from cvar_core.catalogue import methods
from cvar_core.engine import Shard, advance, averaged

LAMBDAS = (0.01, 1.0, 1e9)


@pytest.mark.parametrize("sparse", [False, True])
def test_a_model_that_is_run_again_is_the_one_that_was_recorded(sparse):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 5)) * (rng.random((300, 5)) < 0.6)
    problem = Problem.from_arrays(csr_array(x) if sparse else x, rng.normal(size=300), "squared", 0.9)
    result = sweep(problem, methods.names(), LAMBDAS, iterations=700, seeds=[4, 2])
    diverged = np.isnan(result.risks[:, 1, -1])
    assert diverged.any(), "with λ = 10⁹ somebody diverges"
    for m, method in enumerate(result.spec.methods):
        for k, lam in enumerate(LAMBDAS):
            (theta,) = averaged(problem, result.spec, Shard.of(result.spec, method, 2, [lam])).theta
            assert torch.isnan(theta).all() == diverged[m, k]
            if not diverged[m, k]:
                assert problem.risk(theta) == result.risks[m, 1, -1, k], "to the bit"


def test_a_run_whose_objective_overflowed_has_no_model_though_its_iterate_is_finite(monkeypatch):
    problem = Problem.synthetic(eval_size=200, dim=3)
    spec = SweepSpec(problem.spec, ("spl",), (0.1, 1.0), iterations=5, seeds=1)

    def overflowed(*given):
        state, records = advance(*given)
        return state._replace(diverged=torch.tensor([False, True])), records

    monkeypatch.setattr("cvar_core.engine.engine.advance", overflowed)
    theta = averaged(problem, spec, Shard("spl", 0)).theta
    assert torch.isfinite(theta[0]).all()
    assert torch.isnan(theta[1]).all()
