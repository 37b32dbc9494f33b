"""What is wrong with a store's file: in a sentence for visitors, and with its path for whoever keeps the file."""

from __future__ import annotations

import errno
import sqlite3
from dataclasses import dataclass
from pathlib import Path

_READ_ONLY = "cannot be written, because the file or its folder is read-only"
_FORBIDDEN = "cannot be opened, because the dashboard has no permission for the file or its folder"
_FULL = "cannot grow, because the disk is full"
_LOCKED = "is locked by another program"
_DAMAGED = "is damaged"
_BROKEN_DISK = "cannot be read or written, because the disk reports an error"
_NO_FOLDER = "cannot be made, because a file stands where its folder should be"
_IN_MEMORY = "The dashboard goes on in memory and loses results when it stops."
_UNTIL_WELL = "Results are kept in memory until that has passed, and are lost if the dashboard stops before."
_UNTIL_FREE = "This one keeps results in memory until the other ends, and then takes the store over."

_PASSING = (_READ_ONLY, _FORBIDDEN, _FULL, _LOCKED, _BROKEN_DISK)  # may be mended while the dashboard runs

_BY_SQLITE = {
    sqlite3.SQLITE_ERROR: _DAMAGED,  # the tables are not those that the statements are written for
    sqlite3.SQLITE_PERM: _FORBIDDEN,
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_IOERR: _BROKEN_DISK,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_CANTOPEN: _FORBIDDEN,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
}
_BY_SYSTEM = {
    errno.EACCES: _FORBIDDEN,
    errno.EPERM: _FORBIDDEN,
    errno.EROFS: _READ_ONLY,
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EIO: _BROKEN_DISK,
    errno.ENOTDIR: _NO_FOLDER,
    errno.EEXIST: _NO_FOLDER,
}


class Unusable(Exception):
    """A file that cannot be the store. The message ends a sentence that begins with its name."""

    @classmethod
    def damaged(cls) -> Unusable:
        return cls(_DAMAGED)

    @classmethod
    def folder(cls) -> Unusable:
        return cls("cannot be opened, because a folder stands in its place")

    @classmethod
    def foreign(cls) -> Unusable:
        return cls("is the database of another program, which is left as it is")

    @classmethod
    def gone(cls) -> Unusable:
        return cls("was deleted or replaced while the dashboard ran")


class InUse(Unusable):
    """Another dashboard has the file, and will let go of it when it ends."""

    def __init__(self) -> None:
        super().__init__("is in use by another dashboard")


class OtherVersion(Unusable):
    """The tables are of a version that this one cannot read."""

    def __init__(self, version: int, ours: int) -> None:
        whose = "a newer version" if version > ours else "an earlier version, which can no longer be read,"
        super().__init__(f"was written by {whose} of this program (its tables are {version}, these are {ours})")
        self.version = version


@dataclass(frozen=True)
class Trouble:
    """A file that is not written.

    Attributes
    ----------
    what
        Ends a sentence that begins with the store.
    then
        What follows from it, in a sentence.
    passing
        Whether the file may be fit to be the store again while the dashboard runs.
    """

    path: Path
    what: str
    then: str
    passing: bool

    @classmethod
    def of(cls, path: Path, error: Exception) -> Trouble:
        what = _what(error)
        if isinstance(error, InUse):
            return cls(path, what, _UNTIL_FREE, True)
        return cls(path, what, _UNTIL_WELL, True) if what in _PASSING else cls(path, what, _IN_MEMORY, False)

    @property
    def told(self) -> str:
        """For visitors: where a server keeps things is not their business."""
        return f"The store of runs {self.what}. {self.then}"

    @property
    def cause(self) -> str:
        """For whoever keeps the file."""
        return f"The store of runs {self.path} {self.what}"


def is_damage(error: Exception) -> bool:
    return _what(error) == _DAMAGED


def _what(error: Exception) -> str:
    if isinstance(error, Unusable):
        return str(error)
    found, why = None, str(error)
    if isinstance(error, UnicodeDecodeError):
        found = _DAMAGED
    elif isinstance(error, sqlite3.Error):
        found = _BY_SQLITE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)  # extended codes keep theirs below
    elif isinstance(error, OSError) and error.errno is not None:
        found, why = _BY_SYSTEM.get(error.errno), error.strerror or ""  # its text would have the path
    return found or f"cannot be used ({why})"
