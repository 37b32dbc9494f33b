"""Take over the tables of earlier versions, with what can still be used of them."""

from __future__ import annotations

import json
import sqlite3

from ..specs import SweepSpec
from ..version import ENGINE_VERSION
from . import tables

_WITHOUT_RISK = 2  # the version whose records have no risk of the model
_WITHOUT_FAMILY = 3  # the version whose runs could not take anything from each other
_WITHOUT_NAMES = 4  # the version whose visitors could not name a run, and which did not know what they had deleted

OUTGROWN = "It was computed by an earlier version, which did not record the risk of the model."


def upgrade(db: sqlite3.Connection, version: int) -> bool:
    """Bring the tables of an older version up to date; tell whether that could be done."""
    if not _WITHOUT_RISK <= version <= _WITHOUT_NAMES:
        return False
    db.execute("PRAGMA foreign_keys = OFF")  # else a table that is put in another's place takes its records away
    with tables.transaction(db):
        if version == _WITHOUT_RISK:
            _forget_records(db)
        if version <= _WITHOUT_FAMILY:
            _know_families(db)
        db.execute("ALTER TABLE visits ADD COLUMN name TEXT")
        db.execute(tables.DELETED)
        db.execute(f"PRAGMA user_version = {tables.SCHEMA_VERSION}")
    db.execute("PRAGMA foreign_keys = ON")
    return True


def _forget_records(db: sqlite3.Connection) -> None:
    """Keep the runs and histories, to be computed anew."""
    db.execute("DELETE FROM records")
    db.execute("DELETE FROM shards")
    db.execute(
        "UPDATE runs SET status = 'interrupted', error = ?, optimum = NULL, timings = '{}', recorded = 0", (OUTGROWN,)
    )


def _know_families(db: sqlite3.Connection) -> None:
    """Give runs their family, and shards their step sizes: all of their run's."""
    db.execute("ALTER TABLE runs ADD COLUMN family TEXT NOT NULL DEFAULT ''")
    db.execute(tables.FAMILIES)
    db.execute("ALTER TABLE shards ADD COLUMN width INTEGER NOT NULL DEFAULT 1")
    for run, engine, text in db.execute("SELECT id, engine, spec FROM runs").fetchall():
        try:
            spec = SweepSpec.from_dict(json.loads(text))
        except (ValueError, TypeError, AttributeError):
            continue  # nobody can read it
        count, family = len(spec.lambdas), spec.family if engine == ENGINE_VERSION else ""
        db.execute(
            "UPDATE runs SET family = ?, recorded = recorded * ?, expected = expected * ? WHERE id = ?",
            (family, count, count, run),
        )
        db.execute("UPDATE shards SET width = ? WHERE run = ?", (count, run))
    db.execute(tables.SHARDS.replace("TABLE shards", "TABLE shards_with_step_sizes", 1))
    db.execute(
        "INSERT INTO shards_with_step_sizes (id, run, method, seed, lambdas, width, recorded, state) "
        "SELECT id, run, method, seed, '', width, recorded, state FROM shards"
    )
    db.execute("DROP TABLE shards")
    db.execute("ALTER TABLE shards_with_step_sizes RENAME TO shards")
