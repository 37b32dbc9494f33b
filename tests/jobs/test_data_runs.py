"""Runs on data: the manager needs the rows, keeps what they were measured by, and tells whose recipe it was."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from cvar_core import Problem, SweepSpec, sweep
from cvar_core.jobs import Limits, Refused
from cvar_core.jobs import job as job_module
from cvar_core.store import Store
from tests.jobs.running import QUICK, same_bits, spec_of, waited_for

KINDS = ("dense", "sparse")


def problem(kind="dense", loss="logistic"):
    rng = np.random.default_rng(7)
    x = np.where(rng.uniform(size=(150, 6)) < 0.5, rng.standard_normal((150, 6)), 0.0)
    y = np.where(x @ np.arange(6.0) + rng.standard_normal(150) > 0, 1.0, -1.0)
    made = csr_array if kind == "sparse" else np.asarray
    return Problem.from_arrays(made(x[:100]), y[:100], loss, beta=0.6, test=(made(x[100:]), y[100:]))


def spec_on(made, **fields):
    return SweepSpec(made.spec, **{**QUICK, **fields})


def direct(made, spec):
    return sweep(made, spec.methods, spec.lambdas, spec.iterations, spec.seeds, checkpoints=spec.checkpoints)


def same_measures(result, other):
    assert result.measures.keys() == other.measures.keys() != set()
    for name, values in result.measures.items():
        np.testing.assert_array_equal(values, other.measures[name])
    assert result.reference == other.reference != {}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_a_job_on_data_is_the_sweep_on_them(manager, kind, loss):
    made = problem(kind, loss)
    spec = spec_on(made)
    manager.submit(spec, "ada", made)
    result, expected = waited_for(manager, spec).result, direct(made, spec)
    same_bits(result, expected)
    same_measures(result, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_a_restarted_server_knows_all_of_it_but_the_rows(made, held, tmp_path, kind, monkeypatch):
    ours = problem(kind)
    whole, part = spec_on(ours), spec_on(ours, iterations=3_000, checkpoints=20)
    first = made(Store.open(tmp_path / "runs.sqlite"), executor=held)
    first.submit(whole, "ada", ours, '{"data": "cars.csv"}')
    held.work()
    monkeypatch.setattr(job_module, "_SHORTEST", 0.0)  # pieces so small that every curve is in its middle
    first.submit(part, "ada", ours)
    held.until(lambda: (view := first.view(part, "ada")).result is not None and view.result.recorded.min() > 2)
    assert first.view(part, "ada").result.recorded.max() < len(part.checkpoint_iterations)
    first.close()
    second = made(Store.open(tmp_path / "runs.sqlite"))
    result, expected = second.view(whole, "bob").result, direct(ours, whole)
    same_bits(result, expected)
    same_measures(result, expected)
    assert second.view(part, "ada").status == "interrupted"
    with pytest.raises(Refused, match="The data of this run are not here"):
        second.submit(part, "ada")
    assert second.view(part, "ada").status == "interrupted", "and nothing is lost by asking"
    second.submit(part, "ada", problem(kind))
    result, expected = waited_for(second, part).result, direct(ours, part)
    same_bits(result, expected)
    same_measures(result, expected)


def test_a_history_tells_each_visitor_their_own_recipe(manager):
    made = problem()
    spec = spec_on(made)
    manager.submit(spec, "ada", made, "ada's")
    waited_for(manager, spec)
    manager.open(spec, "bob", "bob's")
    manager.submit(spec_of(), "ada")
    waited_for(manager, spec_of())
    assert [run.recipe for run in manager.history("bob")] == ["bob's"]
    assert [(run.id, run.recipe) for run in manager.history("ada", on_data=True)] == [(spec.id, "ada's")]
    assert [(run.id, run.recipe) for run in manager.history("ada", on_data=False)] == [(spec_of().id, None)]
    assert len(manager.history("ada")) == 2


def test_a_run_on_data_is_seen_by_its_id_only_by_those_who_have_run_it(manager):
    made = problem()
    spec = spec_on(made)
    manager.submit(spec, "ada", made)
    waited_for(manager, spec)
    assert manager.seen_by(spec.id, "ada").result is not None
    assert manager.seen_by(spec.id, "bob") is None
    assert manager.seen_by("no such id", "ada") is None
    manager.open(spec, "bob")
    assert manager.seen_by(spec.id, "bob") is not None
    manager.delete(spec.id, "bob")
    assert manager.seen_by(spec.id, "bob") is None
    drawn = spec_of()
    manager.submit(drawn, "ada")
    assert manager.seen_by(drawn.id, "bob") is not None
    manager.rename(drawn.id, "ada", f"  so   wide {99 * 'x'}")
    assert manager.store.visited("ada", drawn.id)[1] == f"so wide {52 * 'x'}"


def test_a_run_that_has_ended_keeps_no_iterates(made, tmp_path):
    ours = problem("sparse")
    manager = made(Store.open(tmp_path / "runs.sqlite"))
    manager.submit(spec_on(ours), "ada", ours)
    waited_for(manager, spec_on(ours))
    stored = manager.store.load(spec_on(ours).id)
    assert {state.theta.numel() for state in stored.states.values()} == {0}
    assert len(stored.records) == 6


@pytest.mark.parametrize(
    ("limits", "fields", "field", "sentence"),
    [
        ({"numbers": 500}, {}, "data", "the data: 100 rows × 6 columns is 600 numbers, but this server allows 500"),
        ({"memory": 1_000}, {}, "data", "needs"),
        ({"store": 1_000}, {}, "seeds", "18 iterates of 6 numbers need"),
        ({"seconds": 1}, {"iterations": 10**8}, "iterations", "minutes of work"),
        ({"seeds": 1}, {}, "seeds", "seeds is 2"),
    ],
)
def test_what_is_too_much_for_the_server_gets_a_sentence(limits, fields, field, sentence):
    ours = problem()
    spec = spec_on(ours, **fields)
    faults = Limits(**limits).faults(spec.to_dict())
    assert list(faults) == [field]
    assert sentence in faults[field]


def test_rows_may_be_wider_and_runs_longer_than_a_synthetic_problem_may():
    limits = Limits(dim=5, iterations=10, eval_size=10)
    assert limits.faults(spec_on(problem()).to_dict()) == {}
    assert set(limits.faults(spec_of().to_dict())) >= {"dim", "iterations", "eval_size"}


def test_the_same_rows_under_another_loss_and_level_are_shared():
    ours = problem(loss="squared")
    other = ours.under("absolute", 0.9, 2.0)
    assert (other.spec.loss, other.spec.beta, other.spec.scale) == ("absolute", 0.9, 2.0)
    assert (other.spec.data, other.spec.test) == (ours.spec.data, ours.spec.test)
    assert other._arrays is ours._arrays
    with pytest.raises(ValueError, match="must be one of squared, absolute"):
        ours.under("logistic", 0.9)
