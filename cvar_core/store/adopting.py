"""Bring what a dashboard has kept in memory into the file that it takes over."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from typing import Any

from .stored import LIVE


def adopt(
    memory: sqlite3.Connection, file: sqlite3.Connection, live: Collection[str], rescued: Collection[str] = ()
) -> None:
    """Copy runs and histories from ``memory`` to ``file``; of a run that both have, the one with more records stays.

    What is ``live`` here is taken as it is here, since its next records continue these. What memory was ``rescued``
    from that file and has no more was deleted meanwhile, and is deleted there, too.
    """
    file.execute("UPDATE runs SET status = 'interrupted' WHERE status IN (?, ?)", LIVE)  # its server is gone
    for run in _rows(memory, "SELECT * FROM runs"):
        there = file.execute("SELECT recorded, optimum FROM runs WHERE id = ?", (run["id"],)).fetchone()
        if there is None or run["id"] in live or run["recorded"] >= there[0]:
            same = there is not None and run["id"] not in live and run["recorded"] == there[0]
            _bring(memory, file, run, None if there is None else there[1], with_records=not same)
    for run_id in set(rescued) - {row["id"] for row in _rows(memory, "SELECT id FROM runs")}:
        file.execute("DELETE FROM runs WHERE id = ?", (run_id,))
    for visit in _rows(memory, "SELECT visitor, run, recipe, name FROM visits ORDER BY id"):
        _insert(file, "visits", visit)  # later than all that are there
    for each in _rows(memory, "SELECT visitor, run FROM deleted ORDER BY id"):
        _insert(file, "deleted", each)


def _bring(
    memory: sqlite3.Connection,
    file: sqlite3.Connection,
    run: dict[str, Any],
    optimum: bytes | None,
    with_records: bool,
) -> None:
    """Put a run in the place of what the file has of it; its visits there stay."""
    if run["optimum"] is None:
        run["optimum"] = optimum
    if not file.execute("SELECT 1 FROM runs WHERE id = ?", (run["id"],)).fetchone():
        _insert(file, "runs", run)
    else:
        values = ", ".join(f"{name} = :{name}" for name in run if name not in ("id", "created"))
        file.execute(f"UPDATE runs SET {values} WHERE id = :id", run)
        if not with_records:
            return  # most of a store that was away for a moment: all that has not changed
        file.execute("DELETE FROM shards WHERE run = ?", (run["id"],))
    for shard in _rows(memory, "SELECT * FROM shards WHERE run = ? ORDER BY id", run["id"]):
        row = _insert(file, "shards", shard | {"id": None})
        for records in _rows(memory, "SELECT * FROM records WHERE shard = ? ORDER BY id", shard["id"]):
            _insert(file, "records", records | {"id": None, "shard": row})


def _rows(db: sqlite3.Connection, query: str, *values: object) -> list[dict[str, Any]]:
    found = db.execute(query, values)
    return [dict(zip((each[0] for each in found.description), row, strict=True)) for row in found.fetchall()]


def _insert(db: sqlite3.Connection, table: str, row: dict[str, Any]) -> int | None:
    names = ", ".join(row)
    places = ", ".join(f":{name}" for name in row)
    return db.execute(f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({places})", row).lastrowid
