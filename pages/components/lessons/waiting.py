"""A page that shows what is there at once, and is drawn anew when the answer to the rest is there."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

import streamlit as st

from ..sending.answers import Answers, Asker
from ..sending.live import live

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def glance(answers: Answers[Key, Value], key: Key) -> Value | None:
    """Return the answer, if it is there; tell of a failure."""
    found = answers.found(key)
    if found is None:
        return None
    if found.failed:
        st.error("This could not be computed. The next change of a control tries again.", icon=":material/error:")
    return found.value


def await_(answers: Answers[Key, Value], key: Key) -> None:
    """Have the page drawn anew as soon as the answer is there.

    Call it when all else is drawn: a script that shares the interpreter with other work takes several times as long.
    """
    if answers.wish(key, st.session_state.setdefault("asker", Asker())):
        live(*answers.ticket(key), part="answer", key=f"waiting-{answers.name}")
