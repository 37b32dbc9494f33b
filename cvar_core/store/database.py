"""One connection for all threads: to the file, and from its first failure on to a copy in memory."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from . import tables
from .disk import Disk
from .rescue import rescue
from .trouble import Unusable, sentence

_T = TypeVar("_T")
_Work = Callable[[sqlite3.Connection], _T]


class Database:
    """Carries out work on the file at ``path``, or in memory where there is none or it fails.

    Attributes
    ----------
    path
        The file that is written; ``None`` while all is in memory.
    trouble
        What is wrong with the file, ``None`` while all is well.
    """

    def __init__(self, path: Path | None, restore: _Work[None]) -> None:
        """Open ``path``. After a failure ``restore`` adds to what could be rescued."""
        self.trouble: str | None = None
        self._restore = restore
        self._lock = threading.Lock()
        self._disk: Disk | None = None
        if path is not None:
            try:
                self._disk = Disk.open(Path(path))
            except (Unusable, OSError, ValueError, sqlite3.Error) as error:
                self.trouble = sentence(Path(path), error)
        self._db: sqlite3.Connection | None = self._disk.db if self._disk else tables.in_memory()

    @property
    def path(self) -> Path | None:
        disk = self._disk
        return disk.path if disk else None

    def read(self, work: _Work[_T]) -> _T:
        return self._carry_out(work)

    def write(self, work: _Work[object]) -> None:
        """Carry out ``work`` in one transaction."""

        def whole(db: sqlite3.Connection) -> None:
            if self._disk is not None:
                self._disk.check_place()
            with tables.transaction(db):
                work(db)

        self._carry_out(whole)

    def close(self) -> None:
        with self._lock:
            if self._disk is not None:
                self._disk.close()
            elif self._db is not None:
                self._db.close()
            self._disk = self._db = None

    def _carry_out(self, work: _Work[_T]) -> _T:
        with self._lock:
            if self._db is None:
                raise RuntimeError("the store is closed")
            if self._disk is not None:
                try:
                    return work(self._db)
                except (Unusable, OSError, sqlite3.Error) as error:
                    self._db = self._leave(self._disk, error)
            return work(self._db)

    def _leave(self, disk: Disk, error: Exception) -> sqlite3.Connection:
        """Go on in memory with all that can still be read."""
        memory = tables.in_memory()
        rescue(disk.db, memory)
        with tables.transaction(memory):
            self._restore(memory)
        disk.close()
        self._disk = None
        self.trouble = sentence(disk.path, error)
        return memory
