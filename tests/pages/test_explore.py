"""The page as a visitor meets it: in Streamlit's own test harness, and in a real browser."""

import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from cvar_core import Problem, sweep
from cvar_core.results import decades, finding

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def page() -> AppTest:
    return AppTest.from_file(str(ROOT / "pages" / "explore.py"), default_timeout=180).run()


def test_the_first_visit_shows_a_real_result(page):
    result = sweep(Problem.synthetic())
    assert not page.exception
    assert finding(result) in [each.value for each in page.subheader]
    assert [metric.value for metric in page.metric] == [decades(found) for found in result.ranges().values()]


def test_a_changed_problem_gives_another_result(page):
    before = page.subheader[0].value
    page.selectbox[0].set_value("absolute").run()
    assert not page.exception
    assert page.subheader[0].value != before


def test_no_method_is_answered_with_a_sentence(page):
    page.multiselect[0].set_value([]).run()
    assert not page.exception
    assert "choose from sgm, spl, spl+" in page.warning[0].value


@pytest.fixture
def server():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        "--server.port",
        str(port),
        "--server.headless",
        "true",
    ]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(120):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1).close()
                break
            except OSError:
                time.sleep(0.25)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_draws_the_sensitivity_figure(browser, server, scheme):
    page = browser.new_page(color_scheme=scheme, viewport={"width": 1200, "height": 900})
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    page.goto(server)
    page.wait_for_selector(".js-plotly-plot .scatterlayer .trace", timeout=180_000)
    page.get_by_text("forgives").first.wait_for()
    page.get_by_text("step size λ").first.wait_for()
    page.locator(".js-plotly-plot").nth(1).wait_for()
    page.close()
    assert broken == []
