"""Claims about the small charts: nothing is lost but what is said once for all of them."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from cvar_core import figures
from cvar_core.figures.lessons.paper_charts import HEIGHT, KINDS, headed, panel, reading_words, scores, triangle_words
from cvar_core.figures.palette import TEXT_SIZE
from cvar_core.lessons.paper import compute, panels
from cvar_core.results import Criterion
from tests.figures.results import gently, made

FULL = {"suboptimality": figures.sensitivity, "iterations": figures.iterations_to}
CRITERIA = [Criterion("objective"), Criterion("risk"), Criterion("objective", 0.99)]


@pytest.fixture(scope="module")
def nine():
    """The paper's panels at a size at which they take seconds."""
    return tuple(compute(panels(iterations=200, seeds=2, eval_size=1_000), workers=1))


@pytest.mark.parametrize("by", CRITERIA, ids=["objective", "risk", "objective at 99%"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_small_chart_has_the_points_of_the_large_one(nine, kind, by):
    for result in nine:
        figure, finding = panel(result, kind, by=by)
        full, title, _ = figures.without_title(FULL[kind](result, by=by))
        assert figure["data"] == full["data"]
        assert finding == title
        for axis in ("xaxis", "yaxis"):
            assert figure["layout"][axis]["range"] == full["layout"][axis]["range"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_has_no_legend_and_no_small_letters(nine, kind, theme):
    figure, _ = panel(nine[0], kind, theme=theme)
    layout = figure["layout"]
    json.dumps(figure, allow_nan=False)
    assert layout["showlegend"] is False
    assert "title" not in layout
    sizes = [each["font"]["size"] for each in layout["annotations"]] + [layout["font"]["size"]]
    sizes += [1.25 * layout[axis]["tickfont"]["size"] for axis in ("xaxis", "yaxis")]  # as plotly sets powers of ten
    assert min(sizes) >= 15
    assert max(layout[axis]["nticks"] for axis in ("xaxis", "yaxis")) <= 5
    line = next(one for one in figure["data"] if one["uid"] == "spl+-median")
    assert line["line"]["color"] == figures.style("spl+", theme).colour


def test_a_panel_with_its_numbers_has_no_bars_and_rows_and_curves_have_a_place_each(nine):
    by = Criterion("objective")
    for result in nine:
        before = panel(result, "suboptimality", by=by)[0]
        figure = headed(before, "about", result, "suboptimality", by)
        layout = figure["layout"]
        assert {trace.get("yaxis", "y") for trace in figure["data"]} <= {"y", "y2"}
        places = [layout[axis]["domain"] for axis in ("yaxis", "yaxis2") if axis in layout]
        assert all(lower[1] <= upper[0] for lower, upper in itertools.pairwise(places))
        zones = [[each for each in one["shapes"] if each.get("yref") == "y"] for one in (before["layout"], layout)]
        assert zones[0] == zones[1], "the usable zone stays where it is"


def test_what_diverged_has_an_open_triangle(nine):
    result = nine[2]  # squared loss, log-normal noise
    figure, _ = panel(result, "suboptimality")
    marks = next(one for one in figure["data"] if one["uid"] == "sgm-triangles")
    gone = np.array(result.spec.lambdas)[result.at().diverged[0] > 0]
    assert len(gone) > 2
    assert set(gone) <= set(marks["x"])
    assert marks["marker"]["symbol"] == "triangle-up-open"


def test_epsilon_and_one_are_quiet_lines():
    result = made(gently())
    figure, _ = panel(result, "suboptimality", by=Criterion(closed=0.99))
    lines = [one for one in figure["layout"]["shapes"] if one["type"] == "line"]
    assert [one["y0"] for one in lines if one["line"]["dash"] == "dash"] == [result.epsilon(0.99)]
    assert [one["x0"] for one in lines if one["line"]["dash"] == "dot"] == [1]
    assert [each["text"] for each in figure["layout"]["annotations"]] == ["ε"]
    figure, _ = panel(result, "iterations")
    assert [one["line"]["dash"] for one in figure["layout"]["shapes"] if one["type"] == "line"] == ["dot"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_line_above_a_panel_has_every_methods_number(nine, kind):
    by = Criterion("objective")
    for result in nine:
        small, finding = panel(result, kind, by=by)
        figure = headed(small, "squared, normal", result, kind, by)
        line = figure["layout"]["annotations"][-1]["text"]
        told = scores(result, kind, by)
        assert list(told) == list(result.spec.methods)
        for name, score in told.items():
            assert f"{figures.glyph(name)} {score}</b>" in line
            assert (score in finding) or score in ("none", "never")
        assert figure["data"] == [trace for trace in small["data"] if trace.get("yaxis") != "y3"]
        assert len(small["layout"]["annotations"]) == len(figure["layout"]["annotations"]) - 1, "the panel is as it was"


def test_words_are_for_each_kind_and_measure():
    assert "final suboptimality F̃ − F*" in reading_words("suboptimality", "objective")
    assert "final excess risk R(θ̄) − F*" in reading_words("suboptimality", "risk")
    assert "iterations until the suboptimality is" in reading_words("iterations", "objective")
    assert "iterations until the excess risk of the model is" in reading_words("iterations", "risk")
    assert triangle_words("suboptimality") != triangle_words("iterations")
    assert 200 <= HEIGHT <= 400
    for call in (lambda: panel(made(gently()), "curves"), lambda: reading_words("curves", "risk")):
        with pytest.raises(ValueError, match="one of suboptimality, iterations"):
            call()


def test_every_label_beside_a_panel_has_room(nine):
    """It stands outside of the axes, where too narrow a margin cuts it."""
    drawn = [panel(result, "suboptimality", by=Criterion("objective"))[0]["layout"] for result in nine]
    labels = [(each["text"], layout["margin"]["r"]) for layout in drawn for each in layout["annotations"]]
    assert "floor" in {text for text, _ in labels}
    assert all(margin >= 0.5 * TEXT_SIZE * len(text) for text, margin in labels)
