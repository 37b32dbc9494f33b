"""Copy what can still be read from one store to another: in one go if all of it can, else row by row.

SQLite's own backup copies pages, damage included, and waits for ever on a lock; this leaves out what is damaged.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress

from .tables import FAILURES, transaction

_LAST = 2**63 - 1  # the largest row that SQLite has
_BETWEEN = "SELECT rowid FROM {} NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid {}"
_TABLES = ("runs", "shards", "records", "visits", "deleted")  # those that others belong to before these
_MOST_LOOKS = 20_000  # at a table; each is one search, and a damaged page takes a few of them for every row in it


def rescue(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Copy the runs, their shards and the histories from ``source`` to the empty ``target``; rows keep their ids."""
    with suppress(*FAILURES):
        if source.in_transaction:
            source.execute("ROLLBACK")
    with suppress(*FAILURES), transaction(target):  # of a file that is only locked or full, while visitors wait
        for table in _TABLES:
            _copy_all(source, target, table)
        _count(target)
        return
    with suppress(*FAILURES):
        source.execute("PRAGMA writable_schema = ON")  # reads on where the file is shorter than it should be
    with transaction(target):
        _rescue_rows(source, target)
        _count(target)


def _copy_all(source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> None:
    found = source.execute(f"SELECT * FROM {table} NOT INDEXED ORDER BY rowid")
    names = ", ".join(each[0] for each in found.description)
    places = ", ".join("?" * len(found.description))
    target.executemany(f"INSERT INTO {table} ({names}) VALUES ({places})", found)


def _rescue_rows(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    for row in _rows(source, "runs"):
        _copy(source, target, "runs", row)
    records: dict[int, list[int]] = {}
    for row in _rows(source, "records"):
        with suppress(*FAILURES):
            for (shard,) in source.execute("SELECT shard FROM records WHERE rowid = ?", (row,)):
                records.setdefault(shard, []).append(row)
    for row in _rows(source, "shards"):
        if _copy(source, target, "shards", row) and not all(
            _copy(source, target, "records", each) for each in records.get(row, ())
        ):
            target.execute("DELETE FROM shards WHERE id = ?", (row,))  # nothing goes on from a part
    for table in ("visits", "deleted"):
        for row in _rows(source, table):
            _copy(source, target, table, row)


def _count(target: sqlite3.Connection) -> None:
    target.execute(
        "UPDATE runs SET recorded = (SELECT coalesce(sum(recorded * width), 0) FROM shards WHERE shards.run = runs.id)"
    )


def _copy(source: sqlite3.Connection, target: sqlite3.Connection, table: str, row: int) -> bool:
    """Copy one row, and tell whether it could be read and fits: whose run or shard is lost does not."""
    with suppress(*FAILURES):
        found = source.execute(f"SELECT * FROM {table} WHERE rowid = ?", (row,))
        names = ", ".join(each[0] for each in found.description)
        for values in found:
            places = ", ".join("?" * len(values))
            target.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", values)
            return True
    return False


def _rows(source: sqlite3.Connection, table: str) -> list[int]:
    """Return the rows of a table that can be found: from both ends to the damage, and then what lies between."""
    found: set[int] = set()
    gaps, looks = [(1, _LAST)], _MOST_LOOKS
    while gaps and looks:
        looks -= 1
        low, high = gaps.pop()
        up, whole = _scan(source, table, low, high, "ASC")
        found.update(up)
        if whole:
            continue
        low = max([low - 1, *up]) + 1
        down, _ = _scan(source, table, low, high, "DESC")
        found.update(down)
        high = min([high + 1, *down]) - 1
        if high < _LAST:
            middle = (low + high) // 2
            gaps += [(low, middle), (middle + 1, high)] if low < high else []
        elif (beyond := _beyond(source, table, low)) is not None:
            gaps += [(low, beyond - 1), (beyond, _LAST)]
        else:
            gaps.append((low, low))  # the last before the damage was read, and lost with what follows
    return sorted(found)


def _beyond(source: sqlite3.Connection, table: str, low: int) -> int | None:
    """Return a row that can be found behind damage of which the end is not known: halving would take for ever."""
    for step in range(1, 62):
        with suppress(*FAILURES):
            for (row,) in source.execute(_BETWEEN.format(table, "ASC"), (low + 2**step, _LAST)):
                return int(row)
    return None


def _scan(source: sqlite3.Connection, table: str, low: int, high: int, order: str) -> tuple[list[int], bool]:
    """Return the rows from one end as far as they can be read, and whether that was to the other end."""
    found: list[int] = []
    try:
        for (row,) in source.execute(_BETWEEN.format(table, order), (low, high)):
            found.append(row)  # one by one, to keep those before a damaged page
    except FAILURES:
        return found, False
    return found, True
