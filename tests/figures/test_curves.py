"""Claims about the charts along the iterations: the curves, and how many iterations ε takes."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest

from cvar_core import figures
from cvar_core.catalogue import methods
from cvar_core.results import MEASURES, Criterion, number
from tests.figures.results import METHODS, gently, made, trace

CRITERIA = tuple(Criterion(measure) for measure in MEASURES)


def test_curves_follow_the_medians_from_the_first_update_at_the_best_lambda(real):
    figure = figures.curves(real)
    for m, name in enumerate(METHODS):
        best = real.best_lambda(name)
        line = trace(figure, f"{name}-median")
        assert line["name"] == f"{methods[name].label}, λ = {number(best)}"
        assert line["x"] == list(real.spec.checkpoint_iterations[1:])
        expected = np.median(real.gaps()[m, :, 1:, real.spec.lambdas.index(best)], axis=0)
        assert line["y"] == pytest.approx(expected)
    assert real.judged().start in [each["y0"] for each in figure["layout"]["shapes"]]


def test_curves_are_those_of_the_measure():
    result = made(gently(), model=0.5)
    for measure, gaps in (("risk", result.excess_risk), ("objective", result.suboptimality)):
        figure = figures.curves(result, measure=measure)
        place = result.place(result.best_lambda("spl", measure))
        assert trace(figure, "spl-median")["y"] == pytest.approx(np.median(gaps[1, :, 1:, place], axis=0))
        (start,) = figure["layout"]["shapes"]
        assert start["y0"] == pytest.approx(100 if measure == "objective" else 50)
    titles = [figures.curves(result, measure=each)["layout"]["yaxis"]["title"]["text"] for each in MEASURES]
    assert titles == ["excess risk R(θ̄) − F*", "suboptimality F̃ − F*"]


def test_curves_at_one_lambda_say_so_once(real):
    figure = figures.curves(real, dict.fromkeys(METHODS, 0.1 * (1 + 1e-12)))
    ends = sorted((float(trace(figure, f"{name}-median")["y"][-1]), methods[name].label) for name in METHODS)
    gaps = ", ".join(f"{label} {number(gap)}" for gap, label in ends)
    assert figure["layout"]["title"]["subtitle"]["text"] == (
        f"after 500 iterations: {gaps}; at λ = 0.1, median and range of 3 seeds"
    )
    assert [trace(figure, f"{name}-median")["name"] for name in METHODS] == ["SGM", "SPL", "SPL₊"]
    assert "λ = 0.1" in trace(figure, "spl-median")["text"][0]
    mixed = figures.curves(real, {"sgm": 0.1, "spl": 1.0})
    assert "λ" not in mixed["layout"]["title"]["subtitle"]["text"]
    assert trace(mixed, "spl-median")["name"] == "SPL, λ = 1"


def test_curves_are_drawn_at_the_lambda_that_the_words_call_best():
    gaps = gently()
    gaps[1, :, -1, 2] = 0.1
    gaps[1, 0, -1, 2] = math.nan  # the least median, but a seed diverged
    result = made(gaps)
    assert trace(figures.curves(result), "spl-median")["name"] == f"SPL, λ = {number(result.best_lambda('spl'))}"
    assert result.best_lambda("spl") != result.spec.lambdas[2]


def test_curves_leave_out_methods_without_a_lambda_and_refuse_one_that_was_not_run(real):
    figure = figures.curves(real, {"spl": 10, "sgm": None}, measure="objective")
    assert {one["meta"] for one in figure["data"] if "meta" in one} == {"spl"}
    with pytest.raises(ValueError, match=r"λ = 7 is not in the grid"):
        figures.curves(real, {"spl": 7})


def test_curves_raise_a_triangle_at_every_checkpoint_that_is_off_the_chart():
    gaps = gently()
    gaps[0, :, 2:, 1] = math.nan
    result = made(gaps)
    figure = figures.curves(result, {"sgm": result.spec.lambdas[1]})
    assert trace(figure, "sgm-triangles")["x"] == list(result.spec.checkpoint_iterations[2:])


def test_curves_of_methods_that_are_not_equally_far_are_compared_where_all_have_come_to():
    gaps = gently()
    gaps[1, :, 2:] = math.nan
    whole, recorded = made(gaps), np.full((3, 3), 4)
    recorded[1] = 2
    result = dataclasses.replace(whole, recorded=recorded)
    words = figures.curves(result)["layout"]["title"]
    assert words["subtitle"]["text"].startswith("after 1 of 100 iterations: ")
    for m, name in enumerate(METHODS):
        k = whole.spec.lambdas.index(result.best_lambda(name))
        assert f"{methods[name].label} {number(float(np.median(gaps[m, :, 1, k])))}" in words["subtitle"]["text"]


def test_iterations_to_epsilon_are_those_of_the_result():
    gaps = gently()
    gaps[1, :, :, 0] = 100.0  # never
    gaps[1, 0, :, 1] = 100.0  # one seed never
    result = made(gaps)
    by = Criterion(epsilon=20.0)
    figure = figures.iterations_to(result, by=by)
    expected = np.median(result.judged(by).iterations()[1], axis=0)
    assert trace(figure, "spl-median")["y"] == [None, *expected[1:]]
    assert trace(figure, "spl-triangles")["x"] == list(result.spec.lambdas[:2])
    assert trace(figure, "sgm-triangles")["x"] == []


def test_iterations_are_until_each_start_has_closed_its_own_gap_by_the_measure():
    gaps = gently(names=1, lambdas=1)
    gaps[0, 1] *= 1000  # further off, and as quick
    figure = figures.iterations_to(made(gaps, model=0.5))
    assert trace(figure, "sgm-median")["y"] == [10.0]
    assert not any("triangles" in one["uid"] for one in figure["data"])
    words = [figures.iterations_to(made(gaps), by=by)["layout"]["title"]["subtitle"]["text"] for by in CRITERIA]
    assert words[0].startswith("first record with excess risk of the model ≤ ε = 10, ")
    assert words[1].startswith("first record with suboptimality ≤ ε = 10, ")


def test_curves_and_iterations_of_a_running_sweep_say_so():
    gaps = gently()
    gaps[:, :, 3:] = math.nan
    running = made(gaps, recorded=3)
    words = figures.curves(running)["layout"]["title"]
    assert words["text"].startswith("So far: ")
    assert words["subtitle"]["text"].startswith("after 10 of 100 iterations: ")
    assert "; each at its best λ, " in words["subtitle"]["text"]
    assert (
        figures.iterations_to(running, by=Criterion(epsilon=5))["layout"]["title"]["text"]
        == "So far: no λ of this grid has reached ε"
    )
    assert figures.iterations_to(running, by=Criterion(epsilon=50))["layout"]["title"]["text"].startswith(
        "So far: SGM reaches ε in 1 "
    )
    assert "So far" not in json.dumps([figures.curves(made(gently())), figures.iterations_to(made(gently()))])
