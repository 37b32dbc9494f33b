"""The store: what goes in comes out bit for bit, after a kill too, and from any number of threads."""

import os
import signal
import sqlite3
import struct
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import torch

from cvar_core import Problem
from cvar_core.engine import Records, Seconds, Shard, State, advance, shards, start
from cvar_core.problem import Optimum
from cvar_core.store import STATUSES, Store, StoredRun, store
from tests.store.filling import UNTIL_FREE, bits, fill, made_up, opened, spec_of

ROOT = Path(__file__).parent.parent.parent
ODD = struct.unpack("<6d", struct.pack("<6Q", 0x7FF0000000000001, 0xFFF8DEADBEEF0001, 1 << 63, 0x7FF << 52, 1, 3))


def test_every_bit_comes_back(path):
    spec, shard = spec_of(), Shard("spl+", 1)
    odd = torch.tensor(ODD, dtype=torch.float64)
    state = State(1, 2, odd.reshape(2, 3), odd[:2], -odd.reshape(2, 3), odd[2:4], torch.tensor([True, False]))
    state = state._replace(theta_sum=odd.reshape(3, 2).T)  # not contiguous
    beside = torch.stack([odd[:4].reshape(2, 2), odd[2:].reshape(2, 2)])  # of two checkpoints
    first = Records((0,), odd[None, :2], beside[:1], Seconds(0.1, 1e-300, 3.0))
    none = torch.empty((0, 2), dtype=torch.float64)
    second = Records((), none, none[..., None].expand(0, 2, 2), Seconds(7.0))  # steps without a checkpoint
    third = Records((1,), odd[None, 4:], beside[1:].transpose(1, 2), Seconds())  # not contiguous
    optima = [Optimum(1.0, odd, 1.0, None), Optimum(0.1, odd[:3], ODD[3], ODD[4], True, ODD[2:4], ODD[5], -0.0)]
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
import sys
from pathlib import Path
from cvar_core import Problem, SweepSpec
from cvar_core.engine import advance, shards, start
from cvar_core.store import Store
at, spec = Store.open(Path(sys.argv[1])), SweepSpec.from_dict({spec!r})
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


def test_a_killed_run_goes_on_bit_for_bit(path):
    spec = spec_of(iterations=20_000, checkpoints=400, lambdas=(0.01, 1.0, 1e4))
    problem = Problem(spec.problem)
    command = [sys.executable, "-c", CHILD.format(spec=spec.to_dict()), str(path)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as child:
        whole = {
            each: advance(problem, spec, each, start(problem, spec, each), spec.iterations) for each in shards(spec)
        }
        assert child.stdout.readline() == "under way\n"
        with opened(path) as second:
            assert second.trouble == f"The store of runs is in use by another dashboard. {UNTIL_FREE}"
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
            for name in ("objectives", "beside"):
                stored = torch.cat([getattr(part, name) for part in records[shard]])
                assert bits(stored) == bits(getattr(expected, name))


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
    spec = spec_of(methods=("sgm", "spl", "spl+"), seeds=5)
    kept.add(spec)
    good, *bad = shards(spec)
    for shard in (good, *bad):
        kept.save(spec.id, shard, *made_up(spec, 0, 2))
        kept.save(spec.id, shard, *made_up(spec, 2, 3))
    assert set(kept.load(spec.id).states) == {good, *bad}
    rows = "records WHERE shard = (SELECT id FROM shards WHERE method = ? AND seed = ?)"
    raw = kept._database._db
    raw.execute(f"DELETE FROM {rows} AND first = 0", bad[0][:2])
    raw.execute(f"DELETE FROM {rows}", bad[1][:2])
    raw.execute("UPDATE shards SET state = substr(state, 1, 40) WHERE method = ? AND seed = ?", bad[2][:2])
    flipped = "CAST(substr(state, 1, 60) || X'55' || substr(state, 62) AS BLOB)"
    raw.execute(f"UPDATE shards SET state = {flipped} WHERE method = ? AND seed = ?", bad[3][:2])
    kept.save(spec.id, bad[4], *made_up(spec_of(dim=4), 0, 2))
    kept.save(spec.id, bad[5], *made_up(spec_of(lambdas=(0.1, 1.0, 2.0)), 0, 2))
    kept.save(spec.id, bad[6], *made_up(spec_of(iterations=60), 0, 4))
    state, records = made_up(spec, 0, 3)
    kept.save(spec.id, bad[7], state._replace(iteration=39), records)
    kept.save(spec.id, bad[8], state, records._replace(objectives=records.objectives[:, :1]))
    raw.execute("UPDATE shards SET method = 'newton' WHERE method = ? AND seed = ?", bad[9][:2])
    kept.save(spec.id, bad[10], state, records._replace(beside=records.beside[..., :1]))
    assert set(kept.load(spec.id).states) == set(kept.load(spec.id).records) == {good, *bad[11:]}
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


def test_a_deleted_run_is_not_written_to(kept):
    spec = spec_of()
    kept.save(spec.id, Shard("sgm", 0), *made_up(spec, 0, 1))
    kept.set_status(spec.id, "done")
    kept.visit("ann", spec.id)
    assert kept.run(spec.id) is None
    assert kept.trouble is None


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
