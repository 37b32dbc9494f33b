"""A store's file: opened, checked and owned, or refused with the reason."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from . import ownership, tables
from .trouble import Unusable
from .upgrade import upgrade


@dataclass(frozen=True)
class Disk:
    """An open file, which no other dashboard uses."""

    path: Path
    db: sqlite3.Connection
    lock: int | None
    inode: tuple[int, int]

    @classmethod
    def open(cls, path: Path) -> Disk:
        """Open or make the file. Raises ``Unusable``, ``OSError`` or ``sqlite3.Error``."""
        real = Path(os.path.realpath(path))  # two names of one file share one lock
        real.parent.mkdir(parents=True, exist_ok=True)
        if real.is_dir():
            raise Unusable.folder()
        lock = ownership.claim(real)
        try:
            return cls(path, _open_database(real), lock, _inode(real))
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
        with contextlib.suppress(sqlite3.Error):
            self.db.close()
        ownership.release(self.lock)


def _open_database(path: Path) -> sqlite3.Connection:
    db = tables.connect(path)
    try:
        version = _schema_version(db)
        if version not in (None, tables.SCHEMA_VERSION) and not upgrade(db, version):
            db.close()
            _move_aside(path, version)
            db = tables.connect(path)
            version = None
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
    if version or owner or db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise Unusable.foreign()
    return None


def _move_aside(path: Path, version: int | None) -> None:
    """Rename the file of another version of the tables.

    Its runs cannot be read, but a dashboard that keeps nothing until someone tidies up is worse than a file beside it;
    and whoever goes back to the other version can rename it back.
    """
    name, tries = f"{path.name}.schema-{version}", 1
    while path.with_name(name).exists():
        tries += 1
        name = f"{path.name}.schema-{version}-{tries}"
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(path.with_name(name + suffix))


def _check(db: sqlite3.Connection) -> None:
    """Read the whole file and write a little, so that what is wrong shows now and not in the middle of a run."""
    if db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise Unusable.damaged()
    with tables.transaction(db):
        db.execute(f"PRAGMA user_version = {tables.SCHEMA_VERSION}")
    db.executescript("PRAGMA incremental_vacuum")  # give back what past runs needed; execute would give back one page


def _inode(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino
