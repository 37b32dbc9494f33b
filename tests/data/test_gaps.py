"""Missing values: filled by what the training rows have, left out, or refused; and always said."""

import numpy as np
import pytest
from hypothesis import given as every
from hypothesis import settings
from hypothesis import strategies as st

from cvar_core import DataError, load
from cvar_core.data import read_table
from cvar_core.data.holding_out import split_rows
from tests.data.tables import given, table

NAN = float("nan")


def gappy(**more):
    return table(age=[1, None, 3, 8], town=["Ulm", "Bonn", None, "Bonn"], y=[1, 2, 3, 5], **more)


def test_numbers_get_the_median_and_texts_none_and_a_column_says_where():
    data = load(gappy(), "y")
    assert data.columns == ("age", "town=Bonn", "town=Ulm", "age missing", "town missing")
    assert data.x.tolist() == [[1, 0, 1, 0, 0], [3, 1, 0, 1, 0], [3, 0, 0, 0, 1], [8, 1, 0, 0, 0]]
    assert any("'age' (1), 'town' (1)" in note and "median" in note for note in data.notes)


def test_rows_with_gaps_can_be_left_out():
    data = load(gappy(), "y", missing="drop")
    assert data.columns == ("age", "town=Bonn", "town=Ulm")
    assert data.x.tolist() == [[1, 0, 1], [8, 1, 0]]
    assert data.places.tolist() == [1, 4]
    assert "2 rows are left out: values are missing in 'age' (1), 'town' (1)" in data.notes


def test_gaps_can_be_refused():
    with pytest.raises(DataError, match=r"missing values in 'age' \(1\), 'town' \(1\); fill them in or leave those"):
        load(gappy(), "y", missing="refuse")
    whole = load(gappy(size=[4, 5, 6, 8]), "y", missing="refuse", only=["size"])
    assert whole.x.tolist() == [[4], [5], [6], [8]], "only columns that are used count"


@pytest.mark.parametrize("missing", ["fill", "drop"])
@pytest.mark.parametrize("target", [[1, None, 3, None], ["a", None, "b", None]])
def test_rows_without_a_target_are_left_out(missing, target):
    data = load(table(size=[1, 2, 4, 8], y=target), missing=missing)
    assert data.x.tolist() == [[1], [4]]
    assert data.places.tolist() == [1, 3]
    assert data.columns == ("size",)
    assert "2 rows are left out: the target 'y' is missing" in data.notes
    with pytest.raises(DataError, match=r"missing values in 'y' \(2\)"):
        load(table(size=[1, 2, 4, 8], y=target), missing="refuse")


def test_where_nothing_is_left_that_is_said():
    with pytest.raises(DataError, match=r"no row of made\.csv is left to train on; 2 rows are left out"):
        load(table(a=[1, None], b=[None, 2], y=[1, 2]), missing="drop")
    with pytest.raises(DataError, match="no row"):
        load(table(a=[1, 2], y=[None, None]))


def test_a_file_without_gaps_is_the_same_in_every_way():
    whole = table(age=[1, 4, 3], town=["Ulm", "Bonn", "Ulm"], y=[1, 2, 3])
    ways = [load(whole, missing=way) for way in ("fill", "drop", "refuse")]
    assert len({(data.columns, data.notes, data.x.tobytes(), data.y.tobytes()) for data in ways}) == 1


def test_npz_has_gaps_too(tmp_path):
    x = np.array([[1.0, NAN, NAN], [2.0, 5.0, NAN], [4.0, 7.0, NAN], [9.0, 6.0, NAN]])
    np.savez(tmp_path / "a.npz", X=x, y=np.array([1, 2, NAN, 4]))
    data = load(tmp_path / "a.npz")
    assert data.x.tolist() == [[1, 5.5, 1], [2, 5, 0], [9, 6, 0]], "a column without a value is left out"
    assert data.y.tolist() == [1, 2, 4]
    assert any("'column 3', without a value" in note for note in data.notes)
    with pytest.raises(DataError, match=r"'column 2' \(1\), 'column 3' \(4\), 'y' \(1\)"):
        load(tmp_path / "a.npz", missing="refuse")


def test_a_second_file_is_encoded_as_the_first():
    test = table(age=[None, 100], town=["Rom", None], size=[None, 2], y=[1, 2])
    data = load(gappy(size=[1, 2, 4, 9]), "y", test=test)
    assert data.columns == ("age", "town=Bonn", "town=Ulm", "size", "age missing", "town missing")
    assert data.test.columns == data.columns
    assert data.test.x.tolist() == [
        [3, 0, 0, 3, 1, 0],  # the training rows' median; an unseen town is in no column; a gap that training has not
        [100, 0, 0, 2, 0, 1],
    ]
    drop = load(gappy(size=[1, 2, 4, 9]), "y", test=test, missing="drop")
    assert drop.test is None
    assert "no row to test on is left" in drop.notes


def test_numbers_where_training_has_texts_and_the_other_way_round():
    data = load(table(code=["1", "x", "x"], y=[1, 2, 3]), test=table(code=[1.0, None], y=[1, 2]))
    assert data.test.x.tolist() == [[1, 0], [0, 0]]
    with pytest.raises(DataError, match=r"'code' of made\.csv has 'x' in row 1, but the training data have numbers"):
        load(table(code=[1, 2], y=[1, 2]), test=table(code=["x", "z"], y=[1, 2]))


def test_a_label_that_only_test_rows_have():
    rows = {"size": [1, 2, 4], "kind": ["a", "b", "c"]}
    data = load(table(**rows), "kind", test=table(size=[3, 5], kind=["a", "d"]))
    assert data.problem("logistic", positive="a").ground.test_points.target.tolist() == [1, -1]
    two = load(table(size=[1, 2], kind=["a", "b"]), "kind", test=table(size=[3], kind=["d"]))
    with pytest.raises(DataError, match="has the label d, which the training data do not have"):
        two.problem("logistic")


# The law: rows to test on are parted from the others before anything is learnt from any row.

ROWS = 30


def filled(rng):
    return {
        "t": [*range(ROWS)],
        "id": [int(k) for k in rng.permutation(ROWS)],
        "flag": [1.0] * ROWS,
        "size": [None if rng.random() < 0.2 else float(rng.normal()) for _ in range(ROWS)],
        "whole": [float(rng.normal()) for _ in range(ROWS)],
        "town": [("Ulm", "Bonn", None)[rng.integers(3)] for _ in range(ROWS)],
        "name": [f"n{k}" if k % 5 else "same" for k in range(ROWS)],
        "y": [("yes", "no", None)[min(rng.integers(5), 2)] if k > 1 else "yes" for k in range(ROWS)],
    }


def anything(rng, name):
    """Return what a test row might hold: nothing, something usual, something never seen."""
    if name in ("town", "name", "y"):
        return [None, "Ulm", "yes", "same", "never seen"][rng.integers(5)]
    return [None, 1.0, float(rng.integers(ROWS)), 1e9 * float(rng.normal())][rng.integers(4)]


@settings(max_examples=30)
@every(st.integers(0, 5), st.integers(0, 10**6), st.sampled_from(["fill", "drop"]), st.booleans())
def test_whatever_the_test_rows_hold_the_training_rows_stay_the_same_bits(seed, other, missing, scaled):
    columns, rng = filled(np.random.default_rng(seed)), np.random.default_rng(other)
    options = {"holdout": 0.3, "seed": seed, "missing": missing, "standardise": scaled, "intercept": True}
    before = load(table(**columns), "y", **options)
    for row in split_rows(ROWS, 0.3, seed)[1]:
        for name in columns:
            columns[name][row] = anything(rng, name)
    after = load(table(**columns), "y", **options)
    assert after.columns == before.columns
    assert after.x.tobytes() == before.x.tobytes()
    assert (after.y.tobytes(), after.texts, after.places.tolist()) == (
        before.y.tobytes(), before.texts, before.places.tolist(),
    )  # fmt: skip


def test_a_table_that_was_read_is_taken_in_the_place_of_its_file():
    text = "age,town,y\n1,Ulm,2\n,Bonn,3\n4,,5\n"
    one, other = load(given(text), "y", holdout=0.4), load(read_table(given(text)), "y", holdout=0.4)
    assert one.x.tobytes() == other.x.tobytes()
    twice = read_table(given(text))
    for _ in range(2):
        assert load(twice, "y", standardise=True).x.tobytes() == load(given(text), "y", standardise=True).x.tobytes()
