"""The dashboard keeps to itself: neither the server nor its pages ask another host for anything."""

import contextlib
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from app import PAGES
from pages.components.sending.ticket import Tickets
from tests.pages.driving import link
from tests.pages.overheard import overheard
from tests.pages.raw import ask, heard, put, said_to, socket, tell, until_logged, whole_run
from tests.pages.serving import ROOT, Server

FOREIGN, FRIEND = "https://foreign.example", "https://friend.example"
RUN = link(noise="normal", eval_size=2_000, iterations=1_000, seeds=2)


class Home:
    """A server, and what it has said to other machines."""

    def __init__(self, server: Server, folder: Path, notes: Path) -> None:
        self.server, self.data, self._notes = server, folder / "data", notes

    @property
    def steps_out(self) -> list[str]:
        return self._notes.read_text().splitlines()


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("home")
    with overheard(folder, CVAR_MAX_UPLOAD="1M") as (server, notes):
        yield Home(server, folder, notes)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory) -> Iterator[Home]:
    """Below a path, with a friend, and badly set up."""
    folder = tmp_path_factory.mktemp("elsewhere")
    settings = {"BASE_URL_PATH": "lab", "CORS_ALLOWED_ORIGINS": FRIEND}
    env = {f"STREAMLIT_SERVER_{name}": value for name, value in settings.items()}
    with overheard(folder, CVAR_WORKERS="x", **env) as (server, notes):
        yield Home(server, folder, notes)


def test_the_server_says_where_it_is_and_nothing_else(home):
    assert home.server.said().splitlines()[:1] == [f"The dashboard is at {home.server.url} (Ctrl-C ends it)."]
    assert "treamlit" not in home.server.said()
    assert home.steps_out == []


def test_no_page_has_the_server_ask_another_host_for_anything(home):
    """What pages ask for in a browser is looked at in every visit: see ``driving.Visits``."""
    for name in PAGES:
        path = "" if name == "explore" else name  # it opens first
        with socket(home.server, "_stcore/stream") as page:
            sent = whole_run(page, page_name=path, query_string=RUN.removeprefix("?") if name == "explore" else "")
        (shown,) = [each.navigation for each in sent if each.WhichOneof("type") == "navigation"]
        (opened,) = [each for each in shown.app_pages if each.page_script_hash == shown.page_script_hash]
        assert opened.url_pathname == path
    until_logged(home.server, "done")
    assert home.steps_out == []


@pytest.mark.browser
def test_a_page_has_nothing_of_streamlits_own_around_it(visit):
    page = visit("about")
    page.locator("[data-test-script-state=notRunning]").wait_for()
    assert page.get_by_test_id("stSkillsNudge").count() == 0
    (icon,) = page.locator("link[rel*=icon]").evaluate_all("links => links.map(link => link.href)")
    assert icon.startswith("data:image/svg+xml"), "our own, and not one of Streamlit's"
    # And had it asked another host for something, that would have been noted.
    page.route(f"{FOREIGN}/**", lambda route: route.fulfill(headers={"Access-Control-Allow-Origin": "*"}))
    page.evaluate("address => fetch(address)", f"{FOREIGN}/a")
    assert visit.errors == [f"{FOREIGN}/a is asked for, on another host"]
    visit.errors.clear()


@pytest.mark.parametrize("path", ["_stcore/stream", "live"])
@pytest.mark.parametrize("origin", [FOREIGN, "null", "http://[", "http://foreign.example:8501"])
def test_a_foreign_page_opens_no_socket_and_sends_nobody_out(home, path, origin):
    with pytest.raises(InvalidStatus, match="403"), socket(home.server, path, origin):
        pass
    assert home.steps_out == []


@pytest.mark.parametrize("path", ["_stcore/stream", "live"])
def test_a_friendly_page_opens_a_socket_and_sends_nobody_out(elsewhere, path):
    for origin in (FRIEND, elsewhere.server.url, None):
        with socket(elsewhere.server, path, origin):
            pass
    with pytest.raises(InvalidStatus, match="403"), socket(elsewhere.server, path, FOREIGN):
        pass
    assert elsewhere.steps_out == []


def test_a_setting_that_cannot_be_read_is_said_in_one_line(elsewhere):
    first, second, *_ = elsewhere.server.said().splitlines()
    assert "level=error" in first
    assert "CVAR_WORKERS" in first
    assert second.startswith("The dashboard is at")
    assert "Traceback" not in elsewhere.server.said()


def test_a_visitor_who_clears_streamlits_cache_takes_nothing_from_anybody(home):
    with socket(home.server, "_stcore/stream") as somebody:
        tell(somebody, rerun_script={"query_string": RUN.removeprefix("?")})
        run_id = until_logged(home.server, "done")
    ticket = Tickets.kept_in(home.data).issue("run", "explore", "somebody", run_id)

    def known() -> dict[str, Any]:
        with socket(home.server, "live") as stream:
            ask(stream, ticket)
            return heard(stream)

    before = known()
    assert before["settled"] == "done"
    with socket(home.server, "_stcore/stream") as vandal:
        tell(vandal, clear_cache=True)
        tell(vandal, rerun_script={})
        vandal.recv(timeout=30)
    assert known() == before, "by the same server"


def test_files_sent_straight_to_the_upload_address_are_bounded(home):
    begun = len(home.server.said())
    with socket(home.server, "_stcore/stream") as page:
        session = said_to(page, "new_session", rerun_script={}).initialize.session_id
        too_large = 413, "The file is too large: this server takes at most 1.0 MB."
        assert put(home.server, session, "a", length=300 * 2**20) == too_large
        assert put(home.server, session, "a", *[bytes(2**16)] * 30) == too_large, "which did not tell its length"
        assert [put(home.server, session, f"{k}", bytes(2**20))[0] for k in range(6)] == [204] * 6
        assert put(home.server, session, "6", b"1") == (429, "You can send 6 files at a time. Try again with fewer.")
    refused = [line for line in home.server.said()[begun:].splitlines() if "upload" in line or "rror" in line]
    assert [re.search(r"event=upload refused status=(\d+)", line)[1] for line in refused] == ["413", "413", "429"]
    assert "Traceback" not in home.server.said()


def test_nonsense_on_a_socket_is_a_line_in_the_log(home):
    before = len(home.server.said())
    for nonsense in (b"\xff\xfe", "a text"):
        with socket(home.server, "_stcore/stream") as page:
            page.send(nonsense)
            with contextlib.suppress(ConnectionClosed, TimeoutError):
                while True:
                    page.recv(timeout=0.5)
    said = home.server.said()[before:].splitlines()
    assert len([line for line in said if "trace=" in line]) == 2
    assert all(line.startswith("time=") for line in said)


def test_a_page_says_little_at_a_time(home):
    with socket(home.server, "_stcore/stream") as page, pytest.raises(ConnectionClosed) as closed:
        said_to(page, "delta", rerun_script={"query_string": "x" * 5 * 2**20})
    why = closed.value.rcvd  # nothing where the end of the connection overtakes what is said about it
    assert why is None or why.code == 1009


def test_an_edit_does_not_replace_what_the_server_holds():
    settings = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))
    assert settings["server"]["fileWatcherType"] == "none", "a watcher drops edited modules, and all they hold"
