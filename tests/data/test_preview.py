"""What a reader sees of a data set, whatever its numbers are."""

import numpy as np
import pytest

from cvar_core.data.dataset import Dataset
from cvar_core.data.preview import Preview


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "target",
    [1e17 + 16 * np.arange(50), np.full(50, 1e17), 1.7e308 * np.linspace(-1, 1, 50), 5e-324 * (np.arange(50) % 3)],
    ids=["little spread", "one value", "wider than numbers go", "denormal"],
)
def test_every_target_has_a_histogram(target):
    seen = Preview.of(Dataset("odd", np.ones((50, 1)), target))
    assert seen.counts.sum() == 50
    assert len(seen.edges) == len(seen.counts) + 1
    assert (seen.edges[1:] >= seen.edges[:-1]).all()
    assert seen.edges[0] <= target.min() <= target.max() <= seen.edges[-1]


def test_an_ordinary_histogram_is_numpys():
    target = np.random.default_rng(0).standard_normal(500)
    seen, (counts, edges) = Preview.of(Dataset("usual", np.ones((500, 1)), target)), np.histogram(target, bins=40)
    assert (seen.counts == counts).all()
    assert (seen.edges == edges).all()
