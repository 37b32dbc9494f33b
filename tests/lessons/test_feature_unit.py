"""Claims about the unit of a feature: who notices it, and that ours do not."""

import numpy as np
import pytest

from cvar_core import Problem, ProblemSpec, sweep
from cvar_core.catalogue import losses
from cvar_core.lessons.feature_unit import METHODS, SEEDS, in_unit

SMALL = {loss: ProblemSpec(loss=loss, noise="normal", eval_size=2_000) for loss in losses.names()}
LAMBDAS = (1e-3, 0.1, 0.3, 1.0, 3.0)  # stable ones


@pytest.mark.parametrize("factor", [2.0**-9, 8.0])
@pytest.mark.parametrize("loss", SMALL)
def test_a_power_of_two_in_a_feature_changes_no_bit_of_ours(loss, factor):
    one, other = (in_unit(SMALL[loss], c, LAMBDAS, 500) for c in (1.0, factor))
    for m, name in enumerate(METHODS):
        assert np.array_equal(one.left.median[m], other.left.median[m]) == name.endswith("-u")


def test_in_a_bad_unit_spl_plus_has_no_usable_step_size_and_ours_has_what_it_had():
    spec = SMALL["absolute"]
    lambdas = tuple(10.0**k for k in np.arange(-3, 3.5, 0.5))
    one, other = (in_unit(spec, c, lambdas) for c in (1.0, 100.0))
    assert one.range("spl+").decades > 1.5
    assert other.range("spl+") is None
    assert other.range("spl-u").decades == pytest.approx(one.range("spl-u").decades, rel=1e-6)
    assert other.range("spl-u").decades > 1.5


def test_in_the_first_unit_the_runs_are_those_of_the_engine():
    spec = SMALL["logistic"]
    result = sweep(Problem(spec), METHODS, LAMBDAS, 500, SEEDS, checkpoints=1)
    gaps = result.excess_risk
    expected = np.median(gaps[:, :, -1] / gaps[:, :, :1, 0], axis=1)
    np.testing.assert_allclose(in_unit(spec, 1.0, LAMBDAS, 500).left.median, expected, rtol=1e-6, atol=1e-9)
