"""Read thousands of mangled files: ``python -m tools.fuzz_files --count 10000``, from the project's folder.

Valid files of every format, plain and packed, are cut, flipped, spliced and edited. Whatever comes of it is read, or
refused in one line; anything else is a fault. Memory and time are those of this process and of its children.
"""

from __future__ import annotations

import argparse
import bz2
import contextlib
import gzip
import io
import lzma
import random
import struct
import sys
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import feather, parquet
from scipy.sparse import csr_array, save_npz

from cvar_core.data import DataError, Limits, load

LIMITS = Limits(file=2**20, content=2**23, cells=2_000_000)  # small, so that what is unbounded shows
_AWKWARD = (
    b"", b"\x00", b"\xff\xff\xff\xff", b"\n", b"\r", b"\r\n", b",", b";", b"\t", b'"', b'""', b":", b"#", b"?", b" ",
    b"nan", b"inf", b"-1e999", b"1e308", b"9" * 400, b"0" * 5_000 + b"1:", b"\xef\xbb\xbf", b"\xff\xfe", b"\xe9",
    b"99999999999:1", b"1:1", b"(" * 500, b"'descr': ()", b"'|O'", b"(10000000000,)", b"PK\x03\x04", b"PK\x05\x06",
    b"PAR1", b"ARROW1", b"\x1f\x8b", b"31.12.2020", b"2020-02-31", b"1.234,5", b"NA", b"\xf0\x9f\x98\x80",
)  # fmt: skip


@dataclass
class Story:
    """What came of the files."""

    outcomes: Counter[str] = field(default_factory=Counter)  # by format: read, or refused
    faults: list[str] = field(default_factory=list)
    longest: float = 0.0  # seconds
    sentences: set[str] = field(default_factory=set)


def valid() -> dict[str, bytes]:
    """Return small files, one of each kind."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(30, 4)).round(3)
    lines = [
        ",".join(map(str, row)) + f",{'red' if k % 2 else 'blue'},2020-01-{k % 28 + 1:02}" for k, row in enumerate(rows)
    ]
    csv = ("a,b,c,y,colour,when\n" + "\n".join(lines) + "\n").encode()
    european = csv.replace(b",", b";").replace(b".", b",")
    svmlight = b"".join(b"%d %d:%g %d:%g\n" % (k % 2, 1 + k % 5, k / 7, 7 + k % 9, 1.5) for k in range(40))
    table = pa.table(
        {"a": rows[:, 0], "b": pa.array(range(30), pa.int32()), "c": ["x", None, "z"] * 10,
         "t": pa.array(range(30), pa.timestamp("s")), "d": pa.array(["u", "v", "w"] * 10).dictionary_encode()}
    )  # fmt: skip
    dense, sparse = io.BytesIO(), io.BytesIO()
    np.savez(dense, X=rows, y=rows[:, 0])
    save_npz(sparse, csr_array(rows.round(0)))
    sparse.seek(0)
    with np.load(sparse) as parts:
        both = dict(parts)
    sparse = io.BytesIO()
    np.savez_compressed(sparse, y=rows[:, 0], **both)
    columns, arrow, plain_arrow = io.BytesIO(), io.BytesIO(), io.BytesIO()
    parquet.write_table(table, columns)
    feather.write_feather(table, arrow)
    feather.write_feather(table, plain_arrow, compression="uncompressed")
    return {
        "csv": csv, "european": european.decode().replace("red", "grün").encode("cp1252"),
        "utf-16": csv.decode().encode("utf-16"), "data": csv.replace(b",", b" "), "svmlight": svmlight,
        "quoted": csv.replace(b"red", b'"re\n""d"'), "npz": dense.getvalue(), "sparse": sparse.getvalue(),
        "parquet": columns.getvalue(), "feather": arrow.getvalue(), "arrow": plain_arrow.getvalue(),
    }  # fmt: skip


def _zipped(content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("data.txt", content)
    return file.getvalue()


def _zstandard(content: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(content, asbytes=True))


_PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda content: gzip.compress(content, mtime=0), "bz2": bz2.compress, "xz": lzma.compress,
    "zst": _zstandard, "zip": _zipped,
}  # fmt: skip
_ARROW = ("parquet", "feather", "arrow")


def case(rng: random.Random, files: dict[str, bytes], arrow: float) -> tuple[str, bytes]:
    """Return a mangled file and its format; every Parquet and Feather file takes a child process."""
    in_child = rng.random() < arrow
    name = rng.choice([each for each in files if (each in _ARROW) == in_child])
    content = files[name]
    packing = rng.choice([*_PACKED, None, None, None]) if name not in _ARROW else rng.choice(["gz", *[None] * 9])
    if packing is None or rng.random() < 0.5:
        content = _mangled(rng, content, files)
    if packing is not None:
        content = _PACKED[packing](content)
        name = f"{name}.{packing}"
        if rng.random() < 0.5:
            content = _mangled(rng, content, files)
    return name, content


def _mangled(rng: random.Random, content: bytes, files: dict[str, bytes]) -> bytes:
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        first, last = sorted(rng.randint(0, len(content)) for _ in range(2))
        last = min(last, first + rng.choice((1, 4, 64, 10**6)))
        near = rng.choice((0, 0, max(len(content) - 40, 0), rng.randint(0, max(len(content) - 1, 0))))
        kind = rng.randrange(9)
        if kind == 0 and content:  # flip a bit
            at = rng.randrange(len(content))
            content = content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]
        elif kind == 1:
            content = content[:last]
        elif kind == 2:
            content = content[:first] + content[last:]
        elif kind == 3:
            content = content[:last] + content[first:last] * rng.choice((1, 2, 50)) + content[last:]
        elif kind == 4:
            content = content[:first] + rng.choice(_AWKWARD) + content[last:]
        elif kind == 5:  # a number in a header
            word = struct.pack(rng.choice(("<I", ">I", "<Q", "<H")), rng.choice((0, 1, 2**15, 2**16 - 1)))
            content = content[:near] + word + content[near + len(word) :]
        elif kind == 6:
            other = files[rng.choice(list(files))]
            content = content[:first] + other[rng.randint(0, len(other)) :]
        elif kind == 7:
            content = content[:near] + rng.choice(_AWKWARD) + content[near:]
        else:
            content = content[:first] + bytes(rng.randrange(256) for _ in range(min(last - first, 32))) + content[last:]
    return content


def fuzz(count: int, seed: int, arrow: float) -> Story:
    """Read so many mangled files, a share ``arrow`` of them in Parquet and Feather, and return what happened."""
    rng, story, files = random.Random(seed), Story(), valid()
    for number in range(count):
        name, content = case(rng, files, arrow)
        begun = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # a warning would be seen in the terminal
                load(io.BytesIO(content), limits=LIMITS)
            story.outcomes[f"{name.partition('.')[0]} read"] += 1
        except DataError as wrong:
            story.outcomes[f"{name.partition('.')[0]} refused"] += 1
            story.sentences.add(str(wrong))
            if "\n" in str(wrong) or not str(wrong).isprintable():
                story.faults.append(f"{number} {name}: not a line: {wrong!r}")
        except Exception:
            story.faults.append(f"{number} {name}: {traceback.format_exc()[-600:]}")
        story.longest = max(story.longest, time.perf_counter() - begun)
    return story


def _peak() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 2**10


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz_files", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--arrow", type=float, default=0.05, help="the share of Parquet and Feather files")
    asked = parser.parse_args()
    fuzz(50, -1, 0.1)  # what is imported is not what files take
    before, begun = _peak(), time.perf_counter()
    with contextlib.redirect_stderr(io.StringIO()) as terminal:
        story = fuzz(asked.count, asked.seed, asked.arrow)
    for outcome, number in sorted(story.outcomes.items()):
        print(f"{outcome:20}{number:6}")
    took = f"{time.perf_counter() - begun:.0f} s, the longest {story.longest:.2f} s"
    print(f"{asked.count:,} files in {took}; {_peak() - before:.0f} MB above what was there")
    if terminal.getvalue():
        story.faults.append(f"the terminal shows {terminal.getvalue()[:300]}")
    for fault in story.faults:
        print(fault)
    sys.exit(f"{len(story.faults)} faults" if story.faults else 0)


if __name__ == "__main__":
    main()
