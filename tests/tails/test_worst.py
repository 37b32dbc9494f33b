"""The worst rows are those that CVaR averages, whatever the losses and the level."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cvar_core.problem import cvar
from cvar_core.tails import Worst
from tests.tails.by_hand import tail_by_hand

# Few different values, so that there are ties.
LOSSES = st.lists(st.integers(0, 4).map(float), min_size=1, max_size=30)
LEVELS = st.sampled_from([0.0, 0.1, 0.5, 0.9, 0.95, 2 / 3, 0.999])


@given(LOSSES, LEVELS)
def test_they_are_taken_from_the_worst_until_the_tail_is_full(losses, beta):
    found = Worst.of(np.array(losses), beta)
    places, shares = zip(*tail_by_hand(losses, beta), strict=True)
    assert tuple(found.rows) == places
    assert tuple(found.shares) == pytest.approx(shares, abs=1e-9)
    assert found.cvar == pytest.approx(cvar(torch.tensor(losses, dtype=torch.float64), beta), rel=1e-12, abs=1e-12)
    edge = losses[places[-1]]
    assert found.tied == sum(losses[k] == edge for k in range(len(losses)) if k not in places)
    assert found.at_edge == sum(losses[k] == edge for k in places)
    assert found.level == (found.tied > 0 and losses[places[0]] == edge)
    assert found.mass == pytest.approx((1 - beta) * len(losses))
    assert found.mean_above(np.array(losses)[:, None], np.zeros(1)) == pytest.approx([found.cvar])


def test_what_two_tails_share_is_counted():
    one, other = Worst.of(np.array([3.0, 2.0, 1.0, 0.0]), 0.5), Worst.of(np.array([0.0, 2.0, 3.0, 0.0]), 0.5)
    assert one.shared_with(other) == other.shared_with(one) == 1
    assert one.whole
