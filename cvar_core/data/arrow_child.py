"""Reads a Parquet or Feather file in a process of its own, which has little memory and may fail as it likes.

Run as a script, away from the package: it gets the file on its standard input, and writes a line of JSON that describes
the columns, then for every batch of rows a line with its size and its different texts, its numbers, and its codes.
Whatever is wrong is a line with a "fault".
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

_CELLS = 2**18  # of a batch
_MICROSECONDS = 86_400_000_000  # of a day
NUMBER, TEXT, DATE, NONE = "number", "text", "date", "none"


class Fault(Exception):
    """What is wrong, in words that go on after the file's name."""


def main() -> None:
    asked = json.loads(sys.argv[1])
    stored, out = sys.stdin.buffer.read(), sys.stdout.buffer
    import pyarrow as pa
    import pyarrow.compute
    import pyarrow.parquet

    _bound_memory(asked["memory"])
    try:
        _write(pa, stored, asked, out)
    except Fault as wrong:
        _say(out, {"fault": str(wrong)})
    except (MemoryError, pa.ArrowMemoryError):
        _say(out, {"fault": "needs more memory to be read than a file may"})
    except Exception:  # a damaged file makes the library raise whatever there is
        _say(out, {"fault": "is damaged: it cannot be read"})
    out.flush()


def _bound_memory(more: int) -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):  # where there are no such limits, the metadata's hold
        import resource

        there = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (there + more, there + more))


def _say(out: BinaryIO, words: dict[str, Any]) -> None:
    out.write(json.dumps(words).encode() + b"\n")


def _write(pa: Any, stored: bytes, asked: dict[str, int], out: BinaryIO) -> None:
    schema, batches = (_parquet if stored.startswith(b"PAR1") else _feather)(pa, stored, asked)
    if len(schema.names) > asked["columns"]:
        raise Fault(f"has {len(schema.names):,} columns, but the limit is {asked['columns']:,} in a table")
    kinds = [_kind(pa, field.type) for field in schema]
    _say(out, {"names": schema.names, "kinds": kinds, "types": [str(field.type)[:60] for field in schema]})
    rows = 0
    for batch in batches:
        rows += batch.num_rows
        if rows * len(kinds) > asked["cells"]:
            raise Fault(
                f"has {rows:,} rows × {len(kinds):,} columns or more, but the limit is {asked['cells']:,} cells"
            )
        step = max(_CELLS // max(len(kinds), 1), 1)
        for begin in range(0, batch.num_rows, step):
            _write_rows(pa, batch.slice(begin, step), kinds, out)
    _say(out, {"rows": 0})


def _parquet(pa: Any, stored: bytes, asked: dict[str, int]) -> tuple[Any, Iterator[Any]]:
    """Return the columns, and the rows in batches, after the file's own words on its size were believed or not."""
    file = pa.parquet.ParquetFile(pa.BufferReader(stored), memory_map=False, pre_buffer=False)
    said, width = file.metadata, max(len(file.schema_arrow), 1)
    if not 0 <= said.num_rows * width <= asked["cells"]:
        raise Fault(f"has {said.num_rows:,} rows × {width:,} columns, but the limit is {asked['cells']:,} cells")
    unpacked = sum(said.row_group(k).total_byte_size for k in range(said.num_row_groups))
    if unpacked > asked["content"]:
        raise Fault(f"unpacks to {unpacked / 2**20:,.0f} MB, which is more than a file of its size may")
    texts = [field.name for field in file.schema_arrow if _kind(pa, field.type) == TEXT]
    file = pa.parquet.ParquetFile(pa.BufferReader(stored), read_dictionary=texts, memory_map=False, pre_buffer=False)
    return file.schema_arrow, file.iter_batches(batch_size=max(_CELLS // width, 1), use_threads=False)


def _feather(pa: Any, stored: bytes, asked: dict[str, int]) -> tuple[Any, Iterator[Any]]:
    if stored.startswith(b"FEA1"):
        raise Fault("is in the first version of Feather; save it again")
    file = pa.ipc.open_file(pa.BufferReader(stored), options=pa.ipc.IpcReadOptions(use_threads=False))

    def batches() -> Iterator[Any]:
        for k in range(file.num_record_batches):
            batch = file.get_batch(k)
            batch.validate(full=True)  # offsets that point anywhere
            yield batch

    return file.schema, batches()


def _kind(pa: Any, kind: Any) -> str:
    """Say what a column becomes."""
    types = pa.types
    if types.is_dictionary(kind):
        return _kind(pa, kind.value_type) if not types.is_dictionary(kind.value_type) else NONE
    if types.is_date(kind) or types.is_timestamp(kind):
        return DATE
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return TEXT
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_null(kind):
        return NUMBER
    return NUMBER if types.is_decimal(kind) or types.is_time(kind) or types.is_duration(kind) else NONE


def _write_rows(pa: Any, batch: Any, kinds: list[str], out: BinaryIO) -> None:
    import numpy as np

    numbers, codes, texts = [], [], []
    for column, kind in zip(batch.columns, kinds, strict=True):
        if kind == TEXT:
            found = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
            used = found.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
            places, compact = np.unique(used, return_inverse=True)  # a dictionary may hold far more than is used
            words = found.dictionary.take(pa.array(places[places >= 0])).cast(pa.string()).to_pylist()
            missing = int(len(places) > 0 and places[0] < 0)
            # A null within a dictionary is missing, too.
            names = {k: word for k, word in enumerate(words) if word is not None}
            renumbered = np.full(len(places), -1, np.int32)
            for new, old in enumerate(names):
                renumbered[old + missing] = new
            codes.append(renumbered[compact])
            texts.append(list(names.values()))
        elif kind != NONE:
            numbers.append(_numbers(pa, column, kind))
    _say(out, {"rows": batch.num_rows, "texts": texts})
    out.write(np.stack(numbers).astype("<f8").tobytes() if numbers else b"")
    out.write(np.stack(codes).astype("<i4").tobytes() if codes else b"")


def _numbers(pa: Any, column: Any, kind: str) -> Any:
    """Return a column as floats, NaN where it has nothing."""
    types, compute = pa.types, pa.compute
    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if kind == DATE:
        column = column.cast(pa.timestamp("us"), safe=False) if not types.is_timestamp(column.type) else column
        column = compute.cast(column, pa.timestamp("us", tz=column.type.tz), safe=False)
        column = compute.divide(column.cast(pa.int64()).cast(pa.float64(), safe=False), float(_MICROSECONDS))
    elif types.is_time(column.type):
        unit = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[column.type.unit]
        narrow = pa.int32() if types.is_time32(column.type) else pa.int64()
        column = compute.divide(column.cast(narrow).cast(pa.float64(), safe=False), unit)
    elif types.is_duration(column.type):
        unit = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[column.type.unit]
        column = compute.divide(column.cast(pa.int64()).cast(pa.float64(), safe=False), unit)
    elif types.is_boolean(column.type) or types.is_float16(column.type):
        column = column.cast(pa.uint8() if types.is_boolean(column.type) else pa.float32())
    return column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)


if __name__ == "__main__":
    main()
