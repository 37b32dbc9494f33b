"""Find what the runs of a sweep's family have of its trajectories: first where it is, then what it is."""

from __future__ import annotations

import functools
import json
import sqlite3
from collections.abc import Iterator

from ..engine import Records, Shard, State
from ..specs import SweepSpec
from .database import Database
from .kin import Chosen, Source, choose, joined
from .progressed import read, step_sizes
from .stored import spec_of

Place = tuple[str, int]  # a method and a seed


def sources(database: Database, spec: SweepSpec) -> dict[Place, list[Source]]:
    """Return where there is something of the sweep's trajectories, without reading it."""

    def look(db: sqlite3.Connection) -> tuple[list[tuple[str, str]], list[tuple[int, str, str, int, str, int]]]:
        runs = db.execute("SELECT id, spec FROM runs WHERE family = ?", (spec.family,)).fetchall()
        shards = db.execute(
            "SELECT shards.id, run, method, seed, lambdas, shards.recorded FROM runs JOIN shards ON run = runs.id "
            "WHERE family = ? AND shards.recorded > 0 AND method IN (SELECT value FROM json_each(?)) "
            "AND seed IN (SELECT value FROM json_each(?))",
            (spec.family, json.dumps(spec.methods), json.dumps(spec.seeds)),
        ).fetchall()
        return runs, shards

    runs, shards = database.read(look)
    specs, found = {run: spec_of(run, text) for run, text in runs}, dict[Place, list[Source]]()

    @functools.cache  # most shards of a run have the same
    def step_sizes_in(run: str, text: str) -> tuple[float, ...]:
        theirs = specs[run]
        return () if theirs is None else step_sizes(theirs, text)

    for row, run, method, seed, text, recorded in shards:
        lambdas = step_sizes_in(run, text)
        if lambdas:
            source = Source(row, run, run == spec.id, method, seed, lambdas, text, recorded)
            found.setdefault((method, seed), []).append(source)
    return found


def better(
    database: Database, spec: SweepSpec, found: dict[Place, list[Source]]
) -> Iterator[list[tuple[Shard, State, Records]]]:
    """Return the shards of each method and seed of which other runs have more than the sweep has itself."""
    for there in found.values():
        chosen, read = _readable(database, spec, there)
        if any(not each.source.own for each in chosen):
            now = [Chosen(source._replace(recorded=read[source.row][0].recorded), lams) for source, lams in chosen]
            yield joined(spec, now, read)


def _readable(
    database: Database, spec: SweepSpec, there: list[Source]
) -> tuple[list[Chosen], dict[int, tuple[State, list[Records]]]]:
    """Choose among the sources that are not damaged, and return what was read of them, by their rows."""
    read: dict[int, tuple[State, list[Records]]] = {}
    while True:
        chosen = choose(spec, there)
        if all(each.source.own for each in chosen):
            return chosen, {}
        for source in (each.source for each in chosen if each.source.row not in read):
            parts = _read(database, spec, source)
            if parts is None:
                there = [each for each in there if each is not source]
                break
            read[source.row] = parts
        else:
            return chosen, read


def _read(database: Database, spec: SweepSpec, source: Source) -> tuple[State, list[Records]] | None:
    """Return what a source has; ``None`` if it is damaged, or has been dropped meanwhile.

    It is asked for by all that it is: rows have other numbers after the store has been taken over.
    """
    place = (source.row, source.run, source.method, source.seed, source.written)

    def look(db: sqlite3.Connection) -> tuple[tuple[bytes] | None, list[tuple[bytes]]]:
        state = db.execute(
            "SELECT state FROM shards WHERE id = ? AND run = ? AND method = ? AND seed = ? AND lambdas = ?", place
        ).fetchone()
        return state, db.execute("SELECT pack FROM records WHERE shard = ? ORDER BY id", (source.row,)).fetchall()

    state, packs = database.read(look)
    return None if state is None else read(spec, len(source.lambdas), state[0], (pack for (pack,) in packs))
