"""The store: what goes in comes out bit for bit, after a kill too, and no trouble with the file stops a run."""

import contextlib
import itertools
import os
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
import torch

from cvar_core import Problem, ProblemSpec, SweepSpec, specs
from cvar_core.engine import Records, Seconds, Shard, State, advance, shards, start
from cvar_core.problem import Optimum
from cvar_core.store import STATUSES, Store, StoredRun, store, stored, tables

ODD = struct.unpack("<6d", struct.pack("<6Q", 0x7FF0000000000001, 0xFFF8DEADBEEF0001, 1 << 63, 0x7FF << 52, 1, 3))
MEMORY = "The dashboard goes on in memory and loses results when it stops."


def spec_of(seed: int = 0, dim: int = 3, **changes) -> SweepSpec:
    chosen = {"lambdas": (0.1, 1.0), "iterations": 40, "checkpoints": 5, "seeds": 2, "methods": ("sgm", "spl+")}
    return SweepSpec(ProblemSpec(dim=dim, eval_size=200, seed=seed), **(chosen | changes))


def made_up(spec: SweepSpec, first: int, last: int, value: float = 1.0) -> tuple[State, Records]:
    """A state with ``last`` checkpoints, and the records of those from ``first`` on."""
    runs, dim = len(spec.lambdas), spec.problem.dim
    ours = spec.checkpoint_iterations[first:last]
    theta, alpha = torch.full((runs, dim), value).double(), torch.full((runs,), value).double()
    iteration = spec.checkpoint_iterations[last - 1] if last else 0
    state = State(iteration, last, theta, alpha, theta.clone(), alpha.clone(), alpha > 1e9)
    return state, Records(ours, torch.full((len(ours), runs), value).double(), Seconds(0.1, 0.2, 0.3))


def fill(at: Store, spec: SweepSpec, status: str = "done") -> str:
    """Put a whole run into the store."""
    at.add(spec, "running")
    for shard in shards(spec):
        at.save(spec.id, shard, *made_up(spec, 0, len(spec.checkpoint_iterations)))
    at.set_status(spec.id, status)
    return spec.id


def bits(value):
    """A form in which two things are equal only if all their bits are."""
    if isinstance(value, torch.Tensor):
        return value.dtype, tuple(value.shape), value.numpy().tobytes()
    if isinstance(value, float):
        return struct.pack("<d", value)
    if isinstance(value, Optimum):
        return bits(value.value), bits(value.theta), bits(value.alpha), bits(value.gap)
    return [bits(part) for part in value] if isinstance(value, tuple | list) else value


@contextlib.contextmanager
def opened(path: Path | None, **options):
    with contextlib.closing(Store.open(path, **options)) as each:
        yield each


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "data" / "runs.db"


@pytest.fixture
def kept(path):
    with opened(path) as each:
        assert each.trouble is None
        assert each.path == path
        yield each


def test_every_bit_comes_back(path):
    spec, shard = spec_of(), Shard("spl+", 1)
    odd = torch.tensor(ODD, dtype=torch.float64)
    state = State(1, 2, odd.reshape(2, 3), odd[:2], -odd.reshape(2, 3), odd[2:4], torch.tensor([True, False]))
    state = state._replace(theta_sum=odd.reshape(3, 2).T)  # not contiguous
    first = Records((0,), odd[None, :2], Seconds(0.1, 1e-300, 3.0))
    second = Records((), torch.empty((0, 2), dtype=torch.float64), Seconds(7.0))  # steps without a checkpoint
    third = Records((1,), odd[None, 4:], Seconds())
    optima = [Optimum(1.0, odd, 1.0, None), Optimum(0.1, odd[:3], ODD[3], ODD[4])]
    with opened(path) as before:
        before.add(spec)
        before.save(spec.id, shard, state._replace(iteration=0, recorded=1), first)
        before.save(spec.id, shard, state._replace(iteration=0, recorded=1), second)
        before.save(spec.id, shard, state, third)
        before.set_optimum(spec.id, optima[0])
        assert before.run(spec.id).optimum is None  # it has another dimension
        uncertified = Optimum(ODD[1], odd[3:], -0.0, None)
        before.set_optimum(spec.id, uncertified)
        assert bits(before.run(spec.id).optimum) == bits(uncertified)
        before.set_optimum(spec.id, optima[1])
        before.set_status(spec.id, "failed", "λ ran away", {"total": 0.1, "step": 1e-9})
    with opened(path) as after:
        states, records = after.load(spec.id)
        assert list(states) == list(records) == [shard]
        assert bits(states[shard]) == bits(state)
        assert bits(records[shard]) == bits([first, second, third])
        states[shard].theta.add_(1)  # the tensors are the caller's own
        run = after.run(spec.id)
        assert run == StoredRun(
            spec.id, spec, "failed", "λ ran away", run.optimum, {"total": 0.1, "step": 1e-9}, run.created, run.used,
            2 / (4 * 6),
        )  # fmt: skip
        assert run.created <= run.used
        assert bits(run.optimum) == bits(after.optimum_of(spec.problem)) == bits(optima[1])


CHILD = """
import sys, torch
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_store import *
at, spec = Store.open(Path({path!r})), killed_spec()
problem = Problem(spec.problem)
at.add(spec, "running")
states = {{shard: start(problem, spec, shard) for shard in shards(spec)}}
for until in range(spec.iterations + 1):
    for shard in states:
        states[shard], records = advance(problem, spec, shard, states[shard], until)
        at.save(spec.id, shard, states[shard], records)
    if until == 20:
        print("under way", flush=True)
"""


def killed_spec() -> SweepSpec:
    return spec_of(iterations=20_000, checkpoints=400, lambdas=(0.01, 1.0, 1e4))


def test_a_killed_run_goes_on_bit_for_bit(path):
    spec = killed_spec()
    problem = Problem(spec.problem)
    code = CHILD.format(tests=str(Path(__file__).parent), path=str(path))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        whole = {
            each: advance(problem, spec, each, start(problem, spec, each), spec.iterations) for each in shards(spec)
        }
        assert child.stdout.readline() == "under way\n"
        with opened(path) as second:
            assert second.trouble == f"The store of runs {path} is in use by another dashboard. {MEMORY}"
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(0.3)
        child.send_signal(signal.SIGKILL)
    with opened(path) as at:
        assert at.trouble is None  # the lock died with the process
        assert at.run(spec.id).status == "interrupted"
        states, records = at.load(spec.id)
        assert set(states) == set(records) == set(shards(spec))
        counts = {shard: sum(len(part.iterations) for part in parts) for shard, parts in records.items()}
        assert counts == {shard: state.recorded for shard, state in states.items()}
        assert 0 < at.run(spec.id).progress == sum(counts.values()) / (4 * len(spec.checkpoint_iterations)) < 1
        raw = sqlite3.connect(path)
        assert raw.execute("SELECT count(*) FROM shards").fetchone() == (4,)  # and none was left out by load
        raw.close()
        for shard, state in states.items():
            assert 20 <= state.iteration < spec.iterations
            end, rest = advance(problem, spec, shard, state, spec.iterations)
            at.save(spec.id, shard, end, rest)
        ends, records = at.load(spec.id)
        assert at.run(spec.id).progress == 1
        for shard, (end, expected) in whole.items():
            assert bits(ends[shard]) == bits(end)
            assert bits(torch.cat([part.objectives for part in records[shard]])) == bits(expected.objectives)


def test_a_save_that_fails_half_way_leaves_nothing(kept, monkeypatch):
    spec, shard = spec_of(), Shard("sgm", 0)
    kept.add(spec)
    kept.save(spec.id, shard, *made_up(spec, 0, 2, 1.0))

    def fail(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Store, "_trim", fail)  # the last thing that a save does
        with pytest.raises(KeyboardInterrupt):
            kept.save(spec.id, shard, *made_up(spec, 2, 3, 2.0))
    states, records = kept.load(spec.id)
    assert bits([states[shard], *records[shard]]) == bits(list(made_up(spec, 0, 2, 1.0)))
    assert kept.run(spec.id).progress == 2 / 24


def test_what_does_not_fit_together_counts_as_absent(kept):
    spec = spec_of(methods=("sgm", "spl", "spl+"), seeds=4)
    kept.add(spec)
    good, *bad = shards(spec)
    for shard in (good, *bad):
        kept.save(spec.id, shard, *made_up(spec, 0, 2))
        kept.save(spec.id, shard, *made_up(spec, 2, 3))
    assert set(kept.load(spec.id).states) == {good, *bad}
    rows = "records WHERE shard = (SELECT id FROM shards WHERE method = ? AND seed = ?)"
    raw = kept._database._db
    raw.execute(f"DELETE FROM {rows} AND first = 0", bad[0])
    raw.execute(f"DELETE FROM {rows}", bad[1])
    raw.execute("UPDATE shards SET state = substr(state, 1, 40) WHERE method = ? AND seed = ?", bad[2])
    flipped = "CAST(substr(state, 1, 60) || X'55' || substr(state, 62) AS BLOB)"
    raw.execute(f"UPDATE shards SET state = {flipped} WHERE method = ? AND seed = ?", bad[3])
    kept.save(spec.id, bad[4], *made_up(spec_of(dim=4), 0, 2))
    kept.save(spec.id, bad[5], *made_up(spec_of(lambdas=(0.1, 1.0, 2.0)), 0, 2))
    kept.save(spec.id, bad[6], *made_up(spec_of(iterations=60), 0, 4))
    state, records = made_up(spec, 0, 3)
    kept.save(spec.id, bad[7], state._replace(iteration=39), records)
    kept.save(spec.id, bad[8], state, records._replace(objectives=records.objectives[:, :1]))
    raw.execute("UPDATE shards SET method = 'newton' WHERE method = ? AND seed = ?", bad[9])
    assert set(kept.load(spec.id).states) == set(kept.load(spec.id).records) == {good, bad[10]}
    assert kept.load("unknown") == ({}, {})


def test_a_shard_that_starts_afresh_replaces_what_was_there(kept):
    spec, shard = spec_of(), Shard("sgm", 0)
    kept.add(spec)
    for first in range(4):
        kept.save(spec.id, shard, *made_up(spec, first, first + 1, 1.0))
    kept.save(spec.id, shard, *made_up(spec, 0, 2, 2.0))
    states, records = kept.load(spec.id)
    assert bits([states[shard], *records[shard]]) == bits(list(made_up(spec, 0, 2, 2.0)))
    assert kept.run(spec.id).progress == 2 / 24
    kept.save(spec.id, shard, *made_up(spec, 3, 4))  # there is a hole before it
    assert bits(kept.load(spec.id).states[shard]) == bits(states[shard])


def test_statuses(kept):
    spec = spec_of()
    assert kept.run(spec.id) is None
    kept.add(spec)
    assert kept.run(spec.id).status == "queued"
    for status in STATUSES:
        kept.set_status(spec.id, status, timings={"total": 2.0} if status == "running" else None)
        assert kept.run(spec.id).status == status
    kept.set_status(spec.id, "failed", "it broke")
    kept.add(spec)  # keeps what is there
    run = kept.run(spec.id)
    assert (run.status, run.error, run.timings) == ("failed", "it broke", {"total": 2.0})
    kept.set_status(spec.id, "done")
    assert kept.run(spec.id).error is None
    for wrong in (lambda: kept.set_status(spec.id, "ended"), lambda: kept.add(spec, "ended")):
        with pytest.raises(ValueError, match="'ended', but it must be one of queued, running, done"):
            wrong()


def test_erase_keeps_the_run_but_not_what_it_found(kept):
    run_id = fill(kept, spec_of(), "done")
    kept.set_optimum(run_id, Optimum(1.0, torch.ones(3).double(), 2.0, None))
    kept.visit("ann", run_id)
    kept.erase(run_id)
    run = kept.run(run_id)
    assert (run.progress, run.optimum, run.status) == (0, None, "done")
    assert kept.load(run_id) == ({}, {})
    assert kept.optimum_of(run.spec.problem) is None
    assert [each.id for each in kept.history("ann")] == [run_id]
    assert kept._database._db.execute("SELECT count(*) FROM records").fetchone() == (0,)


def test_what_was_under_way_is_interrupted_when_the_store_opens(path):
    specs = {status: spec_of(seed) for seed, status in enumerate(STATUSES)}
    with opened(path) as before:
        for status, spec in specs.items():
            before.add(spec, status)
    with opened(path) as after:
        found = {status: after.run(spec.id).status for status, spec in specs.items()}
    assert found == {status: status for status in STATUSES} | {"queued": "interrupted", "running": "interrupted"}


def test_an_optimum_serves_every_run_of_its_problem_and_engine(kept, monkeypatch):
    spec = spec_of()
    kept.add(spec)
    kept.add(spec_of(iterations=70))
    kept.set_optimum(spec.id, Optimum(4.0, torch.ones(3).double(), 2.0, 0.0))
    assert kept.optimum_of(spec_of(iterations=70).problem).value == 4
    assert kept.optimum_of(spec_of(seed=1).problem) is None
    monkeypatch.setattr(store, "ENGINE_VERSION", -1)
    assert kept.optimum_of(spec.problem) is None


def ids(runs) -> list[str]:
    return [run.id for run in runs]


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


TABLE_NAMES = ("runs", "shards", "records", "visits")


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
        at.trim()
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
        at.trim()
    large = path.stat().st_size
    with opened(path):
        pass
    assert path.stat().st_size < large / 3


def test_a_deleted_run_is_not_written_to(kept):
    spec = spec_of()
    kept.save(spec.id, Shard("sgm", 0), *made_up(spec, 0, 1))
    kept.set_status(spec.id, "done")
    kept.visit("ann", spec.id)
    assert kept.run(spec.id) is None
    assert kept.trouble is None


# ---- trouble with the file


def works(at: Store, path: Path, what: str) -> None:
    """The store is in memory, says why, and does all that a store does."""
    assert at.trouble == f"The store of runs {path} {what}. {MEMORY}"
    assert at.path is None
    run_id = fill(at, spec_of(77))
    at.visit("zoe", run_id)
    assert ids(at.history("zoe")) == [run_id]
    assert len(at.load(run_id).states) == 4


@contextlib.contextmanager
def unprivileged():
    """Without root's rights, which no permission binds."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder():
    """A folder that every user can reach, as pytest's own is not."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


def broken_files():
    def garbage(path):
        path.write_bytes(b"These are not the pages you are looking for. " * 400)
        return "is damaged"

    def truncated(path):
        with opened(path) as at:
            for seed in range(8):
                fill(at, spec_of(seed))
        os.truncate(path, path.stat().st_size // 8192 * 4096)
        return "is damaged"

    def torn(path):
        with opened(path) as at:
            for seed in range(8):
                fill(at, spec_of(seed))
        content = bytearray(path.read_bytes())
        content[4096 * 3 :] = os.urandom(len(content) - 4096 * 3)
        path.write_bytes(content)
        return "is damaged"

    def folder(path):
        path.mkdir()
        return "cannot be opened, because a folder stands in its place"

    def foreign(path):
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE recipes (soup)")
        db.close()
        return "is the database of another program, which is left as it is"

    return [garbage, truncated, torn, folder, foreign]


@pytest.mark.parametrize("breaks", broken_files(), ids=lambda each: each.__name__)
def test_a_file_that_cannot_be_the_store(path, breaks):
    path.parent.mkdir()
    what = breaks(path)
    before = path.read_bytes() if path.is_file() else None
    with opened(path) as at:
        works(at, path, what)
    assert before == (path.read_bytes() if path.is_file() else None)


def test_a_file_where_the_folder_should_be(path):
    path.parent.write_text("a file")
    with opened(path) as at:
        works(at, path, "cannot be made, because a file stands where its folder should be")


def test_a_folder_without_permission(open_folder):
    (open_folder / "closed").mkdir(mode=0o700 if os.geteuid() == 0 else 0)
    path = open_folder / "closed" / "deep" / "runs.db"
    with unprivileged(), opened(path) as at:
        works(at, path, "cannot be opened, because the dashboard has no permission for the file or its folder")


def test_a_read_only_file(open_folder):
    path = open_folder / "runs.db"
    with opened(path) as at:
        fill(at, spec_of())
    path.chmod(0o444)
    (open_folder / "runs.db.lock").chmod(0o666)
    with unprivileged(), opened(path) as at:
        works(at, path, "cannot be written, because the file or its folder is read-only")


def test_a_file_that_another_program_has_locked(path):
    with opened(path) as at:
        fill(at, spec_of())
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with opened(path) as at:
        works(at, path, "is locked by another program")
    other.close()


def test_a_disk_that_is_full(path, monkeypatch):
    connect = tables.connect

    def cramped(where):
        db = connect(where)
        if where != ":memory:":
            db.execute("PRAGMA max_page_count = 3").fetchall()
        return db

    monkeypatch.setattr(tables, "connect", cramped)
    with opened(path) as at:
        works(at, path, "cannot grow, because the disk is full")


def test_a_disk_that_cannot_be_written(path):
    resource = pytest.importorskip("resource")
    with opened(path) as at:
        fill(at, spec_of())
    reader = sqlite3.connect(path)  # keeps the index of the log, which would need room too
    reader.execute("SELECT count(*) FROM runs").fetchone()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        at = Store.open(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        reader.close()
    works(at, path, "cannot be read or written, because the disk reports an error")
    at.close()


def test_a_short_lock_is_waited_for(kept, path):
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    timer = threading.Timer(0.1, other.close)
    timer.start()
    kept.add(spec_of())
    timer.join()
    assert kept.trouble is None


def test_two_stores_on_one_file(kept, path, tmp_path):
    fill(kept, spec_of())
    (tmp_path / "link").symlink_to(path)
    for name in (path, tmp_path / "link"):
        with opened(name) as second:
            works(second, name, "is in use by another dashboard")
    assert kept.trouble is None
    assert kept.run(spec_of(77).id) is None
    kept.close()
    with opened(path) as third:
        assert third.trouble is None


def test_a_store_of_another_version_is_moved_aside(path):
    for version in (0, 0, 99):
        with opened(path) as at:
            assert at.trouble is None
            assert at.run(spec_of().id) is None
            fill(at, spec_of())
        db = sqlite3.connect(path)
        db.execute(f"PRAGMA user_version = {version}")
        db.close()
    with opened(path) as at:
        assert at.trouble is None
    names = {each.name for each in path.parent.iterdir()}
    aside = {"runs.db.schema-0", "runs.db.schema-0-2", "runs.db.schema-99"}
    assert names == {"runs.db", "runs.db.lock"} | aside
    for name in aside:
        db = sqlite3.connect(path.with_name(name))
        assert db.execute("SELECT count(*) FROM records").fetchone() == (4,)
        db.close()


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

    return [full, read_only, locked, deleted]


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


def test_in_memory_on_purpose_there_is_no_trouble():
    with opened(None) as at:
        run_id = fill(at, spec_of())
        assert (at.trouble, at.path) == (None, None)
        assert len(at.load(run_id).states) == 4
        assert at.size() > 0


def test_a_closed_store_says_so(path):
    at = Store.open(path)
    at.close()
    at.close()
    with pytest.raises(RuntimeError, match="the store is closed"):
        at.history("ann")


@pytest.mark.parametrize("failing", [False, True])
def test_eight_threads_at_once(kept, failing):
    specs = [spec_of(seed) for seed in range(8)]
    total = len(specs[0].checkpoint_iterations)
    errors, barrier = [], threading.Barrier(8)

    def work(number):
        try:
            barrier.wait()
            spec = specs[number]
            kept.add(spec, "running")
            for last in range(1, total + 1):
                for shard in shards(spec):
                    kept.save(spec.id, shard, *made_up(spec, last - 1, last, number))
                    kept.visit(f"visitor {number % 2}", spec.id)
                    kept.history("visitor 0")
                    kept.run(specs[number - 1].id)
                kept.load(specs[number - 3].id)
                if failing and number == 5 and last == 3:
                    kept._database._lock.acquire()
                    kept._database._db.execute("PRAGMA query_only = ON")
                    kept._database._lock.release()
            kept.set_status(spec.id, "done")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert (kept.trouble is not None) == failing
    for number, spec in enumerate(specs):
        assert (kept.run(spec.id).status, kept.run(spec.id).progress) == ("done", 1)
        for parts in kept.load(spec.id).records.values():
            assert bits(parts) == bits([made_up(spec, k, k + 1, number)[1] for k in range(total)])
    assert {run.id for run in kept.history("visitor 1")} == {spec.id for spec in specs[1::2]}
