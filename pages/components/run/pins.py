"""Pinned runs stand as ghosts behind whatever run is shown, and in the link, so that a comparison can be shared."""

from __future__ import annotations

import re

import streamlit as st

from cvar_core.figures.ghosts import MOST_PINNED
from cvar_core.jobs import LONGEST_NAME

from ..asking.links import keep
from ..drawing.look import Pin
from ..drawing.run_names import apart
from ..drawing.text import plain
from .session import Session, Shown

NAME = "compare"  # in the link; once it held the one run to compare with
_FORM = re.compile(r"([0-9a-f]{16})(?:~(.*))?")
_LABEL = 40  # letters on a button


def pinned(session: Session) -> tuple[Pin, ...]:
    """Return the pinned runs, by what the visitor calls each, or else by what the link calls it, and keep the link."""
    key = _key(session)
    if key not in st.session_state:
        st.session_state[key] = [text for text in st.query_params.get_all(key) if _FORM.fullmatch(text)][:MOST_PINNED]
    found = [_named(session, text) for text in st.session_state[key]]
    st.session_state[key] = [f"{pin.id}~{pin.name}" if pin.name else pin.id for pin in found]
    keep(key, st.session_state[key], [])
    return tuple(found)


def is_pinned(session: Session, run_id: str) -> bool:
    return any(text[:16] == run_id for text in st.session_state.get(_key(session), ()))


def toggle(session: Session, run_id: str) -> None:
    """Pin a run, in the place of the oldest where there are as many as can be, or unpin it; for a callback."""
    texts = st.session_state.get(_key(session), [])
    kept = [text for text in texts if text[:16] != run_id]
    st.session_state[_key(session)] = kept if len(kept) < len(texts) else [*kept, run_id][-MOST_PINNED:]


def draw(session: Session, shown: Shown) -> None:
    """Draw what pins and unpins the run that is shown, and what unpins the others."""
    page = session.page
    with st.container(horizontal=True, vertical_alignment="center", key=f"{page}-pins"):
        name = session.name(shown.spec.id)
        if name:
            st.markdown(f"**{plain(name)}**", width="content")
        here = is_pinned(session, shown.spec.id)
        st.button(
            "Unpin this run" if here else "Pin this run", icon=":material/keep_off:" if here else ":material/keep:",
            key=f"{page}-pin", on_click=toggle, args=(session, shown.spec.id),
            help="A pinned run stays as pale lines behind whatever run is shown, with the difference on each card. "
            f"Up to {MOST_PINNED} of them; they are in the link.",
        )  # fmt: skip
        for pin in pinned(session):
            if pin.id != shown.spec.id:
                _draw_other(session, shown, pin)


def _draw_other(session: Session, shown: Shown, pin: Pin) -> None:
    view = session.manager.seen_by(pin.id, session.visitor)
    if view is None:
        label, about = pin.name or "a run that is not here", "It was deleted, or it is on data that you have not run."
    else:
        recipe = session.recipe(pin.id)
        label, about = pin.name or apart(view.spec, recipe, shown.spec, shown.recipe), "Unpin it."
    cut = label if len(label) <= _LABEL else f"{label[: _LABEL - 1]}…"
    st.button(
        plain(cut), icon=":material/keep_off:", type="tertiary", key=f"{session.page}-unpin-{pin.id}",
        on_click=toggle, args=(session, pin.id), help=about,
    )  # fmt: skip


def _named(session: Session, text: str) -> Pin:
    run_id, given = text[:16], text[17:]
    return Pin(run_id, session.name(run_id) or " ".join(given.split())[:LONGEST_NAME])


def _key(session: Session) -> str:
    return f"{session.page}_{NAME}"
