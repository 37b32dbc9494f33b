"""The Anatomy page: what it says of the tail, of the formula, of the extremes and of classifiers that give up."""

import json
import math

import pytest

from cvar_core import Problem
from cvar_core.lessons import anatomy
from cvar_core.problem import cvar, var
from cvar_core.results import number
from pages.components.sending import answers
from tests.pages.opening import AT_ONCE, opener, shown, smaller, words
from tests.pages.reading import charts_of, figures_of, frames_of

pytestmark = pytest.mark.usefixtures("linked")

opened = opener("anatomy")
CHARTS = ["anatomy-tail", "anatomy-variational", "anatomy-extremes", "anatomy-classifiers"]
MOVING = ["anatomy-levels", "anatomy-objective"]


@pytest.fixture(scope="module", autouse=True)
def small():
    """A few points are enough here."""
    with smaller((anatomy, "POINTS", 2_000), (anatomy, "_STEP", 0.3), (anatomy, "_HALVINGS", 1), AT_ONCE):
        yield


def trace(page, chart, uid):
    return next(each for each in figures_of(page)[f"anatomy-{chart}"]["data"] if each["uid"] == uid)


def let_go(page, beta):
    """Leave the slider of β there, as the browser reports it."""
    page.session_state["anatomy_beta"] = beta
    return shown(page.run())


def test_the_first_visit_sees_the_tail_at_the_start_and_what_the_optimum_makes_of_it():
    page = opened()
    problem = Problem.synthetic("absolute", "normal", 0.95, eval_size=2_000)
    losses, best = problem.losses(problem.start(0).theta), problem.optimum().value
    first = cvar(losses, 0.95)
    assert "# CVaR is the mean of the worst losses" in words(page)
    assert (
        f"β = 0.95: the worst 5% of the losses begin at {number(var(losses, 0.95))} (VaR); their mean is "
        f"{number(first)} (CVaR), that of all is {number(losses.mean().item())}." in words(page)
    )
    assert f"CVaR is {number(first)} at the start and {number(best)} at the optimum" in words(page)
    assert f"**CVaR is {number(first)}, the mean of the worst 5% of the losses**" in words(page)
    assert list(figures_of(page)) == [*CHARTS, *MOVING]
    assert all(sent.get("label") or sent["labels"] for sent in charts_of(page).values())
    assert trace(page, "objective", "minimum")["y"] == [first]
    assert not page.info


def test_every_level_of_the_slider_is_sent_once():
    page = opened()
    (before,) = frames_of(page)
    assert before["labels"][before["begin"]] == "β = 0.95"
    assert len(before["labels"]) == 25
    page = let_go(page, "0.5")
    assert "the worst 50% of the losses" in words(page)
    assert page.query_params["anatomy_beta"] == "0.5"
    (after,) = frames_of(page)
    assert after["panels"] == before["panels"], "what the browser has already is not made anew"
    assert len(json.dumps(before)) < 160_000


def test_dragging_theta_moves_the_losses_and_the_curve():
    page = opened()
    before = figures_of(page)
    page = shown(page.slider(key="anatomy_theta").set_value(1.0).run())
    after, best = (
        figures_of(page),
        number(Problem.synthetic("absolute", "normal", 0.95, eval_size=2_000).optimum().value),
    )
    assert f"**CVaR is {best}, the mean of the worst 5% of the losses**" in words(page)
    assert trace(page, "variational", "here")["y"] == trace(page, "variational", "after")["y"]
    assert before["anatomy-tail"]["data"] != after["anatomy-tail"]["data"]
    assert before["anatomy-extremes"] == after["anatomy-extremes"]


def test_the_gap_at_the_start_is_told_in_its_two_parts():
    page = opened()
    problem = Problem.synthetic("absolute", "normal", 0.95, eval_size=2_000)
    start, best = problem.start(0), problem.optimum().value
    losses = problem.losses(start.theta)
    whole, model = problem.objective(start.theta, start.alpha) - best, cvar(losses, 0.95) - best
    said = words(page).replace("\n", " ")
    assert f"At the start it is {number(whole)}, and {number(model)} of that is the model's" in said
    assert f"the model's: {number(100 * model / whole)}%." in said
    assert f"{number(100 - 100 * model / whole)}% of the gap are closed with $\\theta$ where it was" in said
    assert trace(page, "variational", "alpha")["x"] == [start.alpha]


def test_dragging_alpha_to_var_closes_the_thresholds_part_alone():
    page = opened()
    model = trace(page, "variational", "model-part")["y"]
    page = shown(page.slider(key="anatomy_alpha").set_value(1.0).run())
    assert trace(page, "variational", "alpha")["x"] == trace(page, "variational", "minimum")["x"]
    assert trace(page, "variational", "threshold-part")["name"] == "threshold 0"
    assert trace(page, "variational", "model-part")["y"] == model
    page = shown(page.slider(key="anatomy_theta").set_value(1.0).run())
    assert trace(page, "variational", "model-part")["name"] == "model 0"


@pytest.mark.parametrize(("beta", "tail"), [("0", "all losses"), ("0.999", "the worst 0.1% of the losses")])
def test_the_level_at_both_ends(beta, tail):
    page = opened()
    page = let_go(page, beta)
    assert f", the mean of {tail}**" in words(page)
    assert ("Mind the sample" in words(page)) == (beta == "0.999")
    level = figures_of(page)["anatomy-classifiers"]["layout"]["shapes"][0]["x0"]
    assert level == float(beta)
    if beta == "0":
        assert "F is least for every α up to the smallest loss" in words(page)
    else:
        assert "the tail is 2 of the 2,000 losses" in words(page)
        assert "slope −β/(1−β) = −999" in words(page)


def test_the_extremes_are_told_with_the_numbers_of_the_sample():
    page = opened(noise="gumbel", draw="3")
    sample = anatomy.drawn_losses("gumbel", 20, 3)
    mean, without, largest = sample.mean().item(), sample[1:].mean().item(), sample[-1].item()
    top_two = sample[-2:].mean().item()
    assert f"| 0 | {number(mean)}, the mean | {number(mean)}, the mean |" in words(page)
    assert f"| 1/20 | {number(without)}, **without the smallest** | {number(mean)}, the mean |" in words(page)
    assert f"| 19/20 | {number(largest)}, the largest | {number(top_two)}, **of the two largest** |" in words(page)


@pytest.mark.parametrize(
    ("level", "finding"),
    [
        (0.0, "the mean of all losses"),
        (0.05, "the mean without the smallest loss"),
        (0.95, "the largest loss"),
        (0.99, "the largest loss"),
    ],
)
def test_the_slider_of_the_extremes_from_end_to_end(level, finding):
    page = opened()
    page = shown(page.slider(key="anatomy_few_beta").set_value(level).run())
    assert f"**β = {level:g} gives " in words(page)
    assert finding in words(page)
    flat = trace(page, "extremes", "minimisers")["x"]
    assert (flat[0] < flat[1]) == (level != 0.99)


def test_another_draw_is_another_sample():
    page = opened()
    before = trace(page, "extremes", "losses")["x"]
    page = shown(page.slider(key="anatomy_draw").set_value(1).run())
    assert trace(page, "extremes", "losses")["x"] != before


def test_a_careful_classifier_gives_up_and_a_bold_one_does_not():
    page = opened(loss="logistic", theta="1.0")
    assert "every loss is $\\log 2\\approx0.693$" in words(page)
    assert "All losses are the same" in words(page)
    assert f"**CVaR is {number(math.log(2))}, the mean of" in words(page)
    page = let_go(page, "0.1")
    assert "At **β = 0.1**, below the border" in words(page)
    assert "of the points rightly" in words(page)


def test_heavy_tails_say_what_is_out_of_sight():
    page = opened(loss="squared", noise="lognormal")
    assert "of the losses are beyond the right edge" in words(page)
    assert "of CVaR; the highest bar is cut" in words(page)


def test_a_link_opens_the_page_as_it_was():
    page = opened(loss="huber", noise="student", beta="0.5", theta="0.35", alpha="0.15", few_beta="0.4", draw="2")
    values = [page.selectbox(key=f"anatomy_{name}").value for name in ("loss", "noise")]
    values += [page.session_state["anatomy_beta"]]
    values += [page.slider(key=f"anatomy_{name}").value for name in ("theta", "alpha", "few_beta", "draw")]
    assert values == ["huber", "student", "0.5", 0.35, 0.15, 0.4, 2]
    assert not page.info


def test_what_a_link_may_not_say_has_its_default_and_a_word():
    page = opened(beta="1.5", theta="7", alpha="-1", few_beta="nan", draw="eleven")
    (note,) = page.info
    for part in ("beta=1.5", "theta=7", "alpha=-1", "few_beta=nan", "draw=eleven"):
        assert f"anatomy_{part}" in note.value.replace("\\", "")
    assert page.session_state["anatomy_beta"] == "0.95"
    assert page.slider(key="anatomy_theta").value == page.slider(key="anatomy_alpha").value == 0
    page = opened(loss="cubic")
    assert "anatomy_loss=cubic" in page.info[0].value.replace("\\", "")
    assert page.selectbox(key="anatomy_loss").value == "absolute"


def test_try_it_opens_explore_with_the_same_problem(linked):
    opened(loss="absolute", noise="student", beta="0.5")
    (page, label, query) = linked[-1]
    assert page == "pages/explore.py"
    assert label == "Try it: absolute loss, student noise, β = 0.5 in Explore"
    assert query == {"explore_loss": "absolute", "explore_noise": "student", "explore_beta": "0.5"}


def test_the_classifiers_come_later_and_all_else_at_once(held):
    with smaller((answers, "threads", lambda count: held)):
        page = opened(noise="gumbel")
        assert set(CHARTS) < set(figures_of(page))
        assert "The best classifier at each β is being looked for" in words(page)
        assert "On which side of that border **β = 0.95** is will be told" in words(page)
        before = figures_of(page)
        held.work()
        page = shown(page.run())
        assert "on, the best classifier is θ = 0" in words(page)
        assert "At **β = 0.95**, beyond the border" in words(page)
        assert [name for name in CHARTS if figures_of(page)[name] != before[name]] == ["anatomy-classifiers"]
        assert trace(page, "classifiers", "length")["y"][0] == 1
