"""The bytes of a file, decompressed within bounds."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple

from .bounds import DataError, Limits, size

Source = str | os.PathLike[str] | BinaryIO

# What the bytes say counts; a name may be anything.
_OPENERS: dict[bytes, Any] = {
    b"\x1f\x8b": partial(gzip.GzipFile, None, "rb", 9),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}
_PIECE = 2**20


class Content(NamedTuple):
    """A file's name, for messages, and what is in it."""

    name: str
    data: bytes

    @property
    def archive(self) -> bool:
        return self.data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def read(source: Source, limits: Limits) -> Content:
    """Read a path or an open binary file, decompressing it if it is compressed."""
    if isinstance(source, str | os.PathLike):
        name = Path(source).name
        try:
            with Path(source).open("rb") as file:
                stored = _bounded(file, limits.file, lambda: _too_large(name, limits))
        except OSError as problem:
            raise DataError(f"cannot read {os.fspath(source)}: {problem.strerror or problem}") from None
        except ValueError:  # a null character in a path
            raise DataError(f"cannot read {os.fspath(source)!r}: it is no file name") from None
    else:
        name = Path(str(getattr(source, "name", "the file"))).name
        stored = _bounded(source, limits.file, lambda: _too_large(name, limits))
    if not stored:
        raise DataError(f"{name} is empty")
    return Content(name, _decompressed(name, stored, limits))


def _decompressed(name: str, stored: bytes, limits: Limits) -> bytes:
    opener = next((opener for magic, opener in _OPENERS.items() if stored.startswith(magic)), None)
    if opener is None:
        return stored
    most = limits.content_of(len(stored))

    def bomb() -> DataError:
        what = f"{name} holds {size(len(stored))} but unpacks to more than {size(most)}"
        return DataError(f"{what}, which is the limit for a file of its size")

    try:
        with opener(io.BytesIO(stored)) as file:
            content = _bounded(file, most, bomb)
    except (OSError, EOFError, lzma.LZMAError, zlib.error, ValueError) as problem:
        if isinstance(problem, DataError):
            raise
        raise DataError(f"{name} is compressed, but damaged: it cannot be unpacked") from None
    if not content:
        raise DataError(f"{name} is empty once unpacked")
    return content


def _bounded(file: IO[bytes], most: int, fault: Callable[[], DataError]) -> bytes:
    pieces, total = [], 0
    while piece := file.read(_PIECE):
        pieces.append(piece)
        total += len(piece)
        if total > most:
            raise fault()
    return b"".join(pieces)


def _too_large(name: str, limits: Limits) -> DataError:
    return DataError(f"{name} is larger than {size(limits.file)}, which is the limit")
