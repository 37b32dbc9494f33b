"""Frames of a slider: what is sent of them is all of them, and it is sent once."""

import json
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.components.drawing import moving_frames
from pages.components.drawing.chart import DRAWS
from pages.components.drawing.moving_frames import packed
from tests.pages.opening import shown
from tests.pages.reading import frame_of, frames_of

HERE = Path(moving_frames.__file__).parent


def figure(k, **more):
    line = {"uid": "line", "x": [0, 1], "y": [0, k], "line": {"width": 2}}
    dot = {"uid": "dot", "x": [k], "y": [k]}
    return {
        "data": [line, dot] if k % 2 else [line],
        "layout": {"font": {"size": 15}, "xaxis": {"range": [0, k]}, **more},
    }


def test_every_figure_comes_back_from_what_is_sent():
    figures = [figure(0), figure(1), figure(2, shapes=[{"type": "line"}]), figure(3)]
    whole, changes = packed(figures)
    for k, wanted in enumerate(figures):
        found = frame_of({"figure": whole, "frames": changes}, k)["figure"]
        assert found["data"] == wanted["data"]
        assert {name: value for name, value in found["layout"].items() if value is not None} == wanted["layout"]
    assert "font" not in json.dumps(changes), "what is the same in all is sent once"
    assert all("line" not in change["data"].get("line", {}) for change in changes)


def test_one_figure_for_all_frames_needs_no_changes():
    assert packed([figure(1)]) == (figure(1), [])


SCRIPT = """
import streamlit as st
from pages.components.drawing.moving_frames import Panel, Picture, frames

figures = [{"data": [{"uid": "a", "x": [k], "y": [st.session_state.get("height", 1)]}], "layout": {}} for k in range(5)]
words = [f"frame {k}" for k in range(5)]
frames([Panel([Picture(figures, key="one", height=200)], above=words)], words, key="moving", name="Frame",
       at=st.session_state.get("at", 0))
"""


@pytest.fixture
def page():
    return shown(AppTest.from_string(SCRIPT, default_timeout=60).run())


def sent(page):
    (told,) = frames_of(page)
    return told


def test_the_slider_goes_where_the_script_says(page):
    assert sent(page)["begin"] == 0
    page.session_state["at"] = 3
    first = sent(shown(page.run()))
    assert (first["begin"], first["turn"]) == (3, 2)
    assert sent(shown(page.run())) == first, "and nothing new is sent while nothing changes"
    page.session_state["at"] = 99
    assert sent(shown(page.run()))["begin"] == 4


def test_where_the_visitor_let_go_the_slider_nothing_is_sent_again(page):
    before = sent(page)
    page.session_state["moving-stands"] = page.session_state["at"] = 2  # as what the browser reports does
    page.session_state["moving"] = {"at": {"frame": 2, "time": 1}, "click": None}
    assert sent(shown(page.run())) == before
    page.session_state["height"] = 7
    other = sent(shown(page.run()))
    assert other["begin"] == 2, "other figures begin where the slider stands"
    assert other["turn"] != before["turn"]


def test_no_name_is_given_twice_in_the_module():
    # The browser gets several files as one, and reads none of it if a name is there twice.
    whole = DRAWS + "".join((HERE / name).read_text("utf-8") for name in ("haste.js", "moving_frames.js"))
    names = re.findall(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", whole, re.MULTILINE)
    assert len(names) > 30
    assert sorted(names) == sorted(set(names))
