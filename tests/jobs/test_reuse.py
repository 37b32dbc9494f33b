"""What was computed is never computed again: runs take what others have, and have the bits of one that computed all."""

import threading
from collections import Counter

import numpy as np
import pytest
from scipy.sparse import csr_array

from cvar_core import Problem, ProblemSpec, SweepSpec, specs, sweep
from cvar_core.engine import advance, cost
from cvar_core.jobs import job as job_module
from cvar_core.problem import points as points_module
from cvar_core.scheduling import performing
from cvar_core.store import Store, store, stored
from tests.jobs.running import same_bits, waited_for

FEW = {"methods": ("sgm", "spl+"), "lambdas": (0.1, 1.0, 10.0), "seeds": 2, "iterations": 300, "checkpoints": 8}
MORE = {
    "seeds": {"seeds": (3, 0, 7, 1)},
    "step sizes": {"lambdas": (0.01, 0.1, 0.4, 1.0, 10.0, 1e4)},
    "methods": {"methods": ("spl", "sgm", "spl+")},
    "all of it": {"seeds": 3, "lambdas": (0.1, 0.2, 10.0, 100.0), "methods": ("spl+", "spl")},
}
KINDS = ("squared", "logistic", "sample", "dense", "sparse")


def problem(kind):
    if kind in ("squared", "logistic"):
        return Problem(ProblemSpec(kind, eval_size=700, dim=4))
    if kind == "sample":
        return Problem(ProblemSpec("absolute", "normal", sample_size=150, dim=4))
    rng = np.random.default_rng(7)
    x = np.where(rng.uniform(size=(150, 6)) < 0.5, rng.standard_normal((150, 6)), 0.0)
    y = x @ np.arange(6.0) + rng.standard_normal(150)
    made = csr_array if kind == "sparse" else np.asarray
    return Problem.from_arrays(made(x[:100]), y[:100], "squared", beta=0.6, test=(made(x[100:]), y[100:]))


def spec_on(ours, **fields):
    return SweepSpec(ours.spec, **{**FEW, **fields})


def all_at_once(ours, spec):
    return sweep(
        ours, spec.methods, spec.lambdas, spec.iterations, spec.seeds, spec.schedule, 1, checkpoints=spec.checkpoints
    )


def trajectories(spec):
    return {(method, seed, lam) for method in spec.methods for seed in spec.seeds for lam in spec.lambdas}


@pytest.fixture
def stepped(monkeypatch):
    """The updates that the engine has taken, trajectory by trajectory."""
    taken = Counter()

    def counting(ours, spec, shard, state, until, stop=None):
        after, records = advance(ours, spec, shard, state, until, stop)
        for lam in shard.step_sizes(spec):
            taken[shard.method, shard.seed, lam] += after.iteration - state.iteration
        return after, records

    monkeypatch.setattr(performing, "advance", counting)
    return taken


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(job_module, "_SHORTEST", 0.0)


def computed(manager, held, ours, spec, visitor="ada"):
    manager.submit(spec, visitor, ours)
    held.work()
    view = manager.view(spec, visitor)
    assert (view.status, view.progress) == ("done", 1), view.error
    return view.result


def half_way(manager, held, ours, spec, visitor="ada"):
    """Work until every curve is in its middle."""
    manager.submit(spec, visitor, ours)

    def so_far():
        view = manager.view(spec, visitor)
        return view.result is not None and view.result.recorded.min() > 2

    held.until(so_far)
    assert manager.view(spec, visitor).live


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("more", MORE)
def test_only_what_is_missing_is_stepped_and_all_has_the_same_bits(still, held, stepped, kind, more):
    ours = problem(kind)
    before, after = spec_on(ours), spec_on(ours, **MORE[more])
    computed(still, held, ours, before)
    assert stepped == dict.fromkeys(trajectories(before), 300)
    stepped.clear()
    result = computed(still, held, ours, after, "bob")
    assert stepped == dict.fromkeys(trajectories(after) - trajectories(before), 300)
    same_bits(result, all_at_once(ours, after))


def test_five_of_twenty_starts_are_not_stepped_again_by_a_restarted_server(made, held, stepped, tmp_path, monkeypatch):
    ours = problem("squared")
    five, twenty, eighty = (spec_on(ours, seeds=n) for n in (5, 20, 80))
    first = made(Store.open(tmp_path / "runs.sqlite"), executor=held)
    computed(first, held, ours, five)
    first.close()
    expected, whole = (all_at_once(ours, spec) for spec in (twenty, eighty))
    monkeypatch.setattr(Problem, "optimum", None)  # nor is F* solved for again
    stepped.clear()
    second = made(Store.open(tmp_path / "runs.sqlite"), executor=held)
    same_bits(computed(second, held, Problem(ours.spec), twenty, "bob"), expected)
    assert stepped.total() == 15 * 2 * 3 * 300
    assert {seed for _, seed, _ in stepped} == {*range(5, 20)}
    stepped.clear()
    same_bits(computed(second, held, ours, eighty), whole)
    assert stepped.total() == 60 * 2 * 3 * 300


def test_a_run_counts_its_updates(still, held, caplog):
    caplog.set_level("INFO")
    ours = problem("squared")
    for seeds in (5, 20):
        computed(still, held, ours, spec_on(ours, seeds=seeds))
    counts = [int(line.rpartition("updates=")[2]) for line in caplog.messages if line.startswith("done")]
    assert counts == [5 * 2 * 3 * 300, 15 * 2 * 3 * 300]


@pytest.mark.parametrize("kind", ["squared", "sparse"])
@pytest.mark.parametrize("cancelled", [True, False], ids=["cancelled", "under way"])
def test_what_a_run_has_so_far_is_taken_too(still, held, stepped, small_pieces, kind, cancelled):
    ours = problem(kind)
    before = spec_on(ours, iterations=3_000, checkpoints=20)
    after = spec_on(ours, iterations=3_000, checkpoints=20, **MORE["all of it"])
    half_way(still, held, ours, before)
    if cancelled:
        still.cancel(before.id, "ada")
        held.work()
    there = {each: stepped[each] for each in trajectories(before) & trajectories(after)}
    assert len(there) == 4
    assert 0 < min(there.values()) <= max(there.values()) < 3_000
    still.submit(after, "bob", ours)
    still.cancel(before.id, "ada")
    held.work()
    still.submit(after, "bob", ours)
    held.work()
    if cancelled:
        assert {each: stepped[each] for each in trajectories(after)} == dict.fromkeys(trajectories(after), 3_000)
    same_bits(still.view(after, "bob").result, all_at_once(ours, after))


def test_step_sizes_that_are_at_different_places_go_on_after_a_restart(made, held, stepped, small_pieces, tmp_path):
    ours, long = problem("sparse"), {"iterations": 3_000, "checkpoints": 20}
    done, begun = spec_on(ours, **long, lambdas=(1.0, 30.0)), spec_on(ours, **long, lambdas=(0.1, 1.0))
    after = spec_on(ours, **long, lambdas=(0.01, 0.1, 1.0, 5.0, 30.0), seeds=3)
    first = made(Store.open(tmp_path / "runs.sqlite"), executor=held)
    computed(first, held, ours, done)
    first.submit(begun, "ada", ours)
    held.until(lambda: min(stepped["sgm", 0, 0.1], stepped["spl+", 1, 0.1]) > 0)
    first.cancel(begun.id, "ada")
    held.work()
    first.submit(after, "bob", ours)
    held.until(lambda: min(stepped["sgm", 0, 5.0], stepped["spl+", 2, 1.0]) > 0)
    first.close()
    second = made(Store.open(tmp_path / "runs.sqlite"), executor=held)
    result = computed(second, held, ours, after, "bob")
    assert {*stepped.values()} == {3_000}
    same_bits(result, all_at_once(ours, after))


def test_a_part_of_what_is_there_is_there_at_once(still, held, stepped, monkeypatch):
    ours = problem("squared")
    computed(still, held, ours, spec_on(ours))
    stepped.clear()
    monkeypatch.setattr(points_module, "DensePoints", None)
    part = spec_on(ours, seeds=(1,), lambdas=(10.0, 0.1))
    still.submit(part, "bob", Problem(ours.spec))
    assert still.view(part, "bob").status == "done"
    assert not held.waiting
    assert not stepped
    same_bits(still.view(part, "bob").result, all_at_once(ours, part))


@pytest.mark.parametrize("kind", ["squared", "sparse"])
def test_step_sizes_of_several_runs_come_together_in_their_order(still, held, stepped, kind):
    ours, whole = problem(kind), (0.1, 0.5, 1.0, 10.0, 100.0)
    for part in ((0.1, 10.0), (0.5, 1.0), (0.5, 100.0)):
        computed(still, held, ours, spec_on(ours, lambdas=part))
    stepped.clear()
    result = computed(still, held, ours, spec_on(ours, lambdas=whole), "bob")
    assert not stepped
    same_bits(result, all_at_once(ours, spec_on(ours, lambdas=whole)))


def test_no_run_needs_another(made, held, tmp_path):
    ours = problem("squared")
    source, after = spec_on(ours), spec_on(ours, **MORE["all of it"])
    manager = made(Store.open(tmp_path / "runs.sqlite"), executor=held)
    computed(manager, held, ours, source)
    manager.submit(after, "bob", ours)
    manager.forget(source.id, "ada")
    assert manager.store.run(source.id) is None
    held.work()
    expected = all_at_once(ours, after)
    same_bits(manager.view(after, "bob").result, expected)
    manager.close()
    again = made(Store.open(tmp_path / "runs.sqlite"), executor=held)
    assert again.view(after, "bob").status == "done"
    same_bits(again.view(after, "bob").result, expected)


BROKEN = {
    "a state": "UPDATE shards SET state = substr(state, 1, 20)",
    "records": "UPDATE records SET pack = CAST(substr(pack, 1, 60) || X'5555' || substr(pack, 63) AS BLOB)",
    "records that are gone": "DELETE FROM records",
    "step sizes": "UPDATE shards SET lambdas = '[0.1, 1.0, 11.0]'",
    "a spec": """UPDATE runs SET spec = replace(spec, '"seeds":[0', '"seeds":[9')""",
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_damaged_is_computed_again(still, held, stepped, what):
    ours = problem("squared")
    before, after = spec_on(ours), spec_on(ours, seeds=3)
    computed(still, held, ours, before)
    still.store._database.write(lambda db: db.execute(BROKEN[what]))
    stepped.clear()
    result = computed(still, held, ours, after)
    assert stepped == dict.fromkeys(trajectories(after), 300)
    same_bits(result, all_at_once(ours, after))


def test_a_whole_copy_is_taken_where_another_is_damaged(still, held, stepped):
    ours = problem("squared")
    for seeds in (2, 3):
        computed(still, held, ours, spec_on(ours, seeds=seeds))
    first = "(SELECT id FROM runs ORDER BY rowid LIMIT 1)"
    still.store._database.write(lambda db: db.execute(f"UPDATE shards SET state = X'00' WHERE run = {first}"))
    stepped.clear()
    result = computed(still, held, ours, spec_on(ours, seeds=4))
    assert {seed for _, seed, _ in stepped} == {3}
    same_bits(result, all_at_once(ours, spec_on(ours, seeds=4)))


OTHERS = {
    "iterations": {"iterations": 301},
    "records": {"checkpoints": 9},
    "schedule": {"schedule": "constant"},
    "beta": {"problem": ProblemSpec(eval_size=700, dim=4, beta=0.9)},
    "problem's seed": {"problem": ProblemSpec(eval_size=700, dim=4, seed=1)},
}


@pytest.mark.parametrize("other", OTHERS)
def test_trajectories_that_differ_in_anything_are_not_taken(still, held, stepped, solved_once, other):
    ours = problem("squared")
    computed(still, held, ours, spec_on(ours))
    stepped.clear()
    spec = SweepSpec(**{"problem": ours.spec, **FEW, **OTHERS[other]})
    computed(still, held, None, spec)
    assert stepped == dict.fromkeys(trajectories(spec), spec.iterations)


def test_an_older_engine_gives_nothing(still, held, stepped, monkeypatch):
    ours = problem("squared")
    with monkeypatch.context() as before:
        for module in (specs, store, stored):
            before.setattr(module, "ENGINE_VERSION", 0)
        computed(still, held, ours, spec_on(ours, iterations=299))
    stepped.clear()
    computed(still, held, ours, spec_on(ours, iterations=299, seeds=3))
    assert stepped.total() == 3 * 2 * 3 * 299


def test_estimate_and_progress_know_what_is_there(still, held):
    ours = problem("squared")
    before, after = (spec_on(ours, iterations=100_000, seeds=n) for n in (5, 20))
    alone = still.estimate(after)
    computed(still, held, ours, before)
    there = still.estimate(after)
    fresh = still.estimate(spec_on(ours, iterations=100_000, seeds=tuple(range(50, 70))))
    assert there == pytest.approx(0.75 * fresh, rel=0.01)
    assert still.estimate(before) < 0.01 * fresh
    assert alone > 0
    price = cost(after)
    stepping = 20 * len(after.methods) * price.of_shard(after)
    done = 1 - 0.75 * stepping / (stepping + price.solve)  # a quarter of the steps, and F*
    assert still.submit(after, "bob", ours).progress == pytest.approx(done, abs=0.02)
    assert still.estimate(spec_on(ours, iterations=100_000, lambdas=(0.1, 1.0, 10.0, 2.0))) < 0.2 * fresh


def test_the_time_that_others_spent_is_not_told_as_ones_own(still, held, small_pieces):
    ours = problem("squared")
    computed(still, held, ours, spec_on(ours, iterations=20_000))
    part = spec_on(ours, iterations=20_000, seeds=1)
    timings = computed(still, held, ours, part, "bob").timings
    assert timings["step"] == timings["evaluate"] == 0


def test_who_takes_from_others_learns_nothing_of_them(still, held):
    ours = problem("dense")
    still.submit(spec_on(ours), "ada", ours, "ada's recipe")
    held.work()
    after = spec_on(ours, seeds=3)
    still.submit(after, "bob", ours)
    held.work()
    assert [(entry.id, entry.recipe) for entry in still.history("bob")] == [(after.id, None)]
    assert still.view(after, "bob").others == 0


def test_without_the_data_nothing_is_taken(still, held):
    ours = problem("dense")
    computed(still, held, ours, spec_on(ours))
    still._problems.clear()
    with pytest.raises(Exception, match="The data of this run are not here"):
        still.submit(spec_on(ours, seeds=3), "eve")
    assert still.store.run(spec_on(ours, seeds=3).id) is None


def test_runs_that_overlap_and_come_at_once_are_all_right(manager):
    ours = problem("squared")
    fields = [
        {"seeds": n, "lambdas": lambdas} for n in (2, 5) for lambdas in ((0.1, 1.0), (0.1, 0.5, 10.0), (1.0, 9.0))
    ]
    wanted = [spec_on(ours, iterations=4_000, **each) for each in fields]
    visitors = [
        threading.Thread(target=manager.submit, args=(spec, f"visitor {k}", ours))
        for k, spec in enumerate((*wanted, *wanted))
    ]
    for each in visitors:
        each.start()
    for each in visitors:
        each.join()
    for spec in wanted:
        same_bits(waited_for(manager, spec).result, all_at_once(ours, spec))
        assert manager.store.run(spec.id).progress == 1


def test_a_run_whose_last_piece_comes_back_while_it_is_resumed_is_resumed(still, held, small_pieces, monkeypatch):
    ours = problem("squared")
    spec = spec_on(ours, iterations=3_000)
    half_way(still, held, ours, spec)
    still.cancel(spec.id, "ada")
    assert spec.id in still._jobs, "workers have pieces of it"
    submit = still._submit

    def late(*args):
        held.work()
        return submit(*args)

    monkeypatch.setattr(still, "_submit", late)
    assert still.submit(spec, "ada", ours).live
    held.work()
    same_bits(still.view(spec, "ada").result, all_at_once(ours, spec))


def test_taking_does_not_hold_up_the_others(still, held, monkeypatch):
    ours = problem("squared")
    complete, seen = still.store.complete, []

    def slowly(spec):
        other = threading.Thread(target=lambda: seen.append(still.open_jobs), daemon=True)
        other.start()
        other.join(30)
        complete(spec)

    monkeypatch.setattr(still.store, "complete", slowly)
    still.submit(spec_on(ours), "ada", ours)
    assert seen == [0]
