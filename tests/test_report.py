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

from cvar_core import Optimum, Problem, ProblemSpec, Result, SweepSpec, __version__, figures, report, sweep
from cvar_core.catalogue import methods
from cvar_core.results import JUDGED_BY, MEASURES, Criterion, decades, finding, interval, number, sureness, take

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
    problem = Problem.synthetic(loss="squared", noise="normal", noise_params={"std": 0.3}, dim=4, eval_size=2_000)
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
    for name, found in result.judged().forgiven.items():
        assert methods[name].label in page.text
        assert number(result.best_lambda(name)) in page.text
        assert f"{decades(found)} ({interval(found)})" in page.text
    assert sureness(3) in page.text
    assert f"{result.optimum.value:.10g}" in page.text
    assert f"certified within {number(result.optimum.gap)}" in page.text
    assert "closes at least 90% of its own gap at the start" in page.text
    assert f"so that ε = {number(result.epsilon())}, both the median over the starts" in page.text
    for word in ("CVaR at β = 0.95", "worst 5%", "normal", "mean = 0, std = 0.3", "2,000 points", "500", "0, 1, 2"):
        assert word in page.text
    assert result.spec.id in page.text
    assert __version__ in page.text


@pytest.mark.parametrize("measure", MEASURES)
def test_it_shows_both_measures_the_one_that_is_asked_for_first(result, measure):
    page = Page(report.html(result, "x", Criterion(measure)))
    found, advice = finding(result, Criterion(measure)), take(result.judged(Criterion(measure)))
    assert advice.startswith("Take λ = ")
    assert f"{found}{advice}.A step size λ" in page.text.replace("\n", "")
    other = next(name for name in MEASURES if name != measure)
    assert finding(result, Criterion(other)) in page.text, "the other's finding is at its chart"
    heads = [f"decades by {JUDGED_BY[name]}" for name in (measure, other)]
    assert page.text.index(heads[0]) < page.text.index(heads[1])
    for name in MEASURES:
        by = result.judged(Criterion(name))
        for found in by.forgiven.values():
            assert f"{decades(found)} ({interval(found)})" in page.text
        assert f"{number(by.start)} at the start, ε = {number(by.epsilon)}" in page.text
    charts = json.loads(page.scripts["charts"])["light"]
    assert list(charts) == [f"sensitivity-{measure}", f"sensitivity-{other}", "curves", "parts"]
    assert charts["curves"] == figures.without_title(figures.curves(result, measure=measure))[0]


def test_epsilon_moves_the_verdict(result):
    strict = Page(report.html(result, "x", Criterion(epsilon=1e-9)))
    assert "No λ of this grid is usable for any method, judged by the model's risk" in strict.text
    assert "ends with a gap of at most 10⁻⁹" in strict.text
    assert "closes at least 99% of its own gap" in Page(report.html(result, "x", Criterion(closed=0.99))).text


def test_what_limits_the_verdict_is_said(result):
    known = dataclasses.replace(result.optimum, floor=123.0, constant=None)
    page = Page(report.html(dataclasses.replace(result, optimum=known), "x", Criterion("objective")))
    assert "2,000 points cannot tell: even the best model of the whole population shows 123" in page.text
    assert "floor123: what the population's best model shows above F*" in page.text
    near = dataclasses.replace(result.optimum, value=0.999 * float(result.risks[:, :, 0].min()))
    done = dataclasses.replace(result, optimum=near, beside={"risk": np.minimum(result.risks, 1.0005 * near.value)})
    assert "no verdict" in Page(report.html(done, "x")).text
    assert "The model at the start is already within" in Page(report.html(done, "x")).text


def test_the_charts_are_there_in_both_themes(result, page):
    charts = json.loads(page.scripts["charts"])
    assert set(charts) == {"light", "dark"}
    places = {attributes.get("id") for tag, attributes in page.tags if tag == "div"}
    for theme in charts.values():
        assert set(theme) == {"sensitivity-risk", "sensitivity-objective", "curves", "parts"} <= places
    assert charts["light"]["curves"]["layout"]["font"] != charts["dark"]["curves"]["layout"]["font"]


def test_no_label_can_end_the_script():
    hostile = dataclasses.replace(methods["spl"], name="hostile", label="</script><b id=x>")
    methods.add(hostile)
    try:
        spec = dataclasses.replace(_diverged().spec, methods=("hostile",))
        objectives = np.full((1, 2, len(spec.checkpoint_iterations), 2), 7.0)
        result = dataclasses.replace(_diverged(), spec=spec, objectives=objectives, beside={"risk": objectives})
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
    return Result(spec, Optimum(2.0, torch.zeros(10), 0.0, None), objectives, recorded, {"risk": objectives})


def test_when_all_diverged_the_report_says_none_and_leaves_out_the_curves():
    page = Page(report.html(_diverged(), "x"))
    assert "No λ of this grid is usable for" in page.text
    assert page.text.count("none") == 5  # best λ, its gap, the range, and the decades by both measures
    assert "no certificate was found" in page.text
    assert set(json.loads(page.scripts["charts"])["light"]) == {"sensitivity-risk", "sensitivity-objective"}


def test_a_report_on_data_tells_its_size():
    generator = np.random.default_rng(0)
    problem = Problem.from_arrays(generator.normal(size=(40, 2)), generator.normal(size=40), loss="absolute", beta=0)
    page = Page(report.html(sweep(problem, methods=["spl"], lambdas=[0.1], iterations=10, seeds=1), "x"))
    assert "40 rows, 2 columns" in page.text
    assert "the mean loss" in page.text
    assert re.search(r"SPL\s*0\.1", page.text)


@pytest.mark.browser
def test_a_browser_draws_it_in_both_colour_schemes_without_the_network(browser, text, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(text, encoding="utf-8")
    page = browser.new_context(color_scheme="light", viewport={"width": 800, "height": 900}).new_page()
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_selector("#curves .scatterlayer .trace path", state="attached")
    assert page.locator("#sensitivity-risk .scatterlayer .trace").count() > 6
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
    tick = "getComputedStyle(document.querySelector('#curves .xtick text')).fill"
    light = page.evaluate(tick)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"{tick} !== '{light}'")
    page.context.close()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert wrong == []
