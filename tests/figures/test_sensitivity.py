"""Claims about the chart of sensitivity: it says what the summary says, and nothing that diverged bends it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cvar_core import figures
from cvar_core.figures.axes import Span
from cvar_core.figures.chart_titles import usable_title
from cvar_core.figures.series import Series
from cvar_core.results import Criterion
from tests.figures.results import METHODS, OBJECTIVE, axis_span, gently, made, trace


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
    strip, curves = figure["layout"]["yaxis2"]["domain"], figure["layout"]["yaxis"]["domain"]
    assert strip[0] >= curves[1] > 0.8, "three rows take little of the height"


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
    assert bottom < result.epsilon() < result.judged().start < top
    assert [one["uid"] for one in figures.curves(result)["data"]] == []


def test_the_title_is_the_finding_and_levels_are_labelled(real):
    by = Criterion("objective", epsilon=100.0)
    figure = figures.sensitivity(real, by=by, mark=0.5)
    bare, title, subtitle = figures.without_title(figure)
    assert title == usable_title(real.judged(by))
    assert "500 iterations" in subtitle
    assert "title" not in bare["layout"]
    assert "title" in figure["layout"]
    labels = {one["text"]: one for one in figure["layout"]["annotations"]}
    assert labels["ε = 100"]["y"] == pytest.approx(2)  # annotations stand at the logarithm, shapes at the value
    assert labels["your λ = 0.5"]["x"] == pytest.approx(math.log10(0.5))
    levels = [one["y0"] for one in figure["layout"]["shapes"] if one["type"] == "line"]
    assert 100.0 in levels


def test_the_measure_gives_the_heights_their_name_and_the_finding():
    result = made(gently(), model=0.02)
    for by, gaps, name in ((None, result.excess_risk, "R(θ̄) − F*"), (OBJECTIVE, result.suboptimality, "F̃ − F*")):
        figure = figures.sensitivity(result, by=by)
        assert trace(figure, "spl+-median")["y"] == pytest.approx(np.median(gaps[2, :, -1], axis=0))
        assert name in figure["layout"]["yaxis"]["title"]["text"]
        assert figures.without_title(figure)[1] == usable_title(result.judged(by))
        (level,) = lines_of(figure)
        assert level["y0"] == pytest.approx(result.judged(by).epsilon)


def test_a_point_tells_for_how_many_starts_it_is_usable():
    gaps = gently(names=1)
    gaps[0, 1, -1, 3] = 90
    hover = trace(figures.sensitivity(made(gaps)), "sgm-median")["text"]
    assert [words.rpartition("<br>")[2] for words in hover[2:4]] == [f"usable for {k} of 3 starts" for k in (3, 2)]
    alone = trace(figures.sensitivity(made(gently(seeds=1))), "sgm-median")["text"][0]
    assert "usable" not in alone


def test_a_floor_is_a_level_of_its_own():
    figure = figures.sensitivity(made(gently(), floor=0.3))
    assert {one["text"] for one in figure["layout"]["annotations"]} == {"ε = 10", "floor"}
    assert 0.3 in [one["y0"] for one in lines_of(figure)]
    bottom, _ = axis_span(figure, "yaxis")
    assert bottom < 0.3
    for draw in (figures.curves, figures.parts):
        words = {one["text"] for one in draw(made(gently(), floor=0.3))["layout"]["annotations"]}
        assert "floor" in words


def test_where_nothing_is_to_close_no_level_is_asked_for():
    near = made(gently(), f_star=1e5)
    assert "ε" not in str(figures.sensitivity(near)["layout"].get("annotations"))
    assert figures.sensitivity(near)["layout"]["shapes"] == []
    assert not any(one["uid"].endswith("-range") for one in figures.sensitivity(near)["data"])
    assert figures.without_title(figures.sensitivity(near))[1].startswith("The model at the start is already within")
    assert len(lines_of(figures.sensitivity(near, by=OBJECTIVE))) == 1


def test_an_epsilon_far_above_the_start_stretches_nothing_and_has_no_line():
    figure, usual = figures.sensitivity(made(gently()), by=Criterion(epsilon=1e9)), figures.sensitivity(made(gently()))
    assert figure["layout"]["yaxis"]["range"][1] == usual["layout"]["yaxis"]["range"][1]
    assert lines_of(figure) == []
    assert len(lines_of(usual)) == 1


def test_a_sweep_that_still_runs_says_so():
    figure = figures.sensitivity(made(gently(), recorded=3))
    assert figure["layout"]["title"]["text"].startswith("So far: ")
    assert figure["layout"]["title"]["subtitle"]["text"].startswith("every run has come to 10 of 100 iterations")
    waiting = figures.sensitivity(made(np.full((3, 3, 4, 5), math.nan), recorded=0))
    assert "starting" in waiting["layout"]["title"]["text"]
    assert waiting["data"] == []


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 900.0])
def test_the_line_of_epsilon_is_on_the_chart_wherever_the_runs_are(epsilon):
    figure = figures.sensitivity(made(gently()), by=Criterion(epsilon=epsilon))
    low, high = axis_span(figure, "yaxis")
    assert low <= epsilon <= high


def test_a_bar_is_the_median_starts_usable_range_with_an_arrow_where_the_grid_ends(real):
    for by in (OBJECTIVE, Criterion("objective", 0.5), Criterion("objective", 0.999)):
        judged, figure = real.judged(by), figures.sensitivity(real, by=by)
        for name, forgiven in judged.forgiven.items():
            bar, found = trace(figure, f"{name}-range"), forgiven.typical
            assert (bar["legendgroup"], bar["yaxis"]) == (name, "y3")
            if found is None:
                assert bar["text"] == [" none"]
                continue
            assert (bar["x"][0], bar["x"][-1]) == (found.low, found.high)
            arrows = [symbol.startswith("triangle") for symbol in bar["marker"]["symbol"]]
            assert arrows == [found.open_low, False, found.open_high]
            assert found.low <= bar["x"][1] <= found.high
    rows = [trace(figure, f"{name}-range")["y"][0] for name in METHODS]
    assert rows == [0, -1, -2]
    low, high = figure["layout"]["yaxis3"]["domain"]
    assert low == 0 < high < figure["layout"]["yaxis"]["domain"][0]
    assert figure["layout"]["xaxis"]["anchor"] == "y3"  # the bars stand between the curves and the numbers of λ


def test_a_method_that_nothing_is_usable_for_says_none():
    gaps = gently()
    gaps[0, :, 1:] = 90
    figure = figures.sensitivity(made(gaps))
    assert trace(figure, "sgm-range")["text"] == [" none"]
    assert "text" not in trace(figure, "spl-range")
    assert figures.without_title(figure)[1].endswith("SGM nowhere")


@pytest.mark.parametrize(("epsilon", "tinted"), [(10.0, 10.0), (1e9, None), (1e-9, 0.0)])
def test_what_is_usable_is_tinted(epsilon, tinted):
    figure = figures.sensitivity(made(gently()), by=Criterion(epsilon=epsilon))
    zones = [one for one in figure["layout"]["shapes"] if one.get("name") == "zone"]
    low, high = axis_span(figure, "yaxis")
    if tinted == 0.0:
        assert zones == [] or zones[0]["y1"] <= low * 1.1
        return
    (zone,) = zones
    assert zone["y0"] < low
    assert zone["y1"] == pytest.approx(high if tinted is None else tinted)


def lines_of(figure: figures.Figure) -> list[dict]:
    return [one for one in figure["layout"]["shapes"] if one["type"] == "line"]


def test_a_point_so_near_the_top_that_its_marker_would_be_cut_is_a_triangle():
    heights = np.array([1.0, 80.0, 95.0, np.inf])
    one = Series("sgm", "SGM", (1, 2, 3, 4), heights, heights, heights, np.zeros(4, dtype=bool), [""] * 4)
    assert one.drawn(Span(0.1, 100.0)).tolist() == [True, True, False, False]
    assert one.raised(Span(0.1, 100.0)).tolist() == [False, False, True, True]
