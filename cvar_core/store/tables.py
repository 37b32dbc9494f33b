"""The tables of a store, and connections that are set up for them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SCHEMA_VERSION = 5  # raise it with every change of the tables or of the packed bytes
NAMES = {"runs", "shards", "records", "visits"}  # of every version, by which a store is known
APPLICATION_ID = 0x43566152  # "CVaR": tells a store from any other database

FAILURES = (sqlite3.Error, UnicodeDecodeError)  # the latter where SQLite's message quotes what is damaged

_BUSY_SECONDS = 1.0  # a visitor waits for this
_LARGEST_IDLE_WAL = 16 * 2**20  # bytes

SHARDS = """CREATE TABLE shards (
        id INTEGER PRIMARY KEY,
        run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        method TEXT NOT NULL,
        seed INTEGER NOT NULL,
        lambdas TEXT NOT NULL,  -- the step sizes as JSON; empty where it has all of the run's
        width INTEGER NOT NULL,  -- how many these are
        recorded INTEGER NOT NULL,
        state BLOB NOT NULL,
        UNIQUE (run, method, seed, lambdas)
    )"""
DELETED = """CREATE TABLE deleted (
        id INTEGER PRIMARY KEY,
        visitor TEXT NOT NULL,
        run TEXT NOT NULL,  -- which may be gone, or be others'
        UNIQUE (visitor, run)
    )"""
FAMILIES = "CREATE INDEX runs_of_a_family ON runs (family)"

_TABLES = (
    """CREATE TABLE runs (
        id TEXT PRIMARY KEY,
        engine INTEGER NOT NULL,
        problem TEXT NOT NULL,
        spec TEXT NOT NULL,
        status TEXT NOT NULL,
        error TEXT,
        timings TEXT NOT NULL DEFAULT '{}',
        created REAL NOT NULL,
        used REAL NOT NULL,
        recorded INTEGER NOT NULL DEFAULT 0,  -- the sum over its shards' step sizes, kept up by every save
        expected INTEGER NOT NULL,
        optimum BLOB,
        family TEXT NOT NULL DEFAULT ''  -- ``SweepSpec.family``; last, where an upgrade adds it
    )""",
    "CREATE INDEX runs_of_a_problem ON runs (problem, engine)",
    FAMILIES,
    SHARDS,
    """CREATE TABLE records (
        id INTEGER PRIMARY KEY,
        shard INTEGER NOT NULL REFERENCES shards (id) ON DELETE CASCADE,
        first INTEGER NOT NULL,  -- how many checkpoints the shard had before
        pack BLOB NOT NULL
    )""",
    "CREATE INDEX records_of_a_shard ON records (shard)",
    """CREATE TABLE visits (
        id INTEGER PRIMARY KEY,  -- grows, so that the latest visit is the highest whatever the clock does
        visitor TEXT NOT NULL,
        run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        recipe TEXT,  -- how this visitor made the run's data; without data there is none
        name TEXT,  -- what this visitor calls it, if anything; last, where an upgrade adds it
        UNIQUE (visitor, run)
    )""",
    "CREATE INDEX visits_of_a_run ON visits (run)",
    DELETED,
)


def connect(where: Path | str) -> sqlite3.Connection:
    """Return a connection that any thread may use, one at a time, and that commits when it is told to."""
    return sqlite3.connect(where, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)


def in_memory() -> sqlite3.Connection:
    db = connect(":memory:")
    create(db)
    return db


def configure(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA journal_mode = WAL").fetchall()
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute(f"PRAGMA journal_size_limit = {_LARGEST_IDLE_WAL}").fetchall()
    db.execute("PRAGMA foreign_keys = ON")


def create(db: sqlite3.Connection) -> None:
    """Make the tables in an empty database, and configure it."""
    db.execute("PRAGMA auto_vacuum = INCREMENTAL")  # before anything else is in the file, or it has no effect
    configure(db)
    with transaction(db):
        for statement in _TABLES:
            db.execute(statement)
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def names(db: sqlite3.Connection) -> set[str]:
    """Return the names of what is in a database: tables and indices."""
    return {name for (name,) in db.execute("SELECT name FROM sqlite_master")}


def columns(db: sqlite3.Connection) -> list[list[str]]:
    """Return the names of the columns of all tables."""
    found = (db.execute(f"SELECT * FROM {table} LIMIT 0") for table in sorted(NAMES | {"deleted"}))
    return [[each[0] for each in cursor.description] for cursor in found]


def number(db: sqlite3.Connection, pragma: str) -> int:
    """Return the value of a pragma that is a number."""
    return int(db.execute(f"PRAGMA {pragma}").fetchone()[0])


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All or nothing. It takes the right to write at once, so that it cannot fail half way for want of it."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
