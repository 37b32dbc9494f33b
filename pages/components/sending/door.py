"""The door: pages of other hosts may not open a WebSocket here.

Streamlit checks where its own sockets come from, but asks an outside host for this machine's address first, which makes
everybody wait, and it does not check routes beside its own.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config

_LOCAL = ("localhost", "127.0.0.1", "::1")
_REFUSED = 1008  # policy violation


class Door:
    """Lets in who comes from this server's own pages, or from no page at all."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and not _from_here(Headers(scope=scope)):
            await receive()
            await send({"type": "websocket.close", "code": _REFUSED})
            return
        await self._app(scope, receive, send)


def _from_here(headers: Headers) -> bool:
    """Tell whether a handshake comes from a page of this server: of the host that it was sent to, or of a known one."""
    origin = headers.get("origin")
    if origin is None or not config.get_option("server.enableCORS"):  # no browser, or whoever runs this allows all
        return True
    try:
        there = urlsplit(origin)
    except ValueError:  # it is no address at all
        return False
    if there.netloc and there.netloc == headers.get("host"):
        return True
    known = {*_LOCAL, config.get_option("browser.serverAddress"), *_listed()}
    return there.hostname in known


def _listed() -> list[str]:
    """Return the hosts that ``server.corsAllowedOrigins`` names, as behind a proxy that changes the host."""
    return [urlsplit(origin).hostname or "" for origin in config.get_option("server.corsAllowedOrigins")]
