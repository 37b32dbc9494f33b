"""A page that has fallen silent while a run is live asks again, and one at rest does not."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages.serving import Server, served


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with served(Path(__file__).with_name("silent.py")) as running:
        yield running


@pytest.mark.browser
def test_silence_is_broken_only_while_a_run_is_live(browser, server):
    page = browser.new_page()
    page.goto(server.url)
    page.get_by_text("run 1 live False").wait_for()
    page.wait_for_timeout(2_000)
    page.get_by_text("run 1 live False").wait_for()
    page.get_by_text("live", exact=True).click()
    page.get_by_text("run 5 live True").wait_for()  # by itself
    page.get_by_text("live", exact=True).click()
    page.get_by_text("live False").wait_for()
    at_rest = page.get_by_text("live False").inner_text()
    page.wait_for_timeout(2_000)
    assert page.get_by_text("live False").inner_text() == at_rest
    page.close()
