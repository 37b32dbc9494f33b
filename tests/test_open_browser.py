"""``make run`` opens the browser once, when there is something to see, and never where nobody would see it."""

import subprocess
import sys
import webbrowser

import pytest

from tools import open_browser


@pytest.fixture
def opened(monkeypatch) -> list[str]:
    """What a graphical browser on a screen was told to open."""
    told: list[str] = []
    browser = webbrowser.BackgroundBrowser("a browser")
    monkeypatch.setattr(browser, "open", told.append)
    monkeypatch.setattr(open_browser, "_LOOK", 0.0)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "get", lambda: browser)
    return told


@pytest.fixture
def server() -> subprocess.Popen[bytes]:
    with subprocess.Popen(
        [sys.executable, "-S", "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
    ) as process:
        yield process


def answering(monkeypatch, *answers: bool) -> None:
    coming = iter(answers)
    monkeypatch.setattr(open_browser, "healthy", lambda url: next(coming))


def test_it_opens_once_when_the_server_answers(opened, server, monkeypatch):
    answering(monkeypatch, False, False, True)
    open_browser.main("http://localhost:1", server.pid)
    assert opened == ["http://localhost:1"]


def test_a_server_that_was_there_before_is_left_alone(opened, server, monkeypatch):
    answering(monkeypatch, True)
    open_browser.main("http://localhost:1", server.pid)
    assert opened == []


def test_it_ends_with_the_server(opened, server, monkeypatch):
    server.communicate()
    answering(monkeypatch, False, True)
    open_browser.main("http://localhost:1", server.pid)
    assert opened == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a screen")
def test_without_a_screen_there_is_no_browser(opened, monkeypatch):
    assert open_browser.graphical_browser() is not None
    monkeypatch.delenv("DISPLAY")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert open_browser.graphical_browser() is None


def test_a_browser_for_the_terminal_is_none(opened, monkeypatch):
    for each in (webbrowser.GenericBrowser("lynx"), webbrowser.Elinks("elinks")):
        monkeypatch.setattr(webbrowser, "get", lambda browser=each: browser)
        assert open_browser.graphical_browser() is None


def test_a_port_that_nobody_serves_is_not_healthy():
    assert not open_browser.healthy("http://localhost:9/lab")
