"""Sharpen, on starts whose usable ranges are known: what is run next, when it ends, and what is then said."""

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from cvar_core import Optimum, ProblemSpec, Result, SpecError, SweepSpec, paper_grid
from cvar_core.results import Criterion, Sharpening, asked_words, sharpened_cost, sharpened_lines, sharpened_sureness
from cvar_core.results.bracketed import bracketed
from cvar_core.results.certainty import coverage, median_interval
from cvar_core.results.looks import STAGES, left_out, looked
from cvar_core.results.sharpening import step_size

BASE = SweepSpec(ProblemSpec(), ("spl",), paper_grid(), 10, seeds=5, checkpoints=1)
BY = Criterion("objective")


class Starts:
    """Starts of which it is known between which decades each is usable; beyond, runs get worse or diverge."""

    def __init__(self, ends, diverge=False):
        self._ends, self._diverge = ends, diverge
        self.runs = Counter()

    @property
    def decades(self):
        return [high - low for low, high in self._ends]

    def run(self, spec):
        gaps = np.array([[self._gap(seed, math.log10(lam)) for lam in spec.lambdas] for seed in spec.seeds])
        self.runs.update((method, seed, lam) for method in spec.methods for seed in spec.seeds for lam in spec.lambdas)
        objectives = np.stack([np.full_like(gaps, 100.0), gaps], axis=1)[None]
        best = Optimum(0.0, torch.zeros(1), 0.0, None)
        return Result(spec, best, objectives, np.full(objectives.shape[:2], 2), {"risk": objectives})

    def _gap(self, seed, decade):
        low, high = self._ends[seed]
        outside = max(low - decade, decade - high)
        if self._diverge and decade > high:
            return math.nan
        return 10.0 * 10 ** (max(outside, -1.0) * (1.0 if outside < 0 else 3.0))  # ε is 10, and the line has a bend


def normal(count=80, spread=0.1, middle=2.0, seed=3):
    rng = np.random.default_rng(seed)
    ends = zip(-1 + rng.normal(0, spread, count), middle - 1 + rng.normal(0, spread, count), strict=True)
    return [(low, max(low, high)) for low, high in ends]


def sharpened(starts, base=BASE, allowed=lambda spec: True, **given):
    """Sharpen to the end, and return what is known and what was run."""
    sharpening, asked = Sharpening(base, BY, **given), []
    while (spec := sharpening.next(allowed)) is not None:
        asked.append(spec)
        assert len(asked) < 2_000, "it does not end"
        sharpening.take(starts.run(spec))
    return sharpening.known, asked


ENDS = st.lists(
    st.tuples(st.floats(-7, 5), st.floats(0, 6)).map(lambda pair: (pair[0], min(pair[0] + pair[1], 8.0))),
    min_size=80, max_size=80,
)  # fmt: skip


@settings(max_examples=12, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(ENDS, st.booleans())
def test_every_start_lies_between_the_bounds_that_its_grid_gives(ends, diverge):
    found = Starts(ends, diverge).run(SweepSpec(ProblemSpec(), ("spl",), paper_grid(), 10, seeds=80, checkpoints=1))
    for (low, high), gaps in zip(ends, found.objectives[0, :, 1], strict=True):
        known = bracketed(paper_grid(), gaps, 10.0)
        assert known.least <= known.likely <= known.most
        grid = np.log10(paper_grid())
        if ((grid >= low) & (grid <= high)).any():
            assert known.least - 1e-9 <= high - low <= known.most + 1e-9


@settings(max_examples=12, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(ENDS, st.booleans())
def test_the_interval_is_around_that_of_ends_that_are_known_exactly(ends, diverge):
    starts = Starts(ends, diverge)
    found, _ = sharpened(starts)
    known = found.methods["spl"]
    usable_somewhere = all(each.least > 0 for each in known.starts.values())
    exact = [starts.decades[seed] for seed in known.starts]
    if usable_somewhere:
        best = looked(exact, exact)
        assert known.interval.low <= best.low + 1e-9
        assert known.interval.high >= best.high - 1e-9
    assert known.interval.low <= known.decades <= known.interval.high
    assert len(known.starts) in STAGES
    if found.why["spl"] == "reached":
        assert known.width <= 0.2
    assert found.runs == len(starts.runs)


@pytest.mark.parametrize(("spread", "count"), [(0.001, 5), (0.07, 20), (0.1, 80)])
def test_starts_are_added_only_as_far_as_they_are_needed(spread, count):
    found, asked = sharpened(Starts(normal(spread=spread)))
    assert found.why == {"spl": "reached"}
    assert found.reached
    assert len(found.methods["spl"].starts) == count
    assert {len(spec.seeds) for spec in asked if spec.lambdas == BASE.lambdas} == {n for n in STAGES if n <= count}


def test_starts_that_differ_much_end_with_the_last_stage_and_a_grid_that_is_no_finer_than_that():
    found, _ = sharpened(Starts(normal(spread=1.0, middle=5.0)))
    assert found.why == {"spl": "starts"}
    known = found.methods["spl"]
    assert known.width > 0.2
    assert not known.blurred
    assert max(known.starts[seed].high.width for seed in known.deciding) > 0.1
    assert "0.2 decades are not reached, and there are no further starts" in sharpened_lines(found)[0]


def test_nothing_is_asked_for_that_is_known_and_every_step_tells_more():
    starts, known = Starts(normal()), set()
    sharpening = Sharpening(BASE, BY)
    while (spec := sharpening.next()) is not None:
        new = {(seed, lam) for seed in spec.seeds for lam in spec.lambdas} - known
        assert new
        known |= new
        if spec.lambdas != BASE.lambdas:
            assert {lam for _, lam in new} == {*spec.lambdas}
            assert {seed for seed, _ in new} == {*spec.seeds}
        sharpening.take(starts.run(spec))
    assert sharpening.known.runs == len(known)


def test_what_comes_next_depends_on_what_is_known_alone():
    starts = Starts(normal())
    _, asked = sharpened(starts)
    again = Sharpening(BASE, BY)
    for spec in asked:
        assert again.next() == spec == again.next()
        again.take(starts.run(spec))
    assert again.next() is None


def test_open_ends_are_followed_outwards_until_they_close():
    found, asked = sharpened(Starts([(-9.02, 6.31)] * 80))
    assert found.why == {"spl": "reached"}
    low, high = found.methods["spl"].interval
    assert low <= 15.33 <= high
    assert {10.0**k for k in (-7, -8, -9, -10, 5, 6, 7)} <= {lam for spec in asked for lam in spec.lambdas}


def test_an_end_beyond_all_step_sizes_stays_open():
    found, asked = sharpened(Starts([(-1.0, 14.0)] * 80))
    assert found.why == {"spl": "starts"}
    assert math.isinf(found.methods["spl"].interval.high)
    assert max(lam for spec in asked for lam in spec.lambdas) == 1e12
    assert "–∞) decades" in sharpened_lines(found)[0]
    assert found.to_dict()["methods"]["spl"]["decades_high"] is None


def test_a_range_between_two_step_sizes_of_the_grid_is_found():
    found, _ = sharpened(Starts([(1.68, 1.91)] * 80))
    assert found.methods["spl"].interval.low > 0
    assert found.methods["spl"].decades == pytest.approx(0.23, abs=0.05)


def test_where_nothing_is_usable_the_interval_is_at_nought():
    starts = Starts([(2.0, 1.0)] * 80)
    starts._gap = lambda seed, decade: 50 + decade**2
    found, _ = sharpened(starts)
    assert found.methods["spl"].interval.low == 0
    assert found.reached


def test_runs_that_all_diverge_end_at_once():
    starts = Starts([(0.0, 1.0)] * 80)
    starts._gap = lambda seed, decade: math.nan
    found, asked = sharpened(starts)
    assert len(asked) == 1
    assert found.methods["spl"].interval == (0, 0)


@pytest.mark.parametrize("budget", [100, 800, 1_500, 4_000, 15_000])
def test_no_more_is_spent_than_the_budget(budget):
    found, _ = sharpened(Starts(normal()), budget=budget)
    assert found.updates <= budget
    assert found.why == {"spl": "limit"}
    if found.methods:
        assert "the budget is spent" in sharpened_lines(found)[0]


def test_the_methods_share_the_budget_equally():
    base = SweepSpec(ProblemSpec(), ("spl", "sgm"), paper_grid(), 10, seeds=5, checkpoints=1)
    starts = Starts(normal(spread=0.04))
    found, _ = sharpened(starts, base, budget=8_000)
    each = Counter(method for method, *_ in starts.runs)
    assert each["spl"] == each["sgm"] <= 400
    assert found.whole


def test_what_is_not_allowed_is_not_asked_for():
    found, asked = sharpened(Starts(normal()), allowed=lambda spec: len(spec.seeds) <= 20)
    assert found.why == {"spl": "limit"}
    assert {len(spec.seeds) for spec in asked} <= {*range(21)}
    known = found.methods["spl"]
    assert max(known.starts[seed].low.width for seed in known.deciding) < 0.05, "what twenty starts can tell is told"


def test_the_first_look_has_as_many_starts_as_are_asked_for():
    starts = Starts(normal(100, spread=0.001))
    for seeds, count in ((3, 5), (7, 20), (20, 20), (90, 90), ((7, 3, 99), 5)):
        base = SweepSpec(ProblemSpec(), ("spl",), paper_grid(), 10, seeds=seeds, checkpoints=1)
        found, asked = sharpened(starts, base)
        assert len(found.methods["spl"].starts) == count
        assert asked[0].seeds[: len(base.seeds)] == base.seeds


def test_other_grids_are_bisected_too():
    base = SweepSpec(ProblemSpec(), ("spl",), (0.007, 0.3, 42.0), 10, seeds=5, checkpoints=1)
    found, asked = sharpened(Starts(normal(spread=0.02)), base)
    assert found.reached
    lambdas = sorted({lam for spec in asked for lam in spec.lambdas})
    assert all(b / a > 1.01 for a, b in pairwise(lambdas)), "none twice, but for its digits"


@pytest.mark.parametrize(("name", "value"), [("width", 0), ("width", math.inf), ("budget", -3), ("width", "wide")])
def test_what_cannot_be_asked_for_gets_a_sentence(name, value):
    with pytest.raises(SpecError, match=f"{name} is .*, but it must be a finite number above 0"):
        Sharpening(BASE, BY, **{name: value})


def test_the_looks_share_what_one_may_be_wrong():
    assert sum(1 - coverage(stage, left_out(stage)) for stage in STAGES) <= 0.1
    assert all(1 - coverage(stage, left_out(stage)) > 0 for stage in STAGES)
    assert left_out(7) <= left_out(20)
    assert left_out(100) >= left_out(80)


def stopped(draws, width, interval):
    """Look at the stages of draws, shape (sets, starts); return how often the interval at which one stops holds 0."""
    held = 0
    for values in draws.tolist():
        for stage in STAGES:
            low, high = interval(values[:stage])
            if high - low <= width:
                break
        held += low <= 0 <= high
    return held / len(draws)


@pytest.mark.parametrize("width", [0.5, 1.0, 2.0])
def test_whoever_stops_when_it_is_narrow_is_right_as_often_as_is_said(width):
    draws = np.random.default_rng(3).standard_t(2, size=(3_000, STAGES[-1]))
    error = 4 * math.sqrt(0.9 * 0.1 / len(draws))
    assert stopped(draws, width, lambda values: looked(values, values)) >= 0.9 - error
    if width == 1.0:
        assert stopped(draws, width, median_interval) < stopped(draws, width, lambda values: looked(values, values))


@given(st.integers(-12 * 32, 12 * 32))
def test_step_sizes_are_where_they_are_said_to_be(place):
    decade = place / 32
    assert math.log10(step_size(decade)) == pytest.approx(decade, abs=0.0025)
    assert 1e-12 <= step_size(decade) <= 1e12


def test_the_words_have_the_level_the_cost_and_what_is_being_done():
    found, asked = sharpened(Starts(normal(spread=0.07)))
    assert sharpened_lines(found)[0].startswith("SPL forgives ")
    assert sharpened_lines(found)[0].endswith("by 20 starts")
    assert "90% intervals" in sharpened_sureness(found)
    assert f"{found.runs:,} runs, {10 * found.runs:,} updates" in sharpened_cost(found)
    assert asked_words(asked[0], BASE) == "SPL: 5 starts"
    assert "starts, λ near 0." in asked_words(asked[-1], BASE)
