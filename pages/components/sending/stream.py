"""The stream: one WebSocket for each live element of a page, on which the newest state of its subject is sent.

A message is sent when there is something new, and the next one only when the browser has drawn it: nothing queues
behind a slow reader, who gets the newest state next. Whoever shares a server with many waits a little longer
between two messages, in proportion to how long the drawing took to come.

The browser says first, and whenever it changes: ``{"ticket": …, "part": …, "look": {…}}``, and after each message
``{"drawn": true}``. The server says ``{"boot": …, "settled": …, "words": …, "picture": {…}}``, without the picture
when it is still the same; at least every few seconds, so that a dead connection is noticed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Hashable
from typing import Any

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit import config

from cvar_core import SpecError

from ..drawing.look import Look
from . import server
from .server import Shared
from .subjects import Seen, Subject, Unwatch, subject_of

log = logging.getLogger(__name__)

PATIENCE = 60.0  # seconds until a message is drawn, after which nobody is there
GREETING = 20.0  # seconds until the browser has said what it wants
OFTEN = 0.2  # seconds between two messages, at least,
_SHARE = 6  # and so many times as long as the one before took to be drawn
_LONGEST = 10_000  # characters of what a browser says
NOT_READY = 1011  # the code with which a server that is not set up rightly refuses
UNKNOWN = 4001  # the code with which a ticket is refused


def routes() -> list[WebSocketRoute]:
    """Return the stream's address, which lies below that of the pages; Streamlit adds no prefix to routes of an app."""
    base = config.get_option("server.baseUrlPath").strip("/")
    return [WebSocketRoute(f"/{base}/live" if base else "/live", listen)]


async def listen(websocket: WebSocket) -> None:
    """Serve one live element until it leaves."""
    await websocket.accept()
    try:
        shared = server.opened()
    except SpecError:  # the pages say what is wrong
        await websocket.close(NOT_READY)
        return
    await Listener(websocket, shared).serve()


class Listener:
    """The server's side of one live element."""

    def __init__(self, websocket: WebSocket, shared: Shared) -> None:
        self._websocket, self._shared = websocket, shared
        self._loop = asyncio.get_running_loop()
        self._subject: Subject | None = None
        self._unwatch: Unwatch | None = None
        self._part, self._look = "", Look()
        self._sent: Hashable = None  # the name of the picture that the browser has
        self._news = asyncio.Event()  # there may be something new
        self._asked = asyncio.Event()  # the browser has said what it wants, or something else than before
        self._drawn = asyncio.Event()

    async def serve(self) -> None:
        hearing = asyncio.create_task(self._hear())
        try:
            await asyncio.wait_for(self._first(self._asked, hearing), GREETING)
            while not hearing.done():
                took = await self._send()
                await asyncio.wait_for(self._first(self._drawn, hearing), PATIENCE)
                with contextlib.suppress(TimeoutError):  # what the visitor changes need not wait
                    await asyncio.wait_for(self._first(self._asked, hearing), max(OFTEN, _SHARE * took))
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._first(self._news, hearing), server.HEARTBEAT)
        except (TimeoutError, WebSocketDisconnect, RuntimeError):
            pass  # it has left, or is not there any more
        finally:
            hearing.cancel()
            if self._unwatch is not None:
                self._unwatch()
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it may be closed already
                await self._websocket.close()

    @staticmethod
    async def _first(event: asyncio.Event, hearing: asyncio.Task[None]) -> None:
        """Wait for an event, or for the browser to leave."""
        waiting = asyncio.create_task(event.wait())
        try:
            await asyncio.wait({waiting, hearing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()

    async def _hear(self) -> None:
        """Take what the browser says, until it leaves."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                said = _read(await self._websocket.receive_text())
                if "drawn" in said:
                    self._drawn.set()
                if "ticket" in said and not self._take(said):
                    await self._websocket.close(UNKNOWN)
                    return

    def _take(self, said: dict[str, Any]) -> bool:
        """Listen to what a ticket is for, and look as the browser says; tell whether the ticket is good."""
        subject = self._shared.tickets.subject(said["ticket"])
        found = None if subject is None else subject_of(subject, self._shared)
        if found is None:
            return False
        if self._unwatch is not None:
            self._unwatch()
        self._subject, self._unwatch = found, found.watch(self._tell)
        self._part, self._look = str(said.get("part", "")), Look.read(said.get("look"))
        self._asked.set()
        self._news.set()
        return True

    def _tell(self) -> None:
        """There may be something new; to be called by any thread."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._news.set)

    async def _send(self) -> float:
        """Send what there is now, and return the seconds that it took to be drawn."""
        soon = self._asked.is_set()
        self._asked.clear()
        self._news.clear()
        self._drawn.clear()
        begun = time.monotonic()
        text = await self._shared.studio.draw(self._message, soon=soon)
        took = time.monotonic() - begun
        await self._websocket.send_text(text)
        return took

    def _message(self) -> str:
        """Return what the browser does not know yet; called by the studio."""
        assert self._subject is not None
        part, look = self._part, self._look
        try:
            seen = self._subject.seen(part, look)
            drawn = seen.picture() if seen.picture is not None and seen.name != self._sent else None
        except Exception:
            log.exception("nothing could be drawn part=%s", part)
            seen, drawn = Seen("This could not be drawn. The server's log has the details."), None
        said = json.dumps({"boot": self._shared.boot, "settled": seen.settled, "words": seen.words})
        if drawn is None:
            return said
        self._sent = seen.name
        return f'{said[:-1]}, "picture": {drawn.decode()}}}'


def _read(text: str) -> dict[str, Any]:
    """Return what a browser says; anybody may say anything."""
    try:
        said = json.loads(text[:_LONGEST])
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
