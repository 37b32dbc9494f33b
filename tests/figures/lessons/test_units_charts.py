"""Claims about the charts of the unit: what is the same is drawn in one place, and what has no λ says so."""

import json
from dataclasses import replace

import numpy as np
import pytest
from plotly.graph_objects import Figure

from cvar_core import ProblemSpec
from cvar_core.figures import without_title
from cvar_core.figures.lessons.units_charts import unit_curves, unit_paths, unit_ranges
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
    ):
        Figure(figure)
        json.dumps(figure, allow_nan=False)
        assert min(sizes(figure["layout"])) >= 15
        assert title(figure)
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
    assert sum("same to" in text for text in texts(figure)) == 2
    assert sum("apart by up to" in text for text in texts(figure)) == 2


def test_a_power_of_two_is_the_same_bit_for_bit():
    assert sum("bit for bit" in text for text in texts(unit_paths(walk(SMALL, 0.3, 64.0, 200)))) == 2


def test_the_same_unit_is_no_comparison():
    figure = unit_paths(walk(SMALL, 0.3, 1.0, 200))
    assert "choose another unit" in title(figure)
    assert sum("the same run" in text for text in texts(figure)) == 4


def test_a_run_that_diverged_ends_and_says_where():
    paths = walk(WILD, 0.3, 1000.0, 300)
    figure = unit_paths(paths)
    assert any("diverges at s = 1000" in text for text in texts(figure))
    assert None in trace(figure, "other-sgm")["y"]
    assert None not in trace(figure, "other-spl-plus")["y"]
    low, high = (10**end for end in figure["layout"]["yaxis"]["range"])
    assert low < paths[0].start < high < 3_000 * paths[0].start  # what explodes does not stretch the axis
    swapped = [replace(path, diverged=path.diverged[::-1]) for path in paths]
    assert any(text.endswith("diverges at s = 1") for text in texts(unit_paths(swapped)))
    both = [replace(path, diverged=(True, True)) for path in paths]
    assert sum("diverges in both units" in text for text in texts(unit_paths(both))) == 4


def test_rounding_that_grew_is_called_rounding():
    figure = unit_paths(walk(ProblemSpec(noise="normal", eval_size=1_000), 1000.0, 100.0))
    assert "SPL₊ only by rounding, which this λ amplifies" in title(figure)
    assert any("rounding grew to" in text for text in texts(figure))


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
    assert f"usable in {len(usable)} of 13 units" in "".join(texts(figure))
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
