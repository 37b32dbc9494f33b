"""The one manager of runs that all visitors of this server share."""

from __future__ import annotations

import gc
import logging
import os

import streamlit as st

from cvar_core import SpecError
from cvar_core.jobs import Manager, Settings, threads
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


@st.cache_resource(show_spinner=False, hash_funcs={Settings: repr})
def _manager(told: Settings) -> Manager:
    gc.collect()
    gc.freeze()  # what the libraries hold lives as long as the server: no collection need look at it again
    store = Store.open(told.folder / "runs.sqlite", told.limits.store)
    return Manager(store, threads(told.workers), told.workers, told.limits)
