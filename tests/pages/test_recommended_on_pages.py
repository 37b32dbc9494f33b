"""Which λ to take, on the pages that show a run: what is said, and the button that takes it."""

import html
import re

import pytest

from cvar_core.results import Criterion, take
from pages.components.drawing import verdict_cards
from tests.pages.exploring import finished, halfway, opened_small, result_of, small, words
from tests.pages.opening import shown

EASY = {"explore_loss": "absolute", "explore_normal_std": "0.3", "explore_dim": "4", "explore_iterations": "1000"}


def easy():
    return small({"loss": "absolute", "noise_params": {"std": 0.3}, "dim": 4}, iterations=1_000)


def told(page):
    """What stands in the place of the recommendation, without its marks."""
    found = re.search(r'<div class="cvar-take">(.*?)</div>', words(page))
    marks = "<(button|summary).*?</(button|summary)>|<.*?>"
    return None if found is None else html.unescape(re.sub(marks, "", found[1].replace("</p>", " "))).replace("  ", " ")


def offered(page):
    """The λ that the button takes."""
    found = re.search(r'class="cvar-use" value="([^"]*)"', words(page))
    return None if found is None else float(found[1])


def test_the_page_says_which_lambda_to_take(jobs, held):
    page, judged = finished(held, **EASY), result_of(easy()).judged()
    assert judged.choice.taken.verdict.safe
    assert told(page).startswith(f"{take(judged)}. ")
    assert offered(page) == judged.choice.taken.lam


def test_it_follows_the_measure_and_the_share(jobs, held):
    page = finished(held, **EASY, explore_measure="objective", explore_closed="99%")
    judged = result_of(easy()).judged(Criterion("objective", 0.99))
    assert told(page).startswith(f"{take(judged)}. ")
    assert take(judged) != take(result_of(easy()).judged())


def test_what_is_recommended_gets_into_the_field(jobs, held):
    page, choice = finished(held, **EASY), result_of(easy()).judged().choice
    page.session_state["explore-used"] = choice.taken.lam  # as the live part's button does
    page = shown(page.run())
    assert float(page.text_input(key="explore_lambda").value) == pytest.approx(choice.taken.lam, rel=1e-9)
    assert page.query_params["explore_lambda"] == page.text_input(key="explore_lambda").value
    assert offered(page) is None, "it is the visitor's own now"
    assert told(page).startswith(f"{take(result_of(easy()).judged())}. ")
    page = shown(page.text_input(key="explore_lambda").set_value("0.02").run())
    assert page.text_input(key="explore_lambda").value == "0.02", "once, and not again with every run"


def test_a_run_under_way_is_spoken_of_as_such(jobs, held):
    page = opened_small(**EASY)
    halfway(jobs, held, easy(), records=20)
    assert told(shown(page.run())).startswith("So far: ")


def test_what_is_not_safe_is_not_offered(jobs, held):
    page = finished(held, **{**EASY, "explore_methods": "sgm", "explore_iterations": "1500", "explore_seeds": "3"})
    assert "is safe. The nearest to it is λ = 0.1 with SGM: usable for 2 of 3 starts. " in told(page)
    assert offered(page) is None


def test_where_there_is_nothing_to_close_nothing_is_recommended(jobs, held):
    assert told(finished(held, explore_noise="lognormal")) is None


def test_who_does_not_want_to_tune_is_told_the_atlass_record(jobs, held, monkeypatch):
    monkeypatch.setattr(verdict_cards, "without_tuning", lambda judged: "Without tuning: λ = 1 & so on")
    assert '<p class="cvar-untuned">Without tuning: λ = 1 &amp; so on. <a href="atlas"' in words(finished(held, **EASY))
    monkeypatch.setattr(verdict_cards, "without_tuning", lambda judged: "")
    assert 'class="cvar-untuned"' not in words(finished(held, **EASY, explore_seeds="3"))
