"""The Models page: what it says at its opening point, and what its sliders do."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from cvar_core.single import Setup, update
from tests.pages.reading import figures_of

PAGE = Path(__file__).parent.parent.parent / "pages" / "models.py"


@pytest.fixture(autouse=True)
def without_links(monkeypatch):
    """A link to another page needs the app's navigation, which a page by itself has not."""
    monkeypatch.setattr("pages.components.lesson.link_to", lambda *_: None)


def opened(**link):
    page = AppTest.from_file(str(PAGE), default_timeout=60)
    for name, value in link.items():
        page.query_params[name] = value
    return shown(page.run())


def shown(page):
    assert not page.exception, page.exception[0].message
    return page


def words(page):
    return "\n".join(element.value for kind in (page.markdown, page.caption, page.info) for element in kind)


def button(page, label):
    return next(each for each in page.button if each.label == label)


def test_the_opening_point_tells_the_story():
    page = opened()
    assert "SGM: F rises, 3 → 12.47" in words(page)
    assert "SPL: F falls, 3 → 1.846" in words(page)
    assert "SPL₊: F falls, 3 → 1.894" in words(page)
    assert "The model is flat in θ" in words(page)
    assert r"-32.08 \le \alpha_t \le 4.147" in words(page)
    assert "= 0.3166$" in words(page)
    assert set(figures_of(page)) == {"models-sgm", "models-spl", "models-spl-plus"}


def test_spl_is_no_magic_at_a_larger_step():
    page = opened(models_lambda="5")
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
    page = opened(models_n="20")
    ranges = [figure["layout"]["xaxis"]["range"] for figure in figures_of(page).values()]
    assert ranges[0] != ranges[1]


@pytest.mark.parametrize("loss", ["paper", "squared", "absolute", "logistic"])
@pytest.mark.parametrize(
    "link",
    [
        {"models_beta": "0", "models_lambda": "1e-06"},
        {"models_beta": "0.999", "models_lambda": "1e+06", "models_n": "30"},
        {"models_alpha": "-8", "models_theta": "8"},
        {"models_alpha": "16", "models_theta": "-8", "models_initial_loss": "0.1"},
    ],
)
def test_the_ends_of_the_sliders(loss, link):
    page = opened(models_loss=loss, **link)
    assert len(figures_of(page)) == 3
    assert "could not be read" not in words(page)


@pytest.mark.parametrize("link", [{"models_beta": "2"}, {"models_lambda": "3"}, {"models_n": "999"}, {"models_x": "1"}])
def test_a_mangled_link_gives_defaults_and_a_gentle_word(link):
    page = opened(**link)
    assert "could not be read" in words(page)
    assert "SGM: F rises, 3 → 12.47" in words(page)
