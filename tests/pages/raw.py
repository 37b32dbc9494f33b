"""A visitor without a browser: opens sockets, and says on them what anybody could."""

import contextlib
import http.client
import json
import re
import time
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
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


def said_to(page: ClientConnection, kind: str, **said: Any) -> Any:
    """Say something of Streamlit's protocol, and return the first answer of a kind, such as "new_session"."""
    tell(page, **said)
    while True:
        answer = ForwardMsg.FromString(page.recv(timeout=_PATIENCE))
        if answer.WhichOneof("type") == kind:
            return getattr(answer, kind)


def whole_run(page: ClientConnection, **asked: Any) -> list[Any]:
    """Have a page's script run, and return all that it sends."""
    tell(page, rerun_script=asked)
    sent: list[Any] = []
    while not sent or sent[-1].WhichOneof("type") != "script_finished":
        sent.append(ForwardMsg.FromString(page.recv(timeout=_PATIENCE)))
    return sent


def put(server: Server, session: str, file: str, *parts: bytes, length: int | None = None) -> tuple[int, str]:
    """Send a file to Streamlit's upload address; return the number and the words of the answer.

    With a ``length`` that is all of it which is told, and nothing is sent.
    """
    with urllib.request.urlopen(f"{server.url}/_stcore/health") as answer:
        cookie = answer.headers["Set-Cookie"].partition(";")[0]
    headers = {
        "Cookie": cookie,
        "X-Xsrftoken": cookie.partition("=")[2],
        "Content-Type": "multipart/form-data; boundary=x",
    }
    start = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f.csv"\r\n\r\n'
    line = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=_PATIENCE)
    with contextlib.closing(line):
        path = f"{urlsplit(server.url).path}/_stcore/upload_file/{session}/{file}"
        if length is None:
            line.request("PUT", path, iter([start, *parts, b"\r\n--x--\r\n"]), headers, encode_chunked=True)
        else:
            line.request("PUT", path, None, {**headers, "Content-Length": str(length)})
        found = line.getresponse()
        return found.status, found.read().decode()


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
