"""Safe for what, in a real browser: the switch between the measures, live, afterwards and by a link."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.pages.driving import (
    SLOW,
    after_updates,
    button,
    done,
    enter,
    heights,
    hold_grown,
    idle,
    link,
    look,
    open_tab,
    until,
    until_words,
)

pytestmark = pytest.mark.browser

RUN = {"noise": "normal", "eval_size": 5_000}
RISK, OBJECTIVE = "excess risk R(θ̄) − F*", "suboptimality F̃ − F*"


def judge_by(page, words):
    page.get_by_role("radio", name=words).or_(page.get_by_role("button", name=words)).first.click()


def axis_says(page, words):
    until(page, "sensitivity", f"chart => chart.layout.yaxis.title.text === 'final {words}'")
    until(page, "curves", f"chart => chart.layout.yaxis.title.text === '{words}'")


def test_the_measure_is_switched_while_the_run_grows_and_after_it_and_a_link_has_it(visit, gate):
    gate.pace(SLOW)
    page = visit(link(**RUN, seeds=5, checkpoints=100, iterations=5_201))
    hold_grown(page, gate)
    axis_says(page, RISK)
    judge_by(page, "the objective")
    axis_says(page, OBJECTIVE)
    until_words(page, re.compile("So far: .* judged by the objective"))
    after_updates(page, gate, "curves")
    axis_says(page, OBJECTIVE)
    gate.open()
    done(page)
    page.wait_for_url(re.compile("explore_measure=objective"))
    opens_the_same_view(visit(page.url), page)
    before = heights(page, "curves")
    judge_by(page, "the model's risk")
    axis_says(page, RISK)
    assert heights(page, "curves") != before
    assert "explore_measure" not in parse_qs(urlsplit(page.url).query)
    shows_the_gap_in_its_two_parts(page)


def opens_the_same_view(other, page):
    done(other)
    axis_says(other, OBJECTIVE)
    assert heights(other, "sensitivity") == heights(page, "sensitivity")
    assert other.locator(".cvar-verdict").inner_text() == page.locator(".cvar-verdict").inner_text()


def shows_the_gap_in_its_two_parts(page):
    open_tab(page, "Model and threshold")
    until(page, "parts", "chart => chart.data.filter(trace => trace.uid.endsWith('-median')).length === 6")
    assert look(page, "parts", "chart => chart.layout.yaxis.title.text") == "part of F̃ − F*"


def test_the_lambda_that_is_recommended_is_taken_by_a_click(visit):
    page = visit(link(loss="logistic", noise="normal", eval_size=5_000, seeds=5, iterations=10_204))
    done(page)
    own = page.get_by_role("textbox", name="Your step size λ")
    use = button(page, "Use it")
    lam = float(use.get_attribute("value"))
    for typed in ("2", "3"):  # also a second time
        enter(page, "Your step size λ", typed)
        until_words(page, f"λ = {typed} is")
        idle(page)
        use.click()
        use.wait_for(state="detached")  # it is the visitor's own now
        assert float(own.input_value()) == pytest.approx(lam, rel=1e-9)
        page.wait_for_url(re.compile("explore_lambda=0.3162"))
        until_words(page, re.compile(r"λ = 0\.316 is safe so far for"))
