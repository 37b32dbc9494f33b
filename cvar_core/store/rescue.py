"""Copy what can still be read from one store to another, run by run and shard by shard.

SQLite's own backup copies pages, damage included, and waits for ever on a lock; this leaves out what is damaged.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from .tables import transaction

_Row = Sequence[Any]


def rescue(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Copy the runs, their shards and the visits from ``source`` to the empty ``target``."""
    with suppress(sqlite3.Error):
        if source.in_transaction:
            source.execute("ROLLBACK")
    with transaction(target):
        for run in _ids(source, "runs"):
            with suppress(sqlite3.Error):
                _copy_run(source, target, run)
        for visit in _ids(source, "visits"):
            with suppress(sqlite3.Error):
                _insert(target, "visits", _rows(source, "visits", "id", visit))
        target.execute(
            "UPDATE runs SET recorded = "
            "(SELECT coalesce(sum(recorded * width), 0) FROM shards WHERE shards.run = runs.id)"
        )


def _ids(source: sqlite3.Connection, table: str) -> list[Any]:
    found = []
    with suppress(sqlite3.Error):
        for (each,) in source.execute(f"SELECT id FROM {table} ORDER BY id"):
            found.append(each)  # one by one, to keep those before a damaged page
    return found


def _copy_run(source: sqlite3.Connection, target: sqlite3.Connection, run: str) -> None:
    _insert(target, "runs", _rows(source, "runs", "id", run))
    for (shard,) in source.execute("SELECT id FROM shards WHERE run = ?", (run,)).fetchall():
        with suppress(sqlite3.Error):
            state, records = _rows(source, "shards", "id", shard), _rows(source, "records", "shard", shard)
            _insert(target, "shards", state)
            _insert(target, "records", records)


def _rows(source: sqlite3.Connection, table: str, key: str, value: object) -> list[_Row]:
    return source.execute(f"SELECT * FROM {table} WHERE {key} = ? ORDER BY id", (value,)).fetchall()


def _insert(target: sqlite3.Connection, table: str, rows: list[_Row]) -> None:
    if rows:
        target.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
