"""``recommend``: the λ to take on a problem, and the atlas's one for those who do not want to tune."""

import json
from dataclasses import replace

import numpy as np
import pytest

from cvar_core import Problem, SpecError, check, paper_grid, recommend, sweep
from cvar_core import recommending as recommending_module
from cvar_core.lessons import atlas
from cvar_core.results import MEASURES, SAFE, Criterion, number, take
from tests.results.making import QUIET, made

SMALL = {"iterations": 500, "seeds": 3}


@pytest.fixture(scope="module")
def problem():
    return Problem.synthetic(**QUIET)


@pytest.fixture
def no_atlas(monkeypatch):
    monkeypatch.setattr(recommending_module, "untuned", lambda by=None: None)


def test_it_recommends_what_the_sweep_of_the_papers_grid_tells(problem, no_atlas):
    found = recommend(problem, ["spl+", "spl"], **SMALL)
    assert repr(found) == f"<Recommendation: λ = {found.lam:g} with {found.method}, {found.verdict.state}>"
    judged = sweep(problem, ["spl+", "spl"], **SMALL).judged()
    assert found.choice == judged.choice
    assert (found.method, found.lam) == (judged.choice.taken.method, judged.choice.taken.lam)
    assert found.lam in paper_grid()
    assert found.factor == judged.choice.taken.factor
    assert set(found.each) == {"spl+", "spl"}
    assert len(found.words) == 3
    assert found.words[-1].startswith(f"{take(judged)}.")
    assert str(found).splitlines() == list(found.words)


def test_check_agrees_with_what_is_recommended(problem):
    found = recommend(problem, **SMALL)
    assert set(found.each) == {"spl+", "spl-u"}, "the paper's, and ours"
    verdict = check(problem, found.lam, found.method, **SMALL)
    assert verdict.safe == found.safe
    assert (verdict.starts, verdict.below, verdict.above) == (
        found.verdict.starts, found.verdict.below, found.verdict.above,
    )  # fmt: skip


def test_it_is_judged_as_it_is_asked_for(problem):
    found = recommend(problem, ["spl+"], **SMALL, measure="objective", closed=0.99)
    assert found.judged.criterion == Criterion("objective", 0.99)
    with pytest.raises(SpecError, match="measure is 'luck'"):
        recommend(problem, measure="luck")


def test_where_nothing_is_usable_there_is_no_method_to_take(no_atlas):
    found = recommend(Problem.synthetic(**QUIET), ["sgm", "spl"], iterations=1, seeds=2, closed=0.999)
    assert (found.choice, found.method, found.lam, found.verdict, found.factor) == (None,) * 5
    assert not found.safe
    assert not found.sure
    assert found.words == tuple(
        f"No λ of the grid can be recommended for {label} by the model's risk: none is usable for most starts."
        for label in ("SGM", "SPL")
    )


def test_where_there_is_nothing_to_close_that_is_all_that_is_said():
    loud = {**QUIET, "noise_params": {"std": 100.0}, "dim": 1}
    found = recommend(Problem.synthetic(**loud), **SMALL)
    assert found.method is None
    (line,) = found.words
    assert "no verdict by its risk" in line


def test_what_is_stored_is_not_computed_again(problem, tmp_path):
    recommend(problem, ["spl+"], **SMALL, store=tmp_path / "runs.db")
    told = []
    again = recommend(problem, ["spl+"], **SMALL, store=tmp_path / "runs.db", report=told.append)
    assert told[-1].updates == 0
    assert again.lam == recommend(problem, ["spl+"], **SMALL).lam


# The atlas.


def small_atlas(safe):
    """An atlas of as many problems as ``safe`` has rows, of which the last is held out: where which method is safe.

    ``safe`` maps a method to the places of its safe step sizes, problem by problem.
    """
    count = len(next(iter(safe.values())))
    shape = (count, len(MEASURES), len(atlas.METHODS), len(atlas.LAMBDAS))
    states = np.ones(shape, dtype=np.int8)  # not safe
    for method, rows in safe.items():
        for k, places in enumerate(rows):
            states[k, 0, atlas.METHODS.index(method), places] = atlas.STATES.index(SAFE)
    result = made([[[1.0]]])
    problems = []
    for k in range(count):
        role = atlas.HELD_OUT if k == count - 1 else atlas.CHOOSING
        entry = atlas.Entry(f"problem {k}", f"origin {k}", atlas.SYNTHETIC, role, "squared", 0.95)
        problems.append(atlas.Charted(entry, replace(result.spec, methods=atlas.METHODS), 0.0, 0.0, None, True))
    return atlas.Atlas(
        tuple(problems), np.ones((*shape[:3], 1, shape[3]), dtype="<f4"), np.ones((count, len(MEASURES), 1)), states,
        np.ones((*shape[:3], 2), dtype="<f4"), {},
    )  # fmt: skip


ONE = atlas.LAMBDAS.index(1.0)


@pytest.fixture
def shipped(monkeypatch):
    """Ships an atlas of the test's own."""

    def ship(known):
        monkeypatch.setattr(atlas, "shipped", lambda: known)
        recommending_module._best_record.cache_clear()

    yield ship
    recommending_module._best_record.cache_clear()


def test_without_tuning_the_method_counts_that_is_safe_most_often_on_what_is_not_held_out(shipped):
    # By all four SGM would win; the last is held out, and must not choose.
    shipped(small_atlas({"sgm": [[ONE], [], [ONE], [ONE]], "spl-u": [[ONE], [ONE], [ONE], []]}))
    record = recommending_module.untuned()
    assert (record.method, record.lam, record.safe, record.problems) == ("spl-u", 1.0, 3, 4)
    assert record.failures == ("problem 3",)


def test_the_record_is_that_of_the_same_criterion(shipped):
    shipped(small_atlas({"spl-u": [[ONE]] * 4}))
    assert recommending_module.untuned(Criterion()) is not None
    assert recommending_module.untuned(Criterion("objective")).safe == 0, "nothing is safe there"
    assert recommending_module.untuned(Criterion(closed=0.99)) is None
    assert recommending_module.untuned(Criterion(epsilon=0.1)) is None


@pytest.mark.parametrize("why", [OSError, SpecError])
def test_where_there_is_no_atlas_nothing_is_said_of_it(monkeypatch, shipped, problem, why):
    shipped(None)

    def missing():
        raise why

    monkeypatch.setattr(atlas, "shipped", missing)
    found = recommend(problem, ["spl+"], **SMALL)
    assert found.default is None
    assert len(found.words) == 2


def test_the_record_is_told_with_how_it_does_here(shipped, problem):
    shipped(small_atlas({"spl-u": [[ONE], [ONE], [ONE], []]}))
    found = recommend(problem, **SMALL)
    assert found.default.safe == 3
    here = found.judged.verdict("spl-u", 1.0)
    assert found.words[-1] == (
        "Without tuning: SPL-U (ours) with λ = 1 is safe on 3 of 4 problems of the atlas, on 0 of the 1 that were held "
        f"out (95% interval 0% to 0%); here it is {here.state}, usable for {here.starts} of 3 starts. "
        "It is not on problem 3."
    )
    others = recommend(problem, ["spl+"], **SMALL)
    assert "here it is" not in others.words[-1]


def test_many_failures_are_counted(shipped, problem):
    shipped(small_atlas({"spl-u": [[ONE]] + [[]] * 8}))
    words = recommend(problem, ["spl+"], **SMALL).words[-1]
    assert words.endswith("It is not on problem 1; problem 2; problem 3; problem 4; problem 5 and 3 more.")


def test_a_recommendation_is_in_the_summary_too(problem):
    found = recommend(problem, ["spl+"], **SMALL)
    told = json.loads(json.dumps(found.judged.result.to_dict()))
    assert told["taken"] == "spl+"
    assert number(told["methods"]["spl+"]["recommended"]["lambda"]) == number(found.lam)
