"""What has to be done with the insides of Streamlit, and of the server that it starts."""

import asyncio
import logging
import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType

import uvicorn
from starlette.formparsers import MultiPartParser
from streamlit import error_util, net_util, runtime
from streamlit import logger as streamlit_logger
from streamlit.runtime.app_session import AppSessionState
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner_utils.script_run_context import get_script_run_ctx
from streamlit.runtime.state import get_session_state
from streamlit.runtime.uploaded_file_manager import UploadedFile

LONGEST_MESSAGE = 4 * 2**20  # bytes of what a page says at a time: what its fields hold
_SOON = 0.3  # seconds


def run_pages_under_the_app() -> None:
    """Have every page run under ``app.py``, from the first visitor on.

    Until ``app.py`` has called ``st.navigation`` once, Streamlit takes a folder named ``pages`` for the app's list of
    pages: the first visitors of a server who open a page by its link would see it without the app around it.
    """
    PagesManager.uses_pages_directory = False


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


def trust_nobody() -> None:
    """Have the server say who has connected, and hold little of what they send.

    It would believe whoever connects from this machine, such as a proxy's clients, about their address, and Streamlit
    would have it take messages of 200 MB. Files stay in memory until they are whole, as they do later: their bytes are
    counted, and a container's folder for temporary files is small.
    """
    MultiPartParser.spool_max_size = 0  # without end
    server = _server()
    if server is not None:
        server.config.proxy_headers, server.config.ws_max_size = False, LONGEST_MESSAGE


def log_by(handler: logging.Handler) -> None:
    """Have Streamlit log by a handler, also what is still to be loaded of it: its own write traces on many lines."""

    def set_up(logger: logging.Logger) -> None:
        for each in list(logger.handlers):
            logger.removeHandler(each)
        logger.addHandler(handler)

    streamlit_logger.setup_formatter = set_up
    streamlit_logger.update_formatter()


def leave_errors_to_the_app() -> None:
    """Keep Streamlit from printing a stack trace for an error that the app is told of, and logs by itself."""
    if _server() is not None:  # a test of a single page has nobody to tell
        error_util._log_uncaught_app_exception = lambda _: None


def page_name() -> str:
    """Return the name of the page whose script runs."""
    context = get_script_run_ctx()
    known = None if context is None else context.pages_manager.get_pages().get(context.page_script_hash)
    return "unknown" if known is None else Path(known["script_path"]).stem


def end_well() -> None:
    """Let a signal that ends this server be its ordinary end, with exit code 0 (see ``leave``).

    The server would else raise the signal once more when all is closed.
    """
    server = _server()
    if server is None:
        return  # something else serves the app, and knows how to end it

    def stop(number: int, _: FrameType | None) -> None:
        if not server.started or (server.should_exit and number == signal.SIGINT):
            os._exit(128 + number)  # there is nothing to lose yet; or somebody presses Ctrl-C once more
        server.should_exit = True
        _asked_to_stop.set()

    server.config.timeout_graceful_shutdown = 1  # seconds for whoever is in the middle of a download
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)


def _server() -> uvicorn.Server | None:
    """Return the server that has begun to load the app: it has set its handlers of signals by then."""
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    return server if isinstance(server, uvicorn.Server) else None


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


# Files that visitors send are in Streamlit's memory until something takes them out: it does so itself when the session
# ends, and not when a page has read them.


def session_id() -> str:
    """Return what tells the tab whose script this is from others; nothing if there is none."""
    context = get_script_run_ctx()
    return "" if context is None else context.session_id


def is_open(session: str) -> bool:
    return runtime.exists() and runtime.get_instance().is_active_session(session)


def run_again(session: str) -> None:
    """Have a tab's script run once more, with its fields as they are; to be called in the server's own thread."""
    known = runtime.get_instance()._session_mgr.get_active_session_info(session)
    if known is None:
        return
    tab = known.session
    if tab._state is AppSessionState.APP_IS_RUNNING:  # with what has just been typed, which would be lost
        asyncio.get_running_loop().call_later(_SOON, run_again, session)
    else:
        tab.request_rerun(tab._client_state)


def files_of(session: str) -> list[str]:
    """Return the ids of the files of a tab that are in memory."""
    files = _in_memory()
    return [] if files is None else list(files.file_storage.get(session, {}))


def still_here(file: object) -> bool:
    """Tell whether a file that a field names is in memory, and has not been let go."""
    return isinstance(file, UploadedFile)


def let_go(session: str, file: str) -> None:
    """Let go of a file in memory, if it is there."""
    files = _in_memory()
    if files is not None:
        files.remove_file(session, file)


def _in_memory() -> MemoryUploadedFileManager | None:
    """Return where files are; a page under test has no such place."""
    files = runtime.get_instance().uploaded_file_mgr if runtime.exists() else None
    return files if isinstance(files, MemoryUploadedFileManager) else None
