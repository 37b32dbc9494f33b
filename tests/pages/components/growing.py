"""A page for the browser tests: two curves that get a point at each press, in a chart that grows with them."""

from pathlib import Path

import streamlit as st

from pages.components.asking.visitor import visitor_id
from pages.components.drawing.chart import Clicked, chart, charts, encoded
from pages.components.sending import beside, page_errors, server, ticket

COLOURS = {"light": ("#1b1f24", "#ffffff"), "dark": ("#eceef1", "#0e1117")}


def figure(points: int, theme: str = "light") -> dict:
    """Return two methods' curves; the second has a companion, which is another every four points, as triangles are."""
    text, page = COLOURS[theme]
    x = list(range(1, points + 1))
    traces = [
        _curve("spl", "line", x, [1.0 for _ in x]),
        _curve("spl+", "line", x, [2.0 for _ in x]),
        *([_curve("spl+", f"late-{points // 4}", x, [3.0 for _ in x])] if points % 4 > 1 and points > 3 else []),
    ]
    layout = {
        "font": {"color": text},
        "hoverlabel": {"bgcolor": page},
        "paper_bgcolor": "rgba(0, 0, 0, 0)",
        "plot_bgcolor": "rgba(0, 0, 0, 0)",
        "margin": {"l": 40, "r": 10, "t": 30, "b": 50},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "groupclick": "togglegroup"},
        "hovermode": "closest",
        "xaxis": {"range": [0, points + 1], "title": {"text": "point"}},
        "yaxis": {"range": [0, 4]},
        "uirevision": "cvar",
    }
    return {"data": traces, "layout": layout}


def _curve(method: str, part: str, x: list[int], y: list[float]) -> dict:
    named = {"uid": f"{method}-{part}", "meta": method, "name": method, "legendgroup": method}
    looks = {"type": "scatter", "mode": "lines+markers", "marker": {"size": 12}, "showlegend": part == "line"}
    return {**named, **looks, "x": x, "y": y}


def remember(clicked: Clicked) -> None:
    st.session_state.called = [*st.session_state.get("called", []), f"{clicked.method} at {clicked.x:g}"]


@st.fragment
def live() -> None:
    st.button("grow", key="grow")
    st.session_state.points = points = st.session_state.get("points", 1) + 1
    theme = "dark" if st.context.theme.type == "dark" else "light"
    clicked = chart(figure(points, theme), key="live", height=300, label="Two curves grow.", on_click=remember)
    if clicked:
        st.session_state.returned = [*st.session_state.get("returned", []), f"{clicked.method} at {clicked.x:g}"]
    chart(figure(3, theme), key="still", height=200, label="Two curves stay.")
    pair = [encoded(figure(points if key == "left" else 3, theme), key=key, height=150) for key in ("left", "right")]
    charts(pair, key="pair", on_click={"right": remember})
    st.text(f"called: {', '.join(st.session_state.get('called', []))}")
    st.text(f"returned: {', '.join(st.session_state.get('returned', []))}")


def fail() -> None:
    """Come upon something that is wrong on the server, in the midst of the project's code."""
    ticket._read_or_write(Path("/a/secret/place"))


def main() -> None:
    if st.query_params.get("place") == "secret":
        fail()
    st.text("above")
    identity = visitor_id()
    st.text(f"visitor: {identity}")
    room = st if st.query_params.get("place") == "loose" else st.container()  # with room, nothing moves down a place
    if st.toggle("more"):
        room.text("more text above the chart")
    live()


if __name__ == "__main__":
    main()
elif not __name__.startswith("tests."):  # the server, and no test
    server.prepare()
    around = {"routes": beside.routes(), "middleware": beside.middleware()}
    app = st.App("growing.py", **around, on_script_error=page_errors.show)
