"""A browser's tab without the browser: it speaks Streamlit's protocol, and asks for reruns when a browser would."""

from __future__ import annotations

import asyncio
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from .cache import MessageCache


class Widget(NamedTuple):
    id: str
    fragment_id: str  # empty outside of fragments


@dataclass
class Run:
    """What one run of the script, or of a fragment, has sent."""

    fragment_ids: list[str]
    begun: float
    elements: list[Element] = field(default_factory=list)

    @property
    def texts(self) -> Iterator[str]:
        for element in self.elements:
            kind = element.WhichOneof("type")
            if kind in ("markdown", "html", "alert"):
                yield getattr(element, kind).body


class Tab:
    """One open page. Read ``runs`` all the time: that is also what answers the server."""

    def __init__(self, socket: ClientConnection, url: str, query: str) -> None:
        self._socket, self._url, self._query = socket, url, query
        self._page = ""
        self._cache = MessageCache()
        self._values: dict[str, WidgetState] = {}
        self._timers: dict[str, tuple[float, asyncio.Task[None]]] = {}
        self._polls: list[tuple[float, str]] = []  # when, and of which fragment: sent and not yet answered
        self.widgets: dict[str, Widget] = {}  # by their key in the script
        self.poll_seconds: list[float] = []
        self.heard = time.monotonic()  # anything of the server

    async def runs(self) -> AsyncIterator[Run]:
        """Yield every run as it ends, or as another takes its place."""
        run = Run([], time.monotonic())
        async for data in self._socket:
            message = self._cache.resolve(ForwardMsg.FromString(data))
            kind = message.WhichOneof("type")
            self.heard = time.monotonic()
            if kind == "new_session":
                if run.elements:
                    yield run  # its end was lost, but a browser has drawn it
                run = Run(list(message.metadata.run.fragment_ids), time.monotonic())
                self._page = message.new_session.page_script_hash
                if not run.fragment_ids:
                    self._stop_timers()
            elif kind == "delta":
                self._note(message, run)
            elif kind == "page_info_changed":
                self._query = message.page_info_changed.query_string
            elif kind == "auto_rerun":
                self._start_timer(message.auto_rerun.fragment_id, message.auto_rerun.interval)
            elif kind == "stop_auto_rerun":
                self._stop_timers(*message.stop_auto_rerun.fragment_ids)
            elif kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                self._cache.age(run.fragment_ids)
                self._answered(run)
                yield run
                run = Run([], time.monotonic())

    async def rerun(self, fragment_id: str = "", *, automatic: bool = False, pressed: str | None = None) -> None:
        """Ask for a run, of a fragment or of everything; ``pressed`` is the id of a button."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_script_hash = self._query, self._page
        state.fragment_id, state.is_auto_rerun = fragment_id, automatic
        state.widget_states.widgets.extend(self._values.values())
        if pressed:
            state.widget_states.widgets.append(WidgetState(id=pressed, trigger_value=True))
        state.cached_message_hashes.extend(self._cache.hashes)
        about = state.context_info
        about.url, about.locale, about.timezone, about.color_scheme = self._url, "en", "UTC", "light"
        await self._socket.send(message.SerializeToString())

    async def press(self, key: str) -> None:
        button = self.widgets[key]
        await self.rerun(button.fragment_id, pressed=button.id)

    async def enter(self, key: str, text: str) -> None:
        """Type into a text input that is bound to the URL."""
        widget = self.widgets[key]
        self._values[widget.id] = WidgetState(id=widget.id, string_value=text)
        self._query = urlencode({**dict(parse_qsl(self._query)), key: text})
        await self.rerun(widget.fragment_id)

    def close(self) -> None:
        self._stop_timers()

    def _note(self, message: ForwardMsg, run: Run) -> None:
        if message.delta.WhichOneof("type") != "new_element":
            return
        element = message.delta.new_element
        run.elements.append(element)
        widget: Any = getattr(element, element.WhichOneof("type") or "", None)
        key = key_of(getattr(widget, "id", ""))
        if key:
            self.widgets[key] = Widget(widget.id, message.delta.fragment_id)

    def _answered(self, run: Run) -> None:
        # Polls that come while the script runs are one run later on: what was sent before it began, it has answered.
        waiting, self._polls = self._polls, []
        for sent, fragment_id in waiting:
            if sent <= run.begun and (not run.fragment_ids or fragment_id in run.fragment_ids):
                self.poll_seconds.append(time.monotonic() - sent)
            else:
                self._polls.append((sent, fragment_id))

    def _start_timer(self, fragment_id: str, interval: float) -> None:
        if fragment_id in self._timers and self._timers[fragment_id][0] == interval:
            return
        self._stop_timers(fragment_id)
        self._timers[fragment_id] = interval, asyncio.create_task(self._poll(fragment_id, interval))

    def _stop_timers(self, *fragment_ids: str) -> None:
        """Stop those of these fragments; without any, all."""
        for each in fragment_ids or list(self._timers):
            if each in self._timers:
                self._timers.pop(each)[1].cancel()

    async def _poll(self, fragment_id: str, interval: float) -> None:
        due = time.monotonic()
        while True:  # like setInterval, it does not wait for answers
            due = max(due + interval, time.monotonic())
            await asyncio.sleep(due - time.monotonic())
            self._polls.append((time.monotonic(), fragment_id))
            try:
                await self.rerun(fragment_id, automatic=True)
            except ConnectionClosed:
                return  # whoever reads the runs hears of it


def key_of(widget_id: str) -> str:
    """Return the key that the script gave a widget.

    >>> key_of("$$ID-0123abcd-explore-run")
    'explore-run'
    """
    parts = widget_id.split("-", 2)
    return parts[2] if len(parts) == 3 and parts[0] == "$$ID" and parts[2] != "None" else ""


@asynccontextmanager
async def opened(url: str, query: str) -> AsyncIterator[Tab]:
    """Open a page by a link, as a browser without cookies does."""
    token = await asyncio.to_thread(_xsrf_token, url)
    cookies = {"Cookie": f"_streamlit_xsrf={token}"} if token else {}
    protocols: Any = ["streamlit", token or "PLACEHOLDER_AUTH_TOKEN"]
    address = f"ws{url.removeprefix('http')}/_stcore/stream"
    async with connect(
        address, origin=url, subprotocols=protocols, additional_headers=cookies, max_size=None, ping_interval=None
    ) as socket:  # type: ignore[arg-type]
        tab = Tab(socket, url, query)
        try:
            await tab.rerun()
            yield tab
        finally:
            tab.close()


def _xsrf_token(url: str) -> str | None:
    with urllib.request.urlopen(f"{url}/_stcore/health", timeout=60) as answer:
        cookies = SimpleCookie(", ".join(answer.headers.get_all("Set-Cookie") or []))
    return cookies["_streamlit_xsrf"].value if "_streamlit_xsrf" in cookies else None
