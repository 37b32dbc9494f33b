"""``sharpen`` and ``decide`` on real runs: the bits of sweeps, nothing computed twice, stopped and gone on with."""

from collections import Counter

import numpy as np
import pytest

from cvar_core import Cancelled, Problem, SpecError, check, decide, paper_grid, sharpen, sweep
from cvar_core.engine import advance
from cvar_core.results import Criterion
from cvar_core.results.bracketed import bracketed
from cvar_core.scheduling import performing

FEW = {"iterations": 400, "checkpoints": 1, "measure": "objective", "workers": 1, "width": 0.5}


@pytest.fixture(scope="module")
def problem():
    return Problem.synthetic("absolute", "normal", noise_params={"std": 0.3}, dim=4, eval_size=700)


@pytest.fixture
def stepped(monkeypatch):
    """The updates that the engine has taken, run by run."""
    taken = Counter()

    def counting(ours, spec, shard, state, until, stop=None):
        after, records = advance(ours, spec, shard, state, until, stop)
        for lam in shard.step_sizes(spec):
            taken[shard.method, shard.seed, lam] += after.iteration - state.iteration
        return after, records

    monkeypatch.setattr(performing, "advance", counting)
    return taken


def test_no_run_is_computed_twice_and_all_have_the_bits_of_a_sweep(problem, stepped):
    found = sharpen(problem, ("sgm", "spl+"), **FEW, budget=2 * 500 * 400)
    assert {*stepped.values()} == {400}
    assert stepped.total() == found.updates
    for method, known in found.methods.items():
        starts = sorted(known.starts)[:3]
        for seed in starts:
            lambdas = sorted(lam for name, start, lam in stepped if (name, start) == (method, seed))
            judged = sweep(problem, (method,), lambdas, 400, (seed,), checkpoints=1, workers=1).judged(
                Criterion("objective")
            )
            again = bracketed(lambdas, judged.gaps[0, 0, -1], float(judged.limits[0]))
            assert again == known.starts[seed]


def test_the_dense_grid_lies_within(problem):
    found = sharpen(problem, ("spl+",), **FEW)
    grid = np.logspace(-6, 4, 100)
    dense = sweep(problem, ("spl+",), grid, 400, 80, checkpoints=1, workers=1)
    (row,) = dense.robustness(measure="objective").to_dict("records")
    low, high = found.methods["spl+"].interval
    assert low - 0.1 <= row["decades"] <= high + 0.1
    assert found.reached
    assert high - low <= 0.5
    assert found.updates < 0.25 * found.dense_updates


def test_one_that_was_stopped_goes_on_from_its_store(problem, stepped, tmp_path):
    expected = sharpen(problem, ("spl+",), **FEW)
    stepped.clear()
    with pytest.raises(Cancelled):
        sharpen(problem, ("spl+",), **FEW, store=tmp_path / "runs.db", stop=lambda: stepped.total() > 50_000)
    assert 0 < stepped.total() < expected.updates
    found = sharpen(problem, ("spl+",), **FEW, store=tmp_path / "runs.db")
    assert found == expected
    assert stepped.total() == expected.updates
    stepped.clear()
    assert sharpen(problem, ("spl+",), **FEW, store=tmp_path / "runs.db") == expected
    assert not stepped


def test_what_a_sweep_has_left_is_taken(problem, stepped, tmp_path):
    kept = tmp_path / "runs.db"
    sweep(problem, ("spl+",), None, 400, 5, checkpoints=1, workers=1, store=kept)
    stepped.clear()
    found = sharpen(problem, ("spl+",), **FEW, store=kept)
    assert stepped.total() == found.updates - 5 * len(paper_grid()) * 400


def test_progress_says_what_it_is_about_and_counts_all_updates(problem):
    told = []
    found = sharpen(problem, ("spl+",), **FEW, report=told.append)
    stages = list(dict.fromkeys(each.stage for each in told))
    assert stages[0] == "SPL₊: 5 starts"
    assert any("λ near" in stage for stage in stages)
    assert told[-1].updates == found.updates
    assert [each.updates for each in told] == sorted(each.updates for each in told)


def test_a_budget_ends_it(problem):
    found = sharpen(problem, ("spl+",), **FEW, budget=5 * 15 * 400)
    assert found.why == {"spl+": "limit"}
    assert found.runs == 75


@pytest.mark.parametrize("bad", [{"width": -1}, {"budget": 0}, {"measure": "beauty"}, {"lambdas": ()}])
def test_bad_input_gets_a_sentence(problem, bad):
    with pytest.raises(SpecError):
        sharpen(problem, **{**FEW, **bad})
    with pytest.raises(SpecError, match="Problem"):
        sharpen(None)


# Is one step size safe?

LAST = {"iterations": 1_000, "checkpoints": 1, "workers": 1}


@pytest.mark.parametrize(("lam", "state", "runs"), [(1.0, "safe", 3 * 29), (1e-6, "not safe", 5)])
def test_the_least_work_decides(problem, stepped, lam, state, runs):
    found = decide(problem, lam, "spl+", **LAST)
    assert found.verdict.state == state
    assert found.updates == stepped.total() == runs * 1_000
    assert {*stepped.values()} == {1_000}
    assert found.grid_updates == 15 * found.verdict.seeds * 1_000


def test_one_start_that_fails_rules_out_safe(problem, stepped):
    """Near the upper end some starts fail: those that were run are all that it takes."""
    states = {}
    for lam in (30.0, 60.0, 100.0, 200.0):
        stepped.clear()
        states[lam] = decide(problem, lam, "sgm", **LAST).verdict
        if not states[lam].unanimous:
            assert {each for _, _, each in stepped} == {lam}
    assert any(not each.unanimous for each in states.values())
    assert all("no other λ was tried" not in each.remarks for each in states.values())


def test_it_agrees_with_a_check_from_as_many_starts_on_the_grid(problem):
    for lam in (0.03, 0.3, 3.0, 30.0):
        found = decide(problem, lam, "spl+", **LAST).verdict
        whole = check(problem, lam, "spl+", **LAST, seeds=found.seeds)
        assert (found.state, found.starts, found.gap) == (whole.state, whole.starts, whole.gap)


def test_more_starts_may_be_asked_for(problem, stepped):
    found = decide(problem, 1.0, "spl+", **LAST, seeds=40)
    assert found.verdict.seeds == 40
    assert found.updates == 3 * 40 * 1_000


def test_a_step_size_at_the_end_of_all_has_one_side(problem):
    assert decide(problem, 1e-12, "spl+", **LAST).verdict.state == "not safe"
    assert decide(problem, 1e12, "spl+", **LAST, epsilon=1e300, measure="objective").verdict.starts in (0, 29)


def test_where_nothing_is_to_be_closed_it_says_so_at_once(stepped):
    loud = Problem.synthetic("absolute", "normal", noise_params={"std": 100}, dim=1, eval_size=500)
    found = decide(loud, 1.0, "spl+", **LAST)
    assert found.verdict.nothing_to_close is not None
    assert found.updates == 5 * 1_000
    assert sharpen(loud, ("spl+",), iterations=100, checkpoints=1).why == {"spl+": "nothing"}
