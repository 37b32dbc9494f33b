"""The URL is the experiment: what a link says, what a control keeps in it, and what could not be read.

Streamlit binds a control to the URL by the words that it shows. Where those are not the names that links, files and
commands use (``spl+`` is shown as SPL₊), ``recall`` and ``keep`` stand in for that.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import streamlit as st

from ..drawing.presenting import NAME as PRESENT
from ..drawing.text import plain
from ..internals import fill_controls_from_link_again

Value = str | list[str] | None
Link = dict[str, list[str]]
Known = Mapping[str, Collection[str] | None]

LESSON_NUMBER, LESSON_ANSWERS = "tour_lesson", "tour_answers"  # what a visitor of the Tour takes along to any page

_MOST = 5  # unread parts that are named
_RENAMED = {("data_panel", "Accuracy and test losses"): "How well it predicts"}  # what old links may have


def recall(key: str, allowed: Collection[str], usual: Value = None, many: bool = False) -> None:
    """Before a control is drawn for the first time, give it the value that the link has for it, or the usual one."""
    if key not in st.session_state and key in st.query_params:
        found = [text for text in st.query_params.get_all(key) if text in allowed]
        if many or found:
            st.session_state[key] = found if many else found[-1]
    if usual is not None:
        say_again(key, usual)


def say_again(key: str, usual: object) -> None:
    """Set a control to the value that it has, so that it is sent with every run.

    Streamlit sends it once, and a browser that shows the control only after the next run has forgotten it by then.
    """
    value = st.session_state.get(key)
    st.session_state[key] = usual if value is None else value


def read() -> Link:
    """Return what stands in the URL, to be called before any control is drawn."""
    _rename()
    link = {name: st.query_params.get_all(name) for name in st.query_params}
    _drop_endless()
    return link


def _rename() -> None:
    """Give what an old link calls by another name its name of today."""
    for (name, before), now in _RENAMED.items():
        if st.query_params.get(name) == before and name not in st.session_state:
            st.query_params[name] = now
            fill_controls_from_link_again()


def _drop_endless() -> None:
    """Take numbers without end out of the URL: Streamlit fails on one for a control of whole numbers.

    What a control has put there itself is a text that was typed: it is Streamlit's to change, and gets a sentence.
    """
    endless = [name for name in st.query_params if any(_endless(text) for text in st.query_params.get_all(name))]
    found = [name for name in endless if name not in st.session_state]
    for name in found:
        del st.query_params[name]
    if found:
        fill_controls_from_link_again()


def _endless(text: str) -> bool:
    try:
        return not math.isfinite(float(text))
    except ValueError:
        return False


def keep(key: str, value: Value, usual: Value) -> None:
    """Write a control's value into the URL, unless it is the usual one."""
    if value == usual:
        st.query_params.pop(key, None)
        return
    texts = value if isinstance(value, list) else [str(value)]
    if st.query_params.get_all(key) != (texts or [""]):
        st.query_params[key] = texts or ""


def say_unread(page: str, link: Link, known: Known, asked: object = None) -> None:
    """Say which parts of the link that the visitor came by no control took, because they are not among its values.

    Parameters
    ----------
    link
        What stood in the URL before the controls were drawn.
    known
        The controls, with their values for those that may be drawn later. A control that is not drawn, such as the
        parameter of another noise, misses nothing.
    asked
        What the controls ask for: once they ask for something else, nothing more is said.
    """
    missed, then = st.session_state.setdefault(f"{page}-unread", (_unread(link, known), asked))
    if missed and then == asked:
        st.info(f"Some of this link could not be read, and has its default instead: {', '.join(missed)}.")


def _unread(link: Link, known: Known) -> list[str]:
    missed = [plain(f"{name}={','.join(texts)}", 60) for name, texts in link.items() if not _taken(name, texts, known)]
    return missed if len(missed) <= _MOST else [*missed[:_MOST], f"and {len(missed) - _MOST} more"]


def _taken(name: str, texts: list[str], known: Known) -> bool:
    if name not in known:
        return name in (LESSON_NUMBER, LESSON_ANSWERS, PRESENT)
    allowed = known[name]
    if allowed is not None:
        return all(text in allowed for text in texts)
    if name not in st.session_state or st.query_params.get_all(name) == texts:
        return True
    return _says(texts, st.session_state[name])  # a control's default is taken out of the URL


def _says(texts: list[str], value: object) -> bool:
    if isinstance(value, list):
        return texts == value
    text = texts[-1] if texts else ""
    if isinstance(value, int | float):
        try:
            return float(text) == value
        except ValueError:
            return False
    return text == ("" if value is None else str(value))
