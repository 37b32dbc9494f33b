"""Every page for those who see little or nothing, have no pointer or hold a phone, and its sliders: a visit to each."""

from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from app import PAGES
from tests.pages.accessible import below_a_projector, faint_words, findings, small_words, turned, wider_than_a_phone
from tests.pages.driving import button, done, enter, idle, link, unfold, until_words

pytestmark = pytest.mark.browser

SIX = ("sgm", "spl", "spl+", "spl-u", "sgm-u", "sgm-t")
SMALL = {  # pages that compute when somebody comes
    "explore": link(noise="normal", eval_size=5_000, seeds=2, iterations=1_041, methods=SIX),
    "data": "data?" + urlencode({"data_passes": 1, "data_seeds": 1, "data_methods": SIX[:4]}, doseq=True),
}


WITH_SLIDERS = ("your_model", "models", "anatomy", "units", "theory", "paper")


@pytest.mark.parametrize("name", PAGES)
def test_nothing_serious_keeps_anybody_from_a_page_light_or_dark(visit, gate, name):
    page = visit(SMALL.get(name, name))
    ready(page, name)
    for scheme, rules in (("light", None), ("dark", ["color-contrast"])):  # nothing else of a page turns dark
        turned(page, scheme)
        assert findings(page, rules) == []
        assert faint_words(page) == []
    assert page.locator(".stMain h1").filter(visible=True).count() == 1
    if name in SMALL:
        assert below_a_projector(page) == []
    if name == "explore":
        reaches_every_control_by_keys(page)
        can_be_read_from_the_back_row(page)
    if name in WITH_SLIDERS:
        answers_every_slider(page)
    assert wider_than_a_phone(page) == []
    if name == "explore":
        gate.hold()
        uncovers_the_page_on_run(page)


def ready(page: Any, name: str) -> None:
    page.locator(".stMain :is(h1, h2)").first.wait_for()
    if name in SMALL:
        done(page)
    idle(page)
    page.locator(".cvar-live[data-part=answer]").first.wait_for(state="detached")  # or it would run in between
    idle(page)


def answers_every_slider(page: Any) -> None:
    """By a key, and without a fault."""
    unfold(page)
    sliders = page.get_by_role("slider")
    sliders.first.wait_for()  # its code is a chunk of its own, and may come after the chart
    for slider in sliders.all():
        before = page.url
        slider.focus()
        at_its_end = slider.get_attribute("aria-valuenow") == slider.get_attribute("aria-valuemin")
        page.keyboard.press("ArrowRight" if at_its_end else "ArrowLeft")
        page.wait_for_function("before => location.href !== before", arg=before)
        idle(page)
        assert page.get_by_text("Something went wrong").count() == 0
        assert page.locator(".stMain .js-plotly-plot .main-svg").count() >= 1


def reaches_every_control_by_keys(page: Any) -> None:
    """In the order in which they stand, none behind Run and Cancel, none in the density, and each with a mark."""
    stops = []
    page.get_by_test_id("stSidebar").get_by_role("textbox").first.focus()
    while stops[-1:] != [None]:
        page.keyboard.press("Tab")
        stops.append(page.evaluate(_STOP))
    seen = stops[:-1]
    assert len(seen) > 15
    assert [stop for stop in seen if stop["hidden"] or not stop["marked"] or "density" in stop["key"]] == []
    order = [stop["top"] for stop in seen if stop["field"]]
    assert order == sorted(order)


def can_be_read_from_the_back_row(page: Any) -> None:
    """Present has no small words, and its charts end where the projector's picture does."""
    button(page, "Present").click()
    button(page, "Leave").wait_for()
    assert small_words(page) == []
    assert below_a_projector(page) == []
    button(page, "Leave").click()
    button(page, "Present").wait_for()
    idle(page)


def uncovers_the_page_on_run(page: Any) -> None:
    """On a phone the controls lie over the page."""
    drawer = page.get_by_test_id("stSidebar")
    if drawer.get_attribute("data-collapsed") == "true":
        page.get_by_test_id("stExpandSidebarButton").click()
    enter(page, "Iterations T", 1_000_000)  # too many to start by themselves
    button(page, "Run").and_(page.locator(":enabled")).click()
    expect(drawer).to_have_attribute("data-collapsed", "true")
    until_words(page, "The runs are starting")


# What has the focus in the sidebar, and where it stands among all its controls; nothing once it has left.
_STOP = """() => {
    const stop = document.activeElement, side = stop.closest('[data-testid=stSidebar]');
    if (!side) return null;
    const box = stop.getBoundingClientRect(), bar = side.querySelector('.st-key-run-bar');
    const around = [stop, stop.parentElement, stop.parentElement.parentElement].map(each => getComputedStyle(each));
    const marked = around.some(each => each.outlineStyle === 'solid' && parseFloat(each.outlineWidth) >= 2);
    return {
        words: stop.ariaLabel || stop.textContent, key: stop.closest('[class*=st-key-]')?.className ?? '', marked,
        hidden: !bar.contains(stop) && box.bottom > bar.getBoundingClientRect().top + 1,
        field: stop.matches('input') && !bar.contains(stop),
        top: box.top + side.querySelector('[data-testid=stSidebarContent]').scrollTop,
    };
}"""
