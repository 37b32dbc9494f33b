"""A short run starts by itself once the controls have stayed as they are for a moment."""

from __future__ import annotations

import time

import streamlit as st

from ..asking.fields import Asked
from .buttons import refusal, start
from .session import Session

SHORT = 10.0  # seconds on this server beside what it has to do: what takes longer waits for Run
PAUSE = 1.0  # seconds: who clicks through the controls does not start a run with each click


def starts_by_itself(session: Session, asked: Asked) -> bool:
    """Tell whether what is asked for, which nobody has run, needs no button."""
    if asked.spec is None or refusal(session.page, asked.spec):
        return False
    return session.manager.estimate(asked.spec) < SHORT


def start_if_settled(session: Session, asked: Asked) -> bool:
    """Start it if the controls have asked for it long enough; tell whether it has started."""
    assert asked.spec is not None
    key, now = f"{session.page}-settling", time.monotonic()
    spec, since = st.session_state.get(key, (None, now))
    st.session_state[key] = asked.spec, since if spec == asked.spec else now
    if now - st.session_state[key][1] < PAUSE:
        return False
    del st.session_state[key]
    return start_at_once(session, asked)


def start_at_once(session: Session, asked: Asked) -> bool:
    """Start what nobody has pressed Run for; tell whether it has started."""
    assert asked.spec is not None
    give_way(session, asked)
    if not start(session, asked):
        return False
    st.session_state[_own(session)] = asked.spec.id
    return True


def wait(session: Session, asked: Asked) -> None:
    """Look again when the moment is over; to be called where nothing stands that could move."""

    def look() -> None:
        if start_if_settled(session, asked) or refusal(session.page, asked.spec):
            st.rerun()

    st.fragment(look, run_every=PAUSE)()


def give_way(session: Session, asked: Asked) -> None:
    """Before the next run starts, give up one that has started by itself and is not over: nobody asked for it."""
    earlier = st.session_state.pop(_own(session), None)
    wanted = asked.spec is not None and asked.spec.id == earlier
    if earlier is not None and not wanted and session.manager.is_live(earlier):
        session.manager.forget(earlier, session.visitor)


def _own(session: Session) -> str:
    return f"{session.page}-self-started"
