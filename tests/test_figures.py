"""Claims about the charts: they say what the result says, and nothing that diverged bends them."""

from __future__ import annotations

import ast
import dataclasses
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from cvar_core import Optimum, Problem, ProblemSpec, Result, SweepSpec, figures, report, sweep
from cvar_core.catalogue import methods
from cvar_core.results import finding, number

THEMES = ("light", "dark")
METHODS = ("sgm", "spl", "spl+")


def made(gaps: np.ndarray, recorded: int | None = None, f_star: float = 5.0) -> Result:
    """Make a result with the given suboptimalities, shape (methods, seeds, checkpoints, lambdas)."""
    names, seeds, checkpoints, lambdas = gaps.shape
    spec = SweepSpec(
        ProblemSpec(),
        methods=METHODS[:names],
        lambdas=tuple(10.0 ** (k - 3) for k in range(lambdas)),
        iterations=10 ** (checkpoints - 2),
        seeds=tuple(range(seeds)),
        checkpoints=checkpoints - 1,
    )
    assert len(spec.checkpoint_iterations) == checkpoints
    optimum = Optimum(f_star, torch.zeros(10), 0.0, 0.0)
    done = np.full((names, seeds), checkpoints if recorded is None else recorded)
    return Result(spec, optimum, gaps + f_star, done)


def gently(names: int = 3, seeds: int = 3, lambdas: int = 5) -> np.ndarray:
    """Return suboptimalities that begin at 100 and fall, differently for each method, seed and λ."""
    shape = (names, seeds, 4, lambdas)
    gaps = 100 * 0.3 ** np.broadcast_to(np.arange(4.0)[:, None], shape)
    wiggle = 1 + 0.1 * np.arange(np.prod(shape)).reshape(shape) / np.prod(shape)
    wiggle[:, :, 0] = 1
    return gaps * wiggle


def trace(figure: figures.Figure, uid: str) -> dict:
    return next(one for one in figure["data"] if one["uid"] == uid)


def axis_span(figure: figures.Figure, axis: str) -> tuple[float, float]:
    low, high = figure["layout"][axis]["range"]
    return 10**low * (1 - 1e-9), 10**high * (1 + 1e-9)


def all_figures(result: Result) -> list[figures.Figure]:
    last = dict.fromkeys(result.spec.methods, result.spec.lambdas[-1])
    return [
        figure
        for theme in THEMES
        for figure in (
            figures.sensitivity(result, mark=0.2, theme=theme),
            figures.sensitivity(result, epsilon=1e-3, chosen=result.spec.lambdas[0], theme=theme),
            figures.curves(result, theme=theme),
            figures.curves(result, last, theme=theme),
            figures.iterations_to(result, theme=theme),
            figures.iterations_to(result, chosen=result.spec.lambdas[-1], theme=theme),
            figures.compare(result, result, ("A", "B"), theme=theme),
        )
    ]


@pytest.fixture(scope="module")
def real() -> Result:
    problem = Problem.synthetic(loss="squared", noise="lognormal", eval_size=2_000)
    return sweep(problem, lambdas=[1e-3, 0.1, 1, 10, 1e4], iterations=500, seeds=3)


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
            if one.get("yaxis") != "y2":
                assert all(bottom <= y <= top for y in one["y"] if y is not None)


def test_plotly_knows_every_property(real):
    from plotly.graph_objects import Figure

    for figure in all_figures(real):
        Figure(figure)


def test_median_points_and_triangles_say_what_the_summary_says(real):
    figure, summary = figures.sensitivity(real), real.summary()
    top = axis_span(figure, "yaxis")[1]
    assert (summary["status"] == "diverged").any()
    assert ((summary["status"] == "ok") & (summary["median"] > top)).any()  # off the chart, but finite
    for name in METHODS:
        rows = summary[summary["method"] == name]
        line, triangles = trace(figure, f"{name}-median"), trace(figure, f"{name}-triangles")
        off = ~(rows["median"] <= top)
        assert line["x"] == rows["lambda"].tolist()
        assert line["y"] == [None if out else y for y, out in zip(rows["median"], off, strict=True)]
        assert triangles["x"] == rows["lambda"][off | (rows["status"] != "ok")].tolist()
        assert len(set(triangles["y"])) <= 1


@pytest.mark.parametrize("bad", [math.nan, 1e160])
@pytest.mark.parametrize("draw", [figures.sensitivity, figures.curves, figures.iterations_to])
def test_runs_that_diverged_or_exploded_stretch_no_axis(draw, bad):
    gaps = gently()
    calm = draw(made(gaps))
    gaps[:, :, 1:, -1] = bad
    wild = draw(made(gaps))
    assert wild["layout"]["yaxis"]["range"] == calm["layout"]["yaxis"]["range"]
    assert wild["layout"]["xaxis"]["range"] == calm["layout"]["xaxis"]["range"]


def test_one_row_of_open_triangles_per_method_with_a_legend_entry_of_their_own():
    gaps = gently()
    gaps[0, :, 1:, 2:] = math.nan
    gaps[2, :, 1:, 4] = math.nan
    figure = figures.sensitivity(made(gaps))
    rows = [trace(figure, f"{name}-triangles") for name in METHODS]
    assert [len(row["x"]) for row in rows] == [3, 0, 1]
    assert rows[0]["y"][0] > rows[2]["y"][0]
    assert all(row["marker"]["symbol"].endswith("open") for row in rows)
    shown = [one["name"] for one in figure["data"] if one.get("showlegend", True)]
    assert shown == ["SGM", "SPL", "SPL₊", "diverged or off the chart"]


def test_without_triangles_there_is_no_strip_and_no_legend_entry_for_them():
    figure = figures.sensitivity(made(gently()))
    assert "yaxis2" not in figure["layout"]
    assert all("diverged" not in one["name"] for one in figure["data"])


def test_a_lambda_at_which_one_seed_diverged_has_its_median_and_a_triangle():
    gaps = gently()
    gaps[1, 0, 1:, 3] = math.nan
    result = made(gaps)
    figure = figures.sensitivity(result)
    lam = result.spec.lambdas[3]
    assert trace(figure, "spl-median")["y"][3] == result.at().median[1, 3]
    assert trace(figure, "spl-triangles")["x"] == [lam]
    assert "1 of 3 seeds diverged" in trace(figure, "spl-triangles")["text"][0]
    top = figure["layout"]["yaxis"]["range"][1]
    assert max(y for y in trace(figure, "spl-band")["y"] if y) == pytest.approx(10**top)


@pytest.mark.parametrize("gap", [0.0, -1e-12])
def test_no_gap_at_all_lies_on_the_floor_of_the_chart(gap):
    gaps = gently()
    gaps[0, :, -1, 1] = gap
    figure = figures.sensitivity(made(gaps))
    assert trace(figure, "sgm-median")["y"][1] == pytest.approx(10 ** figure["layout"]["yaxis"]["range"][0])
    assert figure["layout"]["yaxis"]["range"] == figures.sensitivity(made(gently()))["layout"]["yaxis"]["range"]


def test_the_band_is_the_range_over_seeds():
    result = made(gently(lambdas=3))
    band, end = trace(figures.sensitivity(result), "spl-band"), result.at()
    low, high = end.low[1].tolist(), end.high[1].tolist()
    assert band["y"] == [*low, *reversed(high), low[0]]
    assert band["fillcolor"] == figures.translucent("#0072B2", 0.16)


def test_the_range_of_a_lonely_point_is_seen():
    result = made(gently(lambdas=1))
    band, end = trace(figures.sensitivity(result), "sgm-band"), result.at()
    assert min(band["x"]) < result.spec.lambdas[0] < max(band["x"])
    assert (min(band["y"]), max(band["y"])) == (end.low[0, 0], end.high[0, 0])


def test_one_seed_has_no_band():
    assert all(not trace(figures.sensitivity(made(gently(seeds=1))), f"{name}-band")["x"] for name in METHODS)


def test_a_chart_of_diverged_runs_alone_shows_where_they_were():
    gaps = gently(names=1, lambdas=2)
    gaps[:, :, 1:] = math.nan
    result = made(gaps)
    figure = figures.sensitivity(result)
    assert trace(figure, "sgm-median")["y"] == [None, None]
    assert trace(figure, "sgm-triangles")["x"] == list(result.spec.lambdas)
    bottom, top = axis_span(figure, "yaxis")
    assert bottom < result.epsilon() < result.start_gap < top
    assert [one["uid"] for one in figures.curves(result)["data"]] == []


def test_the_title_is_the_finding_and_levels_are_labelled(real):
    figure = figures.sensitivity(real, epsilon=100.0, mark=0.5)
    bare, title, subtitle = figures.without_title(figure)
    assert title == finding(real, 100.0)
    assert "500 iterations" in subtitle
    assert "title" not in bare["layout"]
    assert "title" in figure["layout"]
    labels = {one["text"]: one for one in figure["layout"]["annotations"]}
    assert labels["ε = 100"]["y"] == pytest.approx(2)  # annotations stand at the logarithm, shapes at the value
    assert labels["your λ = 0.5"]["x"] == pytest.approx(math.log10(0.5))
    levels = [one["y0"] for one in figure["layout"]["shapes"] if one["type"] == "line"]
    assert 100.0 in levels


def test_an_epsilon_far_above_the_start_stretches_nothing_and_has_no_line():
    figure, usual = figures.sensitivity(made(gently()), epsilon=1e9), figures.sensitivity(made(gently()))
    assert figure["layout"]["yaxis"]["range"][1] == usual["layout"]["yaxis"]["range"][1]
    assert figure["layout"]["shapes"] == []
    assert len(usual["layout"]["shapes"]) == 1


def test_a_sweep_that_still_runs_says_so():
    figure = figures.sensitivity(made(gently(), recorded=3))
    assert figure["layout"]["title"]["text"].startswith("So far: ")
    assert figure["layout"]["title"]["subtitle"]["text"].startswith("10 of 100 iterations")
    waiting = figures.sensitivity(made(np.full((3, 3, 4, 5), math.nan), recorded=0))
    assert "starting" in waiting["layout"]["title"]["text"]
    assert waiting["data"] == []


def test_curves_and_iterations_of_a_running_sweep_say_so():
    gaps = gently()
    gaps[:, :, 3:] = math.nan
    running = made(gaps, recorded=3)
    words = figures.curves(running)["layout"]["title"]
    assert words["text"].startswith("So far: ")
    assert words["subtitle"]["text"].startswith("10 of 100 iterations, each at its best λ")
    assert figures.iterations_to(running, 5)["layout"]["title"]["text"] == "So far: no λ of this grid has reached ε"
    assert figures.iterations_to(running, 50)["layout"]["title"]["text"].startswith("So far: SGM reaches ε in 1 ")
    assert "So far" not in json.dumps([figures.curves(made(gently())), figures.iterations_to(made(gently()))])


@pytest.mark.parametrize("begun", ["none", "starts", "some shards"])
def test_before_every_run_has_moved_the_charts_say_that_they_are_starting(begun):
    gaps, recorded = gently(), np.zeros((3, 3), dtype=int)
    recorded[:] = {"none": 0, "starts": 1, "some shards": 0}[begun]
    recorded[0] = 3 if begun == "some shards" else recorded[0]
    gaps[np.arange(4)[None, None, :, None] >= np.broadcast_to(recorded[:, :, None, None], gaps.shape)] = math.nan
    whole = made(gaps)
    result = Result(whole.spec, whole.optimum, whole.objectives, recorded)
    draws = [figures.sensitivity(result), figures.curves(result), figures.iterations_to(result)]
    draws.append(figures.compare(result, result, ("A", "B")))
    for figure in draws:
        json.dumps(figure, allow_nan=False)
        assert figure["layout"]["title"]["text"] == "The runs are starting"
        assert all(one["uid"].split("-")[-1] != "triangles" for one in figure["data"])


def test_curves_of_methods_that_are_not_equally_far_are_compared_where_all_have_come_to():
    gaps = gently()
    gaps[1, :, 2:] = math.nan
    whole, recorded = made(gaps), np.full((3, 3), 4)
    recorded[1] = 2
    result = Result(whole.spec, whole.optimum, whole.objectives, recorded)
    words = figures.curves(result)["layout"]["title"]
    assert words["subtitle"]["text"].startswith("1 of 100 iterations")
    for m, name in enumerate(METHODS):
        k = whole.spec.lambdas.index(result.best_lambda(name))
        assert f"{methods[name].label} {number(float(np.median(gaps[m, :, 1, k])))}" in words["text"]


@pytest.mark.parametrize("draw", [figures.sensitivity, figures.iterations_to])
def test_rings_are_on_top_of_the_points_and_triangles_of_the_chosen_lambda(draw):
    gaps = gently()
    gaps[0, :, 1:, 2] = math.nan
    gaps[:, :, 2:, 2] /= 10
    result = made(gaps)
    lam = result.spec.lambdas[2]
    figure = draw(result, chosen=lam * (1 - 1e-12))
    points, raised = figure["data"][-2:]
    assert (points["uid"], raised["uid"]) == ("chosen", "chosen-triangles")
    assert points["y"] == [trace(figure, f"{name}-median")["y"][2] for name in ("spl", "spl+")]
    assert raised["y"] == trace(figure, "sgm-triangles")["y"][:1]
    assert raised["yaxis"] == trace(figure, "sgm-triangles")["yaxis"]
    assert {*points["x"], *raised["x"]} == {lam}
    assert not any(one["showlegend"] for one in (points, raised))
    assert trace(draw(result, chosen=0.123), "chosen")["x"] == []
    assert "chosen" not in {one["uid"] for one in draw(result)["data"]}


def test_only_points_and_triangles_can_be_clicked_and_they_name_their_method():
    gaps = gently()
    gaps[0, :, 1:, 2] = math.nan
    result = made(gaps)
    for figure in (figures.sensitivity(result, chosen=result.spec.lambdas[2]), figures.iterations_to(result)):
        for one in figure["data"]:
            if one["uid"].endswith(("-median", "-triangles")) and one["uid"] != "chosen-triangles":
                assert one["meta"] == one["uid"].rpartition("-")[0]
                assert "hoverinfo" not in one
            else:
                assert one["hoverinfo"] == "skip"


def test_curves_follow_the_medians_from_the_first_update_at_the_best_lambda(real):
    figure = figures.curves(real)
    for m, name in enumerate(METHODS):
        best = real.best_lambda(name)
        line = trace(figure, f"{name}-median")
        assert line["name"] == f"{methods[name].label}, λ = {number(best)}"
        assert line["x"] == list(real.spec.checkpoint_iterations[1:])
        expected = np.median(real.suboptimality[m, :, 1:, real.spec.lambdas.index(best)], axis=0)
        assert line["y"] == pytest.approx(expected)
    (start,) = figure["layout"]["shapes"]
    assert start["y0"] == real.start_gap


def test_curves_at_one_lambda_say_so_once(real):
    figure = figures.curves(real, dict.fromkeys(METHODS, 0.1 * (1 + 1e-12)))
    assert figure["layout"]["title"]["subtitle"]["text"] == "at λ = 0.1, median and range of 3 seeds"
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
    figure = figures.curves(real, {"spl": 10, "sgm": None})
    assert {one["meta"] for one in figure["data"]} == {"spl"}
    with pytest.raises(ValueError, match=r"λ = 7 is not in the grid"):
        figures.curves(real, {"spl": 7})


def test_curves_raise_a_triangle_at_every_checkpoint_that_is_off_the_chart():
    gaps = gently()
    gaps[0, :, 2:, 1] = math.nan
    result = made(gaps)
    figure = figures.curves(result, {"sgm": result.spec.lambdas[1]})
    assert trace(figure, "sgm-triangles")["x"] == list(result.spec.checkpoint_iterations[2:])


def test_iterations_to_epsilon_are_those_of_the_result():
    gaps = gently()
    gaps[1, :, :, 0] = 100.0  # never
    gaps[1, 0, :, 1] = 100.0  # one seed never
    result = made(gaps)
    figure = figures.iterations_to(result, 20.0)
    expected = np.median(result.iterations_to(20.0)[1], axis=0)
    assert trace(figure, "spl-median")["y"] == [None, *expected[1:]]
    assert trace(figure, "spl-triangles")["x"] == list(result.spec.lambdas[:2])
    assert trace(figure, "sgm-triangles")["x"] == []


@pytest.mark.parametrize("theme", THEMES)
def test_every_chart_speaks_the_same_visual_language(real, theme):
    for draw in (figures.sensitivity, figures.curves, figures.iterations_to):
        figure = draw(real, theme=theme)
        for name in METHODS:
            look, line = figures.style(name, theme), trace(figure, f"{name}-median")
            assert (line["line"]["color"], line["line"]["dash"], line["marker"]["symbol"]) == look
            assert trace(figure, f"{name}-band")["fillcolor"] == figures.translucent(look.colour)
        assert figure["layout"]["uirevision"] == draw(made(gently()))["layout"]["uirevision"]


def contrast(colour: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2."""

    def luminance(text: str) -> float:
        parts = [int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted([luminance(colour), luminance(other)], reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [figures.LIGHT, figures.DARK])
def test_lines_and_text_stand_out_from_the_page(theme):
    later = [f"later-{k}" for k in range(10)]
    for name in (*METHODS, *later):
        assert contrast(figures.style(name, theme.name).colour, theme.surface) >= 3
    assert contrast(theme.text, theme.surface) >= 7
    assert contrast(theme.quiet, theme.surface) >= 4.5


def test_the_fixed_looks_and_those_of_methods_added_later_differ():
    assert figures.style("sgm") == ("#D55E00", "dot", "square")
    assert figures.style("spl") == ("#0072B2", "dash", "circle")
    assert figures.style("spl+") == ("#009E73", "solid", "diamond")
    added = ["later-a", "later-b", "later-c"]
    for name in added:
        methods.add(dataclasses.replace(methods["spl"], name=name))
    try:
        for theme in THEMES:
            looks = [figures.style(name, theme) for name in (*METHODS, *added)]
            for one, other in itertools.combinations(looks, 2):
                assert one.colour != other.colour
                assert one.marker != other.marker
        assert len({figures.glyph(name) for name in (*METHODS, *added)}) == 6
    finally:
        for name in added:
            methods.remove(name)


def test_text_can_be_read_on_a_projector(real):
    def sizes(value, key=""):
        if isinstance(value, dict):
            for inner, item in value.items():
                # Plotly sets the powers of ten on a logarithmic axis 1.25 times as large as their font.
                scale = 1.25 if inner == "tickfont" else 1
                yield from (scale * size for size in sizes(item, inner))
            if "font" in key and "size" in value:
                yield value["size"]
        elif isinstance(value, list):
            for item in value:
                yield from sizes(item, key)

    for figure in all_figures(real):
        found = list(sizes(figure["layout"]))
        assert len(found) > 8
        assert min(found) >= 15


def test_an_unknown_theme_is_refused(real):
    with pytest.raises(ValueError, match="theme is 'sepia', but it must be one of light, dark"):
        figures.sensitivity(real, theme="sepia")


def test_charts_and_report_start_without_plotly_pandas_or_streamlit():
    sources = [*Path(figures.__file__).parent.glob("*.py"), Path(report.__file__)]
    assert len(sources) > 5
    for source in sources:
        for node in ast.parse(source.read_text(encoding="utf-8")).body:  # the top level: what runs on import
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.partition(".")[0] for name in names} & {"plotly", "pandas", "streamlit"}, source.name
