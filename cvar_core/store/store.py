"""``Store``: runs with their status, optimum, records and states, and who opened which."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..engine import Reached, Records, Shard, State
from ..problem import Optimum
from ..specs import ProblemSpec, SweepSpec, canonical
from ..version import ENGINE_VERSION
from . import finding, tables
from .adopting import adopt
from .database import Database
from .kin import choose, reached
from .packing import pack_optimum, pack_records, pack_state
from .progressed import Progressed, join, written
from .stored import COLUMNS, LIVE, STATUSES, StoredRun, readable_optimum, stored_run

_LARGEST_BLOB = 900_000_000  # bytes; SQLite's limit is 10^9
_MOST_VISITS = 50_000  # of all visitors: one popular run would gather them for ever


class Store:
    """Runs in one SQLite file, or in memory where there is no file or the file fails.

    Any thread may call anything. No trouble with the file ever raises: the store goes on in memory with what could
    still be read, and ``trouble`` says so.

    Attributes
    ----------
    path
        The file in which results are kept; ``None`` while they are in memory only.
    trouble
        ``None`` while all is well, else a sentence for the visitors.
    cause
        The trouble for whoever keeps the file, with its path and without what follows from it.
    notice
        What visitors should know though all is well: a sentence, such as that the file was damaged, or ``None``.
    """

    def __init__(self, path: Path | None, most_bytes: int, mend: bool, tell: Callable[[str], None]) -> None:
        self._most_bytes = most_bytes
        self._live: dict[str, tuple[SweepSpec, str]] = {}  # what a damaged file must not take from a server at work
        self._database = Database(path, self._restore_live, self._adopt, mend, tell)

    @classmethod
    def open(
        cls,
        path: Path | None,
        most_bytes: int = 256 * 2**20,
        *,
        mend: bool = False,
        tell: Callable[[str], None] = lambda _: None,
    ) -> Store:
        """Open the store at ``path``; with ``None`` it is in memory on purpose.

        With ``mend`` a file that is damaged or of another version is moved aside, and what can be read of it is kept;
        else it is left alone, and the store is in memory. ``tell`` gets sentences for whoever keeps the file.
        """
        store = cls(path, most_bytes, mend, tell)
        store.interrupt()
        return store

    @property
    def path(self) -> Path | None:
        return self._database.path

    @property
    def trouble(self) -> str | None:
        found = self._database.trouble
        return None if found is None else found.told

    @property
    def cause(self) -> str | None:
        found = self._database.trouble
        return None if found is None else found.cause

    @property
    def notice(self) -> str | None:
        return self._database.notice

    def add(self, spec: SweepSpec, status: str = "queued") -> None:
        """Insert a run, or keep the one that is there."""
        _check_status(status)

        def insert(db: sqlite3.Connection) -> None:
            _insert(db, spec, status)
            (kept,) = db.execute("SELECT status FROM runs WHERE id = ?", (spec.id,)).fetchone()
            self._note_live(spec.id, spec, kept)
            self._trim(db)

        self._database.write(insert)

    def set_status(
        self, run_id: str, status: str, error: str | None = None, timings: Mapping[str, float] | None = None
    ) -> None:
        """Set the status and the error; timings are kept if none are given."""
        _check_status(status)
        times = None if timings is None else json.dumps(dict(timings))

        def update(db: sqlite3.Connection) -> None:
            db.execute(
                "UPDATE runs SET status = ?, error = ?, timings = coalesce(?, timings), used = ? WHERE id = ?",
                (status, error, times, time.time(), run_id),
            )
            spec = self._live[run_id][0] if run_id in self._live else _spec_of(db, run_id)
            self._note_live(run_id, spec, status)

        self._database.write(update)

    def set_optimum(self, run_id: str, optimum: Optimum) -> None:
        packed = pack_optimum(optimum)
        if len(packed) <= self._largest:
            self._database.write(
                lambda db: db.execute(
                    "UPDATE runs SET optimum = ?, used = ? WHERE id = ?", (packed, time.time(), run_id)
                )
            )

    def save(self, run_id: str, shard: Shard, state: State, records: Records) -> None:
        """Keep a shard's state and the records that led to it: both or neither.

        Records that do not continue those that are stored replace them from where they begin; if there is a hole
        before them, they are left out, since nothing can go on from there.
        """
        packed, pack = pack_state(state), pack_records(records)
        if len(packed) > self._largest or len(pack) > self._largest:
            return  # as if it had never been saved: the run goes on, but cannot be resumed
        first, width = state.recorded - len(records.iterations), records.objectives.shape[1]
        place = (run_id, shard.method, shard.seed, written(shard))

        def insert(db: sqlite3.Connection) -> None:
            found = db.execute(
                "SELECT id, recorded FROM shards WHERE run = ? AND method = ? AND seed = ? AND lambdas = ?", place
            ).fetchone()
            row, before = found or (None, 0)
            if first > before or not _exists(db, run_id):
                return
            if row is None:
                row = _insert_shard(db, place, width, state.recorded, packed)
            else:
                db.execute("UPDATE shards SET recorded = ?, state = ? WHERE id = ?", (state.recorded, packed, row))
            if first < before:
                db.execute("DELETE FROM records WHERE shard = ? AND first >= ?", (row, first))
            db.execute("INSERT INTO records (shard, first, pack) VALUES (?, ?, ?)", (row, first, pack))
            db.execute(
                "UPDATE runs SET recorded = recorded + ?, used = ? WHERE id = ?",
                (width * (state.recorded - before), time.time(), run_id),
            )
            self._trim(db)

        self._database.write(insert)

    def run(self, run_id: str) -> StoredRun | None:
        row = self._database.read(
            lambda db: db.execute(f"SELECT {COLUMNS} FROM runs WHERE id = ?", (run_id,)).fetchone()
        )
        return None if row is None else stored_run(row)

    def load(self, run_id: str) -> Progressed:
        """Return the states and records of a run; a shard whose parts do not fit together counts as absent."""

        def read(db: sqlite3.Connection) -> tuple[list[Any], list[Any]]:
            states = db.execute(
                "SELECT id, method, seed, lambdas, state FROM shards WHERE run = ?", (run_id,)
            ).fetchall()
            packs = db.execute(
                "SELECT shard, pack FROM records WHERE shard IN (SELECT id FROM shards WHERE run = ?) ORDER BY id",
                (run_id,),
            ).fetchall()
            return states, packs

        run, (states, packs) = self.run(run_id), self._database.read(read)
        return Progressed({}, {}) if run is None else join(run.spec, states, packs)

    def reached(self, spec: SweepSpec) -> dict[Shard, Reached]:
        """Return how far a run would begin, whether it is there or not: what ``complete`` would find, unread."""
        found: dict[Shard, Reached] = {}
        for there in finding.sources(self._database, spec).values():
            found |= reached(spec, choose(spec, there))
        return found

    def complete(self, spec: SweepSpec) -> None:
        """Insert a run, if it is not there, and copy into it what others have of its trajectories beyond it.

        Nobody may save into the run meanwhile. What is damaged is passed over.
        """
        self.add(spec)
        for shards in finding.better(self._database, spec, finding.sources(self._database, spec)):
            self._replace(spec.id, shards)

    def _replace(self, run_id: str, shards: list[tuple[Shard, State, Records]]) -> None:
        """Put shards of one method and seed in the place of those that the run has."""
        packed = [(shard, state, records, pack_state(state), pack_records(records)) for shard, state, records in shards]
        if max(len(each) for *_, state, pack in packed for each in (state, pack)) > self._largest:
            return
        method, seed, _ = shards[0][0]

        def insert(db: sqlite3.Connection) -> None:
            if not _exists(db, run_id):
                return
            db.execute("DELETE FROM shards WHERE run = ? AND method = ? AND seed = ?", (run_id, method, seed))
            for shard, state, records, packed_state, pack in packed:
                width = records.objectives.shape[1]
                row = _insert_shard(db, (run_id, method, seed, written(shard)), width, state.recorded, packed_state)
                db.execute("INSERT INTO records (shard, first, pack) VALUES (?, 0, ?)", (row, pack))
            db.execute(
                "UPDATE runs SET recorded = (SELECT sum(recorded * width) FROM shards WHERE run = runs.id), used = ? "
                "WHERE id = ?",
                (time.time(), run_id),
            )
            self._trim(db)

        self._database.write(insert)

    def optimum_of(self, problem: ProblemSpec) -> Optimum | None:
        """Return the optimum that any run of this engine found for the problem."""
        rows = self._database.read(
            lambda db: db.execute(
                "SELECT optimum FROM runs WHERE problem = ? AND engine = ? AND optimum IS NOT NULL",
                (canonical(problem), ENGINE_VERSION),
            ).fetchall()
        )
        readable = (readable_optimum(packed, problem.dim) for (packed,) in rows)
        return next((optimum for optimum in readable if optimum is not None), None)

    def visit(self, visitor: str, run_id: str, recipe: str | None = None) -> None:
        """Note that the visitor opened the run, and how they made its data."""

        def note(db: sqlite3.Connection) -> None:
            if db.execute("UPDATE runs SET used = ? WHERE id = ?", (time.time(), run_id)).rowcount:
                visit = db.execute(
                    "INSERT OR REPLACE INTO visits (visitor, run, recipe, name) "
                    "VALUES (?, ?, ?, (SELECT name FROM visits WHERE visitor = ? AND run = ?))",
                    (visitor, run_id, recipe, visitor, run_id),
                )
                db.execute("DELETE FROM deleted WHERE visitor = ? AND run = ?", (visitor, run_id))
                db.execute("DELETE FROM visits WHERE id <= ?", ((visit.lastrowid or 0) - _MOST_VISITS,))

        self._database.write(note)

    def rename(self, visitor: str, run_id: str, name: str | None) -> None:
        """Keep what the visitor calls a run of their history."""
        self._database.write(
            lambda db: db.execute("UPDATE visits SET name = ? WHERE visitor = ? AND run = ?", (name, visitor, run_id))
        )

    def visited(self, visitor: str, run_id: str) -> tuple[str | None, str | None] | None:
        """Return the recipe and the name of a run in the visitor's history; ``None`` if it is not there."""
        found: tuple[str | None, str | None] | None = self._database.read(
            lambda db: db.execute(
                "SELECT recipe, name FROM visits WHERE visitor = ? AND run = ?", (visitor, run_id)
            ).fetchone()
        )
        return found

    def note_deleted(self, visitor: str, run_id: str) -> None:
        """Note that the visitor does not want to see a run any more, until they visit it again."""

        def note(db: sqlite3.Connection) -> None:
            row = db.execute("INSERT OR REPLACE INTO deleted (visitor, run) VALUES (?, ?)", (visitor, run_id)).lastrowid
            db.execute("DELETE FROM deleted WHERE id <= ?", ((row or 0) - _MOST_VISITS,))

        self._database.write(note)

    def was_deleted(self, visitor: str, run_id: str) -> bool:
        """Tell whether the visitor has deleted a run, and not visited it since."""
        query = "SELECT 1 FROM deleted WHERE visitor = ? AND run = ?"
        return self._database.read(lambda db: db.execute(query, (visitor, run_id)).fetchone()) is not None

    def history(self, visitor: str, most: int = 20, on_data: bool | None = None) -> list[StoredRun]:
        """Return the runs that the visitor opened, the latest visit first; only those on data, or only the others."""

        def read(db: sqlite3.Connection) -> list[StoredRun]:
            found: list[StoredRun] = []
            cursor = db.execute(
                f"SELECT {COLUMNS}, visits.recipe, visits.name FROM visits JOIN runs ON runs.id = visits.run "
                "WHERE visitor = ? ORDER BY visits.id DESC",
                (visitor,),
            )
            try:
                while len(found) < most and (row := cursor.fetchone()) is not None:
                    *columns, recipe, name = row
                    run = stored_run(columns)
                    if run is not None and on_data in (None, run.spec.problem.data is not None):
                        found.append(replace(run, recipe=recipe, name=name))
            finally:
                cursor.close()  # an open read would keep the WAL from being reused
            return found

        return self._database.read(read)

    def forget(self, visitor: str, run_id: str) -> None:
        """Take the run out of the visitor's history, and delete it if it is in nobody's and not under way."""

        def delete(db: sqlite3.Connection) -> None:
            if not db.execute("DELETE FROM visits WHERE visitor = ? AND run = ?", (visitor, run_id)).rowcount:
                return  # it was not theirs
            db.execute(
                "DELETE FROM runs WHERE id = ? AND status NOT IN (?, ?) "
                "AND NOT EXISTS (SELECT 1 FROM visits WHERE visits.run = runs.id)",
                (run_id, *LIVE),
            )

        self._database.write(delete)

    def size(self) -> int:
        """Return the bytes in use."""
        return self._database.read(_size)

    def interrupt(self) -> None:
        """Mark what was queued or running as interrupted: its server is gone."""

        def update(db: sqlite3.Connection) -> None:
            db.execute("UPDATE runs SET status = 'interrupted' WHERE status IN (?, ?)", LIVE)
            self._live.clear()

        self._database.write(update)

    def close(self) -> None:
        """Let go of the file. Nothing else may be called after this."""
        self._database.close()

    @property
    def _largest(self) -> int:
        return min(self._most_bytes, _LARGEST_BLOB)

    def _note_live(self, run_id: str, spec: SweepSpec | None, status: str) -> None:
        self._live.pop(run_id, None)
        if spec is not None and status in LIVE:
            self._live[run_id] = spec, status

    def _trim(self, db: sqlite3.Connection) -> None:
        """Drop the least recently used runs until the store is small enough; never one that is under way."""
        if _size(db) <= self._most_bytes:
            return
        oldest = "SELECT id FROM runs WHERE status NOT IN (?, ?) ORDER BY used, rowid"
        for (run_id,) in db.execute(oldest, LIVE).fetchall():
            db.execute("DELETE FROM runs WHERE id = ?", (run_id,))
            if _size(db) <= self._most_bytes:
                return

    def _adopt(self, memory: sqlite3.Connection, file: sqlite3.Connection, rescued: Collection[str]) -> None:
        adopt(memory, file, self._live, rescued)
        self._trim(file)

    def _restore_live(self, db: sqlite3.Connection) -> None:
        for run_id, (spec, status) in self._live.items():
            if not _exists(db, run_id):
                _insert(db, spec, status)


def _check_status(status: str) -> None:
    if status not in STATUSES:
        raise ValueError(f"status is {status!r}, but it must be one of {', '.join(STATUSES)}")


def _insert(db: sqlite3.Connection, spec: SweepSpec, status: str) -> None:
    now = time.time()
    expected = len(spec.methods) * len(spec.seeds) * len(spec.lambdas) * len(spec.checkpoint_iterations)
    values = (
        spec.id, ENGINE_VERSION, spec.family, canonical(spec.problem), canonical(spec), status, now, now, expected,
    )  # fmt: skip
    db.execute(
        "INSERT INTO runs (id, engine, family, problem, spec, status, created, used, expected) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE "
        "SET used = excluded.used, family = excluded.family, spec = excluded.spec, problem = excluded.problem",
        values,
    )


def _insert_shard(
    db: sqlite3.Connection, place: tuple[str, str, int, str], width: int, recorded: int, state: bytes
) -> int | None:
    return db.execute(
        "INSERT INTO shards (run, method, seed, lambdas, width, recorded, state) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*place, width, recorded, state),
    ).lastrowid


def _exists(db: sqlite3.Connection, run_id: str) -> bool:
    return db.execute("SELECT 1 FROM runs WHERE id = ?", (run_id,)).fetchone() is not None


def _spec_of(db: sqlite3.Connection, run_id: str) -> SweepSpec | None:
    row = db.execute(f"SELECT {COLUMNS} FROM runs WHERE id = ?", (run_id,)).fetchone()
    run = None if row is None else stored_run(row)
    return None if run is None else run.spec


def _size(db: sqlite3.Connection) -> int:
    used = tables.number(db, "page_count") - tables.number(db, "freelist_count")
    return used * tables.number(db, "page_size")
