"""What has to be done with the insides of Streamlit, and of the server that it starts."""

import os
import signal
import sys
import threading
from types import FrameType

import streamlit as st
import uvicorn
from streamlit import net_util
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.state import get_session_state


def ensure_app() -> None:
    """Start over under ``app.py`` if Streamlit has run this page by itself.

    Until ``app.py`` has called ``st.navigation`` once, Streamlit takes a folder named ``pages`` for the app's list of
    pages: the first visitor of a server who opens a page by its link would see it without the app around it.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()


def fill_controls_from_link_again() -> None:
    """Have controls that are not drawn yet filled from the link as it is now.

    Streamlit fills them from the link as it was when the script began, also with what was taken out of it since.
    """
    with get_session_state().query_params() as known:
        known.set_initial_query_params_from_current()


def stay_at_home() -> None:
    """Keep Streamlit from asking outside hosts for this machine's address.

    It would, to compare the two, when a page of another host opens a socket, even one of those that the settings allow,
    and all visitors would wait for seconds.
    """
    net_util.get_external_ip = net_util.get_internal_ip = lambda: None


def end_well() -> None:
    """Let a signal that ends this server be its ordinary end, with exit code 0 (see ``leave``).

    The server would else raise the signal once more when all is closed. To be called when it has set its own handlers.
    """
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    if not isinstance(server, uvicorn.Server):
        return  # something else serves the app, and knows how to end it

    def stop(number: int, _: FrameType | None) -> None:
        if not server.started or (server.should_exit and number == signal.SIGINT):
            os._exit(128 + number)  # there is nothing to lose yet; or somebody presses Ctrl-C once more
        server.should_exit = True
        _asked_to_stop.set()

    server.config.timeout_graceful_shutdown = 1  # seconds for whoever is in the middle of a download
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)


_asked_to_stop = threading.Event()


def leave() -> None:
    """End the process at once, if a signal asked for it: all is closed.

    Python would wait for whatever is still computed in other threads, or end them in the midst of compiled code, by
    which the process can crash.
    """
    if _asked_to_stop.is_set():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
