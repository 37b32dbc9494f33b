"""How a tail differs from the rest, held against means and deviations that are taken one by one."""

import itertools

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import ndtri

from cvar_core.data import Dataset
from cvar_core.tails import Columns, Worst, contrast
from tests.tails.by_hand import mean_and_deviation, tail_by_hand


def made(sparse: bool, prepared: str) -> tuple[np.ndarray, Dataset]:
    """Columns as a file has them (a flag, mostly zeros, an offset, one that does not vary), and data made of them."""
    rng = np.random.default_rng(5)
    rows = 60
    file = np.stack(
        [
            rng.random(rows) < 0.4,
            rng.normal(size=rows) * (rng.random(rows) < 0.2),
            1e6 + rng.normal(size=rows),
            np.full(rows, 3.0),
            2.0 * (rng.random(rows) < 0.5),
        ],
        axis=1,
    )  # fmt: skip
    data = Dataset("made", csr_array(file) if sparse else file, rng.normal(size=rows))
    for step in prepared:
        data = data.standardise() if step == "s" else data.intercept()
    return file, data


@pytest.mark.parametrize("beta", [0.9, 0.93, 0.5])
@pytest.mark.parametrize("prepared", ["", "s", "si"])
@pytest.mark.parametrize("sparse", [False, True])
def test_means_are_in_the_files_unit_and_differences_in_deviations(sparse, prepared, beta):
    file, data = made(sparse, prepared)
    losses = np.abs(file[:, 1]) + file[:, 0]
    found = contrast(data, Columns.of(data.x), data.y, "y", Worst.of(losses, beta))
    weights = [0.0] * len(file)
    for place, share in tail_by_hand(losses.tolist(), beta):
        weights[place] = share
    others = [1 - weight for weight in weights]
    for k, column in enumerate([*file.T, *([np.ones(len(file))] if "i" in prepared else []), data.y]):
        tail, rest = (mean_and_deviation(column.tolist(), each)[0] for each in (weights, others))
        assert found.tail[k] == pytest.approx(tail, rel=1e-9)
        assert found.rest[k] == pytest.approx(rest, rel=1e-9)
        deviation = mean_and_deviation(column.tolist())[1] or 1.0
        # The squares of sparse columns are taken as they are, which costs digits far from 0.
        near = {"rel": 1e-2} if sparse and k == 2 else {"abs": 1e-8}
        assert found.deviations[k] == pytest.approx((tail - rest) / deviation, **near)
    assert found.shares.tolist() == [True, *[False] * (data.shape[1])], "zeros and ones, but not zeros and twos"
    sizes = np.abs(found.deviations[:-1])
    assert (np.diff(sizes[found.order]) <= 0).all()
    assert sorted(found.order) == [0, 1, 2, 4], "what does not vary cannot differ"
    names = [each.column for each in found.largest(3)]
    assert names[0] == "column 1" or abs(found.deviations[0]) < abs(found.deviations).max()
    assert set(names) <= {"column 1", "column 2", "column 3", "column 5", "y"}


def test_columns_are_the_same_at_a_glance_whether_sparse_or_dense():
    x = np.array([[-1.0, 0.0, 2.0], [0.0, 1.0, 2.0], [1.0, 1.0, 2.0]])
    dense, sparse = Columns.of(x), Columns.of(csr_array(x))
    for name, values in vars(dense).items():
        np.testing.assert_allclose(getattr(sparse, name), values, err_msg=name)
    assert dense.two.tolist() == [False, True, True]
    assert dense.varies.tolist() == [True, True, False]


def test_a_tail_of_all_rows_has_nothing_to_differ_from():
    _, data = made(False, "")
    found = contrast(data, Columns.of(data.x), data.y, "y", Worst.of(data.y, 0.0))
    assert np.isnan(found.rest[:-1]).all()
    assert found.chance == np.inf


def test_chance_is_what_all_choices_of_as_many_rows_would_show():
    rng = np.random.default_rng(1)
    column, m = rng.normal(size=9), 3
    data = Dataset("one", column[:, None], column)
    squares = []
    for chosen in itertools.combinations(range(9), m):
        losses = np.isin(np.arange(9), chosen).astype(float)
        found = contrast(data, Columns.of(data.x), data.y, "y", Worst.of(losses, 1 - m / 9))
        squares.append(found.deviations[0] ** 2)
    assert np.sqrt(np.mean(squares)) * ndtri(1 - 0.05 / 4) == pytest.approx(found.chance, rel=1e-9), "two columns"


def test_wide_sparse_columns_are_never_made_dense(monkeypatch):
    rng = np.random.default_rng(2)
    rows, columns, each = 400, 300_000, 3
    places = rng.integers(0, columns, rows * each)
    x = csr_array((np.ones(rows * each), (np.repeat(np.arange(rows), each), places)), shape=(rows, columns))
    data = Dataset("wide", x, rng.normal(size=rows))
    whole = csr_array.toarray
    monkeypatch.setattr(csr_array, "toarray", lambda self: whole(self) if self.size < 10_000 else pytest.fail("dense"))
    found = contrast(data, Columns.of(data.x), data.y, "y", Worst.of(np.arange(rows, 0.0, -1), 1 - 1 / rows))
    assert {each.column for each in found.largest(each)} == {f"column {k + 1}" for k in places[:each]}
