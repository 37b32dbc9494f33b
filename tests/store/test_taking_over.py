"""A file that cannot be used now, because a second dashboard has it or for another reason that passes.

The store works in memory until then, and takes the file over with all it has.
"""

import errno
import sqlite3
import subprocess
import sys

import pytest

from cvar_core.engine import Shard, shards
from cvar_core.problem import Optimum
from cvar_core.store import Store, database
from cvar_core.store.disk import Disk
from tests.store.filling import UNTIL_FREE, bits, fill, ids, made_up, opened, spec_of, works
from tests.store.test_trouble import fails_later

IN_USE = "is in use by another dashboard"


@pytest.fixture(autouse=True)
def looks_at_once(monkeypatch):
    monkeypatch.setattr(database, "PATIENCE", 0.0)


def test_a_second_dashboard_takes_over_when_the_first_ends(kept, path):
    theirs, told = fill(kept, spec_of(1)), []
    kept.visit("ann", theirs)
    with opened(path, tell=told.append) as second:
        works(second, path, IN_USE, UNTIL_FREE)
        mine = fill(second, spec_of(2))
        second.visit("ann", mine)
        second.rename("ann", mine, "mine")
        second.note_deleted("bob", mine)
        kept.close()
        assert ids(second.history("ann")) == [mine, theirs]
        assert (second.trouble, second.cause, second.path) == (None, None, path)
        assert told == [
            f"The store of runs {path} {IN_USE}. {UNTIL_FREE}",
            f"The store of runs {path} is free, and was taken over.",
        ]
        with opened(path) as third:
            works(third, path, IN_USE, UNTIL_FREE)
    with opened(path) as after:
        for run_id in (theirs, mine, spec_of(77).id):
            assert (after.run(run_id).progress, after.run(run_id).status) == (1, "done")
            assert len(after.load(run_id).states) == 4
        assert [(run.id, run.name) for run in after.history("ann")] == [(mine, "mine"), (theirs, None)]
        assert after.was_deleted("bob", mine)
        assert ids(after.history("zoe")) == [spec_of(77).id]


def test_a_process_that_is_killed_lets_go_of_the_file(path):
    hold = "import sys, pathlib, cvar_core.store as s; s.Store.open(pathlib.Path(sys.argv[1])); print(); input()"
    first = subprocess.Popen(
        [sys.executable, "-c", hold, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert first.stdout.readline() == "\n"
        with opened(path) as second:
            works(second, path, IN_USE, UNTIL_FREE)
            first.kill()
            first.wait()
            assert second.run(spec_of(77).id).progress == 1
            assert second.path == path
    finally:
        first.kill()
        first.wait()
        first.stdin.close()
        first.stdout.close()


def test_a_run_under_way_goes_on_in_the_file_bit_for_bit(kept, path):
    """Whatever the file has of it: the next records continue those of memory."""
    spec = spec_of()
    fill(kept, spec, "running")
    with opened(path) as second:
        second.add(spec, "running")
        for shard in shards(spec):
            second.save(spec.id, shard, *made_up(spec, 0, 2, 5.0))
        kept.close()
        for shard in shards(spec):
            second.save(spec.id, shard, *made_up(spec, 2, 6, 5.0))
        assert (second.path, second.run(spec.id).progress, second.run(spec.id).status) == (path, 1, "running")
        states, records = second.load(spec.id)
        for shard in shards(spec):
            assert bits(states[shard]) == bits(made_up(spec, 2, 6, 5.0)[0])
            assert bits(records[shard]) == bits([made_up(spec, *part, 5.0)[1] for part in ((0, 2), (2, 6))])


@pytest.mark.parametrize("more_in_memory", [False, True])
def test_of_a_run_that_both_have_the_further_one_stays(kept, path, more_in_memory):
    spec, shard = spec_of(), Shard("sgm", 0)
    best = Optimum(1.0, made_up(spec, 0, 1)[0].theta[0], 2.0, None)
    kept.add(spec, "cancelled")
    kept.save(spec.id, shard, *made_up(spec, 0, 3, 1.0))
    kept.set_optimum(spec.id, best)
    kept.visit("ann", spec.id)
    with opened(path) as second:
        second.add(spec, "failed")
        second.save(spec.id, shard, *made_up(spec, 0, 4 if more_in_memory else 2, 2.0))
        second.visit("bob", spec.id)
        kept.close()
        run = second.run(spec.id)
        assert second.path == path
        assert run.status == ("failed" if more_in_memory else "cancelled")
        expected = made_up(spec, 0, 4, 2.0) if more_in_memory else made_up(spec, 0, 3, 1.0)
        states, records = second.load(spec.id)
        assert bits([states[shard], *records[shard]]) == bits(list(expected))
        assert run.progress == (4 if more_in_memory else 3) / 24
        assert bits(run.optimum) == bits(best)
        assert ids(second.history("ann")) == ids(second.history("bob")) == [spec.id]


def test_what_the_first_was_at_work_on_is_interrupted(kept, path):
    run_id = fill(kept, spec_of(1), "running")
    with opened(path) as second:
        kept.close()
        assert second.run(run_id).status == "interrupted"


def test_the_last_look_is_at_the_end(kept, path, monkeypatch):
    monkeypatch.setattr(database, "PATIENCE", 1e9)
    with opened(path) as second:
        run_id = fill(second, spec_of(1))
        kept.close()
    with opened(path) as after:
        assert after.run(run_id).progress == 1


def test_a_file_that_is_too_full_for_both_drops_the_oldest(path):
    room = 2_000_000
    with opened(path, most_bytes=room) as first, opened(path, most_bytes=room) as second:
        before = [fill(first, spec_of(seed, dim=2_000)) for seed in range(5)]
        after = [fill(second, spec_of(seed, dim=2_000)) for seed in range(5, 10)]
        first.close()
        assert second.size() <= room
        assert second.path == path
        assert [second.run(each) is not None for each in (before[0], after[-1])] == [False, True]


def test_a_file_that_cannot_be_written_leaves_all_in_memory(kept, path, monkeypatch):
    def fail(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Store, "_adopt", fail)
    with opened(path) as second:
        run_id = fill(second, spec_of(1))
        kept.close()
        assert second.run(run_id).progress == 1
        assert (second.path, second.trouble is None) == (None, False)
        with opened(path) as third:  # and lets go of the file
            assert third.trouble is None


@pytest.mark.parametrize("breaks", fails_later()[:3], ids=lambda each: each.__name__)
def test_trouble_that_passes_is_over_without_a_restart(kept, path, monkeypatch, breaks):
    monkeypatch.setattr(database, "PATIENCE", 1e9)
    old, unwanted, spec = fill(kept, spec_of(1)), fill(kept, spec_of(2)), spec_of(3, dim=500)
    kept.visit("ann", old)
    kept.visit("bob", unwanted)
    kept.add(spec, "running")
    first, *others = shards(spec)
    kept.save(spec.id, first, *made_up(spec, 0, 2))
    _, meanwhile = breaks(kept, path)
    with meanwhile:
        kept.save(spec.id, first, *made_up(spec, 2, 3))
        kept.save(spec.id, others[0], *made_up(spec, 0, 1))
        assert kept.path is None
        kept.forget("bob", unwanted)
        kept.visit("bob", old)
    kept._database._next_look = 0.0
    kept.save(spec.id, first, *made_up(spec, 3, 6))
    assert (kept.trouble, kept.path) == (None, path)
    for shard in others:
        kept.save(spec.id, shard, *made_up(spec, 1 if shard == others[0] else 0, 6))
    kept.set_status(spec.id, "done")
    kept.close()
    with opened(path) as after:
        assert [after.run(each).status for each in (old, spec.id)] == ["done", "done"]
        assert len(after.load(old).states) == len(shards(spec_of(1)))
        parts = [made_up(spec, *part)[1] for part in ((0, 2), (2, 3), (3, 6))]
        assert bits(after.load(spec.id).records[first]) == bits(parts)
        assert ids(after.history("ann")) == ids(after.history("bob")) == [old]
        assert after.run(unwanted) is None, "it was deleted meanwhile"


def test_a_file_that_is_read_only_at_first_is_the_store_later(path, monkeypatch):
    with opened(path) as before:
        theirs = fill(before, spec_of(1))
    real = Disk.open
    monkeypatch.setattr(Disk, "open", refuse_to_write)
    with opened(path) as at:
        works(at, path, "cannot be written, because the file or its folder is read-only")
        mine = fill(at, spec_of(2))
        monkeypatch.setattr(Disk, "open", real)
        assert [at.run(each).progress for each in (theirs, mine)] == [1, 1]
        assert (at.path, at.trouble) == (path, None)


def refuse_to_write(*_):
    raise OSError(errno.EROFS, "Read-only file system")


def test_rows_that_were_looked_up_before_are_not_taken_for_others_after(kept, path):
    """The rows of memory have other numbers in the file."""
    others = [spec_of(seed) for seed in range(3)]
    for each in others:
        fill(kept, each)
    with opened(path) as second:
        source = spec_of(seeds=1)
        second.add(source)
        for shard in shards(source):
            second.save(source.id, shard, *made_up(source, 0, 6, 9.0))
        wanted = spec_of(seeds=1, methods=("sgm",))
        real = database.Database.read
        looks = []

        def read(self, work):
            found = real(self, work)
            looks.append(work)
            if len(looks) == 1:  # where the rows are is known, and they are not read yet
                kept.close()
            return found

        database.Database.read = read
        try:
            second.complete(wanted)
        finally:
            database.Database.read = real
        assert second.path == path
        for parts in second.load(wanted.id).records.values():
            assert all((part.objectives == 9.0).all() for part in parts)
