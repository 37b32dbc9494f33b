"""A table is the same, however its file is written."""

import bz2
import datetime
import decimal
import gzip
import io
import lzma
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from cvar_core.data import DataError, Limits, any_table, content, csv_form
from cvar_core.data.table import Table

ROWS = "size,colour,price\n1.5,red,10\n2.25,blue,20\n1000.5,red,30\n"


def table(stored: bytes, like=None, header=None, **limits) -> Table:
    bounds = Limits(**limits)
    return any_table.read(content.read(io.BytesIO(stored), bounds), bounds, header, like)


def values(found: Table) -> dict[str, list]:
    return {name: found.frame[name].tolist() for name in found.frame.columns}


def zipped(*members: tuple[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, stored in members:
            packed.writestr(name, stored)
    return file.getvalue()


def zstandard(stored: bytes) -> bytes:
    return pa.Codec("zstd").compress(stored, asbytes=True)


EUROPEAN = ROWS.replace(",", ";").replace(".", ",")
WRITTEN = {
    "plain": ROWS.encode(),
    "a byte-order mark": ROWS.encode("utf-8-sig"),
    "UTF-16": ROWS.encode("utf-16"),
    "UTF-16 without a mark": ROWS.encode("utf-16-le"),
    "returns": ROWS.replace("\n", "\r").encode(),
    "returns and feeds": ROWS.replace("\n", "\r\n").encode(),
    "tabs": ROWS.replace(",", "\t").encode(),
    "bars": ROWS.replace(",", "|").encode(),
    "semicolons": ROWS.replace(",", ";").encode(),
    "blanks": ROWS.replace(",", "   ").encode(),
    "blanks after commas": ROWS.replace(",", ", ").encode(),
    "decimal commas": EUROPEAN.encode(),
    "thousands": EUROPEAN.replace("1000,5", "1.000,5").encode(),
    "quoted thousands": ROWS.replace("1000.5", '"1,000.5"').encode(),
    "quotes": ROWS.replace("red", '"red"').encode(),
    "a separator at each end": ROWS.replace("0\n", "0,\n").encode(),
    "no line end": ROWS.strip().encode(),
    "empty lines": ROWS.replace("\n", "\n\n").encode(),
    "gzip": gzip.compress(ROWS.encode()),
    "bzip2": bz2.compress(ROWS.encode()),
    "xz": lzma.compress(ROWS.encode()),
    "zstandard": zstandard(ROWS.encode()),
    "two zstandard frames": zstandard(ROWS[:30].encode()) + zstandard(ROWS[30:].encode()),
    "zip": zipped(("folder/", b""), ("folder/rows.csv", ROWS.encode()), ("__MACOSX/._rows.csv", b"x")),
}


@pytest.mark.parametrize("stored", WRITTEN.values(), ids=WRITTEN)
def test_a_table_is_what_it_says_however_it_is_written(stored):
    assert values(table(stored)) == {
        "size": [1.5, 2.25, 1000.5], "colour": ["red", "blue", "red"], "price": [10.0, 20.0, 30.0]
    }  # fmt: skip


def test_a_table_is_the_same_however_it_is_cut_into_blocks(monkeypatch):
    from cvar_core.data import text_rows

    rng = np.random.default_rng(0)
    texts = ['"a, b"', '"line\nbreak"', "plain", '"say ""so"""', "", "7"]
    lines = [f"{k},{rng.choice(texts)},{rng.normal():.17g}" for k in range(300)]
    stored = ("id,text,number\n" + "\n".join(lines) + "\n").encode()
    whole = table(stored)
    frame = pd.read_csv(io.BytesIO(stored), dtype={"text": str})
    np.testing.assert_array_equal(whole.frame["number"], frame["number"].to_numpy(), "to the last bit")
    assert whole.frame["text"].tolist() == [None if pd.isna(text) else text for text in frame["text"]]
    monkeypatch.setattr(content, "PIECE", 40)
    for block in (1, 50, 1000):
        monkeypatch.setattr(text_rows, "BLOCK", block)
        monkeypatch.setattr(text_rows.blocks, "__defaults__", (block,))
        pd.testing.assert_frame_equal(table(stored).frame, whole.frame)


def test_texts_below_many_numbers_are_texts_all_the_way(monkeypatch):
    from cvar_core.data import text_rows

    monkeypatch.setattr(content, "PIECE", 64)
    monkeypatch.setattr(text_rows, "BLOCK", 64)
    stored = "code,y\n" + "007,1\n" * 40 + "x1,2\n" * 50
    found = table(stored.encode())
    assert found.frame["code"].tolist() == ["007"] * 40 + ["x1"] * 50, "and not 7"
    slips = table(("code,y\n" + "007,1\n" * 40 + "x1,2\n" * 3).encode())
    assert slips.frame["code"].dtype == np.float64
    assert slips.faults == {
        "code": "column 'code' of the file holds numbers, but 'x1' in row 41, and 2 more such cells"
    }


def test_wide_tables_are_read_like_narrow_ones():
    numbers = np.random.default_rng(0).normal(size=(5, 1_200)).round(6)
    text = "\n".join(",".join("" if cell > 2 else f"{cell}" for cell in row) for row in numbers)
    found = table(text.encode())
    np.testing.assert_array_equal(found.frame.to_numpy(), np.where(numbers > 2, np.nan, numbers))
    named = table((text.replace("\n", ",red\n", 4) + ",blue\n").encode())
    np.testing.assert_array_equal(named.frame.iloc[:, :-1].to_numpy(), found.frame.to_numpy())
    assert named.frame.iloc[:, -1].tolist() == ["red"] * 4 + ["blue"]


def test_uci_data_have_no_header_and_question_marks():
    found = table(b"5.1 3.5  ? red\n4.9 3.0 1.4 blue\n 4.7 3.2 1.3 red\n")
    assert list(found.frame.columns) == [f"column {k}" for k in (1, 2, 3, 4)]
    assert np.isnan(found.frame["column 3"][0])


def test_every_word_that_pandas_takes_for_missing_is_missing():
    from cvar_core.data.numbers import MISSING

    words = sorted(word for word in MISSING if word.strip())
    found = table(("n,t\n1,red\n" + "".join(f"{word},{word}\n" for word in words)).encode())
    assert found.frame["n"].isna().sum() == len(words)
    assert found.frame["t"].tolist() == ["red", *[None] * len(words)]
    assert any("is read as missing" in note and "'t'" in note for note in found.notes)


def test_windows_files_are_read_with_a_word_about_it():
    found = table("größe;name\n1,5;Müller\n2,5;Noël\n".encode("cp1252"))
    assert values(found) == {"größe": [1.5, 2.5], "name": ["Müller", "Noël"]}
    assert found.notes == ("the text is in Windows-1252", "numbers have a decimal comma")
    late = "a,b\n" + "1,x\n" * 400_000 + "2,é\n"
    assert table(late.encode("cp1252")).frame["b"].iloc[-1] == "é", "seen in a later block"


@pytest.mark.parametrize(
    ("written", "days"),
    [
        (("1970-01-02", "1970-01-03"), [1, 2]),
        (("1970/01/02", "1970/1/3"), [1, 2]),
        (("02.01.1970", "13.01.1970"), [1, 12]),
        (("02/01/1970", "13/01/1970"), [1, 12]),
        (("01/02/1970", "01/13/1970"), [1, 12]),
        (("1970-01-02T06:00:00Z", "1970-01-02 18:00"), [1.25, 1.75]),
        (("1970-01-02T06:00:00+06:00", "1970-01-02 00:00:00.5"), [1, 1 + 0.5 / 86_400]),
        (("1969-12-31", "1582-10-04"), [-1, (datetime.date(1582, 10, 4) - datetime.date(1970, 1, 1)).days]),
    ],
)
def test_dates_become_days_with_a_sentence(written, days):
    found = table(("when,y\n" + "".join(f"{each},1\n" for each in (*written, ""))).encode())
    assert found.frame["when"].tolist()[:2] == pytest.approx(days, abs=1e-9)
    assert found.dates == {"when"}
    assert "'when' holds dates" in found.notes[-1]


def test_a_wrong_date_is_a_fault_of_its_column():
    found = table(b"when,y\n2020-01-01,1\n2020-02-31,2\n2020-01-03,3\n")
    assert found.faults == {"when": "column 'when' of the file holds dates, but '2020-02-31' in row 2"}


def test_a_second_file_is_read_like_the_first():
    first = table(b"when;code;x;kind\n13.01.2020;a1;1,5;yes\n02.01.2020;7;2;no\n03.01.2020;b2;1;no\n")
    second = table(b"when;code;x;kind\n02.03.2020;8;1.500;1\n", like=first.form)
    assert second.frame["code"].tolist() == ["8"], "texts, although they look like numbers"
    assert second.frame["kind"].tolist() == ["1"]
    assert second.frame["x"].tolist() == [1500.0]
    march = (datetime.date(2020, 3, 2) - datetime.date(1970, 1, 1)).days
    assert second.frame["when"].tolist() == [march], "the first file says that the day comes first"
    odd = table(b"when;code;x;kind\n02.03.2020;8;much;no\n", like=first.form)
    assert "'x'" in odd.faults["x"]


def arrow(columns: pa.Table, packed: str) -> bytes:
    file = io.BytesIO()
    if packed == "parquet":
        parquet.write_table(columns, file)
    else:
        feather.write_feather(columns, file, compression=packed)
    return file.getvalue()


def typed() -> pa.Table:
    return pa.table(
        {
            "whole": pa.array([1, None, 3], pa.int8()),
            "real": [1.5, float("inf"), None],
            "text": ["x", None, "NA"],
            "coded": pa.array(["u", "v", "u"]).dictionary_encode(),
            "stamp": pa.array([0, 43_200_000, None], pa.timestamp("ms")),
            "zoned": pa.array([0, 86_400, None], pa.timestamp("s", tz="Europe/Rome")),
            "day": pa.array([1, None, 3], pa.date32()),
            "true": [True, None, False],
            "money": [decimal.Decimal("1.25"), None, decimal.Decimal("-3")],
            "list": [[1], None, [2, 3]],
            "none": pa.nulls(3),
            " spaced ": [1, 2, 3],
            "__index_level_0__": [0, 1, 2],
        }
    )


@pytest.mark.parametrize("packed", ["parquet", "zstd"])
def test_parquet_and_feather_become_numbers_and_texts(packed):
    found = table(arrow(typed(), packed))
    nan = float("nan")
    expected = {
        "whole": [1, nan, 3], "real": [1.5, nan, nan], "stamp": [0, 0.5, nan], "zoned": [0, 1, nan], "day": [1, nan, 3],
        "true": [1, nan, 0], "money": [1.25, nan, -3], "list": [nan] * 3, "none": [nan] * 3, "spaced": [1, 2, 3],
    }  # fmt: skip
    for name, column in expected.items():
        np.testing.assert_array_equal(found.frame[name], column, name)
    assert found.frame["text"].tolist() == ["x", None, None], "pandas' words win"
    assert found.frame["coded"].tolist() == ["u", "v", "u"]
    assert found.dates == {"stamp", "zoned", "day"}
    assert set(found.faults) == {"real", "list"}
    assert "index" in found.notes[0]


def test_a_table_of_text_follows_a_parquet_file():
    columns = {"code": ["a1", "2"], "day": pa.array([1, 2], pa.date32()), "y": [1.0, 2.0]}
    first = table(arrow(pa.table(columns), "parquet"))
    second = table(b"code;day;y\n1;1970-01-05;1,5\n", like=first.form)
    assert values(second) == {"code": ["1"], "day": [4.0], "y": [1.5]}
    third = table(arrow(pa.table(columns | {"code": [7, 8]}), "zstd"), like=first.form)
    assert third.frame["code"].tolist() == ["7", "8"], "texts, as in the first file"


def test_all_that_is_wrong_is_said_at_once():
    rows = "1,2,3\n" * 5
    with pytest.raises(DataError) as raised:
        table(f"a,b,c\n{rows}1,2\n1,inf,3\nx,2,y\n1,2,3,4\n".encode())
    assert raised.value.sentences == (
        "the file is not a table: row 7 has 2 fields, row 10 has 4 fields, but the first has 3",
        "column 'b' of the file has inf in row 7; every entry must be finite",
        "column 'a' of the file holds numbers, but 'x' in row 8",
        "column 'c' of the file holds numbers, but 'y' in row 8",
    )
    assert str(raised.value) == "; ".join(raised.value.sentences)
    many = "a,b,c,d,e,f,g\n" + "1,2,3,4,5,6,7\n" * 3 + "x,x,x,x,x,x,x\n"
    found = table(many.encode())
    with pytest.raises(DataError) as raised:
        found.check(found.frame.columns)
    assert len(raised.value.sentences) == 6
    assert raised.value.sentences[-1] == "… and 2 more"
    found.check([])


def test_names_are_trimmed_and_told_apart():
    assert csv_form.unique([" a ", "a", "", "b\n c"]) == ("a", "a.1", "Unnamed: 2", "b c")
    assert list(table(b" x , x,y \n1,2,3\n").frame.columns) == ["x", "x.1", "y"]


@pytest.mark.parametrize(
    ("stored", "words"),
    [
        (zipped(("a.csv", b"1,2\n"), ("b.csv", b"1,2\n")), "zip file of 2 files, but it must hold one"),
        (gzip.compress(gzip.compress(b"1,2\n")), "compressed more than once"),
        (zstandard(b"1,2\n" * 99)[:-5], "damaged"),
        (b"PAR1" + bytes(100) + b"PAR1", "is damaged"),
        (b"FEA1" + bytes(100), "first version of Feather"),
        (b"ARROW1\x00\x00" + bytes(50), "is damaged"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_what_is_no_table_gets_a_sentence(stored, words):
    with pytest.raises(DataError, match=words):
        table(stored)
