"""What a link or a control may say: all of it is read, or it gets a sentence."""

import re

import pytest

from cvar_core.jobs import Limits
from pages.components.asking.presets import PRESETS
from pages.components.asking.synthetic import Controls
from tests.pages.exploring import finished, opened, opened_small, small, words
from tests.pages.opening import button, shown
from tests.pages.reading import figures_of


@pytest.mark.parametrize(
    "spec",
    [
        *PRESETS.values(),
        small(lambdas=(1 / 3, 7.0)),
        small(schedule="constant", methods=("spl",)),
        small({"loss": "huber", "loss_params": {"knee": 2.5}}),
        small({"loss": "pinball", "loss_params": {"tau": 0.35}}),
    ],
)
def test_a_spec_survives_the_way_through_the_url(jobs, spec):
    values = Controls("explore", Limits()).values(spec)
    link = {
        name: str(value) if not isinstance(value, list) else value
        for name, value in values.items()
        if value is not None
    }
    page = opened(**link)
    assert page.session_state["explore-asked"] == spec
    assert "could not be read" not in words(page)


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ({"explore_beta": "2"}, "The level β is 2, but it must satisfy 0 ≤ beta < 1"),
        ({"explore_beta": "-0.1"}, "The level β is -0.1, but it must satisfy"),
        ({"explore_dim": "0"}, "The dimension d is 0, but it must lie between 1 and 200."),
        ({"explore_dim": "100000"}, "The dimension d is 100,000, but this server allows at most 200"),
        ({"explore_grid": "list", "explore_list": "abc"}, "One of the λ is 'abc', but it must be a number"),
        ({"explore_grid": "list", "explore_list": "0.1, 1e309"}, "One of the λ is '1e309', but it must be a finite"),
        ({"explore_grid": "list", "explore_list": ""}, "The list of λ is empty"),
        ({"explore_grid": "list", "explore_list": "0,1"}, "a step size must lie between 1e-12 and 1e12"),
        ({"explore_grid": "range", "explore_low": "10", "explore_high": "1"}, "a range needs 0 < low < high"),
        ({"explore_grid": "range", "explore_count": "5000"}, "step sizes, but a range has between 2 and 200."),
        (
            {"explore_grid": "list", "explore_list": ",".join(map(str, range(1, 502)))},
            "There are 501 step sizes, but this server allows at most 200",
        ),
        ({"explore_iterations": "1000000000000"}, "but this server allows at most 1,000,000"),
        ({"explore_iterations": "0"}, "The number of iterations is 0"),
        ({"explore_seeds": "1000000"}, "The number of seeds is 1,000,000, but this server allows at most 100"),
        ({"explore_seeds": "-1"}, "The number of seeds is -1, but it must lie between 1 and 100."),
        ({"explore_eval_size": "1000000000"}, "but this server allows at most 1,000,000"),
        (
            {"explore_noise": "lognormal", "explore_lognormal_sigma": "-1"},
            "Lognormal noise's sigma is -1, but it must be above 0",
        ),
        ({"explore_normal_mean": "1e9"}, "at most 1e6 in size"),
        (
            {"explore_loss": "pinball", "explore_pinball_tau": "1"},
            "Pinball loss's tau is 1, but it must satisfy 0 < tau < 1",
        ),
        ({"explore_loss": "huber", "explore_huber_knee": "0"}, "Huber loss's knee is 0, but it must be above 0"),
        ({"explore_sample_size": "0"}, "The fixed sample's size is 0"),
        ({"explore_scale": "0"}, "The unit is 0"),
        ({"explore_seed": "-5"}, "The problem seed is -5"),
        ({"explore_checkpoints": "0"}, "The number of points on a curve is 0"),
        ({"explore_methods": ""}, "The list of methods is empty; choose from"),
    ],
)
def test_bad_input_gets_a_sentence_and_no_run(jobs, link, sentence):
    page = opened_small(**link)
    assert sentence in words(page)
    assert button(page, "Run").disabled
    assert jobs.open_jobs == 0
    assert "Mend what is marked in red" in words(page)


def test_several_faults_are_all_named(jobs):
    page = opened_small(explore_beta="2", explore_dim="-1", explore_iterations="0")
    assert all(
        sentence in words(page)
        for sentence in ("The level β is 2", "The dimension d is -1", "The number of iterations is 0")
    )


def test_bad_input_by_a_widget_keeps_what_is_shown(jobs, held):
    page = finished(held)
    page = shown(page.number_input(key="explore_beta").set_value(2.0).run())
    assert "The level β is 2" in words(page)
    assert "explore-sensitivity" in figures_of(page)
    assert button(page, "Run").disabled
    page = shown(page.number_input(key="explore_beta").set_value(0.95).run())
    assert "The level β is 2" not in words(page)
    assert "Done in" in words(page)


@pytest.mark.parametrize("typed", ["inf", "nan", "1e309"])
def test_a_number_without_end_gets_a_sentence_wherever_it_is_typed(jobs, held, typed):
    page = finished(held, explore_grid="list")
    page.text_input(key="explore_lambda").set_value(typed)
    page = shown(page.run())
    page.query_params["explore_lambda"] = typed  # where the browser puts it
    assert f"Your λ is '{typed}', but it must be a finite number" in words(shown(page.run()))
    page.text_input(key="explore_list").set_value(f"0.1, {typed}")
    page.query_params["explore_list"] = f"0.1, {typed}"
    page = shown(page.run())
    assert f"One of the λ is '{typed}', but it must be a finite number" in words(shown(page.run()))
    assert "explore-sensitivity" in figures_of(page), "and the run stays"


def test_your_step_size_may_have_a_decimal_comma(jobs, held):
    told = words(finished(held, explore_lambda="0,5"))
    assert "λ = 0.5" in told
    assert "must be a number" not in told


def test_a_list_may_have_semicolons(jobs):
    page = opened_small(explore_grid="list", explore_list="0.01; 0.1; 1")
    assert page.session_state["explore-asked"].lambdas == (0.01, 0.1, 1.0)


@pytest.mark.parametrize(
    "link",
    [
        {"explore_beta": "abc"},
        {"explore_loss": "cubic"},
        {"explore_iterations": "10**9"},
        {"explore_nonsense": "1"},
        {"beta": "0.9"},
        {"explore_closed": "123%"},
        {"explore_panel": "Nowhere"},
        {"explore_dim": "9" * 40},
        {"explore_methods": ["sgm", "adam"]},
    ],
)
def test_a_mangled_link_gives_defaults_and_a_gentle_word(jobs, link):
    page = opened_small(**link)
    assert "Some of this link could not be read" in words(page)
    assert next(iter(link)) in words(page)
    assert jobs.open_jobs == 1


def test_what_a_visitor_typed_has_no_power_over_the_page(jobs):
    page = opened(
        **{"explore_grid": "list", "explore_list": "![x](https://evil.example/p.png)", "[log in](//evil)": "1"}
    )
    markdown = "\n".join(element.value for element in (*page.markdown, *page.info))
    assert "evil" in markdown  # it is quoted,
    assert not re.search(r"(?<!\\)\]\(", markdown)  # but as a text, not as a link


def test_a_loss_with_parameters_shows_them_and_one_without_keeps_their_values(jobs):
    page = opened_small(explore_loss="huber", explore_huber_knee="2.5")
    assert page.number_input(key="explore_huber_knee").value == 2.5
    page = shown(page.selectbox(key="explore_loss").set_value("absolute").run())
    assert "explore_huber_knee" not in {each.key for each in page.number_input}
    assert page.session_state["explore-asked"].problem.loss_params is None
