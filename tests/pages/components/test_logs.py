"""The server's log: one line an event, whatever happened."""

import json
import logging
import sys

from streamlit.logger import get_logger

from pages.components.sending import logs


def line(message, *arguments, error=None):
    record = logging.LogRecord("cvar_core.jobs", logging.ERROR, "", 0, message, arguments, error)
    return logs.OneLine().format(record)


def test_an_event_is_a_line_with_named_parts():
    said = line("queued run=%s visitor=%s", "abc", "x\ny")
    assert said.endswith(" level=error logger=cvar_core.jobs event=queued run=abc visitor=x y")
    assert said.startswith("time=2")


def test_a_stack_trace_is_part_of_the_line():
    try:
        raise ValueError("first\nsecond")
    except ValueError:
        said = line("failed run=%s", "abc", error=sys.exc_info())
    assert "\n" not in said
    head, trace = said.split(" trace=")
    assert head.endswith("event=failed run=abc")
    assert json.loads(trace).endswith("ValueError: first\nsecond")


def test_a_trace_of_streamlit_or_of_any_library_is_one_line(capfd, monkeypatch):
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    logs.configure()
    streamlits = get_logger("streamlit.loaded_later")
    for logger in (streamlits, logging.getLogger("a.library")):
        try:
            raise ValueError("first\nsecond")
        except ValueError:
            logger.exception("worried")
        logger.info("busy")
    first, second = capfd.readouterr().err.splitlines()
    assert "logger=streamlit.loaded_later event=worried trace=" in first
    assert "logger=a.library event=worried trace=" in second


def test_what_the_project_logs_is_written_once(capfd, monkeypatch):
    for name in ("cvar_core", "pages"):
        monkeypatch.setattr(logging.getLogger(name), "handlers", [])
        monkeypatch.setattr(logging.getLogger(name), "propagate", True)
        monkeypatch.setattr(logging.getLogger(name), "level", logging.NOTSET)
    logs.configure()
    logs.configure()
    logging.getLogger("cvar_core.jobs.manager").info("done run=abc")
    assert capfd.readouterr().err.count("event=done run=abc") == 1
