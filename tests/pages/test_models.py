"""The Models page: what it says at its opening point, and what its sliders do."""

import pytest

from cvar_core.lessons.models import Setup, update
from pages.components.asking.presets import DEFAULT
from tests.pages.opening import button, opener, shown, words
from tests.pages.reading import figures_of

pytestmark = pytest.mark.usefixtures("linked")

opened = opener("models")


def test_the_opening_point_tells_the_story():
    page = opened()
    assert "SGM: F rises, 3 → 12.47" in words(page)
    assert "SPL: F falls, 3 → 1.846" in words(page)
    assert "SPL₊: F falls, 3 → 1.894" in words(page)
    assert "The model is flat in θ" in words(page)
    assert r"-32.08 \le \alpha_t \le 4.147" in words(page)
    assert "= 0.3166$" in words(page)
    assert set(figures_of(page)) == {"models-sgm", "models-spl", "models-spl-plus"}


def test_truncated_sgm_can_be_ticked_and_explains_itself():
    page = opened()
    assert "Asi and Duchi's" not in words(page)
    page = shown(page.checkbox(key="models_sgm-t").check().run())
    assert "models-sgm-t" in figures_of(page)
    told, step = words(page), update("sgm-t", Setup())
    assert "Truncated SGM (Asi–Duchi): F rises, 3 → 12.47" in told
    assert "nothing is cut off, and the step is SGM's" in told
    assert r"\min\{1,\;3\,/\,2\} = 1$" in told
    assert (step.theta, step.alpha) == (2.0, 1.0)
    page = opened(**{"sgm-t": "true", "lambda": "20"})
    assert r"$\alpha_{t+1} = 3 - 20\cdot 0.15 + 20\cdot 0 = 0$" in words(page), "α falls to 0 and not below"
    assert "The plane is cut off at 0" in words(page)


def test_spl_is_no_magic_at_a_larger_step():
    page = opened(**{"lambda": "5"})
    assert "SPL: F rises, 3 → 4.02" in words(page)


def test_step_play_and_reset():
    page = opened()
    page = shown(button(page, "Step").click().run())
    after = update("spl", Setup())
    assert "Update 2, with λ/√2 = 1.414" in words(page)
    step = next(trace for trace in figures_of(page)["models-spl"]["data"] if trace["uid"] == "step")
    assert step["x"][0] == after.theta
    page = shown(button(page, "Play").click().run())
    frames = figures_of(page)["models-spl"]["frames"]
    assert len(frames) == 31
    assert button(page, "Step").disabled
    page = shown(page.run())
    assert "frames" not in figures_of(page)["models-spl"]  # it is played once
    page = shown(button(page, "Reset").click().run())
    assert "Update 1," in words(page)
    assert button(page, "Reset").disabled


def test_the_same_plane_at_first_and_an_own_one_later():
    page = opened()
    ranges = [figure["layout"]["xaxis"]["range"] for figure in figures_of(page).values()]
    assert ranges[0] == ranges[1] == ranges[2]
    page = opened(n="20")
    ranges = [figure["layout"]["xaxis"]["range"] for figure in figures_of(page).values()]
    assert ranges[0] != ranges[1]


@pytest.mark.parametrize("loss", ["paper", "squared", "absolute", "logistic"])
@pytest.mark.parametrize(
    "link",
    [
        {"beta": "0", "lambda": "1e-06"},
        {"beta": "0.999", "lambda": "1e+06", "n": "30"},
        {"alpha": "-8", "theta": "8"},
        {"alpha": "16", "theta": "-8", "initial_loss": "0.1"},
    ],
)
def test_the_ends_of_the_sliders(loss, link):
    page = opened(loss=loss, **link)
    assert len(figures_of(page)) == 3
    assert "could not be read" not in words(page)


@pytest.mark.parametrize("link", [{"beta": "2"}, {"lambda": "3"}, {"n": "999"}, {"x": "1"}])
def test_a_mangled_link_gives_defaults_and_a_gentle_word(link):
    page = opened(**link)
    assert "could not be read" in words(page)
    assert "SGM: F rises, 3 → 12.47" in words(page)


@pytest.mark.parametrize(("loss", "whole"), [("paper", "logistic"), ("absolute", "absolute")])
def test_try_it_opens_explore_with_a_problem_whose_model_has_something_to_gain(linked, loss, whole):
    opened(loss=loss, beta="0.8")
    (where, _, query) = linked[-1]
    assert where == "pages/explore.py"
    assert query["explore_loss"] == whole
    assert query["explore_beta"] == "0.8"
    assert query.get("explore_noise", DEFAULT.problem.noise) == "normal"
