"""The stream: one WebSocket for each live element of a page, on which the newest state of its subject is sent.

A message is sent when there is something new, and the next one only when the browser has drawn it: nothing queues
behind a slow reader, who gets the newest state next. Whoever shares a server with many waits a little longer
between two messages, in proportion to how long the drawing took to come; and a browser that draws slowly is left alone
for as long as it took, so that half of its time is its visitor's.

The browser says first, and whenever it changes: ``{"number": …, "ticket": …, "part": …, "look": {…}}``, and after each
message ``{"drawn": true}``. The server says ``{"answers": the number, "boot": …, "settled": …, "words": …, "spread": …,
"picture": {…}}``, without the picture when it is still the same; at least every few seconds, so that a dead connection
is noticed. While a picture takes longer than that, it says again what it said last; ``words`` are ``null`` where that
was nothing. ``spread`` is the time in ms over which browsers had better spread what they all want to do at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from cvar_core import SpecError

from ..drawing.look import Look
from . import server
from .address import below_base
from .server import Shared
from .subjects import Seen, Subject, Unwatch, subject_of

log = logging.getLogger(__name__)

PATIENCE = 60.0  # seconds until a message is drawn, after which nobody is there
GREETING = 20.0  # seconds until the browser has said what it wants
OFTEN = 0.2  # seconds between two messages, at least,
SOON = 0.03  # or only so many while there is hardly anything to see yet,
_SHARE = 6  # and so many times as long as the one before took to be drawn
_LONGEST = 10_000  # characters of what a browser says
NOT_READY = 1011  # the code with which a server that is not set up rightly refuses
UNKNOWN = 4001  # the code with which a ticket is refused
_SPREAD = 10  # ms for each live element: about what one of them costs when a run ends
_FAILED = b'{"above": "<p>This could not be drawn. The server\'s log has the details.</p>", "charts": [], "below": ""}'


def routes() -> list[WebSocketRoute]:
    return [WebSocketRoute(below_base("live"), listen)]


async def listen(websocket: WebSocket) -> None:
    """Serve one live element until it leaves."""
    await websocket.accept()
    try:
        shared = server.opened()
    except SpecError:  # the pages say what is wrong
        await websocket.close(NOT_READY)
        return
    await Listener(websocket, shared).serve()


@dataclass(frozen=True)
class Wanted:
    """What a browser wants to see."""

    number: int
    subject: Subject
    part: str
    look: Look

    @classmethod
    def read(cls, said: dict[str, Any], shared: Shared) -> Wanted | None:
        """Return what is wanted by what a browser says; ``None`` where its ticket is not for that."""
        named = shared.tickets.subject(said["ticket"])
        subject = None if named is None else subject_of(named, shared)
        part, number = said.get("part"), said.get("number")
        if subject is None or part not in subject.parts or not isinstance(number, int):
            return None
        return cls(number, subject, part, Look.read(said.get("look")))


class Listener:
    """The server's side of one live element."""

    listening = 0  # how many there are now

    def __init__(self, websocket: WebSocket, shared: Shared) -> None:
        self._websocket, self._shared = websocket, shared
        self._loop = asyncio.get_running_loop()
        self._wanted: Wanted | None = None
        self._watched: Subject | None = None
        self._unwatch: Unwatch = _nothing
        self._seen = Seen()
        self._sent: Hashable = None  # the name of the picture that the browser has
        self._beat = json.dumps({"answers": 0, "boot": shared.boot, "settled": "", "words": None, "spread": 0})
        self._spoke = time.monotonic()  # when something was sent last
        self._news = asyncio.Event()  # there may be something new
        self._asked = asyncio.Event()  # the browser has said what it wants, or something else than before
        self._drawn = asyncio.Event()

    async def serve(self) -> None:
        hearing = asyncio.create_task(self._hear())
        Listener.listening += 1
        try:
            await self._until(self._asked, hearing, GREETING)
            while not hearing.done() and self._wanted is not None:
                begun = time.monotonic()
                text = await self._message(hearing)
                if text is None:
                    break  # it has left meanwhile
                pause = max(SOON if self._seen.soon else OFTEN, _SHARE * (time.monotonic() - begun))
                sent = time.monotonic()
                if not await self._send(text, hearing):
                    break  # nobody is there
                if not self._seen.soon:
                    pause = max(pause, time.monotonic() - sent)
                # What the visitor changes need not wait; and who hears nothing believes that nobody is there.
                pause = min(pause, server.HEARTBEAT / 2)
                await self._until(self._asked, hearing, pause)
                await self._until(self._news, hearing, server.HEARTBEAT - pause)
        except (WebSocketDisconnect, RuntimeError) as why:
            if not _has_left(why):
                raise
        finally:
            Listener.listening -= 1
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)
            self._loop.run_in_executor(None, self._unwatch)  # the manager's lock is none for an event loop
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it may be closed already
                await self._websocket.close()

    async def _send(self, text: str, hearing: asyncio.Task[None]) -> bool:
        """Send a message, and tell whether the browser has drawn it."""
        self._drawn.clear()
        await self._websocket.send_text(text)
        self._spoke = time.monotonic()
        return await self._until(self._drawn, hearing, PATIENCE)

    @staticmethod
    async def _until(event: asyncio.Event, hearing: asyncio.Task[None], seconds: float) -> bool:
        """Wait for an event, for the browser to leave or for the time to pass; tell whether it was the event."""
        if not event.is_set():
            waiting = asyncio.create_task(event.wait())
            await asyncio.wait({waiting, hearing}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
        return event.is_set()

    async def _hear(self) -> None:
        """Take what the browser says, until it leaves."""
        while True:
            received = await self._websocket.receive()
            if received["type"] == "websocket.disconnect":
                return
            said = _read(received.get("text"))
            if "drawn" in said:
                self._drawn.set()
            if "ticket" in said:
                self._wanted = Wanted.read(said, self._shared)
                if self._wanted is None:
                    await self._websocket.close(UNKNOWN)
                    return
                self._asked.set()
                self._news.set()

    def _tell(self) -> None:
        """There may be something new; to be called by any thread."""
        if not self._news.is_set():
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._news.set)

    async def _message(self, hearing: asyncio.Task[None]) -> str | None:
        """Return what the browser does not know yet; ``None`` if it has left before that was drawn."""
        wanted, soon, news = self._wanted, self._asked.is_set(), self._news.is_set()
        assert wanted is not None
        self._asked.clear()
        self._news.clear()
        if not news and not wanted.subject.restless:
            return self._said(wanted, None)  # a heartbeat
        drawing = asyncio.create_task(self._shared.studio.draw(lambda: self._draw(wanted), soon=soon))
        there = True
        try:
            while there and not drawing.done():
                due = max(0.0, self._spoke + server.HEARTBEAT - time.monotonic())
                await asyncio.wait({drawing, hearing}, timeout=due, return_when=asyncio.FIRST_COMPLETED)
                # Where many wait for the studio, or it for the store, the connection is none the worse.
                there = drawing.done() or (not hearing.done() and await self._send(self._beat, hearing))
            return self._said(wanted, drawing.result()) if there else None
        finally:
            drawing.cancel()

    def _draw(self, wanted: Wanted) -> bytes | None:
        """Look at the subject, and return its picture if the browser has another; called by the studio."""
        if self._watched is not wanted.subject:
            self._unwatch()
            self._unwatch = wanted.subject.watch(self._tell)
            self._watched = wanted.subject
        try:
            self._seen = seen = wanted.subject.seen(wanted.part, wanted.look)
            if seen.picture is None or seen.name == self._sent:
                return None
            self._sent = seen.name  # if it fails, too: it would fail again
            return seen.picture()
        except Exception:
            log.exception("nothing could be drawn part=%s", wanted.part)
            return _FAILED

    def _said(self, wanted: Wanted, picture: bytes | None) -> str:
        told = {
            "answers": wanted.number, "boot": self._shared.boot, "settled": self._seen.settled,
            "words": self._seen.words, "spread": _SPREAD * Listener.listening,
        }  # fmt: skip
        said = self._beat = json.dumps(told)
        return said if picture is None else f'{said[:-1]}, "picture": {picture.decode()}}}'


def _has_left(why: Exception) -> bool:
    """Tell whether an error only says that the browser has left: Starlette has no class of its own for that."""
    return isinstance(why, WebSocketDisconnect) or "websocket" in str(why) or "disconnect" in str(why).lower()


def _read(text: str | None) -> dict[str, Any]:
    """Return what a browser says; anybody may say anything."""
    try:
        said = json.loads((text or "")[:_LONGEST])
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _nothing() -> None:
    """Ends the watching of nothing."""
