"""Files that were made to harm: each gets a sentence, and takes little; ``tools.hostile_files`` has the heavy ones."""

import gzip
import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from cvar_core.data import DataError, Limits, arrow_file, load
from cvar_core.data.one_at_a_time import in_turn
from tools.fuzz_files import fuzz
from tools.hostile import made

LIMITS = Limits(file=2**26, content=2**29, cells=50_000_000)  # as a server has them
SMALL = {  # which take neither long to make nor to read, and what is said of them
    "33.5 million columns in 65 kB": "has a line of more than 16.0 MB",
    "a million columns in 2 MB": "has 1,000,001 columns, but the limit is 60,000 in a table",
    "60 MB of zero bytes": "zero bytes",
    "LIBSVM, an index of 5,000 digits": "has an index of 5,000 digits, but the largest allowed is 10,000,000; line 4",
    "npz, packed with LZMA, damaged": "not packed in the usual way",
    "npz, an array of no type": "an archive, but damaged",
    "npz, a header of nested brackets": "an archive, but damaged",
    "npz, a format that is not ASCII": "not in CSR format",
    "npz, claims of 10¹⁸ numbers": "an archive, but damaged",
    "zip, a million names": "an archive, but damaged",
    "zip, 200 MB in 400 bytes, packed with bzip2": "not packed in the usual way",
}


@pytest.mark.parametrize("name", SMALL)
def test_a_hostile_file_gets_its_sentence(name, capfd):
    stored = made[name]()
    with pytest.raises(DataError) as raised:
        load(io.BytesIO(stored), limits=LIMITS)
    assert SMALL[name] in str(raised.value)
    assert "\n" not in str(raised.value)
    assert capfd.readouterr().err == ""


IN_A_CHILD = """
import io, resource
from pathlib import Path
import numpy, pandas
from cvar_core.data import DataError, Limits, load
there = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (there + 320 * 2**20,) * 2)
for first, row, count in (("", "1,2", 2**24), ('a,b\\n1,"2\\n', "3,4", 2**22), ("a,b\\n1,2\\n", "1", 2**22)):
    try:
        stored = io.BytesIO(first.encode() + (row.encode() + b"\\n") * count)
        load(stored, limits=Limits(file=2**26, content=2**29, cells=4_000_000))
    except DataError as wrong:
        print(wrong)
"""


def test_reading_is_bounded_while_it_happens():
    """Of 64 MB of text a table of 0.5 GB would be made, if it were read before it is refused."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", IN_A_CHILD], capture_output=True, text=True, cwd=Path(__file__).parents[2],
        env=environment, check=False,
    )  # fmt: skip
    assert ran.stderr == ""
    narrow, quote, uneven = ran.stdout.splitlines()
    assert "rows × 2 columns or more, but the limit is 4,000,000 cells" in narrow
    assert "never closed" in quote
    assert "(and at least 997 more rows), but the first has 2" in uneven


def test_rows_columns_and_texts_are_bounded():
    few = Limits(cells=1_000)
    for stored, words in (
        (b"1,2\n" * 600, "has 600 rows × 2 columns or more, but the limit is 1,000 cells"),
        (b"1 1:1\n" * 600, "600 rows and 600 values or more, but the limit is 1,000 values"),
        (b"\n".join(b"a%d,1" % k for k in range(400)), "more than 3.9 kB of different texts"),
    ):
        with pytest.raises(DataError) as raised:
            load(io.BytesIO(stored), limits=few)
        assert words in str(raised.value)
    with pytest.raises(DataError, match="has 5 columns, but the limit is 4 in a table"):
        load(io.BytesIO(b"1,2,3,4,5\n"), limits=Limits(table_columns=4))
    file = io.BytesIO()
    np.savez(file, X=np.zeros((40, 30), np.int8), y=np.zeros(40))
    file.seek(0)
    with pytest.raises(DataError, match="'X' in the file has 1,200 entries, but the limit is 1,000 numbers"):
        load(file, limits=few)


@pytest.mark.parametrize("packed", ["parquet", "feather"])
def test_parquet_and_feather_are_bounded(packed, tmp_path):
    import pyarrow as pa
    from pyarrow import feather, parquet

    rows = pa.table({name: np.zeros(10**6) for name in "ab"})
    if packed == "parquet":
        parquet.write_table(rows, tmp_path / "rows")
    else:
        feather.write_feather(rows, tmp_path / "rows")
    with pytest.raises(DataError, match="but the limit is 1,000,000 cells"):
        load(tmp_path / "rows", limits=Limits(cells=10**6))


def test_what_takes_too_much_memory_to_unpack_gets_a_sentence(monkeypatch):
    """The metadata of this file are within the limits; what it unpacks to is the child's to run into."""
    import pyarrow as pa
    from pyarrow import feather

    file = io.BytesIO()
    feather.write_feather(pa.table({"a": ["x" * (64 * 2**20), "y"], "b": [1.0, 2.0]}), file, compression="zstd")
    assert len(file.getvalue()) < 2**17
    monkeypatch.setattr(arrow_file, "_MEMORY", 48 * 2**20)
    with pytest.raises(DataError, match="needs more memory"):
        load(io.BytesIO(file.getvalue()), limits=LIMITS)


def test_large_files_are_read_one_at_a_time_and_small_ones_beside_them():
    begun, go_on, order = threading.Event(), threading.Event(), []

    @in_turn
    def read(source, name):
        order.append(f"{name} begins")
        if name == "large":
            begun.set()
            go_on.wait(10)
        order.append(f"{name} ends")

    large = gzip.compress(b"1,2\n")
    threads = [threading.Thread(target=read, args=(io.BytesIO(large), "large"))]
    threads[0].start()
    assert begun.wait(10)
    threads.append(threading.Thread(target=read, args=(io.BytesIO(large), "second")))
    threads[1].start()
    read(io.BytesIO(b"1,2\n"), "small")
    assert order == ["large begins", "small begins", "small ends"]
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert order[3:] == ["large ends", "second begins", "second ends"]


def test_what_was_read_is_let_go_with_the_fault():
    import gc
    import weakref

    class Rows:
        pass

    @in_turn
    def read(source):
        rows = Rows()
        kept.append(weakref.ref(rows))
        try:
            raise ValueError
        except ValueError:
            raise DataError("is damaged") from None

    kept: list = []
    gc.disable()
    try:
        with pytest.raises(DataError) as raised:
            read(io.BytesIO(b""))
        assert raised.value.sentences == ("is damaged",)
        assert kept[0]() is None, "though somebody holds the fault"
    finally:
        gc.enable()


def test_mangled_files_are_read_or_refused_in_a_line():
    story = fuzz(300, seed=20, arrow=0.005)
    assert not story.faults, story.faults[0]
    assert len(story.sentences) > 60, "many ways to be wrong were tried"
