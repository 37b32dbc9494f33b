"""The intake: files that visitors send are bounded before they are held, by size, by number and by address.

Streamlit takes whatever is sent to its upload address into memory, however often it is sent, and keeps it until the tab
is closed. The field on the page checks sizes in the browser, which binds nobody who sends without it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cvar_core.jobs import FRAME

from .. import internals
from ..asking import turned_away
from . import server
from .room import Room
from .whence import whence_in

log = logging.getLogger(__name__)

_ADDRESS = "/_stcore/upload_file/"
SILENCE = 20.0  # seconds without a byte after which nothing more will come
KEPT = 900.0  # seconds in which a page has to take a file; the first of several waits for the last
_BUSY = "The server is taking in as many files as it can. Try again in a moment."


class _Name(NamedTuple):
    session: str
    file: str


@dataclass
class _Transfer:
    """A file: where it comes from, and how much of it has come."""

    address: str
    bytes: int = 0


class _Refused(HTTPException):
    """A file that is not taken in. Raised while Streamlit reads it, it becomes the answer."""


class Intake:
    """Stands before Streamlit's upload address."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        told = server.told()
        self._proxies, self._limits = told.proxies, told.limits
        self._room = Room(told.limits.upload_memory, told.limits.upload_memory_per_address)
        self._coming: Counter[str] = Counter()  # files of each session
        self._whole: dict[_Name, _Transfer] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        _, found, rest = scope.get("path", "").partition(_ADDRESS)
        name = _Name(*rest.partition("/")[::2])
        if not found or scope["type"] != "http" or scope["method"] != "PUT" or not internals.is_open(name.session):
            await self._app(scope, receive, send)  # who names a session that is none hears so before a byte is read
            return
        transfer = _Transfer(whence_in(scope, self._proxies))
        try:
            self._ensure_welcome(name, transfer, Headers(scope=scope).get("content-length", ""))
        except _Refused as why:
            await PlainTextResponse(why.detail, why.status_code)(scope, receive, send)
            _say(name, transfer, why)
            return
        await self._take_in(name, transfer, scope, receive, send)

    def _ensure_welcome(self, name: _Name, transfer: _Transfer, length: str) -> None:
        """Refuse what can be refused before a byte has come."""
        self._count_what_left()
        size = int(length) if length.isdecimal() else 0  # it need not be told
        self._ensure_small(size)
        others = [file for file in internals.files_of(name.session) if file != name.file]
        if len(others) + self._coming[name.session] >= self._limits.uploads:
            files = "1 file" if self._limits.uploads == 1 else f"{self._limits.uploads} files"
            raise _Refused(429, f"You can send {files} at a time. Try again with fewer.")
        if not self._room.fits(transfer.address, size):
            raise _Refused(503, _BUSY)

    def _ensure_small(self, size: int) -> None:
        if size > self._limits.upload + FRAME:
            most = f"{self._limits.upload / 2**20:,.1f} MB"
            raise _Refused(413, f"The file is too large: this server takes at most {most}.")

    async def _take_in(self, name: _Name, transfer: _Transfer, scope: Scope, receive: Receive, send: Send) -> None:
        """Have Streamlit read a file, and count its bytes as they come."""
        kept = False

        async def receive_counted() -> Message:
            try:
                message = await self._next(receive)
                self._count(transfer, len(message.get("body", b"")))
            except _Refused as why:
                _say(name, transfer, why)
                raise
            return message

        async def send_seen(message: Message) -> None:
            nonlocal kept
            if message["type"] == "http.response.start":
                kept = message["status"] < 300
            await send(message)

        self._coming[name.session] += 1
        try:
            await self._app(scope, receive_counted, send_seen)
        except ClientDisconnect:
            pass  # whoever sent it has thought better of it
        finally:
            self._coming -= Counter([name.session])
            self._keep(name, transfer) if kept else self._room.give(transfer.address, transfer.bytes)

    async def _next(self, receive: Receive) -> Message:
        try:
            return await asyncio.wait_for(receive(), SILENCE)
        except TimeoutError:
            raise _Refused(408, "The file stopped coming. Try again.") from None

    def _count(self, transfer: _Transfer, size: int) -> None:
        self._ensure_small(transfer.bytes + size)
        if not self._room.take(transfer.address, size):
            raise _Refused(503, _BUSY)
        transfer.bytes += size

    def _keep(self, name: _Name, transfer: _Transfer) -> None:
        """Count a file until Streamlit has let go of it, and have it do so in a while."""
        self._forget(name)  # one of the same name is no more
        self._whole[name] = transfer
        asyncio.get_running_loop().call_later(KEPT, internals.let_go, *name)

    def _count_what_left(self) -> None:
        there = {session: internals.files_of(session) for session in {name.session for name in self._whole}}
        for name in [name for name in self._whole if name.file not in there[name.session]]:
            self._forget(name)

    def _forget(self, name: _Name) -> None:
        if name in self._whole:
            transfer = self._whole.pop(name)
            self._room.give(transfer.address, transfer.bytes)


def _say(name: _Name, transfer: _Transfer, why: _Refused) -> None:
    """Log that a file was refused, and have the page say so: the field that sent it cannot."""
    log.info("upload refused status=%d session=%s bytes=%d", why.status_code, name.session[:8], transfer.bytes)
    turned_away.note(name.session, why.detail)
    internals.run_again(name.session)
