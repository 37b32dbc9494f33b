"""A DataFrame is a file that was read already: the same columns, targets, notes and problem."""

import io

import numpy as np
import pandas as pd
import pytest

from cvar_core import DataError, Dataset, load

ROWS = 40


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, ROWS),
            "town": rng.choice(["Bonn", "Ulm"], ROWS),
            "smoker": rng.random(ROWS) < 0.5,
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 99, ROWS), unit="D"),
            "score": np.where(rng.random(ROWS) < 0.2, np.nan, rng.normal(size=ROWS)),
            "cost": rng.normal(size=ROWS) + 9,
        }
    )


def as_file(frame):
    return io.BytesIO(frame.to_csv(index=False).encode())


@pytest.mark.parametrize("target", ["cost", "town"])
def test_it_is_what_load_makes_of_the_same_rows(frame, target):
    options = {"holdout": 0.25, "standardise": True, "intercept": True}
    ours = Dataset.from_frame(frame, target, **options)
    theirs = load(as_file(frame.assign(smoker=frame["smoker"].astype(int))), target, **options)
    assert ours.columns == theirs.columns
    for one, other in ((ours, theirs), (ours.test, theirs.test)):
        np.testing.assert_allclose(one.x, other.x, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(one.y, other.y)
        np.testing.assert_array_equal(one.places, other.places)
    loss = "absolute" if target == "cost" else "logistic"
    assert ours.problem(loss).columns == ours.columns
    if target == "town":
        assert ours.mapping() == theirs.mapping()


@pytest.mark.parametrize(
    "changed",
    [
        lambda column: column.astype("category"),
        lambda column: column.astype("string"),
        lambda column: column.astype(object),
    ],
)
def test_texts_may_be_of_any_kind(frame, changed):
    plain, other = (Dataset.from_frame(each, "cost") for each in (frame, frame.assign(town=changed(frame["town"]))))
    assert plain.columns == other.columns
    np.testing.assert_array_equal(plain.x, other.x)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("Int64", [1, 2, None, 4]),
        ("boolean", [True, None, False, True]),
        ("category", [3, 1, 1, 2]),
        ("Sparse[float]", [0.0, 0.0, 1.0, 0.0]),
        ("timedelta64[s]", [1, 2, 3, 5]),
        (object, [1, 2.5, None, True]),
    ],
)
def test_numbers_may_be_of_any_kind(kind, values):
    cells = pd.Series(values * 3, dtype=kind)
    data = Dataset.from_frame(pd.DataFrame({"x": cells, "y": np.arange(12.0)}), "y")
    known = [np.nan if value is None else float(value) for value in values * 3]
    filled = np.where(np.isnan(known), np.nanmedian(known), known)
    np.testing.assert_array_equal(data.x[:, 0], filled)


def test_zones_of_time_are_all_that_of_greenwich():
    at = pd.Series(pd.date_range("2020-01-01", periods=4, tz="Asia/Tokyo"))
    data = Dataset.from_frame(pd.DataFrame({"at": at, "y": np.arange(4.0) ** 2}), "y", keep=["at"])
    assert data.x[:, 0].tolist() == [18262 - 9 / 24 + day for day in range(4)]


def test_labels_of_columns_need_not_be_texts(frame):
    numbered = frame.set_axis(range(6), axis=1)
    data = Dataset.from_frame(numbered, 5, drop=[0, 1])
    assert data.target_name == "5"
    assert not {"0", "1=Bonn"} & set(data.columns)
    assert Dataset.from_frame(frame, -1).target_name == "cost", "what is no label is a place"


def test_rows_to_test_on_may_come_apart(frame):
    data = Dataset.from_frame(frame[:30], "cost", test=frame[30:])
    assert repr(data) == f"<Dataset {data.words()[0]}>", "no arrays in a notebook"
    assert data.test.shape[0] == 10
    np.testing.assert_array_equal(data.test.y, frame["cost"][30:])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda frame: [1, 2], "is of type list, but it must be a pandas DataFrame"),
        (lambda frame: frame[:0], "has 0 rows × 6 columns"),
        (lambda frame: frame[["cost"]], "40 rows × 1 columns, but it needs rows, a target and a feature"),
        (lambda frame: frame.assign(age=[[1]] * ROWS), "column 'age' of the DataFrame holds list values"),
        (lambda frame: frame.assign(age=1j), "column 'age' of the DataFrame holds complex values"),
        (lambda frame: frame.assign(age=[np.inf, *range(ROWS - 1)]), "column 'age' of the DataFrame has inf in row 1"),
        (
            lambda frame: frame.assign(age=pd.Series([np.complex128(1j)] * ROWS, dtype=object)),
            "holds complex128 values",
        ),
        (lambda frame: frame.assign(age=pd.Series([10**400, *range(ROWS - 1)], dtype=object)), "has inf in row 1"),
        (lambda frame: frame.drop(columns="cost"), "cost"),
    ],
)
def test_what_is_wrong_is_said(frame, change, words):
    with pytest.raises(DataError, match=words):
        Dataset.from_frame(change(frame), "cost", keep=["age"])


def test_of_several_levels_of_columns_a_label_is_a_tuple(frame):
    levels = frame.set_axis(pd.MultiIndex.from_product([["all"], frame.columns]), axis=1)
    data = Dataset.from_frame(levels, ("all", "cost"), drop=[("all", "age")])
    assert data.target_name == "('all', 'cost')"
    assert not any("age" in name for name in data.columns)


@pytest.mark.parametrize("target", [["cost"], 1.5])
def test_a_target_is_one_column(frame, target):
    with pytest.raises(DataError, match="it must be one column"):
        Dataset.from_frame(frame, target)
