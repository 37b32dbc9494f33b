"""Sharpen on the page: a button with its price beside more starts, what it says, and what stands in the link."""

import re
import time

import pytest

from cvar_core.problem import draws
from cvar_core.results import sharpened_cost, sharpened_lines
from pages.components.run import sharpen as sharpen_module
from tests.pages.exploring import finished, opened_small, small, words
from tests.pages.opening import button, shown

LINK = {"explore_seeds": "5", "explore_checkpoints": "1", "explore_methods": "spl+", "explore_measure": "objective"}
SPEC = small(seeds=5, checkpoints=1, methods=("spl+",))


@pytest.fixture(scope="module", autouse=True)
def short_blocks():
    """Many starts with few iterations each cost what they draw, a block at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(draws, "block_length", lambda dim: 256)
        yield


def work_until(held, condition):
    """Work, also on what the sharpening's own thread asks for meanwhile."""
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        held.work()
        time.sleep(0.005)


def sharpening(jobs):
    (course,) = jobs.sharpener._known.values()
    return course.view


def sharpened(jobs, held, page):
    page = shown(button(page, "Sharpen").click().run())
    work_until(held, lambda: not sharpening(jobs).live)
    return shown(page.run())


def test_a_run_that_is_under_way_is_not_offered_to_be_sharpened(jobs, held):
    page = opened_small(**LINK)
    assert "Sharpen" not in [each.label for each in page.button]
    held.work()
    page = shown(page.run())
    assert not button(page, "Sharpen").disabled
    assert re.search(r"Intervals of 0.2 decades: at most (about|less than)", words(page))
    assert "explore_sharpen" not in page.query_params


def test_what_it_finds_is_said_and_the_link_has_it(jobs, held):
    page = sharpened(jobs, held, finished(held, **LINK))
    view = sharpening(jobs)
    assert view.status == "done"
    assert page.query_params["explore_sharpen"] == SPEC.id[:8]
    for line in (*sharpened_lines(view.known), sharpened_cost(view.known), "90% intervals"):
        assert line in words(page)
    assert "Sharpen" not in [each.label for each in page.button]
    assert [run.spec for run in jobs.history(next(iter(jobs.sharpener._known)).visitor)] == [SPEC]


def test_it_is_stopped_and_resumed(jobs, held):
    page = shown(button(finished(held, **LINK), "Sharpen").click().run())
    shown(button(page, "Stop sharpening").click().run())
    work_until(held, lambda: not sharpening(jobs).live)
    assert sharpening(jobs).status == "cancelled"
    page = shown(page.run())
    assert "Sharpening was cancelled" in words(page)
    page = shown(button(page, "Resume sharpening").click().run())
    work_until(held, lambda: not sharpening(jobs).live)
    assert sharpening(jobs).status == "done"


def test_a_link_shows_what_is_stored_and_computes_nothing(jobs, held):
    sharpened(jobs, held, finished(held, **LINK))
    known = sharpening(jobs).known
    jobs.sharpener._known.clear()  # as after a restart, or for another visitor
    page = opened_small(**LINK, explore_sharpen=SPEC.id[:8])
    work_until(held, lambda: not sharpening(jobs).live)
    assert sharpening(jobs).known == known
    assert "could not be read" not in words(page)


def test_a_link_that_names_another_run_says_nothing(jobs, held):
    page = finished(held, **LINK, explore_sharpen="feedface")
    assert not jobs.sharpener._known
    assert "explore_sharpen" not in page.query_params


def test_by_another_measure_it_is_another_question(jobs, held):
    page = sharpened(jobs, held, finished(held, **LINK))
    page.session_state["explore_measure"] = "risk"
    page = shown(page.run())
    assert len(jobs.sharpener._known) == 2
    labels = [each.label for each in page.button]
    assert "Sharpen" in labels or "Resume sharpening" in labels or "Stop sharpening" in labels


def test_every_end_has_a_button():
    assert {*sharpen_module._AGAIN} == {"cancelled", "interrupted", "failed"}
