"""The one manager of runs that all visitors of this server share."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import platformdirs
import streamlit as st

from cvar_core.jobs import Limits, Manager, threads
from cvar_core.store import Store


@st.cache_resource(show_spinner=False)
def manager() -> Manager:
    limits = Limits()
    workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    gc.collect()
    gc.freeze()  # what the libraries hold lives as long as the server: no collection need look at it again
    return Manager(Store.open(data_folder() / "runs.sqlite", limits.store), threads(workers), workers, limits)


def data_folder() -> Path:
    return Path(os.environ.get("CVAR_DATA_DIR") or platformdirs.user_data_path("cvar_core"))
