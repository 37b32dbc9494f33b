"""A part of a page that the server keeps up to date by its stream, without running the script again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from cvar_core.results import MEASURES

from ..drawing.chart import DRAWS, number
from ..drawing.look import Look
from . import server

_HERE = Path(__file__).parent
_HTML = """
<div class="cvar-live">
  <p class="cvar-lost" role="status" hidden>The connection to the server is lost. This page comes back by itself.</p>
  <div class="cvar-above"></div>
  <div class="cvar-words"><p class="cvar-quiet">The charts are on their way.</p></div>
  <p class="cvar-spoken" role="status"></p>
  <select class="cvar-at" aria-label="Curves at"></select>
  <div class="cvar-charts"></div>
  <div class="cvar-below"></div>
</div>
"""

_mount = st.components.v2.component(
    "cvar_live",
    html=_HTML,
    js=DRAWS + (_HERE / "live.js").read_text("utf-8"),
    isolate_styles=False,  # plotly.js puts its styles into the page
)
_mount_look = st.components.v2.component(
    "cvar_look",
    html='<span class="cvar-hidden" hidden></span>',
    js=(_HERE / "look.js").read_text("utf-8"),
    isolate_styles=False,
)

_mount_news = st.components.v2.component(
    "cvar_news",
    html='<span class="cvar-hidden" hidden></span>',
    js=(_HERE / "news.js").read_text("utf-8"),
    isolate_styles=False,
)

Choices = Sequence[tuple[float | None, str]]


def live(
    *subject: str,
    part: str,
    key: str,
    settled: str | None = "",
    page: str | None = None,
    lambdas: Choices | None = None,
    at: float | None = None,
    on_choice: Callable[[float | None], None] | None = None,
    on_use: Callable[[float], None] | None = None,
    on_level: Callable[[float], None] | None = None,
    on_measure: Callable[[str], None] | None = None,
) -> None:
    """Listen to a subject (see ``subjects``).

    Parameters
    ----------
    settled
        What the script knows of the subject: when the server says otherwise, the script runs again. ``None`` leaves
        that to another live element.
    page
        Whose ``look`` the picture follows; without it, none.
    lambdas, at, on_choice
        The step sizes that the curves can be at, ``None`` first, with words for each; which they are at, and whom to
        tell when the visitor chooses another.
    on_use
        Whom to tell when the visitor wants a step size within the grid: the one that is recommended, or one that the
        line in the chart was dragged to.
    on_level
        Whom to tell when the visitor wants another level β, between 0 and 1.
    on_measure
        Whom to tell when the visitor wants another measure.
    """

    known = [lam for lam, _ in lambdas or ()]

    def chosen() -> None:
        sent = st.session_state[key].get("at")
        if on_choice is not None and sent in known:
            on_choice(known[known.index(sent)])

    def used() -> None:
        sent = st.session_state[key].get("use")
        grid = known[1:]
        if on_use is not None and number(sent) and grid and grid[0] <= sent <= grid[-1]:
            on_use(float(sent))

    def levelled() -> None:
        sent = st.session_state[key].get("level")
        if on_level is not None and isinstance(sent, int | float) and 0 <= sent < 1:
            on_level(float(sent))

    def measured() -> None:
        sent = st.session_state[key].get("measure")
        if on_measure is not None and sent in MEASURES:
            on_measure(sent)

    data: dict[str, Any] = {
        "ticket": server.ticket(*subject), "boot": server.boot(), "part": part, "settled": settled, "page": page,
        "heartbeat": 1000 * server.HEARTBEAT,
    }  # fmt: skip
    if page is None:
        data["look"] = {}
    if lambdas is not None:
        data |= {"lambdas": [list(each) for each in lambdas], "at": at}
    _mount(
        key=key, data=data, height="content", default={"at": at, "asked": 0},
        on_at_change=chosen, on_use_change=used, on_level_change=levelled, on_measure_change=measured,
        on_asked_change=_nothing,
    )  # fmt: skip


def tell_look(page: str, look: Look) -> None:
    """Have the live elements of a page drawn as the visitor looks at it.

    Which λ the curves are at, and which methods are hidden, they know best.
    """
    said = look.to_json()
    del said["at"], said["hidden"]
    _mount_look(key=f"{page}-look", data={"page": page, "look": said})


def hear_news() -> None:
    """Let the browser have the whole script run, also from a fragment; to be called outside of fragments."""
    _mount_news(key="cvar-news", data=None, default={"asked": 0}, on_asked_change=_nothing)


def _nothing() -> None:
    """Streamlit wants to be told that the state may change."""
