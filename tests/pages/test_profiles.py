"""A browser that has been used finds nothing of the one who used it before."""

import pytest

from tests.pages.profiles import Profiles

pytestmark = pytest.mark.browser

ADDRESS = "http://127.0.0.1:8501/"  # of no server: the page is made here
LEFT = "[document.cookie, localStorage.length, (await indexedDB.databases()).length]"
LEAVE = """async () => {
    document.cookie = 'a=b; max-age=99; path=/'; localStorage.a = 'b';
    await new Promise(done => { indexedDB.open('a').onsuccess = event => { event.target.result.close(); done(); } });
}"""


def opened(context):
    page = context.new_page()
    page.route(ADDRESS, lambda route: route.fulfill(body="", content_type="text/html"))
    page.goto(ADDRESS)
    return page


def left(page):
    return page.evaluate(f"async () => {LEFT}")


def test_a_profile_that_is_used_again_holds_nothing_and_two_at_a_time_share_nothing(browser):
    profiles = Profiles(browser)
    first = profiles.take()
    page = opened(first)
    page.evaluate(LEAVE)
    assert left(page) == ["a=b", 1, 1]
    second = profiles.take()
    assert left(opened(second)) == ["", 0, 0]
    profiles.give_back(first)
    assert page.is_closed()
    again = profiles.take()
    assert again is first, "or nothing is gained"
    assert left(opened(again)) == ["", 0, 0]
    first.close()
    second.close()
