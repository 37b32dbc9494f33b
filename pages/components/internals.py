"""A page is always run by ``app.py``, however the visitor came to it."""

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager


def ensure_app() -> None:
    """Start over under ``app.py`` if Streamlit has run this page by itself.

    Until ``app.py`` has called ``st.navigation`` once, Streamlit takes a folder named ``pages`` for the app's list of
    pages: the first visitor of a server who opens a page by its link would see it without the app around it.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()
