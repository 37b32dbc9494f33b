"""Claims about the charts of CVaR taken apart: they show its parts, and stay readable."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given

from cvar_core.catalogue import noises
from cvar_core.figures import without_title
from cvar_core.figures.lessons.anatomy_charts import (
    level_words,
    objective_by_level,
    percent,
    reach,
    tail,
    tail_by_level,
    variational,
)
from cvar_core.lessons.anatomy import risks
from cvar_core.problem import cvar, objective
from tests.figures.results import trace
from tests.lessons.anatomy_samples import LEVELS, SOME, tensor, way


def drawn(figure):
    """Check that a figure can be sent, and return it."""
    json.dumps(figure, allow_nan=False)
    return figure


# The tail.


@pytest.mark.parametrize("beta", [0.0, 0.5, 0.95, 0.999])
@pytest.mark.parametrize("noise", noises.names())
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_the_tail_has_its_share_and_its_names_whatever_the_noise(loss, noise, beta):
    along = way(loss, noise, beta)
    ends = along.losses(0.0), along.losses(1.0)
    ranges = set()
    for share in (0.0, 0.5, 1.0):
        here = along.losses(share)
        figure = drawn(tail(here, beta, ends))
        at, layout = risks(here, beta), figure["layout"]
        edge = layout["xaxis"]["range"][1]
        ranges.add(round(edge / reach(ends, beta), 1))
        beyond = (here > edge).double().mean().item()
        body, outer = (np.array(trace(figure, uid)["y"]) for uid in ("body", "tail"))
        assert outer.sum() + beyond == pytest.approx(1 - beta, abs=1e-9)
        assert body.sum() == pytest.approx(beta, abs=1e-9)
        assert body.min() > -1e-12
        assert sorted(line["x0"] for line in layout["shapes"]) == sorted(at)
        assert at.cvar <= 0.7 * edge, "with room for its name"
        heights = [each["y"] for each in sorted(layout["annotations"], key=lambda each: each["x"])]
        assert heights == sorted(heights, reverse=True), "no line crosses a name"
    assert ranges <= {1.0, 1.1}, "the axis stands still while θ moves"


def test_the_tail_is_the_mean_beyond_a_bar():
    figure = tail(tensor(range(1, 101)), 0.9, [tensor(range(1, 101))] * 2)
    assert without_title(figure)[1] == "CVaR is 95.5, the mean of the worst 10% of the losses"
    outer = trace(figure, "tail")
    inside = [x - outer["width"] / 2 for x, y in zip(outer["x"], outer["y"], strict=True) if y > 0]
    assert min(inside) == pytest.approx(90.0), "the tail starts with a bar at VaR"


@given(SOME, SOME, SOME, LEVELS)
def test_var_and_cvar_are_in_the_picture_wherever_theta_is(here, first, last, beta):
    at, ends = risks(tensor(here), beta), (tensor(first), tensor(last))
    bars = drawn(tail(tensor(here), beta, ends))
    curve = drawn(variational(tensor(here), beta, ends, 0.5))
    for figure in (bars, curve):
        low, high = figure["layout"]["xaxis"]["range"]
        assert low <= at.var <= at.cvar < high


def test_a_heavy_tail_stays_readable_and_what_is_left_out_is_said():
    along = way("squared", "lognormal", 0.95)
    here = along.losses(1.0)
    figure = tail(here, 0.95, [along.losses(0.0), here])
    top, edge = figure["layout"]["yaxis"]["range"][1], figure["layout"]["xaxis"]["range"][1]
    outer, body = trace(figure, "tail")["y"], trace(figure, "body")["y"]
    assert max(outer) > 0.03 * top, "the tail can be seen"
    assert sum(share > top for share in body) <= 3, "hardly a bar is cut"
    assert edge < 0.5 * float(here.max())
    about = figure["layout"]["title"]["subtitle"]["text"]
    beyond = here[here > edge]
    assert f"{100 * len(beyond) / len(here):.3g}% of the losses are beyond the right edge" in about
    carried = 100 * float(beyond.sum()) / (0.05 * len(here)) / cvar(here, 0.95)
    assert f"they make up {carried:.3g}% of CVaR" in about
    assert f"the highest bar is cut: it holds {100 * max(body):.3g}% of the losses" in about


def test_equal_losses_are_one_bar_and_the_tail_is_a_part_of_it():
    along = way("logistic", "normal", 0.95)
    here = along.losses(1.0)
    assert risks(here, 0.95) == pytest.approx((math.log(2),) * 3, rel=1e-14)
    figure = tail(here, 0.95, [along.losses(0.0), here])
    assert max(trace(figure, "tail")["y"]) == pytest.approx(0.05)
    assert max(trace(figure, "body")["y"]) == pytest.approx(0.95)
    assert figure["layout"]["yaxis"]["range"][1] > 1, "not cut"
    assert "all losses are the same" in figure["layout"]["title"]["subtitle"]["text"]


# The formula.


BETAS = (0.0, 0.5, 0.9, 0.95, 0.99, 0.999)


@pytest.mark.parametrize(("loss", "noise"), [("absolute", "normal"), ("squared", "lognormal"), ("logistic", "gumbel")])
def test_at_every_level_of_the_slider_the_tail_is_there_and_the_formula_is_least_at_var(loss, noise):
    here = way(loss, noise, 0.95).losses(0.0)
    tails, formulas = tail_by_level(here, BETAS), objective_by_level(here, BETAS)
    for beta, bars, curve in zip(BETAS, tails, formulas, strict=True):
        at = risks(here, beta)
        assert np.sum(trace(drawn(bars), "tail")["y"]) <= 1 - beta + 1e-3
        assert bars["layout"]["xaxis"]["range"][1] > at.cvar
        minimum, along = trace(drawn(curve), "minimum"), trace(curve, "here")
        assert (minimum["x"], minimum["y"]) == ([at.var], [at.cvar])
        assert min(along["y"]) >= at.cvar * (1 - 1e-4)
        low, high = curve["layout"]["yaxis"]["range"]
        assert low < at.cvar < high
        assert f"{percent(1 - beta)} of the losses begin" in level_words(here, beta) or beta == 0


def test_the_axes_of_the_slider_stand_still_up_to_the_usual_level():
    here = way("squared", "lognormal", 0.95).losses(0.0)
    for figures in (tail_by_level(here, BETAS), objective_by_level(here, BETAS)):
        for axis in ("xaxis", "yaxis"):
            spans = [figure["layout"][axis]["range"] for figure in figures]
            assert all(span == pytest.approx(spans[0]) for span in spans[:4])
    assert figures[-1]["layout"]["xaxis"]["range"][1] > spans[0][1], "and then grow, for the tail to be seen"


@pytest.mark.parametrize("beta", [0.0, 0.3, 0.95, 0.999])
@pytest.mark.parametrize("noise", ["normal", "lognormal"])
@pytest.mark.parametrize("loss", ["absolute", "logistic"])
def test_the_curve_is_least_at_var_where_it_is_cvar(loss, noise, beta):
    along = way(loss, noise, beta)
    ends = along.losses(0.0), along.losses(1.0)
    here = along.losses(0.5)
    figure = drawn(variational(here, beta, ends, along.alpha))
    at, curve, dot = risks(here, beta), trace(figure, "here"), trace(figure, "minimum")
    assert (dot["x"], dot["y"]) == ([at.var], [at.cvar])
    seen = {x: y for x, y in zip(curve["x"], curve["y"], strict=True) if y is not None}
    assert min(seen.values()) == pytest.approx(at.cvar, rel=1e-12)
    assert seen[at.var] == pytest.approx(at.cvar, rel=1e-12)
    low, high = figure["layout"]["yaxis"]["range"]
    least = [min(y for y in trace(figure, uid)["y"] if y is not None) for uid in ("before", "here", "after")]
    assert low < min(least) <= max(least) < high


def test_the_formula_names_its_minimum_and_its_slopes():
    sample = tensor(range(1, 101))
    _, finding, about = without_title(variational(sample, 0.9, [sample] * 2, 90.0))
    assert finding == "F is least at α = VaR = 90, where it is CVaR = 95.5"
    assert about.startswith("far left F falls with slope −β/(1−β) = −9, far right it rises with slope 1; at α = 90")
    _, finding, about = without_title(variational(sample, 0.0, [sample] * 2, 1.0))
    assert finding == "F is least for every α up to the smallest loss, where it is the mean, 50.5"
    assert about.startswith("far left F is flat, far right it rises with slope 1; at α = 1 it is 50.5, 0 above F*")


def ends_of(line):
    return list(zip(line["x"], line["y"], strict=True))


def test_both_parts_of_the_gap_stand_at_alpha_one_on_the_other():
    sample, best = tensor(range(1, 101)), tensor(range(1, 101)) - 10.0  # CVaR 95.5, and 85.5 at the optimum
    figure = drawn(variational(sample, 0.9, [sample, best], 85.0))
    value = objective(sample, 85.0, 0.9)
    assert ends_of(trace(figure, "model-part")) == [(85, 85.5), (85, 95.5)]
    assert ends_of(trace(figure, "threshold-part")) == [(85, 95.5), (85, pytest.approx(value))]
    assert trace(figure, "model-part")["name"] == "model 10"
    assert ends_of(trace(figure, "alpha")) == [(85, pytest.approx(value))]
    assert trace(figure, "alpha")["marker"]["symbol"] == "circle"
    about = without_title(figure)[2]
    assert about.endswith(f"at α = 85 it is {value:.3g}, 11.5 above F*, 10 of it the model's part, 1.5 the threshold's")


def test_a_threshold_so_wrong_that_f_leaves_the_chart_says_how_high():
    sample = tensor(range(1, 101))
    figure = drawn(variational(sample, 0.9, [sample] * 2, 0.0))
    top = figure["layout"]["yaxis"]["range"][1]
    assert top < 505, "where it would be"
    assert ends_of(trace(figure, "alpha")) == [(0, top)]
    assert trace(figure, "alpha")["marker"]["symbol"] == "triangle-up-open"
    assert trace(figure, "threshold-part")["y"] == [pytest.approx(95.5), top]
    assert trace(figure, "threshold-part")["name"] == "threshold 410"
    assert "F = 505" in [each["text"] for each in figure["layout"]["annotations"]]
    far = drawn(variational(sample, 0.9, [sample] * 2, 1000.0))
    assert far["layout"]["xaxis"]["range"][1] > 1000, "an α beyond all losses is seen, too"


def test_equal_losses_can_be_drawn_too():
    drawn(tail(tensor([0.0, 0.0]), 0.5, [tensor([0.0, 0.0])] * 2))
    drawn(variational(tensor([0.0, 0.0]), 0.5, [tensor([0.0, 0.0])] * 2, 0.3))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_plotly_accepts_the_figures(theme):
    from plotly.graph_objects import Figure

    sample = tensor([1.0, 2.0, 5.0])
    for figure in (
        tail(sample, 0.5, [sample] * 2, theme=theme),
        variational(sample, 0.5, [sample] * 2, 0.3, theme=theme),
    ):
        Figure(figure)
        assert min(figure["layout"][axis]["tickfont"]["size"] for axis in ("xaxis", "yaxis")) >= 15
