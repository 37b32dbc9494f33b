"""A browser's tab without the browser: it speaks Streamlit's protocol, and asks for reruns when a browser would."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any, NamedTuple, Protocol
from urllib.parse import parse_qsl, urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileUploaderState, FileURLs, UploadedFileInfo
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

from .live import origin

_XSRF, _VISITOR = "_streamlit_xsrf", "cvar_visitor"  # cookies
# After these, a browser takes away what the script has not drawn again.
_WHOLE = ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY


class Widget(NamedTuple):
    id: str
    fragment_id: str  # empty outside of fragments


class Component(NamedTuple):
    """An element with JavaScript of its own."""

    key: str
    name: str
    data: Any


class Screen(Protocol):
    """What shows the components."""

    async def mount(self, component: Component) -> None: ...

    def unmount(self, key: str) -> None: ...


@dataclass
class Run:
    """What one run of the script, or of a fragment, has sent."""

    fragment_ids: list[str]
    begun: float
    elements: list[Element] = field(default_factory=list)
    size: int = 0  # bytes

    @property
    def texts(self) -> Iterator[str]:
        for element in self.elements:
            kind = element.WhichOneof("type")
            if kind in ("markdown", "html", "alert"):
                yield getattr(element, kind).body


class Tab:
    """One open page. Read ``runs`` all the time: that is also what shows its components."""

    def __init__(self, socket: ClientConnection, url: str, query: str, page: str = "", cookies: str = "") -> None:
        self._socket, self.url, self.query = socket, url, query
        self._page, self._page_name, self._cookies = "", page, cookies
        self._session = ""
        self._places: dict[str, asyncio.Future[FileURLs]] = {}  # by what was asked, where a file can be sent
        self._values: dict[str, WidgetState] = {}
        self._states: dict[str, dict[str, Any]] = {}  # of components, by their ids
        self._drawn: dict[str, Run] = {}  # by the keys of components, the run that drew them last
        self.screen: Screen | None = None
        self.widgets: dict[str, Widget] = {}  # by their key in the script

    async def runs(self) -> AsyncIterator[Run]:
        """Yield every run as it ends, or as another takes its place."""
        run = Run([], time.monotonic())
        async for data in self._socket:
            message = ForwardMsg.FromString(data)
            run.size += len(data)
            kind = message.WhichOneof("type")
            if kind == "new_session":
                if run.elements:
                    yield run  # its end was lost, but a browser has drawn it
                run = Run(list(message.metadata.run.fragment_ids), time.monotonic())
                self._page = message.new_session.page_script_hash
                self._session = message.new_session.initialize.session_id or self._session
            elif kind == "delta":
                await self._note(message, run)
            elif kind == "page_info_changed":
                self.query = message.page_info_changed.query_string
            elif kind == "file_urls_response":
                place = self._places.pop(message.file_urls_response.response_id)
                place.set_result(message.file_urls_response.file_urls[0])
            elif kind == "ref_hash":
                raise RuntimeError("The server counts on a cache of messages, which its settings turn off.")
            elif kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                if message.script_finished in _WHOLE:
                    self._clear(run)
                yield run
                run = Run([], time.monotonic())

    async def rerun(self, fragment_id: str = "", *, pressed: str | None = None) -> None:
        """Ask for a run, of a fragment or of everything; ``pressed`` is the id of a button."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_script_hash, state.fragment_id = self.query, self._page, fragment_id
        state.page_name = "" if self._page else self._page_name
        state.widget_states.widgets.extend(self._values.values())
        if pressed:
            state.widget_states.widgets.append(WidgetState(id=pressed, trigger_value=True))
        about = state.context_info
        about.url, about.locale, about.timezone, about.color_scheme = self.url, "en", "UTC", "light"
        await self._socket.send(message.SerializeToString())

    async def press(self, key: str) -> None:
        button = self.widgets[key]
        await self.rerun(button.fragment_id, pressed=button.id)

    async def enter(self, key: str, value: str | float) -> None:
        """Type a text or a number into a field that is bound to the URL, or choose it there."""
        widget = self.widgets[key]
        typed: dict[str, Any] = {"string_value" if isinstance(value, str) else "double_value": value}
        self._values[widget.id] = WidgetState(id=widget.id, **typed)
        self.query = urlencode({**dict(parse_qsl(self.query)), key: str(value)})
        await self.rerun(widget.fragment_id)

    async def upload(self, key: str, name: str, content: bytes) -> None:
        """Send a file to a field that takes files: as a browser does, beside the socket."""
        asked = BackMsg()
        request = asked.file_urls_request
        request.request_id, request.session_id = secrets.token_hex(8), self._session
        request.file_names.append(name)
        place = self._places[request.request_id] = asyncio.get_running_loop().create_future()
        await self._socket.send(asked.SerializeToString())
        there = await place
        await asyncio.to_thread(_send_file, f"{self.url}{there.upload_url}", self._cookies, name, content)
        info = UploadedFileInfo(name=name, size=len(content), file_id=there.file_id, file_urls=there)
        widget = self.widgets[key]
        sent = FileUploaderState(uploaded_file_info=[info])
        self._values[widget.id] = WidgetState(id=widget.id, file_uploader_state_value=sent)
        await self.rerun(widget.fragment_id)

    async def set_state(self, key: str, name: str, value: object) -> None:
        """Do what a component's ``setStateValue`` does: the fragment that it stands in runs again."""
        widget = self.widgets[key]
        state = self._states.setdefault(widget.id, {})
        state[name] = value
        self._values[widget.id] = WidgetState(id=widget.id, json_value=json.dumps(state))
        await self.rerun(widget.fragment_id)

    async def _note(self, message: ForwardMsg, run: Run) -> None:
        if message.delta.WhichOneof("type") != "new_element":
            return
        element = message.delta.new_element
        run.elements.append(element)
        kind = element.WhichOneof("type") or ""
        widget: Any = getattr(element, kind, None)
        key = key_of(getattr(widget, "id", ""))
        if not key:
            return
        self.widgets[key] = Widget(widget.id, message.delta.fragment_id)
        if kind == "bidi_component":
            self._drawn[key] = run
            if self.screen is not None and widget.WhichOneof("data") == "json":
                await self.screen.mount(Component(key, widget.component_name, json.loads(widget.json)))

    def _clear(self, run: Run) -> None:
        """Take away the components that a run has not drawn again; that of a fragment says nothing of the others."""
        for key, drawn in list(self._drawn.items()):
            if drawn is not run and (not run.fragment_ids or self.widgets[key].fragment_id in run.fragment_ids):
                del self._drawn[key]
                if self.screen is not None:
                    self.screen.unmount(key)


def key_of(widget_id: str) -> str:
    """Return the key that the script gave a widget.

    >>> key_of("$$ID-0123abcd-explore-run")
    'explore-run'
    """
    parts = widget_id.split("-", 2)
    return parts[2] if len(parts) == 3 and parts[0] == "$$ID" and parts[2] != "None" else ""


@asynccontextmanager
async def opened(url: str, query: str, page: str = "", visitor: str = "") -> AsyncIterator[Tab]:
    """Open a page by a link, as a browser does whose only cookie is the visitor's, if any; it has not run yet."""
    token = await asyncio.to_thread(_xsrf_token, url)
    cookies = "; ".join(f"{name}={value}" for name, value in ((_XSRF, token), (_VISITOR, visitor)) if value)
    protocols: Any = ["streamlit", token or "PLACEHOLDER_AUTH_TOKEN"]
    address = f"ws{url.removeprefix('http')}/_stcore/stream"
    async with connect(
        address, origin=origin(url), subprotocols=protocols, additional_headers={"Cookie": cookies} if cookies else {},  # type: ignore[arg-type]
        max_size=None, ping_interval=None,
    ) as socket:  # fmt: skip
        yield Tab(socket, url, query, page, cookies)


def _xsrf_token(url: str) -> str | None:
    with urllib.request.urlopen(f"{url}/_stcore/health", timeout=60) as answer:
        cookies = SimpleCookie(", ".join(answer.headers.get_all("Set-Cookie") or []))
    return cookies[_XSRF].value if _XSRF in cookies else None


def _send_file(address: str, cookies: str, name: str, content: bytes) -> None:
    head = f'--x\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n\r\n'.encode()
    token = SimpleCookie(cookies)[_XSRF].value
    headers = {"Cookie": cookies, "X-Xsrftoken": token, "Content-Type": "multipart/form-data; boundary=x"}
    request = urllib.request.Request(address, head + content + b"\r\n--x--\r\n", headers, method="PUT")
    urllib.request.urlopen(request, timeout=60).close()
