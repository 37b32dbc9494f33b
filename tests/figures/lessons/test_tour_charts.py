"""The Tour's figures: the answer appears in the axes of the question."""

import json

import pytest
from plotly.graph_objects import Figure

from cvar_core.figures.lessons import tour_charts
from cvar_core.lessons import tour

DRAW = (
    tour_charts.two_fits,
    tour_charts.losses,
    tour_charts.subgradient,
    tour_charts.one_step,
    tour_charts.units,
    tour_charts.choosing,
    tour_charts.model_or_threshold,
    tour_charts.promise,
)
FACTS = tour.shipped()


def sizes(figure):
    """Return the size of all text that has one of its own."""
    found = [each["font"]["size"] for each in figure["layout"]["annotations"]]
    return [*found, figure["layout"]["font"]["size"], figure["layout"]["title"]["font"]["size"]]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("draw", DRAW)
def test_an_answer_changes_the_picture_and_not_the_axes(draw, theme):
    before, after = (draw(FACTS, answered, theme=theme) for answered in (False, True))
    for figure in (before, after):
        json.dumps(figure, allow_nan=False)
        Figure(figure)
        assert min(sizes(figure)) >= 15, "read from the back row"
        names = [one["uid"] for one in figure["data"]]
        assert len(set(names)) == len(names)
    for axis in ("xaxis", "yaxis"):
        assert before["layout"][axis]["range"] == after["layout"][axis]["range"]
    assert before["layout"]["title"]["text"] != after["layout"]["title"]["text"]
    drawn = [json.dumps([each["data"], each["layout"]["shapes"]]) for each in (before, after)]
    assert drawn[0] != drawn[1]


@pytest.mark.parametrize("beta", tour.LEVELS)
def test_the_tail_that_is_ringed_is_that_of_the_line(beta):
    figure = tour_charts.two_fits(FACTS, True, beta)
    data, fit = tour.deliveries(), FACTS.fits[beta]
    rings = next(one for one in figure["data"] if one["name"].startswith("its worst"))
    ringed = set(zip(rings["x"], rings["y"], strict=True))
    assert len(rings["x"]) == round((1 - beta) * len(data.minutes))
    errors = fit.errors(data)
    least = min(errors[k] for k in range(len(errors)) if (data.kilometres[k], data.minutes[k]) in ringed)
    others = [errors[k] for k in range(len(errors)) if (data.kilometres[k], data.minutes[k]) not in ringed]
    assert least >= max(others)


def test_before_the_question_nothing_is_given_away():
    shown = tour_charts.subgradient(FACTS, False)["data"]
    assert max(x for one in shown for x in one["x"]) <= 0.1
    assert not any("CVaR" in one["name"] for one in tour_charts.two_fits(FACTS, False)["data"])
    assert "CVaR" not in json.dumps(tour_charts.losses(FACTS, False))
    assert not any("measured" in one["name"] for one in tour_charts.promise(FACTS, False)["data"])
