"""What the pages that run sweeps have in common: start or open what is asked for, and show it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ..asking import links
from ..asking.fields import Asked
from ..drawing.status import duration
from ..drawing.text import plain
from ..lessons.ways import arrive
from .buttons import pressed, refusal, run_bar, start
from .history import called
from .main_area import MainArea
from .self_starting import give_way, start_at_once, start_if_settled, starts_by_itself, wait
from .session import Session, Shown

PATIENCE = 30  # seconds: what takes longer does not start when somebody comes
OLDER = "cvar-older"  # what the style sheet knows a page by that shows a run of other settings


def choose(session: Session, asked: Asked, buttons: Any) -> Shown | None:
    """Return the run to show: what is asked for, if it exists or starts by itself, or else the one before."""
    page, jobs = session.page, session.manager
    shown = None if arrive(page) else session.shown
    wanted, picked = pressed(page), session.controls.picked()
    if asked.spec is not None:
        if wanted:
            give_way(session, asked)
            start(session, asked)
        recipe = None if asked.recipe is None else asked.recipe.to_json()
        same = shown is not None and asked.spec == shown.spec
        if same or session.deleted(asked.spec) or jobs.open(asked.spec, session.visitor, recipe) is not None:
            shown = Shown(asked.spec, asked.recipe)
        elif (shown is None or picked) and jobs.estimate(asked.spec) < PATIENCE and start_at_once(session, asked):
            shown = Shown(asked.spec, asked.recipe)  # who comes here, or picks a preset, sees a run at once
        elif starts_by_itself(session, asked) and start_if_settled(session, asked):
            shown = Shown(asked.spec, asked.recipe)
    session.show(shown)
    with buttons:
        run_bar(session, asked)
    return shown


def show(session: Session, area: MainArea, asked: Asked, shown: Shown | None, link: dict[str, list[str]]) -> None:
    """Say what stands in the way of the run that is asked for, and draw the one that is shown."""
    page = session.page
    store = session.manager.store
    for words in filter(None, (store.trouble, store.notice)):
        st.warning(words, icon=":material/database_off:")
    refused = refusal(page, asked.spec)
    if refused:
        st.error(refused, icon=":material/block:")
    links.say_unread(page, link, session.controls.keys | area.keys, asked.spec)
    if shown is None:
        st.info("Press **Run** to start." if asked.spec else "Mend what is marked in red, and press **Run** to start.")
        area.show_history()
        return
    with st.container():  # which stays, so that the charts below stay where they are
        if asked.spec != shown.spec:
            _say_whose(session, asked, shown)
    area.show(shown, asked if asked.spec == shown.spec else None)


def _say_whose(session: Session, asked: Asked, shown: Shown) -> None:
    """Say which run is shown though the controls ask for another; the style sheet dims all that is drawn of it."""
    words = "The controls have changed. Below is still the run before"
    if asked.recipe is not None and shown.recipe is not None and asked.recipe.data != shown.recipe.data:
        old, new = (plain(recipe.data, 60) for recipe in (shown.recipe, asked.recipe))
        words = f"Below is still **{old}**, not **{new}**"
    by_itself = starts_by_itself(session, asked)
    if asked.spec is None:
        then = "What is marked in red cannot be run."
    elif by_itself:
        then = "The new one starts by itself."
    else:
        then = f"**Run** computes the new one: {duration(session.manager.estimate(asked.spec))}."
    with st.container(key=OLDER):
        st.info(f"{words}: {called(shown, session.name(shown.spec.id))}. {then}", icon=":material/history:")
        if by_itself:
            wait(session, asked)
