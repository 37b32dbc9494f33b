"""Claims about the charts of the unit: what is the same is drawn in one place, and what has no λ says so."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from plotly.graph_objects import Figure

from cvar_core import ProblemSpec
from cvar_core.figures import without_title
from cvar_core.figures.lessons.unit_panels_charts import unit_paths, unit_ranges
from cvar_core.figures.lessons.units_charts import sensitivity_by_unit, unit_curves, unit_effect, usable_by_unit
from cvar_core.lessons.units import LAMBDAS, SCALES, SPL, SPL_PLUS, VARIANTS, has_pair, tolerance, walk
from cvar_core.results import number
from tests.figures.results import trace

pytestmark = pytest.mark.usefixtures("solved_once")

SMALL = ProblemSpec(loss="absolute", noise="normal", eval_size=1_000)
WILD = ProblemSpec(loss="squared", noise="lognormal", eval_size=1_000)


@pytest.fixture(scope="module")
def found():
    return tolerance(SMALL, iterations=1_000)


def drawn(figure, group, variant):
    return trace(figure, f"{group}-{variant.name.replace('+', '-plus').replace('@', '-')}")


def texts(figure):
    return [each["text"] for each in figure["layout"]["annotations"]]


def title(figure):
    return without_title(figure)[1]


def sizes(part):
    if isinstance(part, dict):
        for name, value in part.items():
            if name == "font":
                yield value.get("size", 15)
            yield from sizes(value)
    elif isinstance(part, list):
        for each in part:
            yield from sizes(each)


@pytest.mark.parametrize(
    ("lam", "scale", "theme"),
    [(0.3, 100.0, "light"), (1e-4, 0.001, "dark"), (1000.0, 1000.0, "light"), (1.0, 1.0, "dark")],
)
def test_every_chart_is_a_figure_of_plotly_and_can_be_read(found, lam, scale, theme):
    wild = tolerance(WILD, (scale,), iterations=200)
    for figure in (
        unit_paths(walk(SMALL, lam, scale, 200), theme=theme),
        unit_paths(walk(WILD, lam, scale, 200), theme=theme),
        unit_ranges(found, lam, scale, theme=theme),
        unit_curves(found, lam, scale, theme=theme),
        unit_curves(wild, lam, scale, theme=theme),
        unit_ranges(wild, lam, scale, theme=theme),
        *sensitivity_by_unit(found, lam, theme=theme)[::6],
        *usable_by_unit(wild, lam, theme=theme),
    ):
        Figure(figure)
        json.dumps(figure, allow_nan=False)
        assert min(sizes(figure["layout"])) >= 15
        uids = [each["uid"] for each in figure["data"]]
        assert len(set(uids)) == len(uids)
        assert not any(uid.endswith("+") for uid in uids)  # plotly selects by it, and would fail


def test_with_the_pair_the_thin_line_lies_in_the_wide_one():
    figure = unit_paths(walk(SMALL, 0.3, 100.0, 500))
    for variant in VARIANTS:
        first, other = drawn(figure, "first", variant), drawn(figure, "other", variant)
        assert first["line"]["width"] > 3 * other["line"]["width"]
        assert np.allclose(first["y"], other["y"], rtol=1e-9) == has_pair(variant)
    assert title(figure) == "At s = 100, SGM and SPL change path, SGM with the pair and SPL₊ do not"
    assert sum("the same" in text for text in texts(figure)) == 2
    assert sum("apart: " in text for text in texts(figure)) == 2


def test_what_stands_above_a_panel_is_short_enough_for_a_phone(found):
    drawn = [unit_ranges(found, 0.3, 100.0), unit_ranges(altered(found, SPL, SCALES, 0.9), 0.3, 100.0)]
    drawn += [unit_paths(walk(problem, lam, 100.0, 200)) for problem in (SMALL, WILD) for lam in (1e-4, 0.3, 1e3)]
    for figure in drawn:
        heads = [text for text in texts(figure) if "<br>" in text]
        assert len(heads) == 4
        assert all(len(line) <= 16 for text in heads for line in re.sub("<(?!br).*?>", "", text).split("<br>")), heads


def test_the_same_unit_is_no_comparison():
    figure = unit_paths(walk(SMALL, 0.3, 1.0, 200))
    assert "choose another unit" in title(figure)
    assert sum("the same run" in text for text in texts(figure)) == 4


def test_a_run_that_diverged_ends_and_says_where():
    paths = walk(WILD, 0.3, 1000.0, 300)
    figure = unit_paths(paths)
    assert any("diverges at 1000" in text for text in texts(figure))
    assert None in trace(figure, "other-sgm")["y"]
    assert None not in trace(figure, "other-spl-plus")["y"]
    low, high = (10**end for end in figure["layout"]["yaxis"]["range"])
    assert low < paths[0].start < high < 3_000 * paths[0].start  # what explodes does not stretch the axis
    swapped = [replace(path, diverged=path.diverged[::-1]) for path in paths]
    assert any(text.endswith("diverges at 1") for text in texts(unit_paths(swapped)))
    both = [replace(path, diverged=(True, True)) for path in paths]
    assert sum("both diverge" in text for text in texts(unit_paths(both))) == 4


def test_rounding_that_grew_is_called_rounding():
    figure = unit_paths(walk(ProblemSpec(noise="normal", eval_size=1_000), 1000.0, 100.0))
    assert "SPL₊ only by rounding, which this λ amplifies" in title(figure)
    assert any("only rounding" in text for text in texts(figure))


def test_the_bands_are_the_usable_ranges(found):
    figure = unit_ranges(found, 0.3, 100.0)
    for variant in VARIANTS:
        usable = {scale: each for scale in SCALES if (each := found.range(variant, scale))}
        band = drawn(figure, "usable", variant)
        corners = set(zip(band["x"], band["y"], strict=True))
        assert {(scale, each.low) for scale, each in usable.items()} <= corners
        assert {(scale, each.high) for scale, each in usable.items()} <= corners
        best = drawn(figure, "best", variant)
        assert best["x"] == list(usable)
        assert best["y"] == [lam for lam in found.best_lambdas(variant) if lam is not None]
        yours = drawn(figure, "yours", variant)
        assert (yours["x"], yours["y"]) == ([100.0], [0.3])


def test_units_without_a_usable_step_size_are_shaded_and_labelled(found):
    figure = unit_ranges(found, 0.3, 100.0)
    shaded = {each["xref"]: each for each in figure["layout"]["shapes"] if each["type"] == "rect"}
    assert set(shaded) == {"x", "x3"}  # SGM and SPL with one λ
    usable = [scale for scale in SCALES if found.range(SPL, scale)]
    assert usable[-1] < shaded["x3"]["x0"] < SCALES[len(usable)]
    assert texts(figure).count("no λ") == 2
    assert texts(figure).count("1/ℓ₀") == 2
    assert f"<br>{len(usable)} of 13 units" in "".join(texts(figure))
    assert title(figure) == f"SPL has usable λ in {len(usable)} of 13 units, SPL₊ the same ones in every unit"


def altered(found, variant, scales, value):
    median = found.left.median.copy()
    for scale in scales:
        median[VARIANTS.index(variant), SCALES.index(scale)] = value
    return replace(found, left=found.left._replace(median=median))


def test_a_gap_between_usable_units_splits_the_band(found):
    split = altered(found, SPL_PLUS, [0.003, 0.03, 0.1], 0.9)
    figure = unit_ranges(split, 0.3, 100.0)
    band = trace(figure, "usable-spl-plus")
    assert band["x"].count(None) == 2
    assert min(x for x in band["x"] if x) < 0.001  # a single unit has some width
    shaded = [each for each in figure["layout"]["shapes"] if each["type"] == "rect" and each["xref"] == "x4"]
    assert [(each["x0"] < 0.003 < each["x1"], each["x0"] < 0.03 < 0.1 < each["x1"]) for each in shaded] == [
        (True, False),
        (False, True),
    ]
    assert "SPL₊ has usable λ in 10 of 13 units" in title(figure)


def test_a_method_without_any_usable_step_size_says_so(found):
    figure = unit_ranges(altered(found, SPL, SCALES, 0.9), 0.3, 100.0)
    assert trace(figure, "usable-spl")["x"] == trace(figure, "best-spl")["x"] == []
    assert "SPL has no usable λ in any unit" in title(figure)
    (shaded,) = (each for each in figure["layout"]["shapes"] if each["type"] == "rect" and each["xref"] == "x3")
    assert shaded["x0"] < SCALES[0] < SCALES[-1] < shaded["x1"]


def test_one_zoom_serves_all_panels(found):
    layout = unit_ranges(found, 0.3, 100.0)["layout"]
    for k in "234":
        assert (layout[f"xaxis{k}"]["matches"], layout[f"yaxis{k}"]["matches"]) == ("x", "y")
        assert layout[f"xaxis{k}"]["range"] == layout["xaxis"]["range"]
    # Rows and columns do not touch: there is room for the titles.
    assert layout["yaxis3"]["domain"][1] + 0.1 < layout["yaxis"]["domain"][0]
    assert layout["xaxis"]["domain"][1] < layout["xaxis2"]["domain"][0]


def test_the_curves_are_what_is_left_of_the_gap_in_that_unit(found):
    figure = unit_curves(found, 0.3, 100.0)
    line = trace(figure, "spl+-median")
    assert line["x"] == list(LAMBDAS)
    expected = found.left.median[VARIANTS.index(SPL_PLUS), SCALES.index(100.0)]
    shown = [k for k, y in enumerate(line["y"]) if y is not None]
    assert [line["y"][k] for k in shown] == pytest.approx(expected[shown].tolist())
    assert trace(figure, "sgm-second-median")["marker"]["symbol"].endswith("-open")
    assert figure["layout"]["yaxis"]["title"]["text"] == "share of F̃ − F* left", "of the objective's gap"
    assert without_title(figure)[2].startswith("F̃ − F* of θ and α together")
    assert f"SPL₊ {found.range(SPL_PLUS, 100.0).decades:.1f}, SGM with the pair" in title(figure)
    assert "SPL none, SGM none" in title(figure)


def test_moving_the_unit_moves_the_curves_with_one_step_size_alone(found):
    first, other = unit_curves(found, 0.3, 1.0), unit_curves(found, 0.3, 100.0)
    for uid, stays in (("spl+-median", True), ("sgm-median", True), ("spl-second-median", False)):
        pairs = zip(trace(first, uid)["y"], trace(other, uid)["y"], strict=True)
        assert all(a == pytest.approx(b, rel=0.02) for a, b in pairs if a is not None and b is not None) == stays


def test_a_best_step_size_says_how_far_theta_came(found):
    figure = unit_ranges(found, 0.3, 100.0)
    words = trace(figure, "best-spl")["text"][0]
    assert "best λ = " in words
    assert f"θ at {number(found.way[VARIANTS.index(SPL), 0, found.best(SPL, 0.001)])} of its distance" in words


# While the unit is dragged.


def test_along_the_units_only_spl_plus_stands_still(found):
    drawn = sensitivity_by_unit(found, 0.3)
    assert len(drawn) == len(SCALES)
    for uid, stays in (("spl+-median", True), ("spl-median", False), ("sgm-median", False)):
        ends = [[y or 0.0 for y in trace(drawn[k], uid)["y"]] for k in (0, -1)]
        assert (ends[0] == pytest.approx(ends[1], rel=1e-6)) == stays
    for part in ("xaxis", "yaxis", "yaxis2", "margin", "legend"):
        assert all(each["layout"][part] == drawn[0]["layout"][part] for each in drawn), "no axis jumps"


def test_the_axes_stand_still_even_where_nothing_diverges(found):
    calm = replace(found, diverged=np.zeros_like(found.diverged))
    median = calm.left.median.copy()
    median[:, 3:] = 0.5
    drawn = sensitivity_by_unit(replace(calm, left=calm.left._replace(median=median)), 0.3)
    assert any("sgm-triangles" in {each["uid"] for each in figure["data"]} for figure in drawn)
    assert not all("sgm-triangles" in {each["uid"] for each in figure["data"]} for figure in drawn)
    assert all(each["layout"]["yaxis"] == drawn[0]["layout"]["yaxis"] for each in drawn)
    assert all(len(each["layout"]["shapes"]) == len(drawn[0]["layout"]["shapes"]) for each in drawn)


def test_the_mark_goes_along_the_units_and_the_bands_stay(found):
    drawn = usable_by_unit(found, 0.3)
    usable = [scale for scale in SCALES if found.range(SPL, scale)]
    for scale, figure in zip(SCALES, drawn, strict=True):
        assert trace(figure, "yours")["x"] == [scale]
        assert trace(figure, "best-spl")["x"] == usable
        assert [each["x0"] for each in figure["layout"]["shapes"]] == [scale]
        assert "no λ for SPL" in texts(figure)
    band = trace(drawn[0], "usable-spl-plus")
    assert set(band["x"]) == set(SCALES)


def test_the_effect_of_a_unit_is_told_with_the_numbers_of_the_runs(found):
    best = dict(zip(SCALES, found.best_lambdas(SPL), strict=True))
    said = unit_effect(found, 0.01)
    assert said.startswith(
        f"Loss × 0.01: SPL's best λ goes from {number(best[1.0])} to {number(best[0.01])}, usable over"
    )
    assert f"{found.range(SPL, 0.01).decades:.1f} decades" in said
    assert f"SPL₊'s best λ stays {number(found.best_lambdas(SPL_PLUS)[0])}, usable over" in said
    assert unit_effect(found, 100.0).startswith(
        f"Loss × 100: no λ is usable for SPL, in dollars its best λ was {best[1.0]:g}"
    )
    nowhere = altered(found, SPL, [1.0], 0.9)
    assert "in dollars there was none" in unit_effect(nowhere, 0.01)
    assert "no λ is usable for SPL, as in dollars" in unit_effect(nowhere, 100.0)
    assert unit_effect(nowhere, 1.0).startswith("In dollars no λ is usable for SPL; SPL₊'s best λ is")
