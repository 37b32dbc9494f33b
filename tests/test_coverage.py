"""Intervals hold the truth as often as they claim, and the tool that counts it finds out one that does not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cvar_core.results.certainty import LEVEL, Interval, coverage, order_statistic, share_at_least
from tools import coverage as tool

SETS = 4_000
ONE = [("absolute", "gumbel")]  # on which starts disagree most
DRAWS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "lognormal": lambda rng, shape: rng.lognormal(sigma=2, size=shape),
    "two clusters": lambda rng, shape: rng.normal(size=shape) * 0.1 + (rng.random(shape) < 0.3),
}


def error(share: float, sets: int = SETS) -> float:
    """Four standard errors of a share that was counted."""
    return 4 * math.sqrt(share * (1 - share) / sets)


@pytest.fixture
def numbers() -> np.random.Generator:
    return np.random.default_rng(20221)


@pytest.mark.parametrize("count", tool.COUNTS)
@pytest.mark.parametrize("drawn", DRAWS)
def test_interval_of_a_median_covers_as_often_as_it_claims(drawn, count, numbers):
    truth = float(np.median(DRAWS[drawn](numbers, 400_000)))
    held = tool.median_held(DRAWS[drawn](numbers, (SETS, count)), truth)
    assert held == pytest.approx(coverage(count), abs=error(coverage(count)))
    assert coverage(count) >= LEVEL


@pytest.mark.parametrize("count", tool.COUNTS)
def test_interval_of_a_median_covers_where_most_starts_are_alike(count, numbers):
    held = tool.median_held(np.maximum(numbers.normal(size=(SETS, count)), 0), 0.0)  # half of them forgive nothing
    assert held >= coverage(count) - error(coverage(count))


@pytest.mark.parametrize("count", tool.COUNTS)
def test_bound_of_a_share_is_never_too_high_more_often_than_it_claims(count, numbers):
    claim = (1 + LEVEL) / 2
    hardest = [share_at_least(fine, count) * (1 - 1e-9) for fine in range(1, count + 1)]
    for truth in (0.02, 0.5, 0.98, *hardest):
        assert tool.bound_held(numbers.random((SETS, count)) < truth, truth) >= claim - error(claim)
    tightest = tool.bound_held(numbers.random((SETS, count)) < hardest[-1], hardest[-1])
    assert tightest == pytest.approx(claim, abs=error(claim))


@pytest.mark.parametrize("count", tool.COUNTS)
def test_interval_of_a_difference_covers_as_often_as_it_claims_if_differences_are_normal(count, numbers):
    held, apart, wrong = tool.difference_held(numbers.normal(0.1, 1, size=(SETS, count)), 0.1)
    assert held == pytest.approx(LEVEL, abs=error(LEVEL))
    assert 0 < wrong < (1 - LEVEL) / 2 < apart


@pytest.mark.parametrize("count", tool.COUNTS)
def test_an_interval_that_leaves_out_too_much_is_found_out(count, numbers, monkeypatch):
    def narrow(values):
        ordered, skipped = sorted(values), order_statistic(len(values)) + 1
        return Interval(ordered[skipped], ordered[-1 - skipped])

    monkeypatch.setattr(tool, "median_interval", narrow)
    held = tool.median_held(numbers.normal(size=(SETS, count)), 0.0)
    assert held < coverage(count) - error(coverage(count))


@pytest.mark.parametrize("replace", [False, True])
def test_sets_are_drawn_from_all_starts_alike(replace, numbers):
    drawn = tool.draw(numbers, 30, SETS, 5, replace)
    assert drawn.shape == (SETS, 5)
    times = np.bincount(drawn.ravel(), minlength=30) / drawn.size
    assert times == pytest.approx(np.full(30, 1 / 30), abs=error(1 / 30, drawn.size))
    assert replace or all(len(set(row)) == 5 for row in drawn.tolist())


def test_exact_intervals_cover_on_runs(numbers):
    found = [
        held
        for every in tool.populations(ONE, starts=30, iterations=500, eval_size=2_000)
        for held in tool.hold(every, 200, 5, numbers)
    ]
    assert {each.kind for each in found} == set(tool.KINDS)
    assert len([each for each in found if each.kind == tool.MEDIAN]) == 2 * 3
    for each in found:
        if each.kind != tool.DIFFERENCE:
            assert each.share >= each.claim - error(each.claim, 200), each


def test_the_tables_have_every_case_and_the_least(capsys, monkeypatch):
    monkeypatch.setattr(tool, "PROBLEMS", ONE)
    tool.main(["--starts", "30", "--sets", "50", "--iterations", "200", "--eval-size", "1000"])
    text = capsys.readouterr().out
    for words in ("absolute, gumbel: risk: spl+", "objective: sgm − spl+", "5 starts: 93.8%", "least for"):
        assert words in text


def test_sets_cannot_be_larger_than_what_they_are_drawn_from(capsys):
    with pytest.raises(SystemExit):
        tool.main(["--starts", "10"])
    assert "--starts is 10, but sets of 20 are drawn" in capsys.readouterr().err
