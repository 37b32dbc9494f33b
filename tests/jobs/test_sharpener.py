"""Sharpening on a server: it goes on by itself, is stopped, gone on with and found again, and keeps to the limits."""

import pytest

from cvar_core import Problem, ProblemSpec, SweepSpec, sharpen
from cvar_core.results import Criterion
from cvar_core.store import Store
from tests.jobs.running import spec_of, wait
from tests.jobs.test_reuse import stepped as stepped

BY = Criterion("objective")
PROBLEM = ProblemSpec("absolute", "normal", noise_params={"std": 0.3}, dim=1, eval_size=200)


def base(**fields):
    return SweepSpec(PROBLEM, **{"methods": ("spl+",), "iterations": 400, "checkpoints": 1, "seeds": 5, **fields})


def ended(manager, spec, visitor="ada", by=BY):
    return wait(lambda: (view := manager.sharpener.view(spec, by, visitor)) and not view.live and view, 120)


def directly(spec, by=BY):
    return sharpen(
        Problem(spec.problem), spec.methods, spec.lambdas, spec.iterations, spec.seeds, checkpoints=spec.checkpoints,
        measure=by.measure, workers=1,
    )  # fmt: skip


def held_until(held, condition):
    """Work, also on what is asked for meanwhile by another thread."""

    def worked():
        held.work()
        return condition()

    wait(worked, 120)


def test_it_finds_what_python_finds_and_computes_nothing_twice(manager, stepped):
    spec = base()
    manager.sharpener.start(spec, BY, "ada")
    view = ended(manager, spec)
    assert view.status == "done"
    assert stepped.total() == view.known.updates
    assert {*stepped.values()} == {400}
    assert view.known == directly(spec)


def test_it_is_in_no_history_and_leaves_no_run_open(manager):
    spec = base()
    manager.sharpener.start(spec, BY, "ada")
    ended(manager, spec)
    assert manager.history("ada") == []
    assert manager.open_jobs == 0


def test_a_visitor_is_told_what_it_does_and_when_there_is_more(manager):
    spec, told = base(), []
    manager.sharpener.start(spec, BY, "ada")
    stop = manager.sharpener.watch(("ada", spec.id, BY), lambda: told.append(manager.sharpener.view(spec, BY, "ada")))
    ended(manager, spec)
    wait(lambda: not told[-1].live)
    stop()
    assert any(view.live and "λ near" in view.doing for view in told)
    assert [view.known.runs for view in told] == sorted(view.known.runs for view in told)
    assert told[-1].known.whole


def test_it_is_stopped_and_goes_on_without_computing_anything_again(still, held, stepped):
    spec = base()
    still.sharpener.start(spec, BY, "ada")
    held_until(held, lambda: still.sharpener.view(spec, BY, "ada").known.runs > 200)
    wait(lambda: still.open_jobs == 1)
    still.sharpener.cancel(spec, BY, "ada")
    assert ended(still, spec).status == "cancelled"
    assert still.open_jobs == 0
    held.work()  # the pieces that workers had come back
    before = stepped.total()
    still.sharpener.start(spec, BY, "ada")
    held_until(held, lambda: not still.sharpener.view(spec, BY, "ada").live)
    view = still.sharpener.view(spec, BY, "ada")
    assert view.status == "done"
    assert 0 < before < stepped.total() == view.known.updates
    assert view.known == directly(spec)


def test_after_a_restart_it_is_found_again_and_nothing_is_computed_unasked(made, stepped, tmp_path):
    spec = base()
    first = made(Store.open(tmp_path / "runs.sqlite"))
    first.sharpener.start(spec, BY, "ada")
    known = ended(first, spec).known
    first.close()
    stepped.clear()
    second = made(Store.open(tmp_path / "runs.sqlite"))
    second.sharpener.recall(spec, BY, "eve")
    assert ended(second, spec, "eve").known == known
    other = base(iterations=401)
    second.sharpener.recall(other, BY, "eve")
    view = ended(second, other, "eve")
    assert (view.status, view.known.runs) == ("interrupted", 0)
    assert not stepped
    second.sharpener.start(other, BY, "eve")
    assert ended(second, other, "eve").status == "done"


def test_a_server_that_ends_interrupts_it(made, held, solved_once):
    manager = made(executor=held)
    spec = base()
    manager.sharpener.start(spec, BY, "ada")
    wait(lambda: manager.open_jobs == 1)
    manager.close()
    assert ended(manager, spec).status == "interrupted"
    manager.sharpener.start(spec, BY, "ada")
    assert manager.sharpener.view(spec, BY, "ada").status == "interrupted"


def test_two_visitors_share_what_is_computed(manager, stepped):
    spec = base()
    for visitor in ("ada", "bob"):
        manager.sharpener.start(spec, BY, visitor)
    found = [ended(manager, spec, visitor).known for visitor in ("ada", "bob")]
    assert found[0] == found[1]
    assert stepped.total() == found[0].updates


def test_one_who_stops_does_not_stop_the_other(manager):
    spec = base()
    for visitor in ("ada", "bob"):
        manager.sharpener.start(spec, BY, visitor)
    manager.sharpener.cancel(spec, BY, "ada")
    assert ended(manager, spec, "bob").status == "done"
    assert ended(manager, spec, "ada").status in ("cancelled", "done")


@pytest.mark.parametrize("limits", [{"seeds": 20}, {"runs": 20 * 15}])
def test_no_run_is_larger_than_is_allowed(made, limits):
    manager, spec = made(**limits), base()
    manager.sharpener.start(spec, BY, "ada")
    view = ended(manager, spec)
    assert view.status == "done"
    assert view.known.why == {"spl+": "limit"}
    assert len(view.known.methods["spl+"].starts) <= 20


def test_all_together_takes_no_longer_than_one_run_may(made, stepped):
    manager, spec = made(seconds=1), base(iterations=150_000, checkpoints=20)
    assert not manager.limits.faults(spec.to_dict())
    manager.sharpener.start(spec, BY, "ada")
    view = ended(manager, spec)
    assert view.known.why == {"spl+": "limit"}
    assert view.known.updates == stepped.total()


def test_the_price_knows_of_the_limit(made):
    spec = base(iterations=150_000, checkpoints=20)
    assert made(seconds=1).sharpener.price(spec) < made(seconds=100).sharpener.price(spec)


def test_whoever_has_too_many_runs_open_is_told(made, held, solved_once):
    manager = made(executor=held, jobs_per_visitor=1)
    manager.submit(spec_of(), "ada")
    manager.sharpener.start(base(), BY, "ada")
    view = ended(manager, base())
    assert view.status == "failed"
    assert "You have 1 run open" in view.error


def test_data_have_to_be_at_hand(manager):
    spec = SweepSpec(ProblemSpec(data="gone", sample_size=100, dim=3), ("spl+",), seeds=5)
    manager.sharpener.start(spec, BY, "ada")
    assert "The data of this run are not here" in ended(manager, spec).error


def test_its_runs_are_ranked_by_what_it_has_had(manager, monkeypatch):
    """Each is short, and would otherwise go before the runs of all others."""
    submit, seen = manager.submit, []

    def noted(*args, **given):
        seen.append(given["behind"])
        return submit(*args, **given)

    monkeypatch.setattr(manager, "submit", noted)
    manager.sharpener.start(base(), BY, "ada")
    ended(manager, base())
    assert seen[0] == 0 < seen[1]
    assert seen == sorted(seen)
