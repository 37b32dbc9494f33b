"""A visitor without a browser: opens sockets, and says on them what anybody could."""

import json
import re
import time
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from tests.pages.serving import Server

_PATIENCE = 60  # seconds


def socket(server: Server, path: str, origin: str | None = None) -> ClientConnection:
    """Open a socket, as a page of that origin does."""
    address = f"ws{server.url.removeprefix('http')}/{path}"
    said_by = None if origin is None else Origin(origin)
    protocols = [Subprotocol("streamlit")] if "stream" in path else None
    return connect(address, origin=said_by, subprotocols=protocols, max_queue=None)  # what nobody reads is read, too


def tell(page: ClientConnection, **said: Any) -> None:
    """Say something of Streamlit's protocol."""
    page.send(BackMsg(**said).SerializeToString())


def until_logged(server: Server, event: str) -> str:
    """Wait until there is such a line in the server's log, and return the id of its run."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        if found := re.search(rf"event={event} run=(\w+)", server.said()):
            return found[1]
        time.sleep(0.05)
    raise AssertionError(f"{event} was not logged: {server.said()}")


def ask(stream: ClientConnection, ticket: str, part: str = "status") -> None:
    """Ask for what a ticket is for, as a live element does."""
    stream.send(json.dumps({"number": 1, "ticket": ticket, "part": part}))


def heard(stream: ClientConnection) -> dict[str, Any]:
    """Return what is sent next, and have it drawn."""
    said = json.loads(stream.recv(timeout=_PATIENCE))
    stream.send(json.dumps({"drawn": True}))
    return dict(said)
