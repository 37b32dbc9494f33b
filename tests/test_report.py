"""Claims about the report: one complete file that needs no network and says what the result says."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest
import torch

from cvar_core import Optimum, Problem, ProblemSpec, Result, SweepSpec, __version__, report, sweep
from cvar_core.catalogue import methods
from cvar_core.results import decades, finding, number

COMMAND = """cvar sweep --methods 'sgm,spl+' --out "a<b>&c.csv" </code><script>alert(1)</script>"""


class Page(HTMLParser):
    """What a browser would see: the tags with their attributes, and the text outside scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.scripts: dict[str, str] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        inside = self.open[-1] if self.open else ""
        if inside == "script":
            self.scripts[self.tags[-1][1].get("id") or str(len(self.tags))] = data
        elif inside != "style":
            self.text += data


@pytest.fixture(scope="module")
def result() -> Result:
    problem = Problem.synthetic(loss="squared", noise="lognormal", eval_size=2_000)
    return sweep(problem, lambdas=[1e-3, 0.1, 1, 10, 1e4], iterations=500, seeds=3)


@pytest.fixture(scope="module")
def text(result) -> str:
    return report.html(result, COMMAND)


@pytest.fixture(scope="module")
def page(text) -> Page:
    return Page(text)


def test_it_is_one_complete_document(text, page):
    assert text.startswith("<!doctype html>")
    assert text.rstrip().endswith("</html>")
    assert page.open == []
    assert [tag for tag, _ in page.tags].count("html") == 1
    assert any(attributes.get("charset") == "utf-8" for _, attributes in page.tags)


def test_nothing_is_loaded_from_anywhere(page):
    for tag, attributes in page.tags:
        assert tag not in ("link", "img", "iframe", "base", "object", "embed")
        assert not {"src", "href", "srcset", "action"} & set(attributes)
    assert sum("Plotly" in script for script in page.scripts.values()) == 2  # the library, and its use


def test_the_command_is_shown_and_not_run(text, page):
    assert COMMAND in page.text
    assert "alert(1)" not in "".join(page.scripts.values())
    assert "&lt;/code&gt;&lt;script&gt;" in text


def test_it_says_what_the_result_says(result, page):
    assert finding(result) in page.text
    for name, found in result.ranges().items():
        assert methods[name].label in page.text
        assert number(result.best_lambda(name)) in page.text
        assert decades(found) in page.text
    assert f"{result.optimum.value:.10g}" in page.text
    assert f"certified within {number(result.optimum.gap)}" in page.text
    assert f"ε = {number(result.epsilon())}: it closes 90% of the gap" in page.text
    for word in ("CVaR at β = 0.95", "worst 5%", "lognormal", "mean = 2, sigma = 1", "2,000 points", "500", "0, 1, 2"):
        assert word in page.text
    assert result.spec.id in page.text
    assert __version__ in page.text


def test_epsilon_moves_the_verdict(result):
    strict = Page(report.html(result, "x", epsilon=1e-3))
    assert "No λ of this grid is usable for any method" in strict.text
    assert "ε = 0.001" in strict.text


def test_the_charts_are_there_in_both_themes(result, page):
    charts = json.loads(page.scripts["charts"])
    assert set(charts) == {"light", "dark"}
    places = {attributes.get("id") for tag, attributes in page.tags if tag == "div"}
    for theme in charts.values():
        assert set(theme) == {"sensitivity", "curves"} <= places
    assert charts["light"]["curves"]["layout"]["font"] != charts["dark"]["curves"]["layout"]["font"]


def test_no_label_can_end_the_script():
    hostile = dataclasses.replace(methods["spl"], name="hostile", label="</script><b id=x>")
    methods.add(hostile)
    try:
        spec = dataclasses.replace(_diverged().spec, methods=("hostile",))
        objectives = np.full((1, 2, len(spec.checkpoint_iterations), 2), 7.0)
        result = dataclasses.replace(_diverged(), spec=spec, objectives=objectives)
        page = Page(report.html(result, "x"))
    finally:
        methods.remove("hostile")
    assert page.open == []
    assert not any(tag == "b" for tag, _ in page.tags)
    assert "</script><b id=x>" in json.dumps(json.loads(page.scripts["charts"]))


def _diverged() -> Result:
    spec = SweepSpec(ProblemSpec(), methods=("sgm",), lambdas=(1e3, 1e4), iterations=100, seeds=(0, 1))
    objectives = np.full((1, 2, len(spec.checkpoint_iterations), 2), math.nan)
    objectives[:, :, 0] = 7.0
    recorded = np.full((1, 2), len(spec.checkpoint_iterations))
    return Result(spec, Optimum(2.0, torch.zeros(10), 0.0, None), objectives, recorded)


def test_when_all_diverged_the_report_says_none_and_leaves_out_the_curves():
    page = Page(report.html(_diverged(), "x"))
    assert "No λ of this grid is usable for any method" in page.text
    assert page.text.count("none") == 4  # best λ, its suboptimality, the range and the decades
    assert "no certificate was found" in page.text
    assert set(json.loads(page.scripts["charts"])["light"]) == {"sensitivity"}


def test_a_report_on_data_tells_its_size():
    generator = np.random.default_rng(0)
    problem = Problem.from_arrays(generator.normal(size=(40, 2)), generator.normal(size=40), loss="absolute", beta=0)
    page = Page(report.html(sweep(problem, methods=["spl"], lambdas=[0.1], iterations=10, seeds=1), "x"))
    assert "40 rows, 2 columns" in page.text
    assert "the mean of all losses" in page.text
    assert re.search(r"SPL\s*0\.1", page.text)


@pytest.mark.browser
def test_a_browser_draws_it_in_both_colour_schemes_without_the_network(browser, text, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(text, encoding="utf-8")
    page = browser.new_page(color_scheme="light", viewport={"width": 800, "height": 900})
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_selector("#curves .scatterlayer .trace path", state="attached")
    assert page.locator("#sensitivity .scatterlayer .trace").count() > 6
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
    tick = "getComputedStyle(document.querySelector('#curves .xtick text')).fill"
    light = page.evaluate(tick)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"{tick} !== '{light}'", timeout=5_000)
    page.close()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert wrong == []
