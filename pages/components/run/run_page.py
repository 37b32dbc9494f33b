"""What the pages that run sweeps have in common: start or open what is asked for, and show it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ..asking import links
from ..asking.fields import Asked
from ..lessons.ways import arrive
from .buttons import pressed, run_bar, start
from .history import title
from .main_area import MainArea
from .session import Session, Shown

PATIENCE = 30  # seconds: what takes longer does not start by itself


def read_link() -> dict[str, list[str]]:
    """Return what stands in the URL, to be called before any control is drawn."""
    link = {name: st.query_params.get_all(name) for name in st.query_params}
    links.drop_endless()
    return link


def choose(session: Session, asked: Asked, buttons: Any) -> Shown | None:
    """Return the run to show: what is asked for, if it exists or starts by itself, or else the one before."""
    page, jobs = session.page, session.manager
    shown = None if arrive(page) else session.shown
    wanted = pressed(page)
    if asked.spec is not None:
        if wanted:
            start(session, asked)
        recipe = None if asked.recipe is None else asked.recipe.to_json()
        same = shown is not None and asked.spec == shown.spec
        if same or jobs.open(asked.spec, session.visitor, recipe) is not None:
            shown = Shown(asked.spec, asked.recipe)
        elif shown is None and jobs.estimate(asked.spec) < PATIENCE and start(session, asked):
            shown = Shown(asked.spec, asked.recipe)  # whoever comes here sees a run at once
    st.session_state[f"{page}-asked"] = asked.spec
    session.show(shown)
    with buttons:
        run_bar(session, asked)
    return shown


def show(session: Session, area: MainArea, asked: Asked, shown: Shown | None, link: dict[str, list[str]]) -> None:
    """Say what stands in the way of the run that is asked for, and draw the one that is shown."""
    page = session.page
    if session.manager.store.trouble:
        st.warning(session.manager.store.trouble, icon=":material/database_off:")
    refused, why = st.session_state.get(f"{page}-refused", (None, ""))
    if refused is not None and refused == asked.spec:
        st.error(why, icon=":material/block:")
    missed, then = st.session_state.setdefault(
        f"{page}-unread", (links.unread(link, session.controls.keys | area.keys), asked.spec)
    )
    if missed and then == asked.spec:  # until the visitor changes something
        st.info(f"Some of this link could not be read, and has its default instead: {', '.join(missed)}.")
    if shown is None:
        st.info("Press **Run** to start." if asked.spec else "Mend what is marked in red, and press **Run** to start.")
        area.show_history()
        return
    if asked.spec != shown.spec:
        then = "**Run** computes the new one." if asked.spec else "What is marked in red cannot be run."
        st.info(f"The controls have changed. Below is still the run before: {title(*shown)}. {then}")
    area.show(shown, asked if asked.spec == shown.spec else None)
