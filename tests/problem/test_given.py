"""Arrays of every kind make the problem that plain ones make, or get a sentence."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.sparse import csr_array

from cvar_core import Problem, SpecError

X = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0], [0.0, 0.0]])
Y = np.array([-1.0, 1.0, 1.0, -1.0])
PLAIN = Problem.from_arrays(X, Y, "logistic")


@pytest.mark.parametrize(
    "labels",
    [
        [0, 1, 1, 0],
        [1, 2, 2, 1],
        [False, True, True, False],
        np.array([0.0, 1.0, 1.0, 0.0]),
        torch.tensor([0, 1, 1, 0]),
        torch.tensor([False, True, True, False]),
        ["no", "yes", "yes", "no"],
        np.array(["a", "b", "b", "a"]),
        pd.Series(["no", "yes", "yes", "no"]),
        pd.Series(["no", "yes", "yes", "no"], dtype="category"),
        pd.Series([0, 1, 1, 0], dtype="Int64"),
        Y.tolist(),
    ],
)
def test_two_labels_of_any_kind_are_minus_one_and_one(labels):
    assert Problem.from_arrays(X, labels, "logistic").spec == PLAIN.spec


def test_what_the_labels_were_is_known():
    problem = Problem.from_arrays(X, ["no", "yes", "yes", "no"], "logistic")
    assert problem.labels == ("no", "yes")
    assert problem.under("logistic", 0.5).labels == ("no", "yes")
    assert Problem.from_arrays(X, Y).labels is None


def test_test_rows_have_the_labels_of_the_training_rows():
    only = Problem.from_arrays(X, list("nyyn"), "logistic", test=(X[:1], ["y"]))
    assert only.ground.test_points.target.tolist() == [1]
    with pytest.raises(SpecError, match="y holds 'z', but the labels are 'n' and 'y'"):
        Problem.from_arrays(X, list("nyyn"), "logistic", test=(X[:1], ["z"]))


def layouts():
    dense = torch.from_numpy(X)
    yield dense.to_sparse_coo()
    yield dense.to_sparse_csr()
    yield dense.to_sparse_csc()
    yield dense.to_sparse_coo().to(torch.float32)
    yield dense.to_sparse(1)  # a hybrid: its rows are dense


@pytest.mark.filterwarnings("ignore:Sparse")
def test_sparse_tensors_are_sparse_matrices():
    expected = Problem.from_arrays(csr_array(X), Y, "logistic").spec
    assert [Problem.from_arrays(each, Y, "logistic").spec for each in layouts()] == [expected] * 5
    with pytest.raises(SpecError, match=r"X must hold real numbers only \(complex numbers\)"):
        Problem.from_arrays(torch.zeros(2, 2, dtype=torch.complex64).to_sparse_coo(), [1, 2])


def test_frames_are_arrays_with_names():
    frame = pd.DataFrame(X, columns=["age", "income"], index=[9, 8, 7, 6])
    problem = Problem.from_arrays(frame, pd.Series(Y), "squared", intercept=True)
    assert problem.columns == ("age", "income", "intercept")
    assert problem.spec == Problem.from_arrays(np.column_stack([X, np.ones(4)]), Y, "squared").spec
    assert problem.under("absolute", 0.5).columns == problem.columns
    assert Problem.from_arrays(X, Y, columns=["a", "b"]).columns == ("a", "b")


@pytest.mark.parametrize("sparse", [False, True])
def test_columns_are_standardised_by_the_training_rows(sparse):
    make = csr_array if sparse else np.array
    problem = Problem.from_arrays(make(X), Y, standardise=True, intercept=True, test=(make(X[:2]), Y[:2]))
    mean = 0.0 if sparse else X.mean(0)
    expected = np.column_stack([(X - mean) / X.std(0), np.ones(4)])
    rows, tested = (each.rows(torch.arange(each.count)) for each in (problem.ground.points, problem.ground.test_points))
    np.testing.assert_allclose(rows, expected, rtol=1e-14)
    np.testing.assert_allclose(tested, expected[:2], rtol=1e-14)


def test_what_is_given_is_never_changed():
    kept = X.copy()
    Problem.from_arrays(kept, Y, standardise=True)
    np.testing.assert_array_equal(kept, X)


def test_points_may_be_lists_and_arrays():
    for theta in ([1.0, -1.0], np.array([1, -1]), torch.tensor([1.0, -1.0]), (1, -1)):
        assert PLAIN.objective(theta, 0.5) == PLAIN.objective(torch.tensor([1.0, -1.0], dtype=torch.float64), 0.5)
        assert PLAIN.risk(theta) == PLAIN.risk([1.0, -1.0])
        assert PLAIN.losses(theta).tolist() == PLAIN.losses([1.0, -1.0]).tolist()
    for wrong, words in [([1.0], r"theta has shape \(1,\), but it must have shape \(2,\)"), ("ab", "theta must hold")]:
        with pytest.raises(SpecError, match=words):
            PLAIN.risk(wrong)


@pytest.mark.parametrize(
    ("x", "y", "loss", "words"),
    [
        (X, [0, 1, 2, 0], "logistic", r"y holds 3 different labels \(0, 1, 2\), but classification needs two"),
        (X, [5] * 4, "logistic", r"y holds 1 different labels \(5\)"),
        (X, ["a", None, "b", "a"], "logistic", "y holds None among texts"),
        (X, [0, np.nan, 1, 0], "logistic", "y holds NaN or infinite values"),
        (X, [1j, 0, 0, 0], "logistic", "y holds complex128 values"),
        (X, list("abba"), "squared", "y must hold real numbers only for squared loss"),
        (pd.DataFrame({"a": list("xyxy"), "b": 1.0}), Y, "squared", r"column 'a' of X holds .*Dataset\.from_frame"),
        (pd.DataFrame(X * [1e200, 1], columns=["big", "b"]), Y, "squared", "column 'big' of X has values up to 3e"),
        (np.array([["a", "b"]] * 4), Y, "squared", "X must hold real numbers only"),
    ],
)
def test_what_is_wrong_is_said(x, y, loss, words):
    with pytest.raises(SpecError, match=words):
        Problem.from_arrays(x, y, loss)


def test_wrong_names_and_scales_get_a_sentence():
    with pytest.raises(SpecError, match="columns is 3, but it must list"):
        Problem.from_arrays(X, Y, columns=3)
    with pytest.raises(SpecError, match="columns has 1 names, but X has 2 columns"):
        Problem.from_arrays(X, Y, columns=["a"])
    with pytest.raises(SpecError, match="column 1 of X is too large to be standardised"):
        Problem.from_arrays(X * [1e300, 1], Y, standardise=True)
