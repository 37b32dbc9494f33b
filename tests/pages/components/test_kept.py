"""What was made of a result is made once, and never of another."""

import dataclasses
import weakref

import numpy as np
import pytest

from cvar_core import Optimum, ProblemSpec, Result, SweepSpec
from pages.components.sending.kept import Kept


@pytest.fixture
def result() -> Result:
    spec = SweepSpec(ProblemSpec(), methods=("spl",), lambdas=(1.0,), iterations=10, seeds=1, checkpoints=1)
    values = np.ones((1, 1, 2, 1))
    return Result(spec, Optimum(0.0, None, 0.0, None), values, np.ones((1, 1), dtype=np.int64), {"risk": values})


def test_the_same_is_made_once(result):
    kept: Kept[object] = Kept(2)
    first = kept.of(result, "light", object)
    assert kept.of(result, "light", object) is first


def test_another_question_gets_another_answer(result):
    kept: Kept[str] = Kept(9)
    assert kept.of(result, ("light", 0.9), lambda: "light") == "light"
    assert kept.of(result, ("dark", 0.9), lambda: "dark") == "dark"
    assert kept.of(result, ("light", 0.5), lambda: "half") == "half"


def test_a_result_with_a_new_record_is_another(result):
    kept: Kept[int] = Kept(9)
    longer = dataclasses.replace(result, recorded=result.recorded + 1)
    counts = [kept.of(each, "", lambda each=each: int(each.recorded.sum())) for each in (result, longer, result)]
    assert counts == [1, 2, 1]


def test_the_place_of_a_result_that_is_gone_may_be_taken_by_another(result):
    kept: Kept[int] = Kept(9)
    for k in range(50):  # a new object soon gets the id of one that is gone
        assert kept.of(dataclasses.replace(result), "", lambda k=k: k) == k


def test_no_result_is_kept_alive(result):
    kept: Kept[int] = Kept(9)
    passing = dataclasses.replace(result)
    kept.of(passing, "", lambda: 1)
    gone = weakref.ref(passing)
    del passing
    assert gone() is None


def test_what_was_not_asked_for_the_longest_is_dropped_first(result):
    kept: Kept[str] = Kept(2)
    made = []
    for about in "abacab":
        kept.of(result, about, lambda about=about: made.append(about) or about)
    assert made == ["a", "b", "c", "b"]
