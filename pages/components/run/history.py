"""A visitor's runs: open one again, name it, pin it behind the run that is shown, or delete it."""

from __future__ import annotations

import time

import streamlit as st

from cvar_core.data import Recipe
from cvar_core.jobs import LONGEST_NAME, Entry

from ..drawing.run_names import title
from ..drawing.text import plain
from . import pins
from .session import Session, Shown

_SIGNS = {
    "queued": ":material/hourglass_empty:",
    "running": ":material/sync:",
    "done": ":material/check_circle:",
    "failed": ":material/error:",
    "cancelled": ":material/stop_circle:",
    "interrupted": ":material/power_off:",
}


def draw(session: Session, shown: Shown | None) -> None:
    """List the visitor's runs."""
    runs = session.history()
    if not runs:
        st.caption("Runs that you make are listed here, to open again, to name, to compare and to delete.")
    for run in runs:
        _draw(session, run, here=shown is not None and run.id == shown.spec.id)


def _draw(session: Session, run: Entry, here: bool) -> None:
    page, (about, actions) = session.page, st.columns([7, 6], vertical_alignment="center")
    status = f"{run.status} · {_ago(run)}{' · shown' if here else ''}"
    about.markdown(f"{_SIGNS[run.status]} {named(run)}  \n:gray[{status}]")
    with actions.container(horizontal=True, horizontal_alignment="right"):
        opened = st.button(
            "Open", key=f"{page}-open-{run.id}", disabled=here, on_click=session.open, args=(run,),
        )  # fmt: skip
        there = pins.is_pinned(session, run.id)
        st.button(
            "Unpin" if there else "Pin", key=f"{page}-pin-{run.id}", on_click=pins.toggle, args=(session, run.id),
            help="A pinned run stays as pale lines behind whatever run is shown.",
        )  # fmt: skip
        st.button("Name", key=f"{page}-name-{run.id}", on_click=_begin_naming, args=(page, run.id))
        deleted = st.button(
            "Delete", key=f"{page}-delete-{run.id}", type="tertiary", icon=":material/delete:",
            on_click=session.manager.delete, args=(run.id, session.visitor),
        )  # fmt: skip
    if st.session_state.get(_naming(page)) == run.id:
        key = f"{page}-called-{run.id}"
        about.text_input(
            "What do you call it?", run.name or "", max_chars=LONGEST_NAME, key=key, placeholder="a name, and Enter",
            on_change=_name, args=(session, run.id, key),
        )  # fmt: skip
    if opened or deleted:
        st.rerun()  # the controls, too


def named(run: Entry) -> str:
    """Return in Markdown what a run is called, and what it is."""
    return called(Shown(run.spec, None if run.recipe is None else Recipe.from_json(run.recipe)), run.name)


def called(run: Shown, name: str | None) -> str:
    return f"**{plain(name)}**, {title(*run)}" if name else title(*run)


def _begin_naming(page: str, run_id: str) -> None:
    st.session_state[_naming(page)] = run_id


def _name(session: Session, run_id: str, key: str) -> None:
    session.manager.rename(run_id, session.visitor, st.session_state[key])
    st.session_state.pop(_naming(session.page), None)


def _naming(page: str) -> str:
    """Where it is noted which run is being named."""
    return f"{page}-naming"


def _ago(run: Entry) -> str:
    minutes = (time.time() - run.created) / 60
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes:.0f} min ago"
    return f"{minutes / 60:.0f} h ago" if minutes < 2_880 else f"{minutes / 1_440:.0f} days ago"
