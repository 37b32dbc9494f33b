"""A page that fails: a sentence without the server's paths for the visitor, and one line in the log."""

import inspect
import re
import time

import pytest

import app
from pages.components.sending import page_errors, ticket
from pages.components.sending.room import Room
from tests.pages.raw import said_to, socket

SECRET = "/a/secret/"


def test_the_dashboard_tells_of_errors_by_itself():
    assert app.app._on_script_error is page_errors.show


def test_a_visitor_sees_a_sentence_and_the_log_has_a_line(server):
    before = len(server.said())
    with socket(server, "_stcore/stream") as page:
        parts = [said_to(page, "delta", rerun_script={"query_string": "place=secret"})]
    (alert,) = [part.new_element.alert.body for part in parts]
    assert alert.startswith("Something went wrong on this page.")
    assert SECRET not in str(parts)
    number = re.search("under (\\w{6})", alert)[1]
    deadline = time.monotonic() + 20
    while number not in (said := server.said()[before:]):
        assert time.monotonic() < deadline, said
        time.sleep(0.02)
    (line,) = said.splitlines()
    place = r"pages/components/sending/ticket\.py:\d+"
    expected = f"event=failed page=growing number={number} error=FileNotFoundError at={place} message=.*{SECRET}"
    assert re.search(expected, line), line


def test_the_line_is_the_innermost_of_ours():
    with pytest.raises(TypeError) as wrong:  # by the json module
        ticket.Tickets(b"").issue(object())
    assert re.fullmatch(r"pages/components/sending/ticket\.py:\d+", page_errors.where(wrong.value))
    with pytest.raises(TypeError) as wrong:  # by what take calls
        Room(1, 1).take("ada", None)
    lines, first = inspect.getsourcelines(Room.fits)
    assert int(page_errors.where(wrong.value).split(":")[1]) in range(first, first + len(lines))
    assert page_errors.where(ValueError("nowhere")) == "elsewhere"
