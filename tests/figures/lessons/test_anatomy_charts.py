"""Claims about CVaR taken apart: the numbers against closed forms and by hand, and pictures that stay readable."""

from __future__ import annotations

import functools
import json
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from cvar_core import Problem
from cvar_core.catalogue import losses, noises
from cvar_core.figures import without_title
from cvar_core.figures.lessons.anatomy_charts import (
    level_words,
    objective_by_level,
    percent,
    reach,
    tail,
    tail_by_level,
    variational,
    worst,
)
from cvar_core.figures.lessons.extremes_charts import classifiers, extremes, judged
from cvar_core.lessons.anatomy import (
    Classifier,
    GivingUp,
    Way,
    drawn_losses,
    few,
    gap,
    giving_up,
    objective_along,
    risks,
    tail_parts,
)
from cvar_core.problem import cvar, objective
from tests.figures.results import trace

SOME = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.5, 7.0, 40.0]), min_size=1, max_size=12)  # with many ties
LEVELS = st.one_of(st.floats(0, 0.999), st.sampled_from([0.0, 0.05, 0.25, 0.5, 0.9, 0.95, 0.999]))


def tensor(values) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


@functools.cache
def way(loss: str, noise: str, beta: float) -> Way:
    """Return a way that ends where the optimum of a large sample is, without looking for it."""
    problem = Problem.synthetic(loss, noise, beta, eval_size=5_000)
    end = problem.theta_gen if loss != "logistic" else torch.zeros(10, dtype=torch.float64)
    return Way(problem, problem.start(0).theta, end, problem.start(0).alpha)


def drawn(figure):
    """Check that a figure can be sent, and return it."""
    json.dumps(figure, allow_nan=False)
    return figure


# The numbers.


@pytest.mark.parametrize("beta", [0.0, 0.5, 0.95, 0.999])
def test_the_risks_of_normal_noise_are_those_of_the_closed_form(beta):
    points = 400_000
    q = norm.ppf((1 + beta) / 2)
    above = (1 - beta) / 2
    exact = {
        "absolute": (2 * math.sqrt(2 / math.pi), 2 * q, 2 * norm.pdf(q) / above),
        "squared": (2.0, 2 * q**2, 2 * (1 + q * norm.pdf(q) / above)),
    }
    if beta == 0.95:  # the population's values as they were noted down
        assert exact["absolute"][1:] == pytest.approx((3.9199, 4.6756), abs=1e-4)
        assert exact["squared"][1:] == pytest.approx((7.6829, 11.1640), abs=1e-4)
    for loss, (mean, level, tail_mean) in exact.items():
        problem = Problem.synthetic(loss, "normal", beta, eval_size=points)
        found = risks(problem.losses(problem.theta_gen), beta)
        spread = {"absolute": 3.0, "squared": 14.0}[loss] / math.sqrt(points * (1 - beta))  # above the standard error
        assert found.mean == pytest.approx(mean, abs=spread)
        assert found.var == pytest.approx(level, abs=3 * spread)
        assert found.cvar == pytest.approx(tail_mean, abs=3 * spread)


@given(SOME, LEVELS, st.lists(st.floats(-50, 90), min_size=1, max_size=5))
def test_f_along_alpha_is_the_objective_and_never_below_cvar(values, beta, alphas):
    along = objective_along(tensor(values), np.array(alphas), beta)
    assert along.tolist() == pytest.approx([objective(tensor(values), alpha, beta) for alpha in alphas], abs=1e-9)
    assert (along >= cvar(tensor(values), beta) - 1e-9 * (1 + 50 / (1 - beta))).all()


@st.composite
def sample_and_level(draw) -> tuple[list[float], float]:
    """Draw losses and a level, often one at which the tail holds a whole number of them."""
    values = draw(SOME)
    n = len(values)
    return values, draw(st.one_of(LEVELS, st.sampled_from([k / n for k in range(n)])))


@given(sample_and_level())
def test_the_least_f_is_cvar_and_exactly_the_interval_attains_it(drawn_pair):
    values, beta = drawn_pair
    sample = tensor(values)
    found = few(sample, beta)
    ends = np.array([max(found.low, min(values) - 5.0), found.high])
    rounding = 1e-12 * 50 / (1 - beta)
    assert found.value == cvar(sample, beta)
    assert objective_along(sample, ends, beta).tolist() == pytest.approx([found.value] * 2, abs=rounding)
    outside = np.array([found.high + 0.01, *([found.low - 0.01] if math.isfinite(found.low) else [])])
    if beta < 1e-6 and beta > 0:
        outside = outside[:1]  # so slight a slope is rounded away
    assert (objective_along(sample, outside, beta) > found.value).all()


@given(SOME, LEVELS)
def test_the_parts_of_the_tail_are_those_of_cvar(values, beta):
    sample = tensor(values)
    parts = tail_parts(sample, beta)
    assert float(parts.min()) >= 0
    assert float(parts.max()) <= 1 + 1e-12
    assert float(parts.sum()) == pytest.approx((1 - beta) * len(values))
    assert float((parts * sample).sum() / parts.sum()) == pytest.approx(cvar(sample, beta))


def test_the_extremes_of_a_small_sample_by_hand():
    sample = tensor([4.0, 1.0, 10.0, 3.0])
    assert few(sample, 0.0) == (4.5, -math.inf, 1.0, 4.5), "the mean, any α up to the least loss"
    value, low, high, conditional = few(sample, 1 / 4)
    assert value == pytest.approx(17 / 3, abs=1e-15), "the mean without the smallest loss, not the mean"
    assert (low, high) == (1.0, 3.0)
    assert conditional == 4.5, "what the conditional mean makes of it is the mean"
    assert few(sample, 3 / 4) == (10.0, 4.0, 10.0, 7.0), "the max, where the conditional mean has the top two"
    assert few(sample, 0.999) == (10.0, 10.0, 10.0, 10.0)
    assert few(sample, 0.6) == pytest.approx(((10 + 0.6 * 4) / 1.6, 4.0, 4.0, 7.0)), "the tail takes a part of 4"


@pytest.mark.parametrize("n", [7, 20, 49])
def test_the_extremes_hold_although_beta_is_rounded(n):
    sample = drawn_losses("lognormal", n, 1)
    assert few(sample, 1 / n).value == pytest.approx(float(sample[1:].mean()), rel=1e-14)
    assert few(sample, 1 / n)[1:3] == (float(sample[0]), float(sample[1]))
    assert few(sample, (n - 1) / n)[:3] == (float(sample[-1]), float(sample[-2]), float(sample[-1]))
    assert few(sample, 0.0).value == pytest.approx(float(sample.mean()), rel=1e-14)


def test_the_drawn_losses_are_those_of_the_noise():
    sample = drawn_losses("normal", 4_000, 3)
    assert torch.equal(sample, sample.sort().values)
    assert float(sample.mean()) == pytest.approx(2 * math.sqrt(2 / math.pi), abs=0.08)
    assert not torch.equal(drawn_losses("normal", 20, 1), drawn_losses("normal", 20, 2))


@pytest.mark.parametrize("loss", losses.names())
def test_the_way_leads_from_the_start_down_to_the_optimum(loss):
    problem = Problem.synthetic(loss, "normal", 0.9, eval_size=1_000, dim=3)
    along = Way.of(problem)
    assert torch.equal(along.losses(0.0), problem.losses(problem.start(0).theta))
    assert along.alpha == problem.start(0).alpha
    values = [cvar(along.losses(share), 0.9) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert values[-1] == pytest.approx(problem.optimum().value, rel=1e-12)
    assert values == sorted(values, reverse=True), "convex, so it falls all the way"


def test_few_losses_in_the_tail_are_called_few():
    assert [way("absolute", "normal", beta).fitted for beta in (0.9, 0.98, 0.999)] == [None, 100, 5]


@given(SOME, SOME, LEVELS, st.floats(-50, 90))
def test_the_gap_is_the_models_part_and_the_thresholds(values, others, beta, alpha):
    sample = tensor(values)
    best = min(cvar(sample, beta), cvar(tensor(others), beta))
    parts = gap(sample, alpha, beta, best)
    rounding = 1e-11 * 100 / (1 - beta)
    assert min(parts) >= 0
    assert parts.whole == pytest.approx(objective(sample, alpha, beta) - best, abs=rounding)
    assert parts.model == pytest.approx(cvar(sample, beta) - best, abs=rounding)
    assert gap(sample, float(risks(sample, beta).var), beta, best).threshold <= rounding, "VaR is the best threshold"
    assert parts.share == (parts.model / parts.whole if parts.whole else 0)


def test_most_of_the_gap_at_the_start_is_a_wrong_threshold():
    along = Way.of(Problem.synthetic("absolute", "lognormal", 0.95, eval_size=2_000))
    first = gap(along.losses(0.0), along.alpha, 0.95, cvar(along.losses(1.0), 0.95))
    assert 0 < first.share < 0.01


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
    drawn(tail(tensor([0.0, 0.0]), 0.5, [tensor([0.0, 0.0])] * 2))
    drawn(variational(tensor([0.0, 0.0]), 0.5, [tensor([0.0, 0.0])] * 2, 0.3))


# Classifiers.


@pytest.fixture(scope="module")
def found():
    return giving_up("lognormal", points=1_500)


def test_beyond_its_border_the_best_classifier_is_none(found):
    assert found.critical == pytest.approx(0.24, abs=0.06)
    lengths = [one.length for one in found.classifiers]
    assert lengths == sorted(lengths, reverse=True)
    assert [one.value for one in found.classifiers] == sorted(one.value for one in found.classifiers)
    last = found.classifiers[-1]
    assert (last.length, last.accuracy) == (0, None)
    assert last.value == pytest.approx(math.log(2), rel=1e-14)
    before = max(one.beta for one in found.classifiers if one.length > 0)
    assert 0 < min(one.beta for one in found.classifiers if one.length == 0) - before < 0.02, "β_c was looked for"


def test_the_border_is_where_the_worst_margins_have_no_positive_mean(found):
    """θ = 0 is optimal iff in every direction d the lowest 1 − β of y x·d has a mean of at most 0."""
    problem = Problem.synthetic("logistic", "lognormal", eval_size=1_500)
    best = Problem.synthetic("logistic", "lognormal", 0.0, eval_size=1_500).optimum().theta

    def lowest(direction, beta):
        return -cvar(-problem.ground.points.predict(direction) * problem.ground.points.target, beta)

    before = max(one.beta for one in found.classifiers if one.length > 0)
    after = min(one.beta for one in found.classifiers if one.length == 0)
    assert lowest(best, before) > 0
    rng = torch.Generator().manual_seed(1)
    around = [best / best.norm() + 0.3 * torch.randn(10, generator=rng, dtype=torch.float64) for _ in range(30)]
    assert max(lowest(direction, after) for direction in (best, -best, *around)) <= 0


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

    sample = tensor([1.0, 2.0, 5.0])
    for figure in (
        tail(sample, 0.5, [sample] * 2, theme=theme),
        variational(sample, 0.5, [sample] * 2, 0.3, theme=theme),
        extremes(sample, 0.5, theme=theme),
        classifiers(SHRINKING, 0.5, theme=theme),
    ):
        Figure(figure)
        sizes = [figure["layout"][axis]["tickfont"]["size"] for axis in ("xaxis", "yaxis")]
        assert min(sizes) >= 15
