"""Put a new store in the place of a file that cannot be used, and keep that file beside it."""

from __future__ import annotations

import contextlib
import itertools
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import tables
from .rescue import rescue
from .stored import COLUMNS, stored_run
from .trouble import OtherVersion

_PARTS = ("", "-wal", "-shm")  # SQLite's names for a database and what belongs to it

# Places in the header of a database (sqlite.org/fileformat.html).
_HEADER = 100  # bytes
_LOGGED = slice(18, 20)  # whether there is a log
_CHANGED = slice(24, 28)  # how often the file was changed,
_SIZED = slice(92, 96)  # and how often when its size was written


@dataclass(frozen=True)
class Mended:
    """What was done.

    Attributes
    ----------
    told
        For visitors, whose runs may be gone.
    aside
        The file as it was, for whoever keeps it.
    """

    told: str
    aside: Path


def rescue_damaged(path: Path) -> Mended:
    """Make a store of what can be read of a damaged file. Nobody has it open."""
    fresh, count = path.with_name(f"{path.name}.rescued"), 0
    for source in itertools.chain(
        [path], _with_another_beginning(path)
    ):  # each made only if the one before has nothing
        count = _rescue(source, fresh)
        if source != path:
            _remove(source)
        if count:
            break
    aside = _move_aside(path, "damaged")
    fresh.rename(path)
    found = {0: "Nothing in it could be read", 1: "1 run could be read, and is kept"}
    said = found.get(count, f"{count:,} runs could be read, and are kept")
    return Mended(f"The store of runs was damaged when the dashboard started. {said}.", aside)


def _rescue(damaged: Path, fresh: Path) -> int:
    """Write what can be read to a fresh file, and return the number of runs."""
    _remove(fresh)
    with contextlib.closing(tables.connect(fresh)) as target, contextlib.closing(tables.connect(damaged)) as source:
        tables.create(target)
        rescue(source, target)
        rows = target.execute(f"SELECT {COLUMNS} FROM runs").fetchall()
        for row in rows:
            if stored_run(row) is None:  # nobody could see it
                target.execute("DELETE FROM runs WHERE id = ?", (row[0],))
        (count,) = target.execute("SELECT count(*) FROM runs").fetchone()
    return int(count)


def _with_another_beginning(path: Path) -> Iterator[Path]:
    """Copy the file with the beginning that a new store has: its header alone, and its whole first page.

    Without them SQLite reads nothing, and they hardly differ from one store to the next.
    """
    with contextlib.closing(tables.in_memory()) as db:
        page = bytearray(db.serialize()[: tables.number(db, "page_size")])
    page[_LOGGED] = b"\2\2"
    page[_CHANGED], page[_SIZED] = b"\0\0\0\1", b"\0\0\0\0"  # unlike, so that its size is that of the file
    copy = path.with_name(f"{path.name}.copy")
    for length in (_HEADER, len(page)):
        for suffix in ("", "-wal"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
        with copy.open("r+b") as file:
            file.write(page[:length])
        yield copy


def _remove(path: Path) -> None:
    for suffix in _PARTS:
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def make_room(path: Path, found: OtherVersion) -> Mended:
    """Move the file of another version of the tables aside.

    Its runs cannot be read, but a dashboard that keeps nothing until someone tidies up is worse than a file beside it;
    and whoever goes back to the other version can rename it back.
    """
    aside = _move_aside(path, f"schema-{found.version}")
    return Mended(f"The store of runs {found}. It is kept, and a new one was begun.", aside)


def _move_aside(path: Path, why: str) -> Path:
    name, tries = f"{path.name}.{why}", 1
    while path.with_name(name).exists():
        tries += 1
        name = f"{path.name}.{why}-{tries}"
    for suffix in _PARTS:
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(path.with_name(name + suffix))
    return path.with_name(name)
