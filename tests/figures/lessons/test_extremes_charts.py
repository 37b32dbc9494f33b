"""Claims about the charts of CVaR's extremes: a handful of losses, and classifiers that give up."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from cvar_core.figures import without_title
from cvar_core.figures.lessons.anatomy_charts import worst
from cvar_core.figures.lessons.extremes_charts import classifiers, extremes, judged
from cvar_core.lessons.anatomy import Classifier, GivingUp, few
from cvar_core.problem import cvar
from tests.figures.results import trace
from tests.lessons.anatomy_samples import tensor


def drawn(figure):
    """Check that a figure can be sent, and return it."""
    json.dumps(figure, allow_nan=False)
    return figure


# A handful of losses.


@pytest.mark.parametrize(
    ("beta", "finding", "about"),
    [
        (0.0, "β = 0 gives 4.5, the mean of all losses", "every α up to the smallest loss, 1, minimises F"),
        (0.25, "β = 0.25 gives 5.67, the mean without the smallest loss", "every α from 1 to 3 minimises F"),
        (0.5, "β = 0.5 gives 7, the mean of the worst 2", "every α from 3 to 4 minimises F"),
        (0.6, "β = 0.6 gives 7.75, the mean of the worst 1 and of 0.6 of the next", "only α = 4 minimises F"),
        (0.75, "β = 0.75 gives 10, the largest loss", "every α from 4 to 10 minimises F"),
        (0.99, "β = 0.99 gives 10, the largest loss", "only α = 10 minimises F"),
    ],
)
def test_a_handful_of_losses_in_words_and_weights(beta, finding, about):
    sample = tensor([4.0, 1.0, 10.0, 3.0])
    figure = drawn(extremes(sample, beta))
    assert without_title(figure)[1:] == (finding, about)
    weights, points = trace(figure, "weights"), trace(figure, "losses")
    assert points["x"] == [1, 3, 4, 10]
    assert sum(weights["y"]) == pytest.approx(1)
    assert np.dot(weights["x"], weights["y"]) == pytest.approx(cvar(sample, beta))
    flat, limits = trace(figure, "minimisers"), figure["layout"]["xaxis"]["range"]
    assert flat["x"] == [max(few(sample, beta).low, limits[0]), few(sample, beta).high]
    filled = [colour == weights["marker"]["color"] for colour in points["marker"]["color"]]
    assert filled == [weight > 0 for weight in weights["y"]]


def test_equal_losses_can_be_drawn_too():
    drawn(extremes(tensor([2.0, 2.0]), 0.5))


# Classifiers.


def shrinking(*rows):
    return GivingUp(tuple(Classifier(*row) for row in rows))


SHRINKING = shrinking((0.0, 8.0, 0.9, 0.2), (0.4, 6.0, 0.88, 0.5), (0.6, 0.0, None, math.log(2)))


def test_the_classifiers_chart_marks_the_readers_level():
    figure = drawn(classifiers(SHRINKING, 0.95))
    assert figure["layout"]["title"]["text"] == "From β ≈ 0.50 on, the best classifier is θ = 0"
    length, accuracy = trace(figure, "length"), trace(figure, "accuracy")
    assert list(zip(length["x"], length["y"], strict=True)) == [(0, 1), (0.4, 0.75), (0.5, 0), (1, 0)]
    assert list(zip(accuracy["x"], accuracy["y"], strict=True)) == [(0, 0.9), (0.4, 0.88), (0.5, 0.88)]
    assert figure["layout"]["shapes"][0]["x0"] == 0.95
    assert [each["text"] for each in figure["layout"]["annotations"]] == ["β = 0.95", "θ* = 0"]


def test_the_readers_level_in_words():
    assert r"$\beta_c \approx 0.50$), $\theta^*=0$: every loss is $\log 2\approx0.693$" in judged(SHRINKING, 0.5)
    below = judged(SHRINKING, 0.2)
    assert r"\rVert\approx7$, 88% of what it is at β = 0, and it classifies 89% of the points rightly" in below
    assert worst(0.999) == "the worst 0.1% of the losses"


def test_classifiers_that_never_give_up_are_said_to():
    never = shrinking((0.0, 8.0, 1.0, 0.0), (0.9, 7.0, 1.0, 0.0))
    assert never.critical is None
    assert classifiers(never, 0.5)["layout"]["title"]["text"] == "No β that was tried makes a classifier give up"
    assert "border," in judged(never, 0.5)
    always = shrinking((0.0, 0.0, None, math.log(2)))
    assert always.critical == 0
    drawn(classifiers(always, 0.5))
    assert "beyond the border" in judged(always, 0.0)


def test_before_any_classifier_is_found_their_place_is_kept():
    figure = drawn(classifiers(shrinking(), 0.3))
    assert "is being looked for" in figure["layout"]["title"]["text"]
    assert [each["uid"] for each in figure["data"]] == [each["uid"] for each in classifiers(SHRINKING, 0.3)["data"]]
    assert trace(figure, "length")["y"] == trace(figure, "accuracy")["y"] == [None], "in the legend only"
    assert figure["layout"]["shapes"][0]["x0"] == 0.3
    assert "**β = 0.3** is will be told" in judged(shrinking(), 0.3)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_plotly_accepts_the_figures(theme):
    from plotly.graph_objects import Figure

    for figure in (extremes(tensor([1.0, 2.0, 5.0]), 0.5, theme=theme), classifiers(SHRINKING, 0.5, theme=theme)):
        Figure(figure)
        assert min(figure["layout"][axis]["tickfont"]["size"] for axis in ("xaxis", "yaxis")) >= 15
