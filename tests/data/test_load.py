"""Files become data sets: every format, nothing made dense, and what was done to them is said."""

import bz2
import gzip
import lzma
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array, save_npz

from cvar_core import SpecError, load, sweep
from tests.data.tables import given

LIBSVM = b"0 1:1 3:2.5\n1 2:-1 # a note\n0 3:4e-1\n"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_libsvm_stays_sparse_however_it_is_packed(pack, tmp_path):
    path = tmp_path / "odd name.anything"
    path.write_bytes(pack(LIBSVM))
    data = load(path)
    assert data.sparse
    assert data.x.toarray().tolist() == [[1, 0, 2.5], [0, -1, 0], [0, 0, 0.4]]
    assert data.y.tolist() == [0, 1, 0]
    assert str(data.mapping()) == "0 → −1, 1 → +1"
    assert data.problem("logistic").ground.points.target.tolist() == [-1, 1, -1]


def test_indices_may_begin_at_0_and_a_test_file_follows_its_training_file():
    assert load(given("1 0:5\n2 1:6\n")).x.toarray().tolist() == [[5, 0], [0, 6]]
    data = load(given("1 1:5 4:1\n2 2:6\n"), test=given("1 2:7\n2 3:8\n"))
    assert data.test.x.toarray().tolist() == [[0, 7, 0, 0], [0, 0, 8, 0]], (
        "its own indices begin at 2, but mean the same"
    )
    wide = load(given("1 1:5\n2 2:6\n"), test=given("1 2:7 9:1\n"))
    assert wide.test.x.toarray().tolist() == [[0, 7]]
    assert "last 7 columns" in wide.notes[0]


@pytest.mark.parametrize("target", ["price", 2, "2", -2])
def test_csv_takes_its_target_by_name_or_place(target):
    data = load(given("size,price,rooms\n1,10.5,3\n2,20,4\n"), target)
    assert data.columns == ("size", "rooms")
    assert data.x.tolist() == [[1, 3], [2, 4]]
    assert data.y.tolist() == [10.5, 20]
    assert data.problem("absolute").ground.points.target.tolist() == [10.5, 20], "regression targets are as they are"


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1,2,3\n4,5,6\n", 2),
        ("a,b,c\n1,2,3\n", 1),
        ("red,1,yes\nblue,2,no\nred,3,no\n", 3),
        ("colour,kind\nred,x\nblue,y\n", 2),
        ("a;b;c\n1;2;3\n4;5;6\n", 2),
        ("a\tb\n1\t2\n", 1),
        ("\ufeffa,b\n1,2\n", 1),
    ],
)
def test_a_header_is_told_from_a_row(text, rows):
    assert load(given(text)).shape[0] == rows


def test_header_can_be_said_outright():
    assert load(given("a,b\nc,d\n"), header=False).shape[0] == 2
    assert load(given("1,2\n3,4\n"), header=True).shape[0] == 1


def test_texts_become_columns_with_a_word_about_it():
    text = "colour,size,sold\nred,1,no\nblue,2,yes\nred,3,no\n"
    data = load(given(text), test=given("colour,size,sold\ngreen,1,no\nblue,2,yes\n"))
    assert data.columns == ("colour=blue", "colour=red", "size")
    assert data.x.tolist() == [[0, 1, 1], [1, 0, 2], [0, 1, 3]]
    assert data.test.x.tolist() == [[0, 0, 1], [1, 0, 2]], "a colour that training has not seen is none of them"
    assert any("'colour' holds texts" in note for note in data.notes)
    assert "the target is 'sold', the last column" in data.notes
    assert str(data.mapping()) == "no → −1, yes → +1"
    assert str(data.mapping("no")) == "yes → −1, no → +1"


def test_npz_holds_arrays_dense_or_sparse(tmp_path):
    x, y = np.eye(3), np.array([1, 2, 3])
    np.savez(tmp_path / "dense.npz", X=x, y=y)
    assert load(tmp_path / "dense.npz").x.tolist() == x.tolist()
    save_npz(tmp_path / "sparse.npz", csr_array(x))
    with np.load(tmp_path / "sparse.npz") as parts:
        np.savez(tmp_path / "both.npz", y=y, **parts)
    data = load(tmp_path / "both.npz")
    assert data.sparse
    assert data.x.toarray().tolist() == x.tolist()


def test_one_class_against_the_rest():
    data = load(given("1,2\n2,3\n3,1\n4,2\n"))
    assert str(data.mapping(2)) == "the rest → −1, 2 → +1"
    assert data.problem("logistic", positive="2").ground.points.target.tolist() == [1, -1, -1, 1]


def test_held_out_rows_are_drawn_by_the_seed_and_nothing_is_lost():
    text = "".join(f"{k + 0.5},{k % 3}\n" for k in range(50))
    data, again, other = (load(given(text), holdout=0.2, seed=seed) for seed in (1, 1, 2))
    assert (data.shape[0], data.test.shape[0]) == (40, 10)
    assert sorted([*data.x[:, 0], *data.test.x[:, 0]]) == [k + 0.5 for k in range(50)]
    assert data.test.x.tolist() == again.test.x.tolist() != other.test.x.tolist()
    for rows in (data, data.test):
        assert (rows.places - 0.5).tolist() == rows.x[:, 0].tolist(), "each row knows its place in the file"


def test_standardising_uses_the_training_rows_alone():
    text, both = "".join(f"{k},{7},{k % 3}\n" for k in range(40)), ("column 1", "column 2")
    data = load(given(text), keep=both, holdout=0.25, standardise=True, intercept=True)
    assert data.x[:, 0].mean() == pytest.approx(0, abs=1e-12)
    assert data.x[:, 0].std() == pytest.approx(1)
    assert (data.x[:, 1] == 0).all(), "a column that does not vary"
    assert (data.x[:, 2] == 1).all()
    raw = load(given(text), keep=both, holdout=0.25)
    expected = (raw.test.x[:, 0] - raw.x[:, 0].mean()) / raw.x[:, 0].std()
    np.testing.assert_allclose(data.test.x[:, 0], expected)


def test_standardising_sparse_columns_keeps_their_zeros():
    rng = np.random.default_rng(0)
    rows = "".join(f"1 1:{rng.normal()} {'2:3.5' if k % 2 else ''}\n" for k in range(30))
    data = load(given(rows), standardise=True, intercept=True)
    assert data.sparse
    assert data.nonzeros == 30 + 15 + 30
    assert data.x[:, [0]].toarray().std() == pytest.approx(1)
    assert data.x[:, [1]].toarray().std() == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "test", "target", "shape"),
    [
        ("agaricus.txt.train", "agaricus.txt.test", None, (6513, 126)),
        ("a9a", "a9a.t", None, (32561, 123)),
        ("cpu_small.csv", None, "usr", (8192, 12)),
        ("farm-ads.libsvm.xz", None, None, (4143, 54877)),
    ],
)
def test_real_files_have_the_shapes_that_are_known(name, test, target, shape):
    if not (SHARED / name).exists():
        pytest.skip("the shared data are not here")
    data = load(SHARED / name, target, test=SHARED / test if test else None)
    assert data.shape == shape
    if test:
        assert data.test.shape[1] == shape[1]


def test_mushrooms_are_learnt():
    if not (SHARED / "agaricus.txt.train").exists():
        pytest.skip("the shared data are not here")
    data = load(SHARED / "agaricus.txt.train", test=SHARED / "agaricus.txt.test")
    result = sweep(data.problem("logistic", beta=0.9), methods=["spl+"], lambdas=[1.0], iterations=20_000, seeds=1)
    last = result.curves.iloc[-1]
    assert last["train_accuracy"] > 0.97
    assert last["test_accuracy"] > 0.97


def test_a_path_that_is_not_there_gets_a_sentence(tmp_path):
    for path in (tmp_path / "nothing.csv", tmp_path, "a\x00b"):
        with pytest.raises(SpecError, match="cannot read"):
            load(path)
