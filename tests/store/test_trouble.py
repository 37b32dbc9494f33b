"""Trouble with the file in the middle of a run: it goes on, and loses only what was damaged."""

import contextlib
import os
import sqlite3
import threading

import pytest

from cvar_core.engine import Shard, shards
from tests.store.filling import MEMORY, bits, fill, ids, made_up, opened, spec_of, works


def test_a_short_lock_is_waited_for(kept, path):
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    timer = threading.Timer(0.1, other.close)
    timer.start()
    kept.add(spec_of())
    timer.join()
    assert kept.trouble is None


def fails_later():
    def full(at, path):
        at._database._db.execute("PRAGMA max_page_count = 1").fetchall()  # that is: not a page more than now
        return "cannot grow, because the disk is full", contextlib.nullcontext()

    def read_only(at, path):
        at._database._db.execute("PRAGMA query_only = ON")
        return "cannot be written, because the file or its folder is read-only", contextlib.nullcontext()

    def locked(at, path):
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        return "is locked by another program", contextlib.closing(other)

    def deleted(at, path):
        path.unlink()
        return "was deleted or replaced while the dashboard ran", contextlib.nullcontext()

    def replaced(at, path):
        new = path.with_name("another")
        new.write_bytes(path.read_bytes())
        new.replace(path)
        return "was deleted or replaced while the dashboard ran", contextlib.nullcontext()

    return [full, read_only, locked, deleted, replaced]


@pytest.mark.parametrize("breaks", fails_later(), ids=lambda each: each.__name__)
def test_trouble_in_the_middle_of_a_run_loses_nothing(kept, path, breaks):
    old, spec = fill(kept, spec_of(1)), spec_of(dim=500)
    kept.visit("ann", old)
    kept.add(spec, "running")
    first, *others = shards(spec)
    kept.save(spec.id, first, *made_up(spec, 0, 2))
    what, meanwhile = breaks(kept, path)
    with meanwhile:
        kept.save(spec.id, first, *made_up(spec, 2, 3))
        kept.save(spec.id, others[0], *made_up(spec, 0, 1))
    works(kept, path, what)
    assert ids(kept.history("ann")) == [old]
    assert len(kept.load(old).states) == 4
    assert kept.run(old).progress == 1
    assert kept.run(spec.id).status == "running"
    for shard in others:
        kept.save(spec.id, shard, *made_up(spec, 1 if shard == others[0] else 0, 3))
    states, records = kept.load(spec.id)
    assert set(states) == set(shards(spec))
    assert bits(records[first]) == bits([made_up(spec, 0, 2)[1], made_up(spec, 2, 3)[1]])
    assert kept.run(spec.id).progress == 1 / 2
    with opened(path) as repaired:  # the file was let go of
        assert repaired.trouble is None
        assert (repaired.run(old) is None) == (breaks.__name__ == "deleted")


def test_damage_in_the_middle_of_a_run_costs_only_what_was_damaged(kept, path):
    under_way = spec_of(dim=40)
    done = [fill(kept, spec_of(seed, dim=40)) for seed in range(1, 30)]
    kept.add(under_way, "running")
    for run_id in done:
        kept.visit("ann", run_id)
    raw = kept._database._db
    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    raw.execute("PRAGMA cache_size = 0")
    raw.execute("PRAGMA shrink_memory")
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2)
        file.write(b"\xff" * 4096 * 6)
    loaded = [kept.load(run_id).states for run_id in done]
    works(kept, path, "is damaged")
    assert 10 < sum(len(states) == 4 for states in loaded) < len(done)
    assert kept.run(under_way.id).status == "running"
    for shard in shards(under_way):
        kept.save(under_way.id, shard, *made_up(under_way, 0, 6))
    assert kept.run(under_way.id).progress == 1
    assert len(kept.load(under_way.id).states) == 4


def test_one_unreadable_run_does_not_take_the_others_with_it(kept):
    a, b, c = (fill(kept, spec_of(seed)) for seed in range(3))
    for run_id in (a, b, c):
        kept.visit("ann", run_id)
    kept._database._db.execute("UPDATE runs SET error = CAST(X'FF' AS TEXT) WHERE id = ?", (b,))  # not UTF-8
    assert ids(kept.history("ann")) == [c, a]
    assert kept.trouble.endswith(MEMORY)
    assert [len(kept.load(each).states) for each in (a, b, c)] == [4, 0, 4]


def test_a_run_under_way_survives_the_loss_of_everything(kept, path):
    spec = spec_of()
    kept.add(spec)
    kept.set_status(spec.id, "running")
    kept._database._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    kept._database._db.execute("PRAGMA cache_size = 0")
    kept._database._db.execute("PRAGMA shrink_memory")
    os.truncate(path, 0)
    kept.save(spec.id, Shard("sgm", 0), *made_up(spec, 0, 1))
    assert kept.trouble.endswith(MEMORY)
    assert kept.run(spec.id).status == "running"
    assert set(kept.load(spec.id).states) == {Shard("sgm", 0)}
