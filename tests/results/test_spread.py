"""Median and range over the seeds, at every checkpoint."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from cvar_core import Optimum, ProblemSpec, Result, SweepSpec
from cvar_core.results import spread


@given(hnp.arrays(float, st.tuples(st.integers(1, 6), st.integers(0, 3)), elements=st.floats(-1e9, 1e9)))
def test_the_spread_is_that_of_numpy(values):
    assert spread(values, axis=0).median.tolist() == pytest.approx(np.median(values, axis=0).tolist())
    assert spread(values, axis=0).low.tolist() == values.min(axis=0).tolist()
    assert spread(values.T, axis=1).high.tolist() == values.max(axis=0).tolist()


@pytest.mark.parametrize(
    ("values", "median"),
    [([1, 2, 3, math.nan], 2.5), ([1, 2, math.nan, math.nan], math.inf), ([math.nan] * 2, math.inf),
     ([1.7e308, 1.7e308], math.inf)],
)  # fmt: skip
def test_what_diverged_is_above_all_that_did_not(values, median):
    assert spread(np.array(values, dtype=float), axis=0).median == median


def test_each_checkpoint_keeps_its_own_summary_in_whatever_order_they_are_asked_for():
    spec = SweepSpec(ProblemSpec(), ("spl",), (1.0,), 100, 2, checkpoints=3)
    gaps = np.array([[[8.0, 4.0, 2.0, 1.0], [80.0, 40.0, 20.0, 10.0]]])[..., None]
    result = Result(spec, Optimum(0.0, torch.zeros(1), 0.0, None), gaps, np.array([[4, 4]]), {"risk": gaps / 2})
    for checkpoint in (3, 0, 2, 1, 0, 3):
        summary = result.at(checkpoint)
        assert summary.iteration == spec.checkpoint_iterations[checkpoint]
        assert summary.median == gaps[0, :, checkpoint].mean() / 2
        assert result.at(checkpoint, "objective").median == gaps[0, :, checkpoint].mean()
    assert result.at() is result.at(3), "made once"
