"""What all visitors of this server share: the manager of runs, the keeper of files, the data sets at hand, the stream.

It is opened once, by the lifespan of the app, and held by this module: not by Streamlit's cache, which any visitor may
have cleared by a message.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import secrets
import threading
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

import streamlit as st

from cvar_core import SpecError
from cvar_core.cluster import AHEAD, Cluster
from cvar_core.jobs import Manager, Settings, Shelf, Uploads, Whereabouts, threads
from cvar_core.keeping import Kept
from cvar_core.store import Store

from .. import internals
from ..asking.visitor import visitor_id
from . import logs
from .address import address
from .allocation import give_back_soon
from .studies import Studies
from .studio import Studio
from .ticket import Tickets
from .whence import FORWARDED, whence

log = logging.getLogger(__name__)

HEARTBEAT = 5.0  # seconds between two messages of the stream, at the most
_PICTURES = 16 * 2**20  # bytes of those that are kept; one has some 40 kB
_LONGEST_CLOSE = 4.0  # seconds; what is still computed then is lost, and computed anew by whoever resumes the run


@dataclass(frozen=True)
class Shared:
    """Lives as long as the server."""

    settings: Settings
    manager: Manager
    uploads: Uploads
    shelf: Shelf
    tickets: Tickets
    whereabouts: Whereabouts = field(default_factory=Whereabouts)
    studies: Studies = field(default_factory=lambda: Studies(threads(1)))
    cluster: Cluster | None = None  # whose workers compute, if not this server's
    studio: Studio = field(default_factory=Studio)
    pictures: Kept[Hashable, bytes] = field(default_factory=lambda: Kept(_PICTURES, len))  # drawn once for all
    boot: str = field(default_factory=lambda: secrets.token_hex(8))  # tells a page that the server is another one now


_shared: Shared | None = None
_closed = False
_opening = threading.Lock()


def opened() -> Shared:
    """Return what all share, opened by whoever comes first; a setting that cannot be read raises ``SpecError``."""
    global _shared
    with _opening:
        if _closed:
            raise SpecError("the server is shutting down")
        if _shared is None:
            _shared = _open(Settings.read(os.environ))
        return _shared


def close() -> None:
    """Stop all work; what was under way can be resumed by the next server on the same data."""
    global _shared, _closed
    with _opening:
        _closed = True
        if _shared is not None:
            _shared.studio.close()
            _shared.studies.close()
            _shared.manager.close()
            _shared = None


def _open(told: Settings) -> Shared:
    whereabouts = Whereabouts()
    uploads = Uploads(told.folder / "uploads", told.limits, whereabouts)
    uploads.keep_tidy()
    warn = partial(log.warning, "store %s")
    store = Store.open(told.folder / "runs.sqlite", told.limits.store, mend=True, tell=warn)  # the pages say it, too
    shelf, tickets = Shelf(told.limits.data), Tickets.kept_in(told.folder)
    if told.scheduler:
        cluster = Cluster(told.scheduler, patience=None)  # it may come later
        manager = Manager(store, cluster, cluster.threads, told.limits, whereabouts, AHEAD, lambda: cluster.trouble)
        cluster.tell = manager.look_again
        return Shared(told, manager, uploads, shelf, tickets, whereabouts, cluster=cluster)
    workers = threads(told.workers)
    manager = Manager(store, workers, told.workers, told.limits, whereabouts)
    return Shared(told, manager, uploads, shelf, tickets, whereabouts, Studies(workers))


def prepare() -> None:
    """Do what has to be done before the server starts."""
    logs.configure()
    give_back_soon()
    internals.run_pages_under_the_app()
    internals.stay_at_home()
    internals.trust_nobody()
    internals.leave_errors_to_the_app()
    internals.end_well()


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Open what all share before the first visitor comes, with what the first run needs, and close it at the end."""
    try:
        await asyncio.to_thread(_warm_up)
    except SpecError as wrong:
        log.error("settings %s", wrong)  # the pages say it, too
    except Exception:
        log.exception("the server is not ready")  # what fails will fail again where it is asked for, and say so
    print(f"The dashboard is at {address()} (Ctrl-C ends it).", flush=True)
    yield
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(asyncio.to_thread(close), _LONGEST_CLOSE)
    internals.leave()


def _warm_up() -> None:
    from . import warm  # heavy: only the server needs it

    opened()
    warm.up()
    gc.collect()
    gc.freeze()  # what the libraries hold lives as long as the server: no collection need look at it again


def told() -> Settings:
    """Return the settings in force, also before anything is opened; where they cannot be read, the usual ones."""
    try:
        return Settings.read(os.environ) if _shared is None else _shared.settings
    except SpecError:
        return Settings()  # the pages say what is wrong


# What a page asks for. Where the settings cannot be read, it says so and ends there.


def manager() -> Manager:
    return _for_a_page().manager


def studies() -> Studies:
    """Return the studies of a network."""
    return _for_a_page().studies


def uploads() -> Uploads:
    """Return the visitors' files."""
    return _for_a_page().uploads


def shelf() -> Shelf:
    """Return the data sets that are kept ready for all visitors."""
    return _for_a_page().shelf


def settings() -> Settings:
    """Return what the server was told."""
    return _for_a_page().settings


def known_visitor() -> str:
    """Return the id of the page's visitor, and note where they come from; to be called once in each run of a page."""
    shared, identity = _for_a_page(), visitor_id()
    address = whence(st.context.ip_address, st.context.headers.get_all(FORWARDED), shared.settings.proxies)
    shared.whereabouts.note(identity, address)
    return identity


def ticket(*subject: str) -> str:
    """Return what lets a page's live element listen."""
    return _for_a_page().tickets.issue(*subject)


def boot() -> str:
    """Return what tells this server from the one before a restart."""
    return _for_a_page().boot


def _for_a_page() -> Shared:
    try:
        return opened()
    except SpecError as wrong:
        log.error("settings %s", wrong)
        st.error(f"This server is not set up rightly: {wrong}.", icon=":material/settings_alert:")
        st.stop()
