"""The teaching pages in a real browser: every slider, every button, every link."""

import csv
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import TimeoutError, expect

from tests.pages.driving import PATIENCE, Visits, idle, unfold
from tests.pages.gated import Gate, laboratory
from tests.pages.serving import Server

pytestmark = pytest.mark.browser


@pytest.fixture
def visit(visit):
    """Opens a page by its link, and waits until it is there."""

    def opened(path):
        page = visit(path)
        settled(page)
        return page

    return opened


def settled(page):
    """Wait until the script has run."""
    page.locator(".stMain :is(h1, h2, h3)").first.wait_for()
    page.wait_for_function("() => !document.querySelector('[data-testid=\"stStatusWidget\"]')")
    assert page.get_by_text("Something went wrong").count() == 0


# A picture that is drawn in haste is gone as soon as the pointer rests: a test could see it only by luck.
NOTE_HASTE = """() => {
    const chart = document.querySelector('.st-key-models-spl .cvar-chart');
    const note = () => (window.hasty ||= chart.querySelector('.cvar-haste path') !== null);
    new MutationObserver(note).observe(chart, { childList: true, subtree: true });
}"""


def test_models_are_dragged_played_and_clicked_and_the_server_hears_where_they_stop(visit):
    page = visit("models")
    page.locator(".st-key-models-fall .main-svg").first.wait_for()
    expect(page.locator(".cvar-panel h2").first).to_have_text("■ SGM: F rises, 3 → 12.5")
    slider = page.get_by_role("slider", name="Update")
    idle(page)
    # Dragged: the words and the pictures are those of the update, before the server has heard of it.
    asked = page.evaluate("window.asked")
    page.evaluate(NOTE_HASTE)
    box = slider.bounding_box()
    page.mouse.move(box["x"] + 8, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2, steps=5)
    expect(page.locator(".cvar-frames-label")).to_contain_text("Update 31 of 31")
    spl = page.locator(".st-key-models-spl .cvar-chart")
    expect(page.locator(".cvar-panel h2").nth(1)).to_contain_text("SPL: F falls, 0.11")
    page.wait_for_function("() => window.hasty")
    assert page.evaluate("window.asked") == asked
    page.mouse.up()
    page.wait_for_url(re.compile("models_n=30"))
    way = "node => node._fullData.find(trace => trace.uid === 'way').x.length"
    page.wait_for_function(f"() => ({way})(document.querySelector('.st-key-models-spl .cvar-chart')) === 31")
    assert spl.locator(".cvar-haste path").count() == 0, "at rest it is plotly that has drawn"
    # Played from the start, and stopped.
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("() => document.querySelector('.cvar-frames').dataset.at === '3'")
    page.get_by_role("button", name="Pause").click()
    page.wait_for_url(re.compile("models_n=[3-9]$"))
    stopped = int(page.locator(".cvar-frames").get_attribute("data-at"))
    page.get_by_role("button", name="One back").click()
    page.wait_for_url(re.compile(f"models_n={stopped - 1}$"))
    plane = page.locator(".st-key-models-sgm .nsewdrag")
    plane.hover(position={"x": 60, "y": 60})
    page.wait_for_timeout(300)
    plane.click(position={"x": 60, "y": 60})
    page.wait_for_url(re.compile("models_theta=.*models_alpha=|models_alpha=.*models_theta="))
    expect(page.locator(".cvar-frames-label")).to_contain_text("Update 1 of 31")


def test_try_it_opens_explore_with_the_setup_and_runs_it(visit):
    page = visit("models?models_loss=absolute&models_beta=0.5")
    page.get_by_role("link", name=re.compile("Try it")).click()
    page.get_by_text(re.compile(r"forgives|usable for|No λ")).first.wait_for()
    assert "explore_loss=absolute" in page.url
    assert "explore_beta=0.5" in page.url
    expect(page.get_by_role("spinbutton", name="Level β")).to_have_value("0.5", timeout=PATIENCE)


def test_the_tour_answers_at_once_leads_on_and_takes_one_back(visit):
    page = visit("tour")
    across = page.locator(".stMain .xtitle").first
    expect(across).to_have_text("kilometres", timeout=PATIENCE)
    page.get_by_role("button", name="Next lesson").click()
    expect(across).not_to_have_text("kilometres", timeout=PATIENCE)
    page.get_by_role("radio", name="4", exact=True).click()
    page.get_by_role("figure", name=re.compile("SGM goes straight down")).wait_for()
    page.get_by_role("button", name="At the curve").click()
    page.get_by_text("Right.").first.wait_for()
    page.get_by_role("figure", name=re.compile("SPL stops at the curve")).wait_for()
    page.get_by_text("1 of 8 answered").first.wait_for()
    assert page.get_by_test_id("stSidebar").or_(page.get_by_test_id("stExpandSidebarButton")).count() == 0
    page.get_by_role("link", name="Step both methods").click()
    page.get_by_text("Lesson 4 of 8").first.wait_for()
    page.get_by_role("slider").first.wait_for()
    page.get_by_role("link", name="Next: Dollars or cents?").click()
    page.get_by_role("heading", name="5. Dollars or cents?", level=1).wait_for()
    page.get_by_text("1 of 8 answered").first.wait_for()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden(timeout=PATIENCE)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory) -> Iterator[tuple[Server, Gate]]:
    """A server on which nobody has looked at a lesson, and what slows it."""
    folder = tmp_path_factory.mktemp("fresh")
    gate = Gate(folder / "seconds")
    with laboratory(folder, gate) as running:
        yield running, gate


@pytest.mark.parametrize(
    ("name", "chart", "awaited", "there", "curve"),
    [
        ("theory", "promises", "what its runs reach is not known yet", "its runs reach", "spl+-median"),
        (
            "anatomy",
            "classifiers",
            "The best classifier at each β is being looked for",
            "the best classifier is θ = 0",
            "length",
        ),
    ],
)
def test_what_takes_longer_fills_in_by_itself_and_the_zoom_stays(profiles, fresh, name, chart, awaited, there, curve):
    points = f"node => node._fullData.find(t => t.uid === '{curve}').x.length"
    span = "node => node._fullLayout.xaxis.range.map(end => end.toFixed(6)).join()"
    server, gate = fresh
    gate.hold()
    visits = Visits(profiles, server.url)
    page = visits(name)
    page.get_by_role("link", name="Explore").first.wait_for()  # inside the app, also for a server's first visitor
    page.get_by_text(awaited).wait_for(state="attached")
    unfold(page)
    page.get_by_text(awaited).first.wait_for()
    drawn = page.locator(f".st-key-{name}-{chart} .js-plotly-plot")
    drawn.locator(".main-svg").first.wait_for()
    place = drawn.bounding_box()
    assert drawn.evaluate(points) == 1, "a place in the legend"
    drawn.evaluate("node => Plotly.relayout(node, {'xaxis.range': [0.1, 0.7]})")
    zoomed = drawn.evaluate(span)
    gate.open()
    page.get_by_text(there).first.wait_for()
    page.wait_for_function("([place, f]) => eval(f)(document.querySelector(`.st-key-${place} .js-plotly-plot`)) > 1",
                           arg=[f"{name}-{chart}", points])  # fmt: skip
    assert drawn.evaluate(span) == zoomed
    assert drawn.bounding_box() == place
    visits.close()
    assert visits.errors == []


def test_the_atlas_is_filtered_clicked_and_downloaded(visit):
    """All by one visit: the page's own tests look at what it says."""
    page = visit("atlas")
    page.locator(".stMain .js-plotly-plot .main-svg").first.wait_for()
    before = page.locator(".stMain h1").inner_text()
    page.get_by_test_id("stSidebar").get_by_role("button", name="synthetic", exact=True).click()
    page.wait_for_url("**atlas_kind=synthetic**")
    expect(page.locator(".stMain h1")).not_to_have_text(before)

    table = page.locator(".st-key-atlas-table .dvn-scroller")
    for _ in range(10):  # charts that load above may move it away under the pointer
        idle(page)
        table.click(position={"x": 400, "y": 2.5 * 35})  # a cell of the second row
        with suppress(TimeoutError):
            page.wait_for_url("**atlas_problem=**", timeout=PATIENCE / 18)
            break
    name = parse_qs(urlsplit(page.url).query)["atlas_problem"][0]
    page.get_by_text(f"{name}.", exact=True).first.wait_for()

    link = page.get_by_role("link", name="Compute it again in Explore").get_attribute("href")
    assert "explore_methods=spl-u" in link
    assert "explore_low=1e-06" in link

    with page.expect_download() as download:
        page.get_by_role("button", name="Every λ (CSV)").click()
    rows = list(csv.DictReader(Path(download.value.path()).read_text("utf-8").splitlines()))
    assert {row["kind"] for row in rows} == {"synthetic"}
    assert name in {row["problem"] for row in rows}


def test_a_network_is_trained_live_and_stopped(visit, gate):
    """One visit: it opens with what ships, and the curves of a study here grow without the script."""
    points = """() => (document.querySelector('.st-key-your_model-cvar .cvar-chart')?.data ?? [])
        .filter(trace => trace.uid.endsWith('-median')).reduce((sum, trace) => sum + trace.x.length, 0)"""
    page = visit("your_model?your_model_hidden=8&your_model_seeds=1")
    page.get_by_text("Without tuning, SPL-U at λ = 1").first.wait_for()
    page.wait_for_function(f"() => ({points})() === 150")
    gate.hold()
    page.get_by_role("button", name="Train", exact=True).click()
    page.get_by_text("the first trainings are under way").first.wait_for()
    gate.pace(0.3)
    page.wait_for_function(f"() => ({points})() > 0 && ({points})() < 150")
    before = page.evaluate("window.asked")
    first = page.evaluate(points)
    page.wait_for_function(f"() => ({points})() > {first}")
    assert page.evaluate("window.asked") == before, "the curves grow by the stream"
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_text("Stopped at").first.wait_for()
    page.get_by_role("button", name="Go on", exact=True).wait_for()
