"""What is wrong with a store's file, in a sentence for the visitors."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

_READ_ONLY = "cannot be written, because the file or its folder is read-only"
_FORBIDDEN = "cannot be opened, because the dashboard has no permission for the file or its folder"
_FULL = "cannot grow, because the disk is full"
_LOCKED = "is locked by another program"
_DAMAGED = "is damaged"
_BROKEN_DISK = "cannot be read or written, because the disk reports an error"
_NO_FOLDER = "cannot be made, because a file stands where its folder should be"
IN_MEMORY = "The dashboard goes on in memory and loses results when it stops."

_BY_SQLITE = {
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
    def in_use(cls) -> Unusable:
        return cls("is in use by another dashboard")

    @classmethod
    def folder(cls) -> Unusable:
        return cls("cannot be opened, because a folder stands in its place")

    @classmethod
    def foreign(cls) -> Unusable:
        return cls("is the database of another program, which is left as it is")

    @classmethod
    def gone(cls) -> Unusable:
        return cls("was deleted or replaced while the dashboard ran")


def sentence(path: Path, error: Exception) -> str:
    """Say what is wrong with the file at ``path``, and what follows from it."""
    return f"The store of runs {path} {_what(error)}. {IN_MEMORY}"


def _what(error: Exception) -> str:
    if isinstance(error, Unusable):
        return str(error)
    found = None
    if isinstance(error, sqlite3.Error):
        found = _BY_SQLITE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)  # extended codes keep theirs below
    elif isinstance(error, OSError) and error.errno is not None:
        found = _BY_SYSTEM.get(error.errno)
    return found or f"cannot be used ({error})"
