"""What all visitors of this server share: the manager of runs, the keeper of files, and the data sets at hand."""

from __future__ import annotations

import gc
import logging
import os

import streamlit as st

from cvar_core import SpecError
from cvar_core.jobs import Manager, Settings, Shelf, Uploads, threads
from cvar_core.store import Store

log = logging.getLogger(__name__)


def settings() -> Settings:
    """Return what the server was told; where that cannot be read, the page says so and ends here."""
    try:
        return Settings.read(os.environ)
    except SpecError as wrong:
        log.error("settings %s", wrong)
        st.error(f"This server is not set up rightly: {wrong}.", icon=":material/settings_alert:")
        st.stop()


def manager() -> Manager:
    return _manager(settings())


def uploads() -> Uploads:
    """Return the visitors' files."""
    return _uploads(settings())


def shelf() -> Shelf:
    """Return the data sets that are kept ready for all visitors."""
    return _shelf(settings())


@st.cache_resource(show_spinner=False, hash_funcs={Settings: repr})
def _uploads(told: Settings) -> Uploads:
    found = Uploads(told.folder / "uploads", told.limits)
    found.keep_tidy()
    return found


@st.cache_resource(show_spinner=False, hash_funcs={Settings: repr})
def _shelf(told: Settings) -> Shelf:
    return Shelf(told.limits.data)


@st.cache_resource(show_spinner=False, hash_funcs={Settings: repr})
def _manager(told: Settings) -> Manager:
    gc.collect()
    gc.freeze()  # what the libraries hold lives as long as the server: no collection need look at it again
    store = Store.open(told.folder / "runs.sqlite", told.limits.store)
    return Manager(store, threads(told.workers), told.workers, told.limits)
