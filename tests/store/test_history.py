"""Which runs are kept, for whom, and in how much room."""

import itertools

from cvar_core import specs
from cvar_core.engine import shards
from cvar_core.store import store, stored
from tests.store.filling import fill, ids, made_up, opened, spec_of


def test_history_begins_with_the_latest_visit(kept, monkeypatch):
    a, b, c = (fill(kept, spec_of(seed)) for seed in range(3))
    monkeypatch.setattr(store.time, "time", lambda: 0.0)  # whatever the clock says
    for run_id in (a, b, c, a, "unknown"):
        kept.visit("ann", run_id)
    kept.visit("bob", b)
    assert ids(kept.history("ann")) == [a, c, b]
    assert ids(kept.history("ann", most=2)) == [a, c]
    assert ids(kept.history("bob")) == [b]
    assert kept.history("eve") == []
    assert all(run.progress == 1 for run in kept.history("ann"))


def test_a_name_is_its_visitors_and_outlives_further_visits(kept):
    run_id = fill(kept, spec_of())
    for visitor in ("ann", "bob"):
        kept.visit(visitor, run_id, "how it was made")
    kept.rename("ann", run_id, "wide valley")
    kept.visit("ann", run_id, "how it was made")
    assert [run.name for run in kept.history("ann")] == ["wide valley"]
    assert [run.name for run in kept.history("bob")] == [None]
    assert kept.visited("ann", run_id) == ("how it was made", "wide valley")
    assert kept.visited("eve", run_id) is None
    kept.rename("eve", run_id, "hers")
    assert kept.visited("eve", run_id) is None


def test_what_was_deleted_is_known_until_it_is_visited_again(kept, monkeypatch):
    monkeypatch.setattr(store, "_MOST_VISITS", 3)
    run_id = fill(kept, spec_of())
    kept.visit("bob", run_id)
    kept.note_deleted("ann", run_id)
    assert kept.was_deleted("ann", run_id)
    assert not kept.was_deleted("bob", run_id)
    kept.visit("ann", run_id)
    assert not kept.was_deleted("ann", run_id)
    for k in range(9):
        kept.note_deleted("ann", f"run {k}")
    assert [k for k in range(9) if kept.was_deleted("ann", f"run {k}")] == [6, 7, 8]


TABLE_NAMES = ("runs", "shards", "records", "visits")


def test_forgotten_runs_go_when_nobody_else_has_them(kept):
    shared, own, running = fill(kept, spec_of(0)), fill(kept, spec_of(1)), fill(kept, spec_of(2), "running")
    for visitor, run_id in (("ann", shared), ("bob", shared), ("ann", own), ("ann", running)):
        kept.visit(visitor, run_id)
    unvisited = fill(kept, spec_of(3))
    for run_id in (own, unvisited):
        kept.forget("eve", run_id)
    assert kept.run(unvisited) is not None  # it is not hers to delete
    assert ids(kept.history("ann")) == [running, own, shared]
    for run_id in (shared, own, running):
        kept.forget("ann", run_id)
    assert kept.history("ann") == []
    assert kept.run(own) is None
    assert kept.run(shared) is not None
    assert kept.run(running) is not None
    kept.forget("bob", shared)
    assert kept.run(shared) is None
    tally = [kept._database._db.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in TABLE_NAMES]
    assert tally == [2, 8, 8, 0]


def test_a_run_that_this_version_cannot_read_is_left_out(kept, monkeypatch):
    a, b, c, d = (fill(kept, spec_of(seed)) for seed in range(4))
    for run_id in (a, b, c, d):
        kept.visit("ann", run_id)
    raw = kept._database._db
    raw.execute("UPDATE runs SET spec = replace(spec, 'squared', 'cubed') WHERE id = ?", (b,))
    raw.execute("UPDATE runs SET spec = '{' WHERE id = ?", (c,))
    raw.execute("UPDATE runs SET spec = replace(spec, '40', '41') WHERE id = ?", (d,))
    assert ids(kept.history("ann", most=1)) == [a]
    assert [kept.run(each) for each in (b, c, d)] == [None] * 3
    assert kept.load(b) == ({}, {})
    kept.add(spec_of(1))  # asked for again, it is repaired
    assert kept.run(b).spec == spec_of(1)
    for module in (specs, stored):
        monkeypatch.setattr(module, "ENGINE_VERSION", 99)
    stored._read.cache_clear()
    assert spec_of(0).id != a
    assert ids(kept.history("ann"))[-1] == a  # a run of an older engine is still listed
    stored._read.cache_clear()


def test_visits_do_not_gather_for_ever(kept, monkeypatch):
    monkeypatch.setattr(store, "_MOST_VISITS", 10)
    run_id = fill(kept, spec_of())
    for k in range(30):
        kept.visit(f"visitor {k}", run_id)
    assert kept._database._db.execute("SELECT count(*) FROM visits").fetchone() == (10,)
    assert ids(kept.history("visitor 29")) == [run_id]


def test_trim_drops_the_least_recently_used_and_never_what_is_under_way(path):
    with opened(path, most_bytes=300_000) as at:
        running, queued = spec_of(0, dim=50), spec_of(1, dim=50)
        fill(at, running, "running")
        at.add(queued)
        done = [fill(at, spec_of(2, dim=50)), fill(at, spec_of(3, dim=50))]
        kept_by_use = done[0]
        for seed in range(4, 40):
            done.append(fill(at, spec_of(seed, dim=50)))
            at.visit("ann", kept_by_use)
            assert at.size() <= 300_000
        left = [run_id for run_id in done if at.run(run_id) is not None]
        assert kept_by_use in left
        assert 4 < len(left) < len(done)
        assert left[1:] == done[-len(left) + 1 :]
        assert at.run(running.id).progress == 1
        assert at.run(queued.id).status == "queued"
        assert path.stat().st_size < 400_000  # free pages are used again
        at._most_bytes = 0
        at.add(queued)  # whatever is written makes room
        assert [at.run(run_id) for run_id in done] == [None] * len(done)
        assert at.run(running.id).progress == 1
        assert at.run(queued.id).status == "queued"
        fill(at, spec_of(99, dim=50), "running")  # over the limit, and yet it runs
        assert len(at.load(spec_of(99, dim=50).id).states) == 0  # too large for a store of no bytes
        assert at.trouble is None


def test_the_log_does_not_grow_without_bound(kept, path):
    spec = spec_of(dim=2_000)
    kept.add(spec, "running")
    for k, shard in itertools.product(range(100), shards(spec)):
        kept.save(spec.id, shard, *made_up(spec, 0, 1, k))
    assert path.with_name("runs.db-wal").stat().st_size < 8 * 2**20  # of 27 MB written
    assert kept.size() < 2**20


def test_the_file_shrinks_when_the_store_opens(path):
    with opened(path, most_bytes=2**20) as at:
        for seed in range(20):
            fill(at, spec_of(seed, dim=200))
        at._most_bytes = 2**17
        at.add(spec_of(19, dim=200))  # which makes room
    large = path.stat().st_size
    with opened(path):
        pass
    assert path.stat().st_size < large / 3
