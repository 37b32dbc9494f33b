"""The charts of a tail: plotly knows them, they can be read in both themes, and show what was counted."""

import json

import numpy as np
import pytest

from cvar_core import Dataset, sweep
from cvar_core.figures import loss_spread, tail_differences, theme_named, weights
from cvar_core.tails import MEAN, OPTIMUM, RUN, Tail, tail
from tests.figures.results import THEMES


@pytest.fixture(scope="module", params=[1.0, 1e4], ids=["calm", "with an outlier"])
def found(request) -> Tail:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 15))
    y = x[:, 0] + rng.normal(size=80) * (1 + 3 * (x[:, 1] > 0.5))
    y[7] += request.param
    data = Dataset("made", x, y, ("<b>bold</b>", "a name that is longer than an axis likes", *map(str, range(13))))
    problem = data.problem("absolute", 0.9)
    return tail(data, problem, sweep(problem, ["spl+"], [1.0], iterations=300, seeds=1))


def trace(figure, name):
    return next(each for each in figure["data"] if each["uid"] == name)


@pytest.mark.parametrize("theme", THEMES)
def test_plotly_knows_them_and_a_file_has_no_power_over_them(found, theme):
    from plotly.graph_objects import Figure

    for figure in (
        loss_spread(found, theme=theme),
        tail_differences(found, RUN, theme=theme),
        weights(found, theme=theme),
    ):
        Figure(figure)
        assert "<b>bold" not in json.dumps(figure, allow_nan=False)
        assert figure["layout"]["font"]["color"] == theme_named(theme).text
        assert all(len(name) <= 21 for name in figure["layout"]["yaxis"].get("ticktext", ()))


def test_the_outlines_are_the_counts_and_the_lines_stand_at_cvar(found):
    figure = loss_spread(found)
    for name in (RUN, OPTIMUM, MEAN):
        drawn = trace(figure, name)
        counts = [round(y) for y in drawn["y"][:-1]]
        assert sum(counts) == 80, "a bin without rows is below the axis"
        assert drawn["x"] == found.histogram.edges.tolist()
    assert [line["x0"] for line in figure["layout"]["shapes"]] == [each.cvar for each in found.worst.values()]
    assert figure["layout"]["xaxis"].get("type") == ("log" if found.histogram.logarithmic else None)
    gain = 1 - found.worst[OPTIMUM].cvar / found.worst[MEAN].cvar
    assert f"lose {100 * gain:.2g}% less" in figure["layout"]["title"]["text"]


def test_what_may_be_chance_is_pale_and_lies_on_the_band(found):
    figure, contrast = tail_differences(found, OPTIMUM), found.contrast(OPTIMUM)
    bars = trace(figure, "differences")
    assert bars["x"] == [each.deviations for each in contrast.largest(12)]
    for size, colour in zip(bars["x"], bars["marker"]["color"], strict=True):
        assert colour.startswith("rgba") == (abs(size) <= contrast.chance)
    (band,) = figure["layout"]["shapes"]
    assert (band["x0"], band["x1"]) == (-contrast.chance, contrast.chance)


def test_weights_are_coefficients_in_deviations_of_their_columns(found):
    figure, shown = weights(found), found.heaviest(12)
    for name in (RUN, OPTIMUM, MEAN):
        assert trace(figure, name)["x"] == [each.effects[name] for each in shown]
    theta = found.thetas[MEAN].numpy() * found.data.x.std(axis=0)
    assert min(abs(theta - shown[0].effects[MEAN])) < 1e-12
