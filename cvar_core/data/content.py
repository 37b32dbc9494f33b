"""The bytes of a file, as a stream that is decompressed within bounds."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any, BinaryIO, Protocol, cast

from ..keeping import once
from .bounds import DataError, Limits, size

Source = str | os.PathLike[str] | BinaryIO

PIECE = 2**20  # bytes to ask a stream for at a time
HEAD = 2**16
_LARGEST_DIRECTORY = 2**22  # bytes, of a zip file
_DAMAGE = Exception  # a damaged file makes what unpacks it raise whatever there is


class Stream(Protocol):
    """Bytes to be read once, from the first to the last."""

    def read(self, count: int, /) -> bytes: ...
    def close(self) -> None: ...


class Content:
    """What is in a file, whether it is compressed or not. It can be read any number of times."""

    def __init__(self, name: str, stored: int, opened: Callable[[], BinaryIO], limits: Limits) -> None:
        self.name = name  # for messages
        self._stored, self._opened, self._most = stored, opened, limits.content_of(stored)
        with opened() as file:
            self._unpacker = _unpacker(name, file)

    def open(self) -> Bounded:
        """Return a stream that never gives more than may be in a file of this size."""
        file = self._opened()
        if self._unpacker is None:
            return Bounded(file, self._stored, self._grown)
        try:
            return Bounded(self._unpacker(file), self._most, self._bomb, self._damaged, file)
        except _DAMAGE as problem:
            file.close()
            raise self._damaged(problem) from None

    @once
    def head(self) -> bytes:
        """The first bytes, enough to tell what this is."""
        with self.open() as file:
            head = file.fill(HEAD)
        if not head:
            raise DataError(f"{self.name} is empty once unpacked")
        if self._unpacker is not None and _magic(head) is not None:
            raise DataError(f"{self.name} is compressed more than once; unpack it")
        return head

    @once
    def data(self) -> bytes:
        """All of it, for formats that have to be read from their end."""
        with self.open() as file:
            return file.fill(None)

    @property
    def archive(self) -> bool:
        return self.head.startswith((b"PK\x03\x04", b"PK\x05\x06"))

    def _bomb(self) -> DataError:
        what = f"{self.name} holds {size(self._stored)} but unpacks to more than {size(self._most)}"
        return DataError(f"{what}, which is the limit for a file of its size")

    def _grown(self) -> DataError:
        return DataError(f"{self.name} grows while it is read")

    def _damaged(self, problem: BaseException) -> DataError:
        if isinstance(problem, RuntimeError) and "password" in str(problem):
            return DataError(f"{self.name} is encrypted; unpack it")
        return DataError(f"{self.name} is compressed, but damaged: it cannot be unpacked")


class Bounded:
    """A stream that gives so many bytes and no more."""

    def __init__(
        self,
        file: Stream,
        most: int,
        too_much: Callable[[], DataError],
        damaged: Callable[[BaseException], DataError] | None = None,
        beneath: BinaryIO | None = None,  # to be closed with it
    ) -> None:
        self._file, self._left, self._too_much, self._damaged = file, most, too_much, damaged
        self._beneath = beneath

    def read(self, count: int = PIECE) -> bytes:
        try:
            piece = self._file.read(min(count, PIECE))
        except _DAMAGE as problem:
            if self._damaged is None:
                raise DataError(f"the file cannot be read any further: {problem}") from None
            raise self._damaged(problem) from None
        self._left -= len(piece)
        if self._left < 0:
            raise self._too_much()
        return piece

    def fill(self, count: int | None) -> bytes:
        """Read so many bytes, or all, unless there are fewer."""
        pieces, total = [], 0
        while (count is None or total < count) and (piece := self.read(PIECE if count is None else count - total)):
            pieces.append(piece)
            total += len(piece)
        return b"".join(pieces)

    def __enter__(self) -> Bounded:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        if self._beneath is not None:
            self._beneath.close()


def read(source: Source, limits: Limits) -> Content:
    """Take up a path or an open binary file."""
    if isinstance(source, str | os.PathLike):
        name = Path(source).name
        try:
            found = Path(source).stat()
            if not stat.S_ISREG(found.st_mode):  # a pipe can be read once
                with Path(source).open("rb") as file:
                    return _held(name, _all(name, file, limits), limits)
            with Path(source).open("rb"):
                pass
        except OSError as problem:
            raise DataError(f"cannot read {os.fspath(source)}: {problem.strerror or problem}") from None
        except ValueError:  # a null character in a path
            raise DataError(f"cannot read {os.fspath(source)!r}: it is no file name") from None
        return _content(name, found.st_size, lambda: cast(BinaryIO, Path(source).open("rb")), limits)
    name = Path(str(getattr(source, "name", "the file"))).name
    if isinstance(source, io.BytesIO) and not source.tell():
        return _held(name, source.getvalue(), limits)  # which copies nothing
    return _held(name, _all(name, source, limits), limits)


def _held(name: str, stored: bytes, limits: Limits) -> Content:
    return _content(name, len(stored), lambda: io.BytesIO(stored), limits)


def _content(name: str, stored: int, opened: Callable[[], BinaryIO], limits: Limits) -> Content:
    if stored > limits.file:
        raise _too_large(name, limits)
    if not stored:
        raise DataError(f"{name} is empty")
    return Content(name, stored, opened, limits)


def _all(name: str, file: IO[bytes], limits: Limits) -> bytes:
    return Bounded(file, limits.file, lambda: _too_large(name, limits)).fill(None)


def _too_large(name: str, limits: Limits) -> DataError:
    return DataError(f"{name} is larger than {size(limits.file)}, which is the limit")


def _zstandard(file: BinaryIO) -> Stream:
    import pyarrow as pa

    return cast(Stream, pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd"))


# What the bytes say counts; a name may be anything.
_UNPACKERS: dict[bytes, Callable[[BinaryIO], Stream]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(None, "rb", 9, file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": _zstandard,
}
COMPRESSED = tuple(_UNPACKERS)


def _magic(head: bytes) -> bytes | None:
    return next((magic for magic in _UNPACKERS if head.startswith(magic)), None)


def _unpacker(name: str, file: BinaryIO) -> Callable[[BinaryIO], Stream] | None:
    head = file.read(6)
    if (magic := _magic(head)) is not None:
        return _UNPACKERS[magic]
    if not head.startswith(b"PK\x03\x04"):
        return None
    try:
        with open_zip(file) as packed:
            found = [each for each in packed.infolist() if not _is_clutter(each.filename)]
    except _DAMAGE:
        return None  # and whoever reads the archive says what is wrong with it
    if any(each.filename.endswith(".npy") for each in found):
        return None
    if len(found) != 1:
        raise DataError(f"{name} is a zip file of {len(found):,} files, but it must hold one")
    ensure_deflated(name, found)
    return lambda again: cast(Stream, open_zip(again).open(found[0].filename))


def _is_clutter(name: str) -> bool:
    return name.endswith("/") or name.startswith("__MACOSX/") or name.rpartition("/")[2] == ".DS_Store"


class _Wary:
    """A file from which nothing large is read in one go: the directory of a zip file may claim any size."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def read(self, count: int = -1) -> bytes:
        if count > _LARGEST_DIRECTORY:
            raise zipfile.BadZipFile("its directory is too large")
        return self._file.read(count)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def ensure_deflated(name: str, members: Iterable[zipfile.ZipInfo]) -> None:
    """Refuse what zipfile unpacks without bounds: of bzip2 a few hundred bytes may become gigabytes at once."""
    for each in members:
        if each.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise DataError(f"{name} is a zip file, but not packed in the usual way, which is deflate; pack it again")


def open_zip(file: IO[bytes]) -> zipfile.ZipFile:
    return zipfile.ZipFile(cast(IO[bytes], _Wary(file)))
