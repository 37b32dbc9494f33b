"""Claims about all charts of a sweep: whatever happened they can be drawn, read and clicked, and say how far it is."""

from __future__ import annotations

import ast
import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from cvar_core import figures, report
from cvar_core.figures.frame import titled
from cvar_core.figures.palette import LIGHT
from tests.figures.results import all_figures, axis_span, gently, made, trace

values = st.one_of(
    st.floats(1e-8, 1e8),
    st.sampled_from([math.nan, 0.0, -1e-12, 1e-300, 1e160, 1e300]),
)


@given(
    gaps=hnp.array_shapes(min_dims=3, max_dims=3, min_side=1, max_side=3).flatmap(
        lambda s: hnp.arrays(float, (s[0], s[1], 4, s[2]), elements=values)
    ),
    recorded=st.integers(0, 4),
)
def test_whatever_happened_the_figures_are_json_and_their_points_lie_on_the_chart(gaps, recorded):
    gaps[:, :, recorded:] = math.nan
    for figure in all_figures(made(gaps, recorded)):
        json.dumps(figure, allow_nan=False)
        (left, right), (bottom, top) = axis_span(figure, "xaxis"), axis_span(figure, "yaxis")
        assert 0 < bottom < top < math.inf
        for one in figure["data"]:
            assert all(left <= x <= right for x in one["x"] if x is not None)
            if "yaxis" not in one:
                assert all(bottom <= y <= top for y in one["y"] if y is not None)


def test_plotly_knows_every_property(real):
    from plotly.graph_objects import Figure

    for figure in all_figures(real):
        Figure(figure)


@pytest.mark.parametrize("bad", [math.nan, 1e160])
@pytest.mark.parametrize("draw", [figures.sensitivity, figures.curves, figures.iterations_to])
def test_runs_that_diverged_or_exploded_stretch_no_axis(draw, bad):
    gaps = gently()
    calm = draw(made(gaps))
    gaps[:, :, 1:, -1] = bad
    wild = draw(made(gaps))
    assert wild["layout"]["yaxis"]["range"] == calm["layout"]["yaxis"]["range"]
    assert wild["layout"]["xaxis"]["range"] == calm["layout"]["xaxis"]["range"]


@pytest.mark.parametrize("begun", ["none", "starts", "some shards"])
def test_before_every_run_has_moved_the_charts_say_that_they_are_starting(begun):
    gaps, recorded = gently(), np.zeros((3, 3), dtype=int)
    recorded[:] = {"none": 0, "starts": 1, "some shards": 0}[begun]
    recorded[0] = 3 if begun == "some shards" else recorded[0]
    gaps[np.arange(4)[None, None, :, None] >= np.broadcast_to(recorded[:, :, None, None], gaps.shape)] = math.nan
    whole = made(gaps)
    result = dataclasses.replace(whole, recorded=recorded)
    draws = [figures.sensitivity(result), figures.curves(result), figures.parts(result), figures.iterations_to(result)]
    for figure in draws:
        json.dumps(figure, allow_nan=False)
        assert figure["layout"]["title"]["text"] == "The runs are starting"
        assert all(one["uid"].split("-")[-1] != "triangles" for one in figure["data"])


@pytest.mark.parametrize("draw", [figures.sensitivity, figures.iterations_to])
def test_rings_are_on_top_of_the_points_and_triangles_of_the_chosen_lambda(draw):
    gaps = gently()
    gaps[0, :, 1:, 2] = math.nan
    gaps[:, :, 2:, 2] /= 10
    result = made(gaps)
    lam = result.spec.lambdas[2]
    figure = draw(result, chosen=lam * (1 - 1e-12))
    raised, *points = rings = figure["data"][-3:]
    assert [one["uid"] for one in rings] == ["sgm-chosen-triangle", "spl-chosen", "spl+-chosen"]
    assert [one["legendgroup"] for one in rings] == ["sgm", "spl", "spl+"]  # a hidden method takes its ring along
    assert [one["y"] for one in points] == [trace(figure, f"{name}-median")["y"][2:3] for name in ("spl", "spl+")]
    assert raised["y"] == trace(figure, "sgm-triangles")["y"][:1]
    assert raised["yaxis"] == trace(figure, "sgm-triangles")["yaxis"]
    assert all(one["x"] == [lam] and not one["showlegend"] for one in rings)
    for none in (draw(result, chosen=0.123), draw(result)):
        assert not any("chosen" in one["uid"] for one in none["data"])


def test_only_points_and_triangles_can_be_clicked_and_they_name_their_method():
    gaps = gently()
    gaps[0, :, 1:, 2] = math.nan
    result = made(gaps)
    for figure in (figures.sensitivity(result, chosen=result.spec.lambdas[2]), figures.iterations_to(result)):
        for one in figure["data"]:
            if one["uid"].endswith(("-median", "-triangles")):
                assert one["meta"] == one["uid"].rpartition("-")[0]
                assert "hoverinfo" not in one
            else:
                assert one["hoverinfo"] == "skip"


def test_charts_and_report_start_without_plotly_pandas_or_streamlit():
    sources = [*Path(figures.__file__).parent.glob("*.py"), Path(report.__file__)]
    assert len(sources) > 5
    for source in sources:
        for node in ast.parse(source.read_text(encoding="utf-8")).body:  # the top level: what runs on import
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.partition(".")[0] for name in names} & {"plotly", "pandas", "streamlit"}, source.name


def test_a_title_of_many_long_names_stays_within_a_wide_chart():
    title = ", ".join(f"Truncated SGM with step sizes of its own, the {k}th, forgives {k} decades" for k in range(5))
    text = titled(title, "", LIGHT)["text"]
    assert text.replace("<br>", " ") == title
    assert max(map(len, text.split("<br>"))) <= 92
    assert titled("SPL forgives 2 decades", "", LIGHT)["text"].count("<br>") == 0
