"""The page in a real browser: what a visitor sees while runs grow, stop, go on and are shared."""

import functools
import html
import json
import re
from itertools import combinations
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import expect

from cvar_core import Problem, ProblemSpec, Result, SweepSpec, sharpen, sweep
from cvar_core.results import sharpened_lines
from tests.pages.accessible import turned
from tests.pages.driving import (
    LOST,
    PATIENCE,
    SLOW,
    Visits,
    after_updates,
    button,
    chart,
    click_point,
    curves_file,
    done,
    downloaded,
    drawn,
    enter,
    field,
    found_again,
    heights,
    hidden,
    hide,
    hold_grown,
    link,
    look,
    objectives,
    open_tab,
    pick,
    place,
    points,
    ranges,
    saved,
    share,
    until,
    until_words,
    zoom,
)
from tests.pages.gated import Gate, laboratory

pytestmark = pytest.mark.browser

# One problem for most runs, so that its optimum is solved for once; each test has its own number of iterations.
PROBLEM = {"noise": "normal", "eval_size": 5_000}
# Looked at while it grows, as slowly as the test's gate says; each method more is more to draw each time.
GROWING = {**PROBLEM, "methods": ("spl", "spl+"), "seeds": 5, "checkpoints": 100}
SHORT = {**PROBLEM, "seeds": 2}


@functools.cache
def problem() -> Problem:
    return Problem.synthetic(**PROBLEM)


@functools.cache
def uninterrupted(iterations: int) -> Result:
    """Return the run that ``link(**GROWING, iterations=iterations)`` asks for, computed here in one go."""
    asked = {name: GROWING[name] for name in ("methods", "checkpoints", "seeds")}
    return sweep(problem(), iterations=iterations, **asked)


def assert_same_bits(rows: list[dict[str, str]], result: Result) -> None:
    curves = result.curves
    expected = zip(*(curves[name] for name in ("method", "lambda", "seed", "iteration", "objective")), strict=True)
    found, known = (np.array(list(side), dtype=object) for side in (objectives(rows), expected))
    assert found.shape == known.shape
    assert (found[:, :4] == known[:, :4]).all()
    np.testing.assert_array_equal(found[:, 4].astype(float), known[:, 4].astype(float))


# A run as it grows.


def test_the_first_visit_to_an_empty_server_sees_curves_grow_without_a_click(profiles, tmp_path):
    gate = Gate(tmp_path / "seconds")
    gate.hold()
    with laboratory(tmp_path, gate, base="lab") as server:  # as behind a proxy
        visits = Visits(profiles, server.url)
        page = visits()
        until_words(page, "The runs are starting")
        gate.pace(SLOW / 2)
        drawn(page, "curves")
        drawn(page, "sensitivity")
        after_updates(page, gate, "curves")
        gate.open()
        done(page)
        final = points(page)
        lengths = page.evaluate("window.lengths")
        visits.close()
    assert len(lengths) >= 3
    assert lengths == sorted(set(lengths))
    assert lengths[-1] == final == len(SweepSpec(ProblemSpec(), iterations=100_000).checkpoint_iterations) - 1
    assert visits.errors == []


def test_zoom_and_hidden_curves_outlast_the_growth(visit, gate):
    gate.pace(SLOW)
    page = visit(link(**GROWING, iterations=5_002))
    hold_grown(page, gate)
    zoomed = zoom(page, "sensitivity")
    hide(page, "spl")
    gone = hidden(page, "curves")
    words = "chart.closest('.cvar-place').innerText"
    until(page, "curves", f"chart => /SPL₊/.test({words}) && !/SPL(?!₊)/.test({words})")  # nothing is said of SPL
    assert "spl-median" in gone
    assert "spl+-median" not in gone
    after_updates(page, gate, "sensitivity")
    assert {"spl-median", "spl-band"} <= hidden(page, "sensitivity")
    after_updates(page, gate, "curves")
    assert ranges(page, "sensitivity") == zoomed
    assert gone <= hidden(page, "curves")
    assert "spl+-median" not in hidden(page, "curves")
    button(page, "Cancel").click()
    until_words(page, "Cancelled with")
    assert ranges(page, "sensitivity") == zoomed
    assert "spl-median" in hidden(page, "curves")


def test_a_point_clicked_as_it_grows_chooses_the_step_size_of_the_curves(visit, gate):
    gate.pace(SLOW)
    page = visit(link(**GROWING, iterations=5_003))
    hold_grown(page, gate)
    assert "explore_at" not in page.url
    click_point(page, "sensitivity", "spl+-median", 0.1)
    holds_the_choice(page)
    after_updates(page, gate, "sensitivity")
    after_updates(page, gate, "curves")
    holds_the_choice(page)
    assert share(page, "Running the methods") < 100
    page.reload()
    holds_the_choice(page)
    gate.open()
    done(page)
    holds_the_choice(page)


def holds_the_choice(page: Any) -> None:
    until_words(page, re.compile(r"\bat λ = 0\.1\b", re.IGNORECASE))
    until(page, "sensitivity", "chart => chart.data.find(trace => trace.uid === 'spl+-chosen')?.x[0] === 0.1")
    page.wait_for_url(lambda url: parse_qs(urlsplit(url).query).get("explore_at") == ["0.1"])
    expect(field(page, "Curves at")).to_have_value("0.1")


# Stopped, resumed, shared.


def test_a_cancelled_run_stops_and_resumes_to_the_same_bits(visit, gate):
    gate.pace(SLOW)
    page = visit(link(**GROWING, iterations=5_004))
    drawn(page, "curves", 2)
    gate.hold()
    button(page, "Cancel").click()
    stopped_at = share(page, "Cancelled with")
    assert 0 < stopped_at < 100
    gate.open()
    page.reload()  # what was in the works has ended by then, and is kept
    drawn(page, "curves", 2)
    stopped = share(page, "Cancelled with"), points(page)
    assert stopped_at <= stopped[0] < 100
    assert stopped[1] < len(uninterrupted(5_004).checkpoints) - 1
    page.wait_for_timeout(1_500)  # two updates would have come
    assert (share(page, "Cancelled with"), points(page)) == stopped
    button(page, "Resume").click()
    done(page)
    assert_same_bits(curves_file(page), uninterrupted(5_004))


def test_a_killed_server_is_found_again_without_a_reload_and_resumes_to_the_same_bits(profiles, tmp_path):
    gate = Gate(tmp_path / "seconds")
    gate.pace(SLOW)
    with laboratory(tmp_path, gate) as server:
        visits = Visits(profiles, server.url)
        page = visits(link(**GROWING, iterations=5_004))
        drawn(page, "curves", 2)
        gate.hold()
        page.evaluate("window.sameDocument = true")
        server.process.kill()
        server.process.wait()
        until_words(page, LOST)
        seen = points(page)
        assert seen >= 2, "what was drawn stays"
    with laboratory(tmp_path, gate, port=int(server.url.rsplit(":")[-1])):
        assert 0 < share(page, "Interrupted with") < 100
        found_again(page)
        assert seen <= points(page) < len(uninterrupted(5_004).checkpoints) - 1
        gate.open()
        button(page, "Resume").click()
        done(page)
        assert_same_bits(curves_file(page), uninterrupted(5_004))
        assert page.evaluate("window.sameDocument")
        visits.close()


def test_a_reload_and_another_visitor_see_the_same_run_go_on(visit, gate):
    gate.pace(SLOW)
    address = link(**GROWING, iterations=5_005)
    first = visit(address)
    drawn(first, "curves", 2)
    gate.hold()
    before = share(first, "Running the methods")
    first.reload()
    second = visit(address)
    assert share(first, "Running the methods") >= before
    assert share(second, "Running the methods") >= before
    until_words(second, "shared with 1 other")
    gate.open()
    assert done(first) == done(second)
    for name in ("sensitivity", "curves"):
        assert heights(first, name) == heights(second, name)
    assert all(page.evaluate("window.lengths[0]") >= 2 for page in (first, second))


def test_a_shared_address_has_the_controls_and_the_result_at_once(visit):
    page = visit(link(**SHORT, iterations=2_006))
    before = done(page)
    pick(page, "Loss", "absolute")
    enter(page, "Level β", 0.9)
    page.get_by_text("a range", exact=True).click()
    enter(page, "count", 7)
    enter(page, "Seeds", 3)
    enter(page, "Your", 0.5)
    slider = page.get_by_role("slider", name="share of the gap")
    slider.press("ArrowRight")
    page.wait_for_url(re.compile("explore_closed=95"))
    until_words(page, re.compile("median and range of 3 seeds"))  # it starts by itself
    page.get_by_text("have changed").wait_for(state="hidden")
    page.get_by_text(before, exact=True).wait_for(state="hidden")
    words = done(page)
    values = state(page)
    for part in ("loss=absolute", "beta=0.9", "grid=range", "count=7", "seeds=3", "lambda=0.5"):
        page.wait_for_url(re.compile(rf"explore_{part}(&|$)"))
    assert values["Loss"] == "absolute"
    assert (values["Level β"], values["count"], values["Seeds"], values["Your"]) == ("0.9", "7", "3", "0.5")
    other = visit(page.url)
    assert done(other) == words
    assert state(other) == values
    assert heights(other, "sensitivity") == heights(page, "sensitivity")
    assert not other.evaluate("window.ran")


def state(page: Any) -> dict[str, str]:
    """Return what the controls say, and the verdict."""
    drawn(page, "sensitivity")
    labels = ("Loss", "Noise", "Level β", "from", "to", "count", "Iterations T", "Seeds", "Your")
    slider = page.get_by_role("slider", name="share of the gap")
    verdict = page.get_by_role("heading", level=2).inner_text()
    share_of_gap = slider.get_attribute("aria-valuetext") or slider.input_value()
    return {label: field(page, label).input_value() for label in labels} | {"gap": share_of_gap, "verdict": verdict}


# What a visitor types, keeps and takes away.


def test_bad_input_gets_a_sentence_and_the_charts_stay(visit):
    page = visit(link(**SHORT, iterations=2_007, beta="0,9", loss="cubic", colour="red"))
    sentence = until_words(page, "could not be read")
    assert all(part in sentence for part in ("explore_beta=0,9", "explore_loss=cubic", "explore_colour=red"))
    assert field(page, "Level β").input_value() == "0.95"
    done(page)
    drawn(page, "sensitivity")
    before, wrong = heights(page, "sensitivity"), "is 2, but it must satisfy 0 ≤ beta < 1"
    enter(page, "Level β", 2)
    until_words(page, wrong)
    button(page, "Run").and_(page.locator(":disabled")).wait_for()
    for name in ("sensitivity", "curves"):
        assert chart(page, name).is_visible()
    assert heights(page, "sensitivity") == before
    enter(page, "Level β", 0.9)
    page.get_by_text(wrong).wait_for(state="detached")
    page.get_by_text("have changed").wait_for(state="hidden")


def test_more_starts_are_added_while_looking_and_those_that_are_known_are_not_run_again(visit, server, gate):
    page = visit(link(**{**SHORT, "seeds": 5}, iterations=2_031))
    done(page)
    until_words(page, "5 starts that agree show no more than")
    gate.hold()
    button(page, "Run 20 starts").click()
    page.wait_for_url("**explore_seeds=20**")
    until_words(page, re.compile("Running the methods|The runs are starting"))
    gate.open()
    done(page)
    until_words(page, re.compile("20 of 20 starts"))
    taken = [int(count) for count in re.findall(r"event=done .* updates=(\d+)", server.said())[-2:]]
    runs = 3 * len(_spec(iterations=2_031).lambdas) * 2_031
    assert taken == [5 * runs, 15 * runs]


def test_a_run_is_sharpened_cancelled_and_resumed_and_another_visitor_sees_what_was_found(visit, gate):
    asked = {**SHORT, "seeds": 5, "checkpoints": 1, "methods": "spl+", "measure": "objective", "iterations": 1_031}
    page = visit(link(**asked))
    done(page)
    until_words(page, "Intervals of 0.2 decades: at most")
    gate.pace(0.1)
    button(page, "Sharpen").click()
    page.wait_for_url("**explore_sharpen=**")
    until_words(page, re.compile("Sharpening · SPL₊: "))
    gate.hold()
    button(page, "Stop sharpening").click()
    until_words(page, "Sharpening was cancelled")
    gate.open()
    button(page, "Resume sharpening").click()
    until_words(page, re.compile("That took .* updates: .* of a grid of 200 λ from 80 starts"))
    found = sharpened(page)
    expected = sharpen(problem(), ("spl+",), iterations=1_031, checkpoints=1, measure="objective")
    assert found == f"{sharpened_lines(expected)[0]}."
    assert sharpened(visit(page.url)) == found


def sharpened(page: Any) -> str:
    """Return what sharpening has found when it has ended; what it says before gets narrower."""
    page.locator(".cvar-live[data-part=sharpening][data-settled=done]").wait_for(timeout=3 * PATIENCE)
    return until_words(page, re.compile(r"SPL₊ forgives \d\.\d\d \("))


def test_runs_are_pinned_reopened_and_deleted(visit):
    first, second = (_spec(iterations=count) for count in (2_008, 2_009))
    page = visit(link(**SHORT, iterations=2_008))
    done(page)
    button(page, "Pin this run").click()
    page.wait_for_function(f"() => location.search.includes('{first.id}')")
    enter(page, "Iterations T", 2_009)
    until_words(page, "The new one starts by itself")
    page.get_by_text("have changed").wait_for(state="hidden")
    done(page)
    until(page, "sensitivity", "chart => chart.data.filter(trace => trace.uid?.includes('-pinned-')).length === 3")
    open_tab(page, "Your runs")
    kept(page, "open", first).click()
    page.wait_for_function(f"() => location.search.includes('iterations={first.iterations}')")
    page.wait_for_function(VALUE_IS, arg=["Iterations T", str(first.iterations)])
    done(page)
    kept(page, "delete", second).click()
    kept(page, "delete", second).wait_for(state="detached")
    assert kept(page, "delete", first).count() == 1
    page.reload()
    done(page)
    open_tab(page, "Your runs")
    kept(page, "delete", first).wait_for()
    assert kept(page, "delete", second).count() == 0


VALUE_IS = "([label, value]) => document.querySelector(`input[aria-label^='${label}']`)?.value === value"


def kept(page: Any, what: str, spec: SweepSpec) -> Any:
    """Return a button of a run's line in the history."""
    return page.locator(f".st-key-explore-{what}-{spec.id} button")


def _spec(**fields: Any) -> SweepSpec:
    """Return the sweep that ``link(**SHORT, **fields)`` asks for."""
    size, seeds = SHORT["eval_size"], SHORT["seeds"]
    return SweepSpec(ProblemSpec(noise=SHORT["noise"], eval_size=size), seeds=seeds, **fields)


def test_everything_downloads_and_can_be_read(visit):
    page = visit(link(**SHORT, iterations=2_011))
    done(page)
    spec = _spec(iterations=2_011)
    rows = curves_file(page)
    worth = ["objective", "suboptimality", "risk", "excess_risk", "true_excess_risk", "status"]
    assert list(rows[0]) == ["method", "lambda", "seed", "iteration", *worth]
    assert len(rows) == 3 * 15 * 2 * len(spec.checkpoint_iterations)
    assert SweepSpec.from_dict(json.loads(saved(page, "Spec (JSON)"))).id == spec.id
    summary = json.loads(saved(page, "Summary (JSON)"))
    assert summary["spec"] == json.loads(json.dumps(spec.to_dict()))
    assert set(summary["methods"]) == {"sgm", "spl", "spl+"}
    assert "decades of λ" in chart(page, "sensitivity").get_attribute("aria-label")
    report = html.unescape(saved(page, "Report (HTML)"))
    assert report.lstrip().lower().startswith("<!doctype html>")
    finding, *_ = re.search("<h1>(.*?)</h1>", report)[1].split("; ")
    assert finding in page.locator(".cvar-verdict h2").inner_text()
    chart(page, "sensitivity").hover()
    name, picture = downloaded(page, chart(page, "sensitivity").get_by_label("Download as SVG").click)
    assert name.endswith(".svg")
    assert picture.startswith("<svg")
    assert look(page, "sensitivity", "chart => chart.layout.xaxis.title.text") == "step size λ"
    assert "step size λ" in picture
    moves_your_step_size(page)
    says_above_the_chart_what_lies_under_the_pointer(page)


def moves_your_step_size(page: Any) -> None:
    """By the pointer to a λ of the grid, and by keys to the next."""
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 0)")
    grip = page.get_by_role("slider", name="Your step size λ")
    box = grip.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(look(page, "sensitivity", ACROSS, 0.1) + 3, box["y"], steps=5)
    is_your_step_size(page, "0.1")  # while it is held
    page.mouse.up()
    page.wait_for_url("**explore_lambda=0.1")
    grip.press("PageUp")
    is_your_step_size(page, "0.316")
    page.wait_for_url("**explore_lambda=0.316*")
    expect(field(page, "Your")).to_have_value(re.compile("^0.316"))


def is_your_step_size(page: Any, lam: str) -> None:
    expect(page.get_by_role("slider", name="Your step size λ")).to_have_text(f"λ = {lam}")
    expect(page.get_by_role("heading", level=2)).to_contain_text(f"λ = {lam} is")


def says_above_the_chart_what_lies_under_the_pointer(page: Any) -> None:
    said, title = (page.locator(f".st-key-explore-sensitivity .cvar-{part}") for part in ("readout", "title"))
    page.mouse.move(look(page, "sensitivity", ACROSS, 1.0), place(page, "sensitivity", 0.5, 0.5)[1])
    expect(said).to_contain_text(re.compile(r"^λ = 1■ SGM .*● SPL .*◆ SPL₊ "))
    expect(title).to_be_hidden()
    page.mouse.move(5, 5)
    expect(title).to_be_visible()


ACROSS = (
    "(chart, x) => chart.getBoundingClientRect().x + chart._fullLayout.xaxis._offset + chart._fullLayout.xaxis.d2p(x)"
)


# How it looks where there is little room.


def test_a_narrow_window_has_wide_charts_and_no_words_on_words_light_or_dark(visit):
    page = visit(link(**SHORT, iterations=2_012), viewport={"width": 800, "height": 900})
    done(page)
    for scheme in ("light", "dark"):
        turned(page, scheme)
        for name in ("sensitivity", "curves"):
            drawn(page, name)
            until(page, name, "chart => chart.offsetWidth === chart._fullLayout.width")
            assert chart(page, name).bounding_box()["width"] >= 400
            assert_apart(look(page, name, BOXES))
        assert page.evaluate(WIDER) == []
        paper, ink = page.evaluate(COLOURS)
        assert (sum(ink) > sum(paper)) == (scheme == "dark")
        assert abs(sum(ink) - sum(paper)) > 3 * 120


def assert_apart(boxes: dict[str, list[float]]) -> None:
    """Fail if one text lies on another, or outside its chart."""
    left, top, right, bottom = boxes.pop("chart")
    assert {"x title", "y title", "y tick 0", "x tick 0"} <= set(boxes)
    for name, box in boxes.items():
        inside = left - 1 <= box[0] and top - 1 <= box[1] and box[2] <= right + 1 and box[3] <= bottom + 1
        assert inside, f"{name} at {box} sticks out of the chart at {[left, top, right, bottom]}"
    for (one, a), (other, b) in combinations(boxes.items(), 2):
        overlap = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
        assert min(overlap) <= 1, f"{one} at {a} lies on {other} at {b}"


BOXES = """chart => {
    const boxes = {};
    const note = (name, node) => {
        const { left, top, right, bottom } = node.getBoundingClientRect();
        if (right > left) boxes[name] = [left, top, right, bottom];
    };
    const all = (name, selector) => chart.querySelectorAll(selector).forEach((node, k) => note(`${name} ${k}`, node));
    note('chart', chart);
    note('x title', chart.querySelector('.xtitle'));
    note('y title', chart.querySelector('.ytitle'));
    all('x tick', '.xtick text');
    all('y tick', '.ytick text');
    all('label', '.annotation-text');
    return boxes;
}"""
WIDER = """() => [document.documentElement, ...document.querySelectorAll('section, main, [role=main]')]
    .filter(node => node === document.documentElement || getComputedStyle(node).overflowX !== 'visible')
    .filter(node => node.scrollWidth > node.clientWidth + 1).map(node => node.className)"""
COLOURS = """() => {
    const tick = document.querySelector('.st-key-explore-sensitivity .xtick text');
    const colours = [getComputedStyle(document.querySelector('.stApp')).backgroundColor, getComputedStyle(tick).fill];
    return colours.map(colour => colour.match(/[0-9]+/g).slice(0, 3).map(Number));
}"""
