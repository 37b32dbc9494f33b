"""Files that were made to harm, and large ones that were not: each a function that returns its bytes."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator

import numpy as np

_MEGABYTE = 2**20
_NPY = np.lib.format

made: dict[str, Callable[[], bytes]] = {}


def _file(make: Callable[[], bytes]) -> Callable[[], bytes]:
    made[str(make.__doc__).strip().rstrip(".")] = make
    return make


def _gzipped(pieces: Iterator[bytes]) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    return b"".join([*(packer.compress(piece) for piece in pieces), packer.flush()])


def _padded(piece: bytes, megabytes: int, each: bytes) -> bytes:
    """Return so much text in a small file, of which a part cannot be packed: no ratio gives it away."""
    rng = np.random.default_rng(0)
    digits = bytes(rng.integers(ord("1"), ord("9") + 1, 80_000, dtype=np.uint8))
    odd = b"".join(each % (digits[k : k + 1], digits[k + 1 : k + 2]) for k in range(0, len(digits), 2))
    block = _gzipped(iter([odd, piece * (8 * _MEGABYTE // len(piece))]))
    return block * (megabytes // 8)


@_file
def wide_packed() -> bytes:
    """33.5 million columns in 65 kB."""
    return _gzipped(iter([b"1," * 2**25]))


@_file
def wide() -> bytes:
    """a million columns in 2 MB."""
    return b"1," * 10**6 + b"1\n"


@_file
def narrow() -> bytes:
    """130 million short rows in 6 MB."""
    return _padded(b"1,2\n", 504, b"%s,%s\n")


@_file
def thin() -> bytes:
    """250 million rows of one column."""
    return _gzipped(b"1\n" * 2**22 for _ in range(60))


@_file
def open_quote() -> bytes:
    """a quote that is never closed."""
    return b'a,b\n1,"2\n' + b"3,4\n" * (15 * _MEGABYTE)


@_file
def long_line() -> bytes:
    """a line of 100 MB."""
    return _gzipped(np.random.default_rng(k).integers(48, 58, _MEGABYTE, dtype=np.uint8).tobytes() for k in range(100))


@_file
def texts() -> bytes:
    """60 million different texts."""

    def pieces() -> Iterator[bytes]:
        for begin in range(0, 30_000_000, 500_000):
            numbers = np.arange(begin, begin + 500_000)
            letters = np.empty((len(numbers), 16), np.uint8)
            for k in range(7):
                letters[:, k] = letters[:, 8 + k] = ord("a") + numbers // 12**k % 12
            letters[:, 0] = ord("z")
            letters[:, 7], letters[:, 15] = ord(","), ord("\n")
            yield letters.tobytes()

    return _gzipped(pieces())


@_file
def zeros() -> bytes:
    """60 MB of zero bytes."""
    return bytes(60 * _MEGABYTE)


@_file
def svmlight_rows() -> bytes:
    """LIBSVM, 80 million short rows."""
    return _padded(b"1 1:1\n", 504, b"%s 1:%s\n")


@_file
def svmlight_line() -> bytes:
    """LIBSVM, a line of 100 MB."""
    return _gzipped(iter([b"1 1:1\n1 ", *(b"%d:1 " % k for k in range(9_500_000))]))


@_file
def svmlight_index() -> bytes:
    """LIBSVM, an index of 5,000 digits."""
    return b"1 1:1\n1 " + b"0" * 5_000 + b"7:1\n1 " + b"9" * 5_000 + b":1\n" + b"9" * 5_000 + b" 1:1\n"


def _zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return file.getvalue()


def _array(descr: str, shape: str, content: bytes = b"") -> bytes:
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode("latin1")
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content


@_file
def npz_lzma() -> bytes:
    """npz, packed with LZMA, damaged."""
    stored = _zipped({"X.npy": _array("'<f8'", "(2, 2)", bytes(32)), "y.npy": b""}, zipfile.ZIP_LZMA)
    return stored.replace(stored[60:70], b"\xff" * 10)


@_file
def npz_descr() -> bytes:
    """npz, an array of no type."""
    return _zipped({"X.npy": _array("()", "(2, 2)"), "y.npy": _array("()", "(2,)")})


@_file
def npz_nested() -> bytes:
    """npz, a header of nested brackets."""
    return _zipped({"X.npy": _array("(" * 3_000 + ")" * 3_000, "(2, 2)"), "y.npy": _array("'<f8'", "(2,)")})


@_file
def npz_format() -> bytes:
    """npz, a format that is not ASCII."""
    parts = {name: np.ones(1, np.int64) for name in ("data", "indices", "indptr", "shape", "y")}
    file = io.BytesIO()
    np.savez(file, format=np.array("çsr".encode("latin1")), **parts)
    return file.getvalue()


@_file
def npz_shape() -> bytes:
    """npz, claims of 10¹⁸ numbers."""
    return _zipped({"X.npy": _array("'<f8'", "(1000000000, 1000000000)"), "y.npy": _array("'<f8'", "(-1,)")})


@_file
def npz_bytes() -> bytes:
    """npz, 490 million small integers."""
    return _zipped(
        {"X.npy": _array("'|i1'", f"({490 * 10**4}, 100)", bytes(490 * 10**6)), "y.npy": _array("'<f8'", "(1,)")}
    )


@_file
def zip_directory() -> bytes:
    """zip, a million names."""
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65535, 65535, 60 * 10**6, 0, 0)
    return b"PK\x03\x04" + bytes(60 * 10**6 - 4) + end


@_file
def zip_bzip2() -> bytes:
    """zip, 200 MB in 400 bytes, packed with bzip2."""
    return _zipped({"a.csv": bytes(200 * _MEGABYTE)}, zipfile.ZIP_BZIP2)


@_file
def xz_dictionary() -> bytes:
    """xz, a dictionary of 1.5 GB."""
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1536 * _MEGABYTE - 1, "preset": 0}]
    try:
        return lzma.compress(b"1,2\n" * 2**22, filters=filters)
    except MemoryError:
        return lzma.compress(b"1,2\n" * 2**22)


def _parquet(columns: dict[str, object], **options: object) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file, **options)
    return file.getvalue()


@_file
def parquet_rows() -> bytes:
    """Parquet, 200 million rows in a few kB."""
    return _parquet({name: np.zeros(10**8) for name in "ab"}, compression="zstd")


@_file
def parquet_page() -> bytes:
    """Parquet, a page of 1.5 GB."""
    import pyarrow as pa

    long = pa.array([b"x" * (50 * _MEGABYTE)] * 30, pa.binary()).cast(pa.large_string())
    return _parquet(
        {"a": long, "b": np.zeros(30)}, compression="zstd", use_dictionary=False, data_page_size=2**31 - 1,
        write_statistics=False,
    )  # fmt: skip


@_file
def feather_bomb() -> bytes:
    """Feather, 1.2 GB in a few kB."""
    import pyarrow as pa
    from pyarrow import feather

    file = io.BytesIO()
    feather.write_feather(pa.table({name: np.zeros(75 * 10**6) for name in "ab"}), file, compression="zstd")
    return file.getvalue()


@_file
def good() -> bytes:
    """a good file of 48 million numbers."""
    rows = np.random.default_rng(0).integers(0, 10, (2**16, 24))
    block = "\n".join(",".join(map(str, row)) for row in rows.tolist()).encode() + b"\n"
    return _gzipped(block for _ in range(30))
