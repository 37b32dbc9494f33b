"""Bad files: each gets one sentence that says what is wrong, and none a traceback."""

import bz2
import contextlib
import gzip
import io
import lzma
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cvar_core import DataError, SpecError, load
from cvar_core.data import Limits

CSV = "a,b,c\n1,2,3\n4,5,6\n"


def archive(**arrays) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def bomb() -> bytes:
    """2 GB in 2 MB: gzip members may follow each other."""
    return gzip.compress(b"1 1:1\n" * 2_800_000) * 128


def lying_header() -> bytes:
    """An array that says it holds a million million numbers."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("X.npy", header.getvalue())
        packed.writestr("y.npy", header.getvalue())
    return file.getvalue()


BAD = [
    (b"", {}, "is empty"),
    (b"\n \n", {}, "has no rows"),
    (gzip.compress(b""), {}, "empty once unpacked"),
    (bytes(range(256)) * 20, {}, "not a text file"),
    (np.random.default_rng(0).integers(1, 256, 5_000, dtype=np.uint8).tobytes(), {}, "neither UTF-8 nor Windows-1252"),
    (gzip.compress(b"1 1:1\n" * 1000)[:-20], {}, "damaged"),
    (b"BZh9 but not really", {}, "damaged"),
    (b"a,b,c\n1,2,3\n4,5\n", {}, "row 3 has 2 fields, but the first has 3"),
    (b"a,b\n1,2\n4,5,6\n", {}, "row 3 has 3 fields, but the first has 2"),
    (b"a,b\n1,2,3\n4,5,6\n", {}, "row 2 has 3 fields"),
    (b"a,b\n1,2\nx,4\n5,6\n7,8\n", {}, "'a' of the file holds numbers, but 'x' in row 2"),
    (b"a,b\n1,2\n,4\n5,\n", {"missing": "refuse"}, "missing values in 'a' (1), 'b' (1)"),
    (b"a,b\n1,2\nNaN,4\n", {"missing": "refuse"}, "missing values in 'a'"),
    (b"a,b\n1,2\ninf,4\n", {}, "has inf in row 2; every entry must be finite"),
    (b"a,b\n1,2\n3,-inf\n", {}, "'b'"),
    (b"a,b\n", {}, "header but no rows"),
    (b"a\n1\n2\n", {}, "one column"),
    (CSV.encode(), {"target": "d"}, "no column 'd'; it has 'a', 'b', 'c'"),
    (CSV.encode(), {"target": 4}, "no column 4"),
    (CSV.encode(), {"target": 0}, "no column 0"),
    (b"price,b\n1,2\n", {"target": "prise"}, "did you mean 'price'?"),
    ('a,b\n1,"2\n3,4\n', {}, "not a table: a quote opens in row 2 and is never closed"),
    (b"1 4000000000:1\n-1 1:1\n", {}, "line 1 of the file has index 4,000,000,000"),
    (b"1 1:1\n1 99999999999999999999999:1\n", {}, "line 2"),
    (b"1 1:1 1:2\n", {}, "has index 1 twice"),
    (b"1 1:1\n1 3:1 2:2\n", {}, "line 2 of the file has index 2 after 3"),
    (b"1 1:nan\n", {}, "'1:nan', but every value must be a finite number"),
    (b"1 1:inf\n", {}, "finite"),
    (b"1 1:1e999\n", {}, "finite"),
    (b"nan 1:1\n", {}, "a label must be a finite number"),
    (b"yes 1:1\n", {}, "begins with 'yes'"),
    (b"1 1:1\n1 1:x\n", {}, "'1:x'"),
    (b"1 1:1\n1 2\n", {}, "'2', which is not index:value"),
    (b"1 1:1\n1 -2:1\n", {}, "'-2:1', which is not index:value"),
    (b"1 2000:1\n", {"limits": Limits(columns=1_000)}, "largest allowed is 1,000"),
    (CSV.encode(), {"limits": Limits(columns=2)}, "3 columns, but the limit is 2"),
    (CSV.encode(), {"limits": Limits(cells=3)}, "the limit is"),
    (b"1 1:1\n" * 1000, {"limits": Limits(file=1000)}, "larger than 1000 bytes, which is the limit"),
    (bomb(), {"limits": Limits(content=2**21)}, "unpacks to more than 2.0 MB"),
    (lzma.compress(b"1 1:1\n" * 100), {"limits": Limits(content=300)}, "unpacks to more than 300 bytes"),
    (archive(X=np.array([{}], dtype=object), y=np.ones(1)), {}, "pickled objects, which are never loaded"),
    (pickle.dumps({"X": 1}), {}, "not"),
    (archive(X=np.ones((2, 2))), {}, "needs X and y"),
    (archive(X=np.ones((2, 2)), y=np.ones(3)), {}, "y in the file has shape (3,), but X has 2 rows"),
    (archive(X=np.array([[1.0, np.nan]]), y=np.ones(1)), {"missing": "refuse"}, "missing values in 'column 2' (1)"),
    (archive(X=np.array([[1.0, np.inf]]), y=np.ones(1)), {}, "infinite"),
    (archive(data=np.full(1, np.nan), indices=np.array([0]), indptr=np.array([0, 1]), shape=np.array([1, 3]), y=[1]),
     {}, "NaN"),
    (archive(X=np.array([["a"]]), y=np.ones(1)), {}, "real numbers"),
    (archive(X=np.ones(3), y=np.ones(3)), {}, "rows and columns"),
    (archive(data=np.ones(2), indices=np.array([0, 9]), indptr=np.array([0, 2]), shape=np.array([1, 3]), y=np.ones(1)),
     {}, "do not make a CSR matrix"),
    (archive(X=np.zeros((3000, 3000)), y=np.ones(3000))[:-40], {}, "damaged"),
    (lying_header(), {}, "damaged"),
    (CSV.encode(), {"holdout": 1.5}, "between 0 and 1"),
    (CSV.encode(), {"holdout": 0.01}, "leaves none"),
    (CSV.encode(), {"test": io.BytesIO(b"a,b\n1,2\n")}, "no column 'c', which the training data have"),
    (CSV.encode(), {"test": io.BytesIO(b"1 1:2\n")}, "not in the format of the training data"),
    (b"1 1:2\n", {"test": io.BytesIO(CSV.encode())}, "not in the format of the training data"),
    (b"1 1:2\n", {"test": io.BytesIO(b"1 0:2\n")}, "index 0, but the training data begin at 1"),
    (CSV.encode(), {"test": io.BytesIO(CSV.encode()), "holdout": 0.5}, "not both"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "options", "words"), BAD, ids=[words[:40] for *_, words in BAD])
def test_a_bad_file_gets_one_sentence(content, options, words):
    with pytest.raises(DataError) as raised:
        load(io.BytesIO(content if isinstance(content, bytes) else content.encode()), **options)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "loss", "words"),
    [
        ("1 1:1\n1 2:1\n", "logistic", "one class only"),
        ("1 1:1\n2 2:1\n3 1:1\n", "logistic", "3 different labels (1, 2, 3)"),
        ("a,b\n1,yes\n2,yes\n", "logistic", "the label yes: there is one class only"),
        ("a,b\n1,yes\n2,no\n", "squared", "holds texts ('no', 'yes'), but squared loss needs numbers"),
        ("a,b\n1,2\n", "hinge", "must be one of squared"),
    ],
)
def test_labels_that_do_not_fit_the_loss_get_one_sentence(text, loss, words):
    data = load(io.BytesIO(text.encode()))
    with pytest.raises(ValueError, match=r".") as raised:
        data.problem(loss)
    assert words in str(raised.value)


def test_a_positive_label_has_to_be_there():
    data = load(io.BytesIO(b"1 1:1\n2 2:1\n3 1:1\n"))
    with pytest.raises(DataError, match="no row of the file has the label 7; it has 1, 2, 3"):
        data.problem("logistic", positive=7)
    with pytest.raises(DataError, match="for regression"):
        data.problem("squared", positive=1)


def test_a_bomb_costs_little_memory():
    import tracemalloc

    packed = bomb()
    assert 1.5e6 < len(packed) < 8e6
    load(io.BytesIO(b"0 1:1\n1 1:2\n"))  # what the first one imports is none of the bomb's
    tracemalloc.start()
    with pytest.raises(DataError):
        load(io.BytesIO(packed), limits=Limits(content=2**20))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24, "rows of six bytes become 24 bytes each, and arrays grow"


GOOD = [
    b"0 1:1 3:2.5\n1 2:-1 # a note\n0 3:4e-1\n",
    b"size,price,colour\n1,10.5,red\n2,20,blue\n3,7,red\n",
    b'1;2;"x"\n3;4;"y"\n',
    archive(X=np.eye(3), y=np.arange(3)),
    archive(
        data=np.ones(2), indices=np.array([0, 2]), indptr=np.array([0, 1, 2]), shape=np.array([2, 3]), y=np.ones(2)
    ),
    gzip.compress(b"1 1:1\n-1 2:1\n"),
    bz2.compress(b"1,2\n3,4\n"),
    lzma.compress(b"a,b\n1,2\n"),
]
CUT, CHANGE, INSERT, REPEAT = range(4)
AWKWARD = [
    b"",
    b"\x00",
    b"\xff",
    b"\n",
    b"\r",
    b",",
    b'"',
    b":",
    b"nan",
    b"1e999",
    b"-",
    b"#",
    b"PK\x03\x04",
    b"99999999999:1",
]
edits = st.lists(
    st.tuples(
        st.sampled_from([CUT, CHANGE, INSERT, REPEAT]), st.floats(0, 1), st.floats(0, 1), st.sampled_from(AWKWARD)
    ),
    max_size=5,
)


def mangled(content: bytes, edits: list[tuple[int, float, float, bytes]]) -> bytes:
    for kind, one, other, piece in edits:
        first, last = sorted((int(one * len(content)), int(other * len(content))))
        middle = {CUT: b"", CHANGE: piece, INSERT: content[first:last] + piece, REPEAT: content[first:last] * 2}[kind]
        content = content[:first] + middle + content[last:]
    return content


@settings(max_examples=400)
@given(
    st.sampled_from(GOOD), edits, st.sampled_from([None, "price", 1, -2, "é"]), st.sampled_from(["logistic", "squared"])
)
def test_no_mangled_file_gets_a_traceback(content, edits, target, loss):
    sentence = ""
    try:
        data = load(io.BytesIO(mangled(content, edits)), target, holdout=0.5, standardise=True, intercept=True)
        assert data.problem(loss).ground.points.target.isfinite().all()
    except SpecError as wrong:  # anything else is a traceback
        sentence = str(wrong)
    assert "\n" not in sentence


@settings(max_examples=200)
@given(st.binary(max_size=300), st.booleans())
def test_no_bytes_get_a_traceback(content, packed):
    with contextlib.suppress(DataError):
        load(io.BytesIO(gzip.compress(content) if packed else content))
