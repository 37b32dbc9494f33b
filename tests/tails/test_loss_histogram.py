"""Losses of several fits on common edges: every row is counted once, and few large losses do not hide the rest."""

import numpy as np
import pytest

from cvar_core.tails import loss_histogram


@pytest.mark.parametrize("top", [1.0, 5.0, 1e6])
def test_every_row_is_counted_once_where_its_loss_is(top):
    rng = np.random.default_rng(0)
    losses = {"a": rng.random(500), "b": np.append(rng.random(499), top)}
    losses["a"][0] = 0.0
    found = loss_histogram(losses, level=1.0)
    assert found.logarithmic == (top == 1e6)
    for name, values in losses.items():
        assert found.counts[name].sum() == 500
        for k, count in enumerate(found.counts[name]):
            low = -np.inf if k == 0 else found.edges[k]
            inside = (values >= low) & (values < found.edges[k + 1])
            inside |= (k == len(found.edges) - 2) & (values == top)
            assert count == inside.sum()
    assert (found.counts["b"] > 0).sum() >= 5, "one large loss does not put all others into one bin"


def test_losses_that_are_all_nothing_have_a_histogram_too():
    found = loss_histogram({"a": np.zeros(7)}, level=0.0)
    assert found.counts["a"].sum() == 7
    assert np.isfinite(found.edges).all()
