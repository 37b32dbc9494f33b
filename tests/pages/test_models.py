"""The Models page: what it says at its opening point, and what its sliders do."""

import pytest

from cvar_core.lessons.models import EXAMPLES, Setup, update
from pages.components.asking.presets import DEFAULT
from pages.components.lessons.update_in_words import beyond
from tests.pages.opening import opener, shown, words
from tests.pages.reading import figures_of, frame_of, frames_of

pytestmark = pytest.mark.usefixtures("linked")

opened = opener("models")
PLANES = ["models-sgm", "models-spl", "models-spl-plus"]


def test_the_opening_point_tells_the_story():
    page = opened()
    assert "SGM: F rises, 3 → 12.5" in words(page)
    assert "SPL: F falls, 3 → 1.85" in words(page)
    assert "SPL₊: F falls, 3 → 1.89" in words(page)
    assert "The model is flat in θ" in words(page)
    assert "Click a picture to start there" in words(page)
    assert r"-32.08 \le \alpha_t \le 4.147" in words(page)
    assert "= 0.3166$" in words(page)
    cuts = [f"{plane}-cut" for plane in PLANES]
    assert set(figures_of(page)) == {*PLANES, *cuts, "models-fall"}


def test_there_is_one_heading_of_the_page_and_no_formula_in_those_of_the_pictures():
    page = opened(beta="0.999", **{"lambda": "100", "loss": "squared"})
    assert sum(each.value.startswith("# ") for each in page.markdown) == 1
    (told,) = frames_of(page)
    headings = [text for panel in told["panels"] for text in panel["above"]]
    assert any("10⁴" in text or "10⁵" in text for text in headings), "there are numbers with a power of ten"
    assert not any("\\" in text or "{" in text for text in headings)


def test_truncated_sgm_can_be_ticked_and_explains_itself():
    page = opened()
    assert "Asi and Duchi's" not in words(page)
    page = shown(page.checkbox(key="models_sgm-t").check().run())
    assert "models-sgm-t" in figures_of(page)
    told, step = words(page), update("sgm-t", Setup())
    assert "Truncated SGM (Asi–Duchi): F rises, 3 → 12.5" in told
    assert "nothing is cut off, and the step is SGM's" in told
    assert r"\min\{1,\;3\,/\,2\} = 1$" in told
    assert (step.theta, step.alpha) == (2.0, 1.0)
    page = opened(**{"sgm-t": "true", "lambda": "20"})
    assert r"$\alpha_{t+1} = 3 - 20\cdot 0.15 + 20\cdot 0 = 0$" in words(page), "α falls to 0 and not below"
    assert "The plane is cut off at 0" in words(page)


def test_every_update_is_sent_with_its_words_and_a_link_begins_at_one():
    page = opened(n="1")
    (told,) = frames_of(page)
    after = update("spl", Setup())
    assert (len(told["labels"]), told["begin"]) == (31, 1)
    assert told["labels"][1] == "Update 2 of 31, λ/√2 = 1.41"
    (spl,) = [panel for panel in told["panels"] if any("SPL:" in text for text in panel["above"])]
    plane, cut = spl["pictures"]
    for k in (0, 1, 30):
        traces = {trace["uid"]: trace for trace in frame_of(plane, k)["figure"]["data"]}
        assert len(traces["way"]["x"]) == k + 1
        assert len(spl["above"]) == len(spl["below"]) == len(cut["frames"]) == 31
    assert frame_of(plane, 1)["figure"]["data"][1:] != frame_of(plane, 0)["figure"]["data"][1:]
    step = next(trace for trace in frame_of(plane, 1)["figure"]["data"] if trace["uid"] == "step")
    assert step["x"][0] == after.theta
    assert "F falls, 1.85 → 1.54" in words(page)
    assert r"\alpha_{t+1} = 1.633" in words(page), "the formulas have the numbers of the update that is shown"


def test_the_examples_set_all_controls_and_the_list_tells_the_truth():
    page = opened()
    for name, wanted in EXAMPLES.items():
        page = shown(page.selectbox(key="models_example").select(name).run())
        assert f"**{name}.**" in words(page)
        assert page.selectbox(key="models_example").value == name
        assert page.slider(key="models_theta").value == wanted.theta
        assert page.slider(key="models_samples").value == wanted.samples
    page = shown(page.slider(key="models_theta").set_value(1.5).run())
    assert page.selectbox(key="models_example").value is None
    assert "A method stands at the dot" in words(page)


def test_a_point_that_the_sliders_cannot_say_is_told():
    assert beyond("θ", -10.26, -8.0, 8.0) == "θ = −10.3 is beyond the slider's range, −8 to 8. Nothing has moved."
    assert beyond("θ", -8.04, -8.0, 8.0) == "", "it is rounded to the slider's steps"
    page = opened()
    page.session_state["models-note"] = beyond("α", 20.0, -8.0, 16.0)
    page = shown(page.run())
    assert "α = 20 is beyond the slider's range" in words(page)
    assert "beyond the slider" not in words(shown(page.run())), "and once"


@pytest.mark.parametrize(("axes", "planes"), [("near", 1), ("all", 1), ("own", 3)])
def test_planes_have_the_same_axes_or_each_its_own(axes, planes):
    page = opened(n="20", axes=axes)
    ranges = {str(figures_of(page)[name]["layout"]["xaxis"]["range"]) for name in PLANES}
    assert len(ranges) == planes


def test_of_several_samples_each_update_sees_one():
    page = opened(samples="3")
    assert {trace["uid"] for trace in figures_of(page)["models-spl"]["data"]} >= {"loss-0", "loss-1", "loss-2"}
    first = frames_of(page)
    page = shown(page.slider(key="models_draw").set_value(2).run())
    assert frames_of(page)[0]["panels"] != first[0]["panels"]


@pytest.mark.parametrize(
    ("loss", "link"),
    [
        ("paper", {"beta": "0", "lambda": "1e-06"}),
        ("squared", {"beta": "0.999", "lambda": "1e+06", "n": "30"}),
        ("absolute", {"alpha": "-8", "theta": "8"}),
        ("logistic", {"alpha": "16", "theta": "-8", "initial_loss": "0.1", "samples": "5"}),
    ],
)
def test_the_ends_of_the_sliders(loss, link):
    page = opened(loss=loss, **link)
    assert len(figures_of(page)) == 7
    assert [page.select_slider(key="models_lambda").options[end] for end in (0, -1)] == ["10⁻⁶", "10⁶"]
    assert "could not be read" not in words(page)


@pytest.mark.parametrize("link", [{"beta": "2"}, {"lambda": "3"}, {"n": "999"}, {"axes": "odd"}, {"x": "1"}])
def test_a_mangled_link_gives_defaults_and_a_gentle_word(link):
    page = opened(**link)
    assert "could not be read" in words(page)
    assert "SGM: F rises, 3 → 12.5" in words(page)


@pytest.mark.parametrize(("loss", "whole"), [("paper", "logistic"), ("absolute", "absolute")])
def test_try_it_opens_explore_with_a_problem_whose_model_has_something_to_gain(linked, loss, whole):
    opened(loss=loss, beta="0.8")
    (where, _, query) = linked[-1]
    assert where == "pages/explore.py"
    assert query["explore_loss"] == whole
    assert query["explore_beta"] == "0.8"
    assert query.get("explore_noise", DEFAULT.problem.noise) == "normal"
