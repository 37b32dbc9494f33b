"""One connection for all threads: to the file, or to memory while there is none, another has it, or it has failed."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeVar

from . import tables
from .disk import Disk
from .rescue import rescue
from .trouble import InUse, Trouble, Unusable

_T = TypeVar("_T")
_Work = Callable[[sqlite3.Connection], _T]

PATIENCE = 2.0  # seconds between two looks whether a file that cannot be used now is free again,
_LONGEST_PATIENCE = 15.0  # and at the most, where a look costs more than a glance at another dashboard's lock


class Database:
    """Carries out work on the file at ``path``, or in memory where there is none or it fails.

    A file that another dashboard has is taken over when that ends, with what was kept in memory until then; so is one
    that was locked, full or read-only, when that has passed.

    Attributes
    ----------
    path
        The file that is written; ``None`` while all is in memory.
    trouble
        What is wrong with the file, ``None`` while all is well.
    notice
        What visitors should know of the file though all is well, such as that it was damaged.
    """

    def __init__(
        self,
        path: Path | None,
        restore: _Work[None],
        adopt: Callable[[sqlite3.Connection, sqlite3.Connection, Collection[str]], None],
        mend: bool,
        tell: Callable[[str], None],
    ) -> None:
        """Open ``path``.

        Parameters
        ----------
        restore
            Adds to what could be rescued of a file that has failed.
        adopt
            Brings what is in memory into the file that is taken over; it is told which runs memory has had from there.
        mend
            Whether a file that is damaged or of another version may be moved aside.
        tell
            Is told what whoever keeps the file should know.
        """
        self.trouble: Trouble | None = None
        self.notice: str | None = None
        self._restore, self._adopt, self._mend, self._tell = restore, adopt, mend, tell
        self._lock = threading.Lock()
        self._disk: Disk | None = None
        self._awaited: Path | None = None  # the file that cannot be used now
        self._next_look, self._pause = 0.0, PATIENCE
        self._rescued: Collection[str] = ()  # the runs that were taken from the file when it was left
        if path is not None:
            self._disk = self._opened(path)
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
            if self._db is not None and self._awaited is not None:
                self._take_over(self._db, self._awaited)  # the last chance to keep what is in memory
            if self._disk is not None:
                self._disk.close()
            elif self._db is not None:
                self._db.close()
            self._disk = self._db = None

    def _carry_out(self, work: _Work[_T]) -> _T:
        with self._lock:
            if self._db is None:
                raise RuntimeError("the store is closed")
            if self._awaited is not None and time.monotonic() >= self._next_look:
                self._take_over(self._db, self._awaited)
            if self._disk is not None:
                try:
                    return work(self._db)
                except (Unusable, OSError, *tables.FAILURES) as error:
                    self._db = self._leave(self._disk, error)
            return work(self._db)

    def _opened(self, path: Path) -> Disk | None:
        """Open the file, or note why that cannot be done."""
        try:
            disk = Disk.open(path, self._mend)
        except (Unusable, OSError, ValueError, *tables.FAILURES) as error:
            self._fail(path, error)
            return None
        self.trouble = self._awaited = None
        if disk.mended is not None:
            self.notice = disk.mended.told
            self._tell(f"{disk.mended.told} What was at {path} is now {disk.mended.aside}.")
        return disk

    def _fail(self, path: Path, error: Exception) -> None:
        before, self.trouble = self.trouble, Trouble.of(path, error)
        self._awaited = path if self.trouble.passing else None
        self._pause = (
            PATIENCE if before is None or isinstance(error, InUse) else min(2 * self._pause, _LONGEST_PATIENCE)
        )
        self._next_look = time.monotonic() + self._pause
        if before != self.trouble:
            self._tell(f"{self.trouble.cause}. {self.trouble.then}")

    def _take_over(self, memory: sqlite3.Connection, path: Path) -> None:
        """Go on with the file, if it is free, with all that memory has."""
        before = self.trouble
        disk = self._opened(path)
        if disk is None:
            return
        try:
            with tables.transaction(disk.db):
                self._adopt(memory, disk.db, self._rescued)
        except (OSError, *tables.FAILURES) as error:
            disk.close()
            self.trouble = before
            self._fail(path, error)
            return
        memory.close()
        self._disk, self._db, self._rescued = disk, disk.db, ()
        self._tell(f"The store of runs {path} is free, and was taken over.")

    def _leave(self, disk: Disk, error: Exception) -> sqlite3.Connection:
        """Go on in memory with all that can still be read."""
        memory = tables.in_memory()
        rescue(disk.db, memory)
        with tables.transaction(memory):
            self._restore(memory)
        self._rescued = {run for (run,) in memory.execute("SELECT id FROM runs")}
        disk.close()
        self._disk = None
        self._fail(disk.path, error)
        return memory
