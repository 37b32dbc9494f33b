"""A chart that a script may send anew: the reader's zoom, hidden curves and hover stay."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

import streamlit as st

from cvar_core.figures import light_of_dark

from .plotly_js import ADDRESS


class Clicked(NamedTuple):
    """The point that was clicked; a visitor can send any text as the method, so look it up before use."""

    method: str
    x: float
    y: float | None = None


_PARTS = ("sketch.js", "numbers.js", "hiding.js", "readout.js", "mark.js", "chart_file.js", "chart.js")
DRAWS = f"const LIGHT = {json.dumps(light_of_dark())};\n" + "".join(
    Path(__file__).with_name(name).read_text("utf-8") for name in _PARTS
)

_mount = st.components.v2.component(
    "cvar_chart",
    html='<div class="cvar-charts"></div>',
    js=DRAWS + Path(__file__).with_name("mount.js").read_text("utf-8"),
    isolate_styles=False,  # plotly.js puts its styles into the page
)


def chart(
    figure: dict[str, Any],
    *,
    key: str,
    height: int,
    label: str = "",
    name: str | None = None,
    title: str = "",
    caption: str = "",
    plain: bool = False,
    on_click: Callable[[Clicked], None] | None = None,
) -> Clicked | None:
    """Draw a figure, and return the point that was clicked since the last run, once.

    Parameters
    ----------
    figure
        In plotly's JSON form. Traces with the same ``uid`` are the same curve in the next figure.
    key
        The same for every figure of this chart; without a double underscore, which Streamlit forbids.
    height
        In pixels, kept free from the first moment.
    label
        What the chart shows, in words, for those who cannot see it.
    name
        Of the downloaded file; the key if not given.
    title, caption
        Words above and below the chart, if any. They come with it, because each element of its own costs the server
        more than the words do.
    plain
        A picture and no more: nothing to zoom, to point at or to press, so no stop for the keyboard.
    on_click
        Called before the script runs, so that it may still set the session state of widgets.
    """
    drawn = encoded(figure, key=key, height=height, label=label, name=name, title=title, caption=caption, plain=plain)
    sent = charts([drawn], key=key, on_click={key: on_click} if on_click else {})
    seen = f"{key}-seen"
    fresh = sent != st.session_state.get(seen)
    st.session_state[seen] = sent
    return checked(sent) if fresh else None


def encoded(
    figure: dict[str, Any],
    *,
    key: str,
    height: int,
    label: str = "",
    name: str | None = None,
    title: str = "",
    caption: str = "",
    plain: bool = False,
    **more: Any,
) -> bytes:
    """Return a chart as ``charts`` sends it, with the parameters of ``chart``: the same for all who see the same.

    Parameters
    ----------
    more
        Of a run's charts: ``readout``, how to say above the chart what lies under the pointer; ``grid``, the step sizes
        between which the line of your λ can be dragged; ``file``, the title that a downloaded file carries.
    """
    words = {"label": label, "title": title, "caption": caption, "plain": plain}
    parts = {"figure": figure, "key": key, "name": name or key, "height": height, "plotly": ADDRESS, **words, **more}
    # Bytes, because Streamlit would encode a dict twice: once to send it, once to tell whether it changed.
    return json.dumps(parts, separators=(",", ":"), allow_nan=False).encode()


def charts(
    drawn: Iterable[bytes], *, key: str, on_click: Mapping[str, Callable[[Clicked], None]] | None = None
) -> object:
    """Draw encoded charts as one element, which costs the server about as much as one chart; return the last click.

    What ``on_click`` has for a chart's key is called as with ``chart``.
    """

    def pass_on() -> None:
        sent = st.session_state[key].get("click")
        clicked = checked(sent)
        for name, answer in (on_click or {}).items():
            if clicked and sent.get("chart") == name:
                answer(clicked)

    # A state and not a trigger, which is lost when another rerun comes at the same moment; so each click is told apart.
    lines = b"\n".join(drawn)  # JSON has no line ends of its own
    result = _mount(key=key, data=lines, height="content", default={"click": None}, on_click_change=pass_on)
    return result.get("click")


def checked(sent: object) -> Clicked | None:
    """Return what the browser sent if it can be a point.

    >>> checked({"method": "spl+", "x": 10, "y": None})
    Clicked(method='spl+', x=10.0, y=None)
    >>> checked({"method": "spl+", "x": "10", "y": 1})
    """
    match sent:
        case {"method": str(method), "x": x, **rest} if number(x):
            y = rest.get("y")
            return Clicked(method, float(x), float(y) if number(y) else None)
    return None


def number(sent: Any) -> TypeGuard[float]:
    """Tell whether what a browser sent is a number."""
    return isinstance(sent, int | float) and not isinstance(sent, bool) and abs(sent) < 1e300  # neither ∞ nor NaN
