"""Claims about the atlas in words: made of its numbers, and without a difference that the problems do not tell."""

from dataclasses import replace

import numpy as np
import pytest

from cvar_core.lessons.atlas import HELD_OUT, View
from cvar_core.lessons.atlas import atlas_sentences as says
from tests.lessons.atlas.toy import at, at_random, entry, toy

BOTH, FIRST, NONE = at("spl-u", 1.0) | at("spl", 10.0), at("spl-u", 1.0), at("spl-u")


def view(*safe, **further):
    return View(toy([entry(f"set {k}, raw", f"set {k}") for k in range(len(safe))], safe, **further))


def test_the_headline_names_the_method_and_the_lambda_that_are_safe_most_often():
    found = view(BOTH, FIRST, FIRST, NONE)
    assert says.headline(found).startswith("SPL-U (ours) with λ = 1 is safe on 3 of 4 problems: 75% (95% interval ")
    assert says.ranked(found)[:2] == ["spl-u", "spl"]


def test_methods_that_are_level_are_named_together():
    assert (
        says.headline(view(BOTH, BOTH, NONE))
        == "SPL with λ = 10 and SPL-U (ours) with λ = 1 are each safe on 2 of 3 problems: 67%"
    )
    assert says.compared(view(BOTH, BOTH, NONE)) == ""


def test_where_nothing_is_safe_the_headline_says_so():
    assert says.headline(view(NONE)) == "No single λ of any method is safe on this problem"
    assert says.headline(view(NONE, NONE)) == "No single λ of any method is safe on any of these 2 problems"


def test_a_difference_that_the_problems_do_not_tell_is_not_claimed():
    assert "do not tell the two apart" in says.compared(view(BOTH, BOTH, BOTH, FIRST))
    told = says.compared(view(*[FIRST] * 6, *[BOTH] * 6))
    assert told.startswith("SPL with λ = 10, the next, is safe on 6: 50 percentage points fewer (95% interval ")


def test_what_is_held_out_has_its_own_count_at_the_lambda_that_was_chosen_elsewhere():
    entries = [entry("a"), entry("b"), entry("c", role=HELD_OUT), entry("d", role=HELD_OUT)]
    found = View(toy(entries, [FIRST, FIRST, FIRST, at("spl-u", 10.0)]))
    told = says.held_out(found)
    assert told.startswith("On the 2 problems that are held out, with no part in choosing rule or λ, ")
    assert "SPL-U (ours) with λ = 1 is safe on 1 (95% interval 0–100%) and " in told
    assert says.held_out(view(FIRST, FIRST)) == ""
    assert says.held_out(found.only(HELD_OUT)) == "", "the headline is about them already"


def test_failures_stand_together_by_their_origin():
    entries = [entry("cars, raw", "cars"), entry("cars, standardised", "cars"), entry("tea, raw", "tea"), entry("oil")]
    found = View(toy(entries, [NONE, NONE, NONE, FIRST]))
    assert says.failed(found, "spl-u") == ["**cars**, all 2", "**tea**, 1 of 1: raw"]
    assert says.failed(view(FIRST), "spl-u") == []


def test_problems_without_a_verdict_are_counted_by_their_origin():
    assert says.unjudged(view(FIRST, FIRST, NONE, unjudged=(1,))).endswith(
        "too little to close: 1 problem, of set 1 (1)."
    )
    assert says.unjudged(view(FIRST)) == ""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "F* = 1.5, certified to 10⁻⁹."),
        ({"certified": None}, "F* = 1.5, not certified."),
        ({"certified": 0.0}, "F* = 1.5, certified exactly."),
        ({"attained": False}, "no θ attains it"),
        ({"floor": 0.25}, "below a gap of 0.25 the evaluation points tell nothing apart"),
    ],
)
def test_what_is_known_of_the_minimum_is_said(changes, words):
    assert words in says.certified(replace(at_random(2, 2).problems[0], **changes))


def test_an_interval_without_width_is_not_called_one():
    assert says.between(1.0, 1.0) == "no interval: all resamples agree"
    assert says.between(0.5, 0.999) == "95% interval 50–99.9%"
    found = view(FIRST, FIRST)
    assert np.ptp(found.shares("spl-u").share) == 1
    assert "no interval" in says.headline(found)
