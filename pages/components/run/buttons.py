"""Run and Cancel, with how long it will take."""

from __future__ import annotations

import streamlit as st

from cvar_core import SweepSpec
from cvar_core.jobs import Manager, Refused, View

from ..asking.fields import Asked
from ..drawing.status import duration
from .session import Session


def run_bar(session: Session, asked: Asked) -> None:
    """Draw Run for what the controls ask for, and Cancel for the run that is shown."""
    manager, shown = session.manager, session.shown
    view = None if asked.spec is None else session.view(asked.spec)
    seen = None if shown is None else session.view(shown.spec)
    mine = view is not None and view.live and view.watched
    done = view is not None and view.status == "done"
    run, cancel = st.columns(2)
    run.button(
        _label(view), type="primary", icon=":material/play_arrow:", width="stretch", key=f"{session.page}-run",
        disabled=asked.spec is None or mine or done, on_click=press, args=(session.page,),
    )  # fmt: skip
    cancel.button(
        "Cancel", icon=":material/stop:", width="stretch", key=f"{session.page}-cancel",
        disabled=seen is None or not (seen.live and seen.watched), on_click=cancel_run, args=(session,),
        help="Stops the run that is shown and keeps what was computed; Resume goes on from there.",
    )  # fmt: skip
    st.caption(_about(manager, asked, view))


def _about(manager: Manager, asked: Asked, view: View | None) -> str:
    """Say what Run would do, or why it does nothing."""
    if asked.spec is None:
        return "Mend what is marked in red to run it."
    if view is not None and view.live:
        return (
            "This run is under way." if view.watched else "Somebody else runs this. Join, and it outlives their Cancel."
        )
    if view is not None and view.status == "done":
        return "This run is stored; change something to run it anew."
    return f"{_runs(asked.spec)}, {duration(manager.estimate(asked.spec))} on this server."


def press(page: str) -> None:
    """Ask for what the controls say to be run."""
    # What is to be run is known when the controls are drawn: a field may have been changed just before the button.
    st.session_state[f"{page}-pressed"] = True


def pressed(page: str) -> bool:
    """Tell, once, whether Run was pressed."""
    return bool(st.session_state.pop(f"{page}-pressed", False))


def start(session: Session, asked: Asked) -> bool:
    """Submit a run, and keep the word of a server that refuses it for the page to show."""
    assert asked.spec is not None
    recipe = None if asked.recipe is None else asked.recipe.to_json()
    try:
        session.manager.submit(asked.spec, session.visitor, asked.problem, recipe)
    except Refused as why:
        st.session_state[f"{session.page}-refused"] = (asked.spec, str(why))
        return False
    st.session_state.pop(f"{session.page}-refused", None)
    return True


def refusal(page: str, spec: SweepSpec | None) -> str:
    """Return why the server has not taken a run, if that is what was asked for last; else nothing."""
    refused, why = st.session_state.get(f"{page}-refused", (None, ""))
    return why if refused is not None and refused == spec else ""


def cancel_run(session: Session) -> None:
    if session.shown is not None and not session.manager.cancel(session.shown.spec.id, session.visitor):
        st.toast("Others are watching this run, so it goes on without you.", icon=":material/group:")


def _label(view: View | None) -> str:
    if view is None:
        return "Run"
    if view.live and not view.watched:
        return "Join"
    return {"cancelled": "Resume", "interrupted": "Resume", "failed": "Try again"}.get(view.status, "Run")


def _runs(spec: SweepSpec) -> str:
    return f"{len(spec.methods) * len(spec.lambdas) * len(spec.seeds):,} runs"
