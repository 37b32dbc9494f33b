"""The bar above a page that a lesson of the Tour has led to: which lesson, and the ways back and on."""

from __future__ import annotations

import streamlit as st

from . import tour_progress
from .tour_lessons import LESSONS

TOUR = "pages/tour.py"


def show() -> None:
    """Draw it, if the URL says that the visitor comes from the Tour."""
    number = tour_progress.number_in_link()
    if number is None:
        return
    tour_progress.given()
    with st.container(key="tour-bar", horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"Lesson {number} of {len(LESSONS)}: **{LESSONS[number - 1].title}**", width="content")
        way(number, "Back to the tour", "arrow_back")
        if number < len(LESSONS):
            way(number + 1, f"Next: {LESSONS[number].title}", "arrow_forward")


def way(number: int, words: str, icon: str) -> None:
    st.page_link(
        TOUR, label=words, icon=f":material/{icon}:", query_params=tour_progress.along(number), width="content"
    )
