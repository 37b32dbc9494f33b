"""What a run takes from others: the furthest of each trajectory, whole, also from files of an earlier version."""

import sqlite3
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cvar_core import Cancelled, Problem, SpecError, check, sweep
from cvar_core.engine import Reached, Shard, shards
from cvar_core.store.kin import Source, choose, reached
from tests.jobs.running import same_bits
from tests.store.filling import bits, fill, made_up, opened, spec_of
from tests.store.outdating import outdate

GRID = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
SPEC = spec_of(lambdas=GRID)
some = st.lists(st.sampled_from((*GRID, 7.0)), min_size=1, unique=True).map(lambda each: tuple(sorted(each)))
sources = st.lists(st.tuples(st.booleans(), some, st.integers(1, 6)), max_size=8).map(
    lambda given: [
        Source(row, "", own, "sgm", 0, lambdas, "", count) for row, (own, lambdas, count) in enumerate(given)
    ]
)


@given(sources)
def test_each_step_size_is_taken_from_the_source_that_is_furthest(there):
    chosen = choose(SPEC, there)
    taken = {lam: source for source, lambdas in chosen for lam in lambdas}
    assert sum(len(lambdas) for _, lambdas in chosen) == len(taken)
    for lam in GRID:
        have = [(source.recorded, source.own) for source in there if lam in source.lambdas]
        assert (lam in taken) == bool(have)
        if have:
            assert lam in taken[lam].lambdas
            assert (taken[lam].recorded, taken[lam].own) == max(have)


@given(sources)
def test_shards_that_are_taken_and_those_that_are_left_make_the_sweep(there):
    begun = reached(SPEC, choose(SPEC, there))
    ours = [shard for shard in shards(SPEC, begun) if shard[:2] == ("sgm", 0)]
    assert sorted(lam for shard in ours for lam in shard.step_sizes(SPEC)) == list(GRID)
    assert set(begun) <= set(ours)
    assert len(ours) - len(begun) <= 1
    assert sum(count.recorded == 6 for count in begun.values()) <= 1, "what is complete makes one"


def test_what_is_taken_is_what_is_said_before(kept):
    fill(kept, spec_of(lambdas=(0.1, 0.5)))
    half = spec_of(lambdas=(0.2, 0.5, 2.0))
    kept.add(half)
    for shard in shards(half):
        kept.save(half.id, shard, *made_up(half, 0, 2, 7.0))
    expected = kept.reached(SPEC)
    assert expected[Shard("sgm", 1, (0.1, 0.5))] == Reached(40, 6)
    assert expected[Shard("sgm", 1, (0.2, 2.0))] == Reached(1, 2)
    kept.complete(SPEC)
    states, records = kept.load(SPEC.id)
    assert {shard: state.reached for shard, state in states.items()} == expected
    assert {float(part.objectives.mean()) for part in records[Shard("spl+", 0, (0.2, 2.0))]} == {7.0}
    assert states[Shard("spl+", 0, (0.2, 2.0))].theta.shape == (2, 3)
    assert kept.run(SPEC.id).progress == pytest.approx((2 * 6 + 2 * 2) / (6 * 6))


def test_a_run_takes_nothing_where_it_is_as_far_itself(kept):
    fill(kept, SPEC)
    fill(kept, spec_of(lambdas=(*GRID, 7.0)))
    before = bits(list(kept.load(SPEC.id).records.values()))
    kept._database.read(
        lambda db: db.execute("CREATE TRIGGER no BEFORE DELETE ON shards BEGIN SELECT RAISE(FAIL, ''); END")
    )
    kept.complete(SPEC)
    assert bits(list(kept.load(SPEC.id).records.values())) == before


def everything(at, run):
    return [(shard, bits(state), bits(at.load(run).records[shard])) for shard, state in at.load(run).states.items()]


@pytest.mark.parametrize("version", [3, 4])
def test_a_file_of_a_version_before_keeps_its_results_and_gives_them(path, version):
    with opened(path) as at:
        run = fill(at, spec_of())
        at.visit("ann", run)
        before = everything(at, run)
    db = sqlite3.connect(path, isolation_level=None)
    outdate(db, version)
    db.close()
    with opened(path) as at:
        assert at.trouble is None
        at.rename("ann", run, "ours")
        assert at.visited("ann", run) == (None, "ours")
        assert not at.was_deleted("ann", run)
        assert everything(at, run) == before
        assert (at.run(run).status, at.run(run).progress) == ("done", 1)
        assert [each.id for each in at.history("ann")] == [run]
        larger = spec_of(seeds=3)
        at.complete(larger)
        assert set(at.load(larger.id).states) == set(shards(spec_of()))
        at.forget("ann", run)
        assert len(at.load(larger.id).records) == 4
        rows = at._database.read(lambda db: db.execute("SELECT count(*) FROM records").fetchone())
        assert rows == (4,), "with a shard its records go, as before"
    assert not list(path.parent.glob("*.schema-*"))


def test_looking_is_quick_however_much_is_stored(kept):
    for seed in range(300):
        fill(kept, spec_of(seed % 3, seeds=(seed, seed + 1, seed + 2)))
    wanted, begun = spec_of(0, seeds=20), time.thread_time()
    assert kept.reached(wanted)
    assert time.thread_time() - begun < 0.2


def test_a_sweep_takes_from_a_file_what_earlier_ones_left_there(path):
    problem, taken = Problem.synthetic(eval_size=500), []
    few = {"lambdas": (0.1, 1.0), "iterations": 200, "checkpoints": 6}
    more = {**few, "lambdas": (0.1, 0.3, 1.0), "seeds": 4}

    def counted(progress):
        taken.append(progress.updates)

    sweep(problem, **few, seeds=2, store=path, report=counted)
    assert taken[-1] == 3 * 2 * 2 * 200
    same_bits(sweep(problem, **more, store=path, report=counted), sweep(problem, **more))
    assert taken[-1] == 3 * (4 * 3 - 2 * 2) * 200
    again = sweep(Problem(problem.spec), **more, store=path, report=counted)
    assert taken[-1] == 0
    same_bits(again, sweep(problem, **more))
    with opened(path) as at:
        assert at.run(again.spec.id).status == "done"
        check(problem, 0.3, "spl", store=at, iterations=200, checkpoints=6, seeds=2, report=counted)
        assert taken[-1] == 13 * 2 * 200, "of the paper's grid and 0.3, all but the three that are there"


def test_a_sweep_that_was_stopped_goes_on_where_it_was(path, monkeypatch):
    monkeypatch.setattr("cvar_core.scheduling.under_way.SECONDS", 1e-4)
    problem, taken = Problem.synthetic(eval_size=500), []
    grid = {"lambdas": (0.1, 1.0), "iterations": 200_000, "seeds": 2, "workers": 1}
    with pytest.raises(Cancelled):
        sweep(problem, **grid, store=path, report=lambda p: taken.append(p.updates), stop=lambda: sum(taken) > 0)
    with opened(path) as at:
        (run,) = at._database.read(lambda db: db.execute("SELECT id FROM runs").fetchall())
        assert at.run(*run).status == "interrupted"
        assert 0 < at.run(*run).progress < 1
        same_bits(sweep(problem, **grid, store=at, report=lambda p: taken.append(p.updates)), sweep(problem, **grid))
    assert 0 < taken[-1] < 2 * 2 * 3 * 200_000


def test_a_file_that_cannot_be_used_is_refused_before_the_work(path):
    problem = Problem.synthetic(eval_size=500)
    with opened(path), pytest.raises(SpecError, match=r"is in use by another dashboard$"):
        sweep(problem, store=path)
