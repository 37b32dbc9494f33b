"""Sharpen: a button with its price, and what it finds while it goes on by itself."""

from __future__ import annotations

import streamlit as st

from cvar_core import Problem, SweepSpec
from cvar_core.jobs import SharpenView, View
from cvar_core.results import WIDTH, Criterion

from ..asking.links import keep
from ..drawing.status import duration
from ..sending.live import live
from .session import Session

NAME = "sharpen"  # in the URL: of which run, so that it says nothing of another
_SHORT = 8  # characters of a run's id
_AGAIN = {"cancelled": "Resume sharpening", "interrupted": "Resume sharpening", "failed": "Try to sharpen again"}


def followed(session: Session, spec: SweepSpec, problem: Problem | None, by: Criterion) -> SharpenView | None:
    """Start the sharpening of a run if that was asked for, and return how far it is, if there is one."""
    key, sharpener = f"{session.page}_{NAME}", session.manager.sharpener
    if st.session_state.pop(_pressed(session.page), None) == spec.id:
        sharpener.start(spec, by, session.visitor, problem)
        keep(key, spec.id[:_SHORT], None)
    elif st.query_params.get(key) == spec.id[:_SHORT]:
        sharpener.recall(spec, by, session.visitor)  # as far as it is stored: a link computes nothing
    else:
        keep(key, None, None)
    return sharpener.view(spec, by, session.visitor)


def show(session: Session, spec: SweepSpec, known: SharpenView | None, by: Criterion) -> None:
    """Draw what is found, as it is found."""
    if known is not None:
        live(
            "sharpening", session.visitor, spec.id, by.measure, repr(by.closed), part="sharpening",
            key=f"{session.page}-sharpening", settled="" if known.live else known.status,
        )  # fmt: skip


def offer(session: Session, view: View, known: SharpenView | None, by: Criterion) -> None:
    """Draw the button for a run that is done, with its price, or the one that stops it."""
    spec, page = view.spec, session.page
    if known is not None and known.live:
        st.button(
            "Stop sharpening", icon=":material/stop:", key=f"{page}-stop-sharpening",
            on_click=session.manager.sharpener.cancel, args=(spec, by, session.visitor),
            help="What was computed is kept, and Resume goes on from there.",
        )  # fmt: skip
        return
    if view.status != "done" or (known is not None and known.status == "done"):
        return
    label = "Sharpen" if known is None else _AGAIN[known.status]
    st.button(
        label, icon=":material/center_focus_strong:", key=f"{page}-sharpen-run", on_click=_press, args=(page, spec),
        help=f"Adds starts, in stages of 5, 20 and 80, and step sizes at the ends of the usable ranges, until every "
        f"interval of the decades is at most {WIDTH:g} wide. It goes on when you leave the page.",
    )  # fmt: skip
    price = duration(session.manager.sharpener.price(spec))
    st.caption(f"Intervals of {WIDTH:g} decades: at most {price}.", width="content")


def _press(page: str, spec: SweepSpec) -> None:
    st.session_state[_pressed(page)] = spec.id


def _pressed(page: str) -> str:
    return f"{page}-sharpen-pressed"
