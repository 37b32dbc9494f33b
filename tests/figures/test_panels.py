"""Claims about the small charts: nothing is lost but what is said once for all of them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cvar_core import figures
from cvar_core.figures.panels import HEIGHT, KINDS, panel, reading_words, triangle_words
from cvar_core.paper import shipped

FULL = {"suboptimality": figures.sensitivity, "iterations": figures.iterations_to}
EVERY = [pytest.param(k, kind, id=f"{kind}-{k}") for kind in KINDS for k in range(9)]


def drawn(k, kind, **settings):
    return panel(shipped().results[k], kind, **settings)


@pytest.mark.parametrize(("k", "kind"), EVERY)
def test_a_small_chart_has_the_points_of_the_large_one(k, kind):
    result = shipped().results[k]
    figure, finding = drawn(k, kind)
    full, title, _ = figures.without_title(FULL[kind](result))
    assert figure["data"] == full["data"]
    assert finding == title
    for axis in ("xaxis", "yaxis"):
        assert figure["layout"][axis]["range"] == full["layout"][axis]["range"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_has_no_legend_and_no_small_letters(kind, theme):
    figure, _ = drawn(0, kind, theme=theme)
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


def test_what_diverged_has_an_open_triangle():
    result = shipped().results[2]  # squared loss, log-normal noise
    figure, _ = drawn(2, "suboptimality")
    marks = next(one for one in figure["data"] if one["uid"] == "sgm-triangles")
    gone = np.array(result.spec.lambdas)[result.at().diverged[0] > 0]
    assert len(gone) > 3
    assert set(gone) <= set(marks["x"])
    assert marks["marker"]["symbol"] == "triangle-up-open"


def test_epsilon_and_one_are_quiet_lines():
    result = shipped().results[0]
    figure, _ = drawn(0, "suboptimality", epsilon=result.epsilon(0.99))
    lines = [one for one in figure["layout"]["shapes"] if one["type"] == "line"]
    assert [one["y0"] for one in lines if one["line"]["dash"] == "dash"] == [result.epsilon(0.99)]
    assert [one["x0"] for one in lines if one["line"]["dash"] == "dot"] == [1]
    assert [each["text"] for each in figure["layout"]["annotations"]] == ["ε"]
    figure, _ = drawn(0, "iterations")
    assert [one["line"]["dash"] for one in figure["layout"]["shapes"] if one["type"] == "line"] == ["dot"]


def test_words_are_for_each_kind():
    assert "final suboptimality" in reading_words("suboptimality")
    assert "iterations until" in reading_words("iterations")
    assert triangle_words("suboptimality") != triangle_words("iterations")
    assert 200 <= HEIGHT <= 400
    for call in (lambda: drawn(0, "curves"), lambda: reading_words("curves")):
        with pytest.raises(ValueError, match="one of suboptimality, iterations"):
            call()
