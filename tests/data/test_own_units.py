"""A data set that was split and scaled still tells rows by their numbers in the file, and values in its unit."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from cvar_core.data import Dataset

COLUMNS = 5


def made(sparse: bool) -> Dataset:
    rng = np.random.default_rng(3)
    x = rng.normal(1_000, 30, (40, COLUMNS)) * (rng.random((40, COLUMNS)) < 0.4)
    return Dataset("made", csr_array(x) if sparse else x, rng.normal(size=40))


def dense(x) -> np.ndarray:
    return x.toarray() if hasattr(x, "indptr") else x


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("steps", ["", "s", "si", "is", "ssi"])
def test_a_row_is_found_in_the_file_by_its_number_and_its_values(sparse, steps):
    file = made(sparse)
    data = file.hold_out(0.3, seed=1)
    for step in steps:
        data = data.standardise() if step == "s" else data.intercept()
    for part in (data, data.test):
        found = part.original(part.x)
        assert hasattr(found, "indptr") == sparse, "sparse rows stay sparse"
        np.testing.assert_allclose(dense(found)[:, :COLUMNS], dense(file.x)[part.places - 1], rtol=1e-12)
        if "i" in steps:
            np.testing.assert_allclose(dense(found)[:, COLUMNS], 1, rtol=1e-12)
    assert sorted([*data.places, *data.test.places]) == list(range(1, 41)), "from 1, each row once"
