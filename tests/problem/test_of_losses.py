"""VaR and CVaR of anybody's losses, in whatever they come."""

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cvar_core import SpecError, cvar, var


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.floats(0, 0.99))
def test_cvar_is_the_least_of_the_variational_form(losses, beta):
    def objective(alpha):
        return alpha + np.maximum(np.array(losses) - alpha, 0).mean() / (1 - beta)

    least = min(map(objective, losses))
    assert cvar(losses, beta) == pytest.approx(least, rel=1e-9, abs=1e-6)
    assert objective(var(losses, beta)) == pytest.approx(least, rel=1e-9, abs=1e-6)


def test_every_kind_of_list_is_taken():
    losses = [3, 1, 2, 10]
    kinds = (losses, tuple(losses), np.array(losses), np.array(losses, "f4"), torch.tensor(losses), pd.Series(losses))
    assert {cvar(each, 0.5) for each in kinds} == {6.5}
    assert {var(each, 0.5) for each in kinds} == {2.0}


@pytest.mark.parametrize(
    ("losses", "beta", "words"),
    [
        ([], 0.5, "losses must hold at least one number"),
        ([1, np.nan], 0.5, "every one must be finite"),
        (3.0, 0.5, "losses is 3.0, but it must be a list or an array"),
        ([[1, 2]], 0.5, "losses has shape"),
        (["a"], 0.5, "losses must hold real numbers only"),
        ([1], 1, "beta is 1, but it must satisfy 0 ≤ beta < 1"),
        ([1], "a", "beta is 'a', but it must be a number"),
    ],
)
def test_what_is_wrong_is_said(losses, beta, words):
    for function in (cvar, var):
        with pytest.raises(SpecError, match=words):
            function(losses, beta)
