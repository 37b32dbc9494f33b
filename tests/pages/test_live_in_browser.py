"""The stream in a real browser: lost and found again, by many at once, and without a rerun of the script."""

import json
import re
from typing import Any

import pytest

from tests.pages.cutting import wired
from tests.pages.driving import (
    LOST,
    SLOW,
    Visits,
    after_updates,
    done,
    drawn,
    enter,
    found_again,
    idle,
    link,
    points,
    until_words,
)

pytestmark = pytest.mark.browser

GROWING = {"noise": "normal", "eval_size": 5_000, "methods": ("spl", "spl+"), "seeds": 5, "checkpoints": 100}


def reruns(page: Any) -> int:
    """Return how often this page has asked for its script to be run; its state may pass unseen, a message cannot."""
    return int(page.evaluate("window.asked"))


@pytest.fixture
def wire(server):
    with wired(server.url) as found:
        yield found


@pytest.fixture
def visit_by_wire(profiles, wire):
    visits = Visits(profiles, wire[1])
    yield visits
    visits.close()


def test_a_page_finds_its_way_back_when_the_network_does(visit_by_wire, wire, gate):
    gate.pace(SLOW)
    page = visit_by_wire(link(**GROWING, iterations=5_113))
    drawn(page, "curves", 2)
    gate.hold()
    for trouble in (wire[0].cut, wire[0].hold):
        trouble()
        until_words(page, LOST)
        before = points(page)
        wire[0].mend()
        found_again(page)
        after_updates(page, gate, "curves", 1)
        assert points(page) >= before
    gate.open()
    done(page)


def test_the_script_runs_once_when_a_run_ends_and_not_before(visit, gate):
    gate.hold()
    page = visit(link(**GROWING, iterations=5_103))
    until_words(page, "The runs are starting")
    page.wait_for_timeout(1_000)
    idle(page)
    before = reruns(page)
    gate.pace(SLOW)
    drawn(page, "curves", 2)
    gate.hold()
    assert reruns(page) == before, "curves grow without it"
    gate.open()
    done(page)
    until_words(page, "This run is stored")
    page.wait_for_timeout(500)
    assert reruns(page) == before + 1
    judges_your_step_size(page)


def judges_your_step_size(page: Any) -> None:
    for lam in (0.2, 0.3):
        enter(page, "Your", lam)
        until_words(page, re.compile(f"λ = {lam} is "))


LINKED = {"loss": "absolute", "lambda": 0.2, "eval_size": 5_000, "seeds": 2}


def test_controls_that_a_slow_browser_shows_late_have_their_values(visit):
    held: list[Any] = []

    def hold(page: Any) -> None:
        page.route(re.compile(r"/(ButtonGroup|TextInput|Selectbox)\.\w+\.js"), lambda route: held.append(route))
        page.route_web_socket(re.compile("/live$"), beating)

    page = visit(link(**LINKED, iterations=2_105), hold)
    enter(page, "Level β", 0.9)  # the script runs once more
    page.wait_for_url("**explore_beta=0.9**")
    idle(page)
    assert len(held) == 3
    for route in held:
        route.continue_()
    until_words(page, "λ = 0.2 is")
    enter(page, "Your", 0.3)
    until_words(page, "λ = 0.3 is")
    assert "explore_loss=absolute" in page.url
    done(page)
    assert "Done in" in page.locator(".cvar-live[data-part=study] .cvar-words").inner_text()


def beating(browser: Any) -> None:
    """Let a heartbeat follow each answer, as from a server that has not looked yet; it changes nothing on the page."""

    def answer(text: str) -> None:
        heartbeat = {"answers": 0, "boot": json.loads(text)["boot"], "settled": "", "words": None, "spread": 0}
        browser.send(text)
        browser.send(json.dumps(heartbeat))

    browser.connect_to_server().on_message(answer)
