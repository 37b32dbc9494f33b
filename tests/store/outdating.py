"""Tables as earlier versions had them."""

import sqlite3

_BEFORE_FAMILIES = """
    PRAGMA foreign_keys = OFF;
    DROP INDEX runs_of_a_family;
    ALTER TABLE runs DROP COLUMN family;
    UPDATE runs SET recorded = recorded / json_array_length(spec, '$.lambdas'),
                    expected = expected / json_array_length(spec, '$.lambdas');
    CREATE TABLE older (
        id INTEGER PRIMARY KEY,
        run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        method TEXT NOT NULL,
        seed INTEGER NOT NULL,
        recorded INTEGER NOT NULL,
        state BLOB NOT NULL,
        UNIQUE (run, method, seed)
    );
    INSERT INTO older SELECT id, run, method, seed, recorded, state FROM shards;
    DROP TABLE shards;
    ALTER TABLE older RENAME TO shards;
    PRAGMA foreign_keys = ON;
"""


def outdate(db: sqlite3.Connection, version: int = 3) -> None:
    """Give a store the tables of version 2, 3 or 4, with all that is in it."""
    db.executescript("DROP TABLE deleted; ALTER TABLE visits DROP COLUMN name")
    if version < 4:
        db.executescript(_BEFORE_FAMILIES)
    db.execute(f"PRAGMA user_version = {version}")
