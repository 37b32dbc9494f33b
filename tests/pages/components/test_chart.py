"""The chart that grows under the reader's hands, in Streamlit's test harness and in a real browser."""

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.components.drawing import chart as chart_module
from pages.components.drawing.chart import Clicked, checked
from tests.pages.components.growing import figure
from tests.pages.driving import PATIENCE, idle
from tests.pages.reading import charts_of, figures_of

GROWING = Path(__file__).with_name("growing.py")
APART = 400  # ms after which plotly takes a click for a second one, and no longer for half of a double click

# Asked of the growing chart's node.
RANGES = "chart => [chart._fullLayout.xaxis.range, chart._fullLayout.yaxis.range]"
FOLLOWS = "chart => chart._fullLayout.xaxis.range[1] === chart.data[0].x.length + 1"
HIDDEN = "chart => chart._fullData.filter(curve => curve.visible === 'legendonly').map(curve => curve.uid)"
SHOWN = "chart => [...new Set(chart._fullData.filter(curve => curve.visible === true).map(curve => curve.meta))]"


def test_a_test_reads_the_figures_that_a_page_sent():
    page = AppTest.from_file(str(GROWING)).run()
    assert not page.exception
    assert figures_of(page) == {"live": figure(2), "still": figure(3), "left": figure(2), "right": figure(3)}
    assert charts_of(page)["live"]["label"] == "Two curves grow."
    assert figures_of(page.run())["live"] == figure(3)


def test_a_figure_that_is_no_json_is_refused_where_it_is_made():
    def page():
        from pages.components.drawing.chart import chart

        chart({"data": [{"y": [float("nan")]}], "layout": {}}, key="broken", height=100)

    assert len(AppTest.from_function(page).run().exception) == 1


def test_scripts_that_make_up_one_module_give_no_name_twice():
    """A browser would run none of them; all that mounts charts comes after what draws them."""
    parts = Path(chart_module.__file__).parent
    mounting = {parts / "mount.js", parts.parent / "sending" / "live.js", parts / "moving_frames.js"}
    declared = re.compile(r"^(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)
    shared = declared.findall(chart_module.DRAWS)
    assert len(shared) > 10
    for script in mounting:
        beside = (parts / "haste.js").read_text("utf-8") if script.name == "moving_frames.js" else ""
        names = shared + declared.findall(beside + script.read_text("utf-8"))
        assert sorted(names) == sorted(set(names)), script.name


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["method", "x", "y"]), inner),
)


@given(anything | st.fixed_dictionaries({"method": anything, "x": anything}))
def test_whatever_a_browser_sends_becomes_a_point_or_nothing(sent):
    clicked = checked(sent)
    if clicked is not None:
        assert isinstance(clicked.method, str)
        assert math.isfinite(clicked.x)
        assert clicked[:2] == (sent["method"], sent["x"])


@pytest.mark.parametrize("x", [True, "1", None, math.inf, math.nan, 10**400, [1]])
def test_a_point_without_a_number_is_nothing(x):
    assert checked({"method": "spl", "x": x}) is None
    assert checked({"method": "spl", "x": 1}) == Clicked("spl", 1.0)


@pytest.fixture(scope="module", params=["light"])
def opened(profiles, server, request) -> Iterator[Any]:
    """The page with the growing chart, for a visitor who shares nothing; no test may cause an error in it."""
    context = profiles.take()
    page = new_page(context)
    page.emulate_media(color_scheme=request.param)
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    page.goto(server.url)
    drawn(page)
    yield page
    profiles.give_back(context)
    assert broken == []


def new_page(context: Any) -> Any:
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.set_viewport_size({"width": 1000, "height": 1200})
    return page


@pytest.fixture
def page(opened) -> Any:
    """The same page for all tests, as on the first visit."""
    opened.mouse.move(5, 5)
    # A test that failed may have left it zoomed; and on a chart that has grown for long, points lie too close to drag.
    if look(opened, "chart => chart._fullLayout.xaxis.range[0] !== 0 || chart.data[0].x.length > 30"):
        opened.reload()
        drawn(opened)
    assert look(opened, "chart => chart._fullLayout.xaxis.range[0]") == 0
    return opened


def drawn(page: Any) -> None:
    """Wait until the charts are there, nothing above them moves, and there are points enough to zoom to."""
    page.locator(".cvar-chart").nth(1).locator(".scatterlayer .trace").first.wait_for()
    idle(page)
    after_updates(page, 2)


def look(page: Any, what: str) -> Any:
    """Evaluate a function of the growing chart's node in the browser."""
    return page.locator(".cvar-chart").first.evaluate(what)


def until(page: Any, condition: str) -> None:
    page.wait_for_function(f"({condition})(document.querySelector('.cvar-chart'))")


def grow(page: Any) -> None:
    """Have the page send its charts anew, with a point more; the pointer stays where it is."""
    page.evaluate("document.querySelector('.st-key-grow button').click()")


def after_updates(page: Any, count: int = 3) -> None:
    for _ in range(count):
        points = look(page, "chart => chart.data[0].x.length")
        grow(page)
        until(page, f"chart => chart.data[0].x.length > {points}")


def place(page: Any, x: float, y: float) -> tuple[float, float]:
    """Return where a point of the growing chart is on the screen."""
    pixels = """(chart, [x, y]) => {
        const { xaxis, yaxis } = chart._fullLayout, box = chart.getBoundingClientRect();
        return [box.x + xaxis._offset + xaxis.l2p(x), box.y + yaxis._offset + yaxis.l2p(y)];
    }"""
    return tuple(page.locator(".cvar-chart").first.evaluate(pixels, [x, y]))


def zoom(page: Any, between: Callable[[], None] = lambda: None) -> list[list[float]]:
    """Drag a box around the second and third points, and return the ranges of the axes."""
    page.mouse.move(*place(page, 1.5, 0.5))
    page.mouse.down()
    page.mouse.move(*place(page, 3.5, 2.5), steps=4)
    between()
    page.mouse.up()
    until(page, "chart => chart._fullLayout.xaxis.range[0] > 1")
    page.wait_for_timeout(APART)
    return look(page, RANGES)


def reset(page: Any) -> None:
    page.locator(".cvar-chart").first.get_by_label("Reset the axes").click()
    until(page, FOLLOWS)


@pytest.mark.browser
def test_zoom_survives_updates_and_a_double_click_ends_it(page):
    look(page, "chart => { window.before = [chart, chart.querySelector('svg')] }")
    zoomed = zoom(page)
    after_updates(page)
    assert look(page, RANGES) == zoomed
    assert look(page, "chart => window.before[0] === chart && window.before[1] === chart.querySelector('svg')")
    page.mouse.dblclick(*place(page, 2.5, 1.5))
    until(page, FOLLOWS)
    after_updates(page, 2)
    until(page, FOLLOWS)


@pytest.mark.browser
def test_hover_survives_updates(page):
    zoom(page)  # so that the point stays under the pointer
    page.mouse.move(*place(page, 2, 1))
    label = page.locator(".cvar-chart .hoverlayer .hovertext")
    label.wait_for()
    after_updates(page)
    assert label.count() == 1
    reset(page)


@pytest.mark.browser
def test_a_chart_that_is_not_zoomed_follows_its_figure(page):
    before = look(page, RANGES)[0][1]
    after_updates(page)
    [low, high], _ = look(page, RANGES)
    assert low == 0
    assert high >= before + 3


@pytest.mark.browser
def test_a_drag_outlasts_an_update(page):
    def update() -> None:
        points = "document.querySelector('.st-key-left .cvar-chart').data[0].x.length"  # sent after the held one
        before = page.evaluate(points)
        grow(page)
        page.wait_for_function(f"() => {points} > {before}")
        assert look(page, "chart => chart.data[0].x.length") == held

    held = look(page, "chart => chart.data[0].x.length")
    zoom(page, between=update)
    until(page, f"chart => chart.data[0].x.length > {held}")
    reset(page)


@pytest.mark.browser
def test_a_hidden_curve_stays_hidden(page):
    page.locator(".cvar-chart .legendtoggle").nth(1).click()
    until(page, f"chart => ({HIDDEN})(chart).length")
    era = look(page, "chart => chart.data[0].x.length") // 4
    newcomer = f"chart.data.some(curve => curve.uid.split('spl+-late-')[1] > {era})"  # was not there to be hidden
    seen = f"if ({newcomer}) window.seen ??= ({SHOWN})(chart)"  # at first sight
    look(page, f"chart => {{ chart.on('plotly_afterplot', () => {{ {seen} }}) }}")
    while not page.evaluate("window.seen"):
        after_updates(page, 1)
    assert page.evaluate("window.seen") == ["spl"]
    page.locator(".cvar-chart .legendtoggle").nth(1).click()
    until(page, f"chart => !({HIDDEN})(chart).length")
    after_updates(page)
    assert look(page, HIDDEN) == []


@pytest.mark.browser
def test_a_click_comes_back_once(page):
    zoom(page)
    page.mouse.move(*place(page, 2, 2))
    page.locator(".cvar-chart .hoverlayer .hovertext").wait_for()
    page.mouse.down()
    page.mouse.up()
    page.get_by_text("called: spl+ at 2", exact=True).first.wait_for()
    page.get_by_text("returned: spl+ at 2", exact=True).first.wait_for()
    after_updates(page)
    assert page.get_by_text("called: spl+ at 2", exact=True).count() == 1
    assert page.get_by_text("returned: spl+ at 2", exact=True).count() == 1
    reset(page)


@pytest.mark.browser
def test_what_did_not_change_is_not_drawn_again(page):
    still = page.locator(".cvar-chart").nth(1)
    still.evaluate("chart => { chart.drawings = 0; chart.on('plotly_afterplot', () => chart.drawings++) }")
    after_updates(page)
    assert still.evaluate("chart => chart.drawings") == 0


@pytest.mark.browser
def test_of_two_charts_in_one_element_each_has_its_own_clicks_and_updates(page):
    left, right = (page.locator(f".st-key-{key} .cvar-chart") for key in ("left", "right"))
    right.evaluate("chart => { chart.drawings = 0; chart.on('plotly_afterplot', () => chart.drawings++) }")
    before = left.evaluate("chart => chart.data[0].x.length")
    after_updates(page)
    assert left.evaluate("chart => chart.data[0].x.length") > before
    assert right.evaluate("chart => chart.drawings") == 0
    said = page.get_by_text(re.compile("^called:")).inner_text()
    _click(page, left, 1)
    after_updates(page)  # a click that means something would have come back by now
    assert page.get_by_text(re.compile("^called:")).inner_text() == said
    _click(page, right, 3)
    page.get_by_text(re.compile(r"^called: .*spl at 3$")).first.wait_for()


def _click(page: Any, chart: Any, x: float) -> None:
    """Click the first curve's point of a chart, once the pointer is on it."""
    pixels = """(chart, x) => {
        const { xaxis, yaxis } = chart._fullLayout, box = chart.getBoundingClientRect();
        return [box.x + xaxis._offset + xaxis.l2p(x), box.y + yaxis._offset + yaxis.l2p(1)];
    }"""
    page.mouse.move(*chart.evaluate(pixels, x), steps=3)
    chart.locator(".hoverlayer .hovertext").wait_for()
    page.mouse.down()
    page.mouse.up()


@pytest.mark.browser
def test_the_chart_fits_its_place_and_says_what_it_shows(page):
    assert page.get_by_role("figure", name="Two curves grow.").bounding_box()["height"] == 300
    page.set_viewport_size({"width": 500, "height": 1200})
    until(page, "chart => chart.offsetWidth < 500 && chart._fullLayout.width === chart.offsetWidth")
    page.set_viewport_size({"width": 1000, "height": 1200})
    until(page, "chart => chart.offsetWidth > 500 && chart._fullLayout.width === chart.offsetWidth")


@pytest.mark.browser
def test_what_appears_above_a_chart_leaves_its_zoom(page):
    zoomed = zoom(page)
    page.get_by_text("more", exact=True).click()
    page.get_by_text("more text above").first.wait_for()
    after_updates(page, 2)
    assert look(page, RANGES) == zoomed
    page.locator(".cvar-chart").first.get_by_label("Reset the axes").click()
    until(page, "chart => chart._fullLayout.xaxis.range[0] === 0")


@pytest.mark.browser
@pytest.mark.parametrize("opened", ["dark"], indirect=True)
def test_a_download_is_light_unless_it_is_asked_for_as_it_is_seen(page):
    chart = page.locator(".cvar-chart").first
    chart.hover()
    behind = page.locator(".stApp").evaluate("app => getComputedStyle(app).backgroundColor")
    for modifiers, paper, ink in (([], "rgb(255, 255, 255)", "27, 31, 36"), (["Shift"], behind, "236, 238, 241")):
        with page.expect_download() as download:
            chart.get_by_label("Download as SVG").click(modifiers=modifiers)
        assert download.value.suggested_filename == "live.svg"
        picture = download.value.path().read_text("utf-8")
        assert f"fill: {paper}; fill-opacity: 1" in picture
        assert f"fill: rgb({ink})" in picture


@pytest.mark.browser
def test_a_chart_that_streamlit_builds_anew_keeps_what_the_reader_did(page, server):
    """And plotly.js is not fetched again by the next visit: whoever asks for it has it from the browser's cache."""
    page.goto(f"{server.url}?place=loose")
    drawn(page)
    loads = "performance.getEntriesByType('resource').filter(e => e.name.includes('plotly-')).map(e => e.transferSize)"
    assert set(page.evaluate(loads)) == {0}
    zoomed = zoom(page)
    page.locator(".cvar-chart .legendtoggle").nth(1).click()
    until(page, f"chart => ({HIDDEN})(chart).length")
    look(page, "chart => { window.before = chart }")
    page.get_by_text("more", exact=True).click()
    until(page, "chart => chart && chart !== window.before && chart._fullLayout")
    assert look(page, RANGES) == zoomed
    assert look(page, SHOWN) == ["spl"]


@pytest.fixture
def context(profiles) -> Iterator[Any]:
    taken = profiles.take()
    yield taken
    profiles.give_back(taken)


@pytest.mark.browser
def test_until_plotly_is_there_the_curves_are_sketched_where_it_draws_them(context, server):
    page = new_page(context)
    held: list[Any] = []
    page.route("**/plotly-*.js", lambda route: held.append(route))
    with page.expect_request("**/plotly-*.js"):
        page.goto(server.url)
    sketch = page.locator(".st-key-still .cvar-sketch path[data-uid='spl+-line']")
    drawn_to = re.fullmatch(r"M([\d.]+),([\d.]+)L.*", sketch.get_attribute("d"))
    held[0].continue_()
    drawn(page)
    still = page.locator(".st-key-still .cvar-chart")
    place = """chart => {
        const { xaxis, yaxis } = chart._fullLayout, { x, y } = chart.data.find(({ uid }) => uid === 'spl+-line');
        return [xaxis._offset + xaxis.d2p(x[0]), yaxis._offset + yaxis.d2p(y[0])];
    }"""
    assert still.evaluate(place) == pytest.approx([float(each) for each in drawn_to.groups()], abs=12)
    assert page.locator(".cvar-sketch").count() == 0


@pytest.mark.browser
def test_without_plotly_there_is_a_sentence(context, server):
    page = new_page(context)
    page.route("**/plotly-*.js", lambda route: route.abort())
    page.goto(server.url)
    page.get_by_text("plotly.js did not load").first.wait_for()
    assert page.locator(".cvar-chart").first.bounding_box()["height"] == 300
