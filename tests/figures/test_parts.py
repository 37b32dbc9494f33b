"""Claims about the chart of the two parts: they are the model's and the threshold's, and add up to the gap."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from cvar_core import figures
from tests.figures.results import METHODS, gently, made, trace


def test_the_two_parts_of_every_point_add_up_to_the_suboptimality():
    result = made(gently(seeds=1), model=0.3)
    figure = figures.parts(result)
    for m, name in enumerate(METHODS):
        place = result.place(result.best_lambda(name))
        model, threshold = trace(figure, f"{name}-median")["y"], trace(figure, f"{name}-second-median")["y"]
        whole = result.suboptimality[m, 0, 1:, place]
        assert np.add(model, threshold) == pytest.approx(whole)
        assert model == pytest.approx(0.3 * whole)


def test_lines_are_medians_over_the_seeds_at_the_lambda_asked_for(real):
    figure = figures.parts(real, dict.fromkeys(METHODS, 0.1))
    threshold = real.objectives - real.risks
    for name, gaps in (("median", real.excess_risk), ("second-median", threshold)):
        expected = np.median(gaps[1, :, 1:, real.place(0.1)], axis=0)
        assert trace(figure, f"spl-{name}")["y"] == pytest.approx(expected)
        assert trace(figure, f"spl-{name}")["x"] == list(real.checkpoints[1:])
    with pytest.raises(ValueError, match=r"λ = 7 is not in the grid"):
        figures.parts(real, {"spl": 7})


def test_the_best_lambda_is_that_of_the_measure():
    gaps = gently()
    gaps[1, :, -1, 1] = 0.1
    result = made(gaps)
    result.beside["risk"][1, :, -1, 3] = result.optimum.value + 1e-3
    assert result.best_lambda("spl") != result.best_lambda("spl", "objective")
    for measure in ("risk", "objective"):
        words = trace(figures.parts(result, measure=measure), "spl-median")["text"][0]
        assert f"λ = {result.best_lambda('spl', measure):g}<br>" in words


def test_the_title_says_what_the_start_was_made_of():
    _, title, about = figures.without_title(figures.parts(made(gently(), model=0.02)))
    assert title == "At the start 2% of the suboptimality is the model's part, 2, the rest a wrong threshold"
    assert about == "median of 3 seeds"


@pytest.mark.parametrize("recorded", [0, 1, 2])
def test_it_can_be_drawn_before_the_runs_are_over(recorded):
    gaps = gently()
    gaps[:, :, recorded:] = math.nan
    figure = figures.parts(made(gaps, recorded))
    json.dumps(figure, allow_nan=False)
    assert (figure["layout"]["title"]["text"] == "The runs are starting") == (recorded < 2)


def test_what_diverged_has_a_triangle_and_no_line():
    gaps = gently()
    gaps[0, :, 2:, 1] = math.nan
    result = made(gaps, model=0.5)
    figure = figures.parts(result, {"sgm": result.spec.lambdas[1]})
    for part in ("sgm", "sgm-second"):
        assert trace(figure, f"{part}-triangles")["x"] == list(result.checkpoints[2:])
        assert trace(figure, f"{part}-median")["y"][1:] == [None, None]
