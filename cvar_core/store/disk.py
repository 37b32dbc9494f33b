"""A store's file: opened, checked and owned, or refused with the reason."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from . import ownership, tables
from .mending import Mended, make_room, rescue_damaged
from .trouble import OtherVersion, Unusable, is_damage
from .upgrade import upgrade


@dataclass(frozen=True)
class Disk:
    """An open file, which no other dashboard uses."""

    path: Path
    db: sqlite3.Connection
    lock: int | None
    inode: tuple[int, int]
    mended: Mended | None

    @classmethod
    def open(cls, path: Path, mend: bool) -> Disk:
        """Open or make the file; what is damaged or of another version is mended, or refused.

        Raises ``Unusable``, ``OSError`` or one of ``tables.FAILURES``.
        """
        real = Path(os.path.realpath(path))  # two names of one file share one lock
        real.parent.mkdir(parents=True, exist_ok=True)
        if real.is_dir():
            raise Unusable.folder()
        lock = ownership.claim(real)
        try:
            db, mended = _open_or_mend(real) if mend else (_open_database(real), None)
            return cls(path, db, lock, _inode(real), mended)
        except BaseException:
            ownership.release(lock)
            raise

    def check_place(self) -> None:
        """Raise if the file was taken away: SQLite would go on writing to a file that nobody can open again."""
        try:
            there = _inode(self.path)
        except FileNotFoundError:
            raise Unusable.gone() from None
        if there != self.inode:
            raise Unusable.gone()

    def close(self) -> None:
        with contextlib.suppress(*tables.FAILURES):
            self.db.close()
        ownership.release(self.lock)


def _open_or_mend(path: Path) -> tuple[sqlite3.Connection, Mended | None]:
    try:
        return _open_database(path), None
    except OtherVersion as found:
        mended = make_room(path, found)
    except (Unusable, *tables.FAILURES) as error:
        if not is_damage(error):
            raise
        mended = rescue_damaged(path)
    return _open_database(path), mended


def _open_database(path: Path) -> sqlite3.Connection:
    db = tables.connect(path)
    try:
        version = _schema_version(db)
        if version not in (None, tables.SCHEMA_VERSION) and not upgrade(db, version):
            raise OtherVersion(version, tables.SCHEMA_VERSION)
        if version is None:
            tables.create(db)
        else:
            tables.configure(db)
        _check(db)
    except BaseException:
        db.close()
        raise
    return db


def _schema_version(db: sqlite3.Connection) -> int | None:
    """Return the version of the store's tables, ``None`` if there is nothing yet; another program's file is refused."""
    version, owner = tables.number(db, "user_version"), tables.number(db, "application_id")
    if owner == tables.APPLICATION_ID:
        return version
    names = tables.names(db)
    if names >= tables.NAMES:
        raise Unusable.damaged()  # it is ours, and does not say so any more
    if version or owner or names:
        raise Unusable.foreign()
    return None


def _check(db: sqlite3.Connection) -> None:
    """Read the whole file and write a little, so that what is wrong shows now and not in the middle of a run."""
    with contextlib.closing(tables.in_memory()) as new:
        same = tables.columns(db) == tables.columns(new)
    if not same or db.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
        raise Unusable.damaged()
    with tables.transaction(db):
        db.execute(f"PRAGMA user_version = {tables.SCHEMA_VERSION}")
    db.executescript("PRAGMA incremental_vacuum")  # give back what past runs needed; execute would give back one page


def _inode(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino
