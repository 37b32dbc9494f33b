"""A visitor stays the same over reloads and tabs, and differs from other visitors."""

import re
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.components.asking.visitor import COOKIE, valid


def script() -> None:
    import streamlit as st

    from pages.components.asking.visitor import visitor_id

    st.text(visitor_id())


def test_without_cookies_an_id_lasts_for_the_session():
    first, second = AppTest.from_function(script).run(), AppTest.from_function(script).run()
    assert valid(first.text[0].value)
    assert first.text[0].value == first.run().text[0].value != second.text[0].value


@pytest.mark.parametrize("sent", [None, "", "a" * 31, "A" * 32, "g" * 32, "a" * 32 + "\n", "a" * 33, 12])
def test_other_cookies_are_no_ids(sent):
    assert not valid(sent)
    assert valid("0123456789abcdef" * 2)


@pytest.fixture
def contexts(profiles) -> Iterator[Any]:
    """Makes browsers that share nothing."""
    made = []

    def make() -> Any:
        made.append(profiles.take())
        return made[-1]

    yield make
    for context in made:
        profiles.give_back(context)


def visitor(page: Any, url: str) -> str:
    """Visit the page, wait until the cookie is kept, and return the id it shows."""
    page.goto(url)
    text = page.get_by_text(re.compile("^visitor: "))
    text.wait_for(timeout=60_000)
    page.wait_for_function(f"/{COOKIE}=[0-9a-f]{{32}}(;|$)/.test(document.cookie)")
    return text.inner_text().removeprefix("visitor: ")


@pytest.mark.browser
def test_the_id_is_kept_by_the_browser_and_leaves_no_gap(contexts, server):
    here, elsewhere = contexts(), contexts()
    page = here.new_page()
    identity = visitor(page, server.url)
    rows = [page.locator(".stText").nth(i).bounding_box() for i in range(4)]
    gaps = [below["y"] - above["y"] - above["height"] for above, below in pairwise(rows)]
    assert gaps[0] == pytest.approx(gaps[-1], abs=1)  # it is mounted between the first two
    assert visitor(page, server.url) == identity
    assert visitor(here.new_page(), server.url) == identity
    assert visitor(elsewhere.new_page(), server.url) != identity
    kept = next(cookie for cookie in here.cookies() if cookie["name"] == COOKIE)
    assert kept["value"] == identity
    assert (kept["sameSite"], kept["path"]) == ("Lax", "/")
    assert kept["expires"] - time.time() == pytest.approx(365 * 86_400, abs=600)


@pytest.mark.browser
def test_a_cookie_that_is_no_id_is_replaced(contexts, server):
    context = contexts()
    context.add_cookies([{"name": COOKIE, "value": "../../etc/passwd", "url": server.url.removesuffix("/lab")}])
    assert valid(visitor(context.new_page(), server.url))
