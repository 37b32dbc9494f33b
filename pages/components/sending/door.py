"""The door: pages of other hosts may not open a WebSocket here, and nobody may take all the room.

Streamlit checks where its own sockets come from, but asks an outside host for this machine's address first, which makes
everybody wait, and it does not check routes beside its own. Each of its sockets takes four open files, said a word or
not; where there are no more, the server can neither take a visitor in nor read its own data.
"""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from . import server
from .room import Room
from .whence import whence_in

_LOCAL = ("localhost", "127.0.0.1", "::1")
_REFUSED = 1008  # policy violation
_TAB = "/_stcore/stream"
_FILES = 4  # of a tab: its socket, and three of the event loop that Streamlit makes for each session
_OTHERS = 550  # files of the server itself, and of 128 sessions whose tabs have left, which Streamlit keeps for a while
_PLENTY = 2**16
SILENCE = 20.0  # seconds after which a tab that has said nothing is none


class Door:
    """Lets in who comes from this server's own pages, or from none, while there is room, also of their address."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        told, files = server.told(), _open_files()
        whole = max(files - _OTHERS, files // 2)
        self._proxies, self._room = told.proxies, Room(whole, told.limits.of_an_address(whole))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        tab = scope["path"].endswith(_TAB)
        files = _FILES if tab else 1
        address = whence_in(scope, self._proxies)
        if not (_from_here(Headers(scope=scope)) and self._room.take(address, files)):
            await receive()
            await send({"type": "websocket.close", "code": _REFUSED})
            return
        try:
            await self._app(scope, _within(receive, send) if tab else receive, send)
        finally:
            self._room.give(address, files)


def _open_files() -> int:
    """Let this process open as many files as it may, within reason, and return how many that are."""
    try:
        import resource
    except ImportError:  # a system that counts otherwise
        return _PLENTY
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _PLENTY if hard == resource.RLIM_INFINITY else min(hard, _PLENTY)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
    except (OSError, ValueError):
        return soft
    return most


def _within(receive: Receive, send: Send) -> Receive:
    """Return what receives the messages of a socket, and closes it if none comes after the handshake."""
    heard = 0

    async def receive_soon() -> Message:
        nonlocal heard
        heard += 1
        if heard != 2:  # the first is the handshake
            return await receive()
        try:
            return await asyncio.wait_for(receive(), SILENCE)
        except TimeoutError:
            await send({"type": "websocket.close", "code": _REFUSED})
            return {"type": "websocket.disconnect", "code": _REFUSED}

    return receive_soon


def _from_here(headers: Headers) -> bool:
    """Tell whether a handshake comes from a page of this server: of the host that it was sent to, or of a known one."""
    origin = headers.get("origin")
    if origin is None or not st.get_option("server.enableCORS"):  # no browser, or whoever runs this allows all
        return True
    try:
        there = urlsplit(origin)
    except ValueError:  # it is no address at all
        return False
    if there.netloc and there.netloc == headers.get("host"):
        return True
    known = {*_LOCAL, st.get_option("browser.serverAddress"), *_listed()}
    return there.hostname in known


def _listed() -> list[str]:
    """Return the hosts that ``server.corsAllowedOrigins`` names, as behind a proxy that changes the host."""
    return [urlsplit(origin).hostname or "" for origin in st.get_option("server.corsAllowedOrigins")]
