"""Where a visitor of the Tour is, and what they have answered: kept in the session and in their links."""

from __future__ import annotations

import streamlit as st

from ..asking.links import LESSON_ANSWERS, LESSON_NUMBER, keep
from .tour_lessons import LESSONS

LETTERS = "abcd"
_NONE = "-"
_NUMBER, _GIVEN = "tour-number", "tour-given"


def number_in_link() -> int | None:
    """Return the lesson that the URL names, from 1 on."""
    text = st.query_params.get(LESSON_NUMBER, "")
    return int(text) if text in [str(k) for k in range(1, len(LESSONS) + 1)] else None


def number() -> int:
    """Return the lesson that is looked at: the URL's, else the last one."""
    found = number_in_link() or st.session_state.get(_NUMBER, 1)
    st.session_state[_NUMBER] = found
    return found


def given() -> dict[int, int]:
    """Return the answers that were given, by lesson; what the URL says goes to the session."""
    found: dict[int, int] = st.session_state.setdefault(_GIVEN, {})
    for k, letter in enumerate(st.query_params.get(LESSON_ANSWERS, "")[: len(LESSONS)], start=1):
        place = LETTERS.find(letter)
        if 0 <= place < len(LESSONS[k - 1].answers):
            found.setdefault(k, place)
    return found


def go(to: int) -> None:
    st.session_state[_NUMBER] = to
    keep(LESSON_NUMBER, str(to), "1")


def answer(lesson: int, place: int) -> None:
    given()[lesson] = place
    keep(LESSON_ANSWERS, _text(), _NONE * len(LESSONS))


def say_again() -> None:
    """Write both into the URL: a visitor may come without them."""
    keep(LESSON_NUMBER, str(number()), "1")
    keep(LESSON_ANSWERS, _text(), _NONE * len(LESSONS))


def along(lesson: int) -> dict[str, str | list[str]]:
    """Return what a link to another page takes along, so that it leads back."""
    told = _text()
    return {LESSON_NUMBER: str(lesson), **({LESSON_ANSWERS: told} if told.strip(_NONE) else {})}


def _text() -> str:
    found = given()
    return "".join(LETTERS[found[k]] if k in found else _NONE for k in range(1, len(LESSONS) + 1))
