"""A slider that answers while it is dragged: its frames are computed ahead, sent once, and drawn in the browser.

    counts = range(31)
    picture = Picture([plane(k) for k in counts], key="models-spl", height=300, labels=[finding(k) for k in counts])
    frames([Panel([picture], above=[f"<h3>{finding(k)}</h3>" for k in counts])], [f"Update {k}" for k in counts],
           key="models-frames", name="Update", at=taken, on_choose=take)

A page makes one whole figure for each position of the slider, with the functions that it has for one. What is the same
in all of them is sent once, of the rest only what changes: parts of a trace, found by its ``uid``, and parts of the
layout. A trace keeps its ``uid`` from frame to frame, and need not be in all of them.

While the slider moves, curves, markers, bars, text, shapes, annotations and ranges of axes are drawn as plain SVG over
plotly's chart (``haste.js``), in a millisecond each; a quarter of a second after the last move plotly draws the same
with hover, zoom and downloads. What stands still (a contour, a heatmap) is plotly's alone and costs nothing; where one
of those changes with the frames, plotly draws every frame, which takes it 30 ms a chart. Give axes a fixed ``range``
and all frames the same margins where you can: a picture that does not jump is easier to read. A title that changes
stands in the words above and not in the figure.

The server hears where the slider stopped, not where it went. Then the script runs, with what ``on_choose`` has kept; as
long as the figures are the same, nothing is sent again. Figures for all frames are made with each run of the script:
keep them, or what is costly in them, or all of it as ``written`` text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from .chart import DRAWS, Clicked, checked
from .plotly_js import ADDRESS

Figure = dict[str, Any]

_HERE = Path(__file__)
_mount = st.components.v2.component(
    "cvar_frames",
    html='<div class="cvar-frames"></div>',
    css=_HERE.with_name("moving_frames.css").read_text("utf-8"),
    js=DRAWS + "".join(_HERE.with_name(name).read_text("utf-8") for name in ("haste.js", "moving_frames.js")),
    isolate_styles=False,  # plotly.js puts its styles into the page
)


class Picture(NamedTuple):
    """A chart: one figure for each frame, or one for all.

    Attributes
    ----------
    figures
        In plotly's JSON form; each trace has a ``uid``.
    key
        As of ``chart``: a CSS class of the chart and the name under which its clicks come.
    labels
        What the chart shows, in words, for those who cannot see it: one for each frame, or one for all.
    """

    figures: Sequence[Figure]
    key: str
    height: int
    labels: Sequence[str] = ("",)
    name: str | None = None
    title: str = ""
    caption: str = ""


class Panel(NamedTuple):
    """Pictures below each other, with words above and below that move with them.

    The words are HTML, one text for each frame or one for all; whoever writes them escapes what visitors typed.
    """

    pictures: Sequence[Picture] = ()
    above: Sequence[str] = ()
    below: Sequence[str] = ()
    wide: bool = False  # a row of its own


def frames(
    panels: Sequence[Panel],
    labels: Sequence[str],
    *,
    key: str,
    name: str,
    at: int = 0,
    play: bool = True,
    least: int = 280,
    on_choose: Callable[[int], None] | None = None,
    on_click: Callable[[Clicked], None] | None = None,
) -> int:
    """Draw a slider with its panels, and return the frame at which it stands.

    Parameters
    ----------
    panels
        Set side by side as many as have room.
    labels
        What the slider says, for each frame.
    key
        Of the element; without a double underscore, which Streamlit forbids.
    name
        The slider's name, for those who cannot see it.
    at
        Where it should stand: what ``on_choose`` was told last, or what a link or another control says.
    play
        Whether there is a button that runs through the frames.
    least
        The width in pixels below which panels go to the next row.
    on_choose
        Called with the frame at which the slider was let go, before the script runs.
    on_click
        Called with the point that was clicked in any of the charts, before the script runs.
    """
    return show(written(panels, labels, name=name, play=play, least=least), key=key, at=at, on_choose=on_choose,
                on_click=on_click)  # fmt: skip


class Written(NamedTuple):
    """Frames as they are sent: the same for all who see the same, so that a page may keep them."""

    text: str
    count: int


def written(
    panels: Sequence[Panel], labels: Sequence[str], *, name: str, play: bool = True, least: int = 280
) -> Written:
    """Return what ``show`` draws, with the parameters of ``frames``."""
    content = {
        "name": name,
        "labels": list(labels),
        "plays": play,
        "least": least,
        "panels": [_panel(panel, len(labels)) for panel in panels],
    }
    return Written(json.dumps(content, separators=(",", ":"), allow_nan=False), len(labels))


def show(
    made: Written,
    *,
    key: str,
    at: int = 0,
    on_choose: Callable[[int], None] | None = None,
    on_click: Callable[[Clicked], None] | None = None,
) -> int:
    """Draw what was ``written``, with the parameters of ``frames``, and return the frame at which the slider stands."""
    text, count = made
    at = min(max(at, 0), count - 1)

    def chosen() -> None:
        frame = _frame(st.session_state[key].get("at"), count)
        if frame is not None:
            st.session_state[f"{key}-stands"] = frame
            if on_choose:
                on_choose(frame)

    def clicked() -> None:
        point = checked(st.session_state[key].get("click"))
        if point and on_click:
            on_click(point)

    _mount(
        key=key,
        data=_begun(text, key, at),
        height="content",
        default={"at": None, "click": None},
        on_at_change=chosen,
        on_click_change=clicked,
    )
    return at


def _begun(text: str, key: str, at: int) -> bytes:
    """Return the content with the frame to begin at: the same bytes as before, if the slider stands there by itself."""
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    last, begin, turn = st.session_state.get(f"{key}-sent", ("", at, 0))
    moved = (st.session_state.get(key) or {}).get("at") is not None  # else it was taken off the page, and begins anew
    stands = st.session_state.get(f"{key}-stands", begin) if moved else begin
    if digest != last or stands != at:
        begin, turn = at, turn + 1
        st.session_state[f"{key}-stands"] = at
    st.session_state[f"{key}-sent"] = (digest, begin, turn)
    return f'{{"begin":{begin},"turn":{turn},{text[1:]}'.encode()


def _frame(sent: object, count: int) -> int | None:
    match sent:
        case {"frame": int(frame)} if 0 <= frame < count and not isinstance(frame, bool):
            return frame
    return None


def _panel(panel: Panel, count: int) -> dict[str, Any]:
    for texts in (panel.above, panel.below):
        assert len(texts) in (0, 1, count), f"{len(texts)} texts for {count} frames"
    return {**panel._asdict(), "pictures": [_picture(each, count) for each in panel.pictures]}


def _picture(picture: Picture, count: int) -> dict[str, Any]:
    assert len(picture.figures) in (1, count), f"{len(picture.figures)} figures for {count} frames"
    figure, changes = packed(picture.figures)
    return {
        **picture._asdict(),
        "figures": None,
        "figure": figure,
        "frames": changes,
        "name": picture.name or picture.key,
        "plotly": ADDRESS,
    }


def packed(figures: Sequence[Figure]) -> tuple[Figure, list[dict[str, Any]]]:
    """Return a whole figure, and for each of the figures what differs from it; nothing, if there is but one.

    >>> line, moved = {"uid": "a", "x": [1], "y": [2]}, {"uid": "a", "x": [1], "y": [3]}
    >>> packed([{"data": [line], "layout": {}}, {"data": [moved], "layout": {}}])[1]
    [{'data': {}, 'layout': {}}, {'data': {'a': {'y': [3]}}, 'layout': {}}]
    """
    traces: dict[str, dict[str, Any]] = {}
    layout: dict[str, Any] = {}
    for figure in figures:
        for trace in figure["data"]:
            traces.setdefault(trace["uid"], trace)
        layout = {**figure["layout"], **layout}
    changes = []
    for figure in figures:
        own = {trace["uid"]: trace for trace in figure["data"]}
        data = {uid: _differs(own[uid], first) if uid in own else {"visible": False} for uid, first in traces.items()}
        there = {name: figure["layout"].get(name) for name in layout}
        changes.append({"data": {uid: each for uid, each in data.items() if each}, "layout": _differs(there, layout)})
    whole = {"data": list(traces.values()), "layout": layout}
    return whole, changes if len(figures) > 1 else []


def _differs(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    parts = dict.fromkeys((*other, *one))
    return {name: one.get(name) for name in parts if one.get(name) != other.get(name)}
