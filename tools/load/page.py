"""What a browser makes of a tab: live elements that come and go, and how the visitor looks at them."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Coroutine
from typing import Any, Protocol

from websockets.exceptions import ConnectionClosed

from .live import Live
from .message import Message
from .tab import Component, Tab

_LIVE, _LOOK = "cvar_live", "cvar_look"  # the names of the components,
_NEWS = "-news"  # and how the key of another ends


class Reader(Protocol):
    """Who looks at the page."""

    def hear(self, part: str, message: Message) -> None:
        """The stream has sent something for a part of the page."""

    def lose(self, part: str, how: str, why: str) -> None:
        """A connection of the stream was lost."""

    def settle(self) -> None:
        """A live element and the script agree."""


class Page:
    """Mounts what a tab gets, until it is closed."""

    def __init__(self, tab: Tab, reader: Reader) -> None:
        self.url, self._tab = tab.url, tab
        self.see, self.lose, self.settle = reader.hear, reader.lose, reader.settle
        self._looks: dict[str, dict[str, Any]] = {}
        self._at: dict[str, Any] = {}
        self._lives: dict[str, Live] = {}
        self._tasks: dict[str, list[asyncio.Task[None]]] = {}
        self._begun: set[asyncio.Task[None]] = set()
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()  # the visit, or something failed

    @property
    def agrees(self) -> bool:
        """Whether there are live elements, and the script knows what the server says of all of them."""
        return bool(self._lives) and all(live.agrees for live in self._lives.values())

    def look(self, page: str) -> dict[str, Any] | None:
        return self._looks.get(page)

    async def ask(self, key: str) -> None:
        """Have the script run because a live element disagrees with it; by ``news.js``, where that is."""
        key = next((each for each in self._tab.widgets if each.endswith(_NEWS)), key)
        with contextlib.suppress(ConnectionClosed):  # whoever reads the runs hears of it
            await self._tab.set_state(key, "asked", int(1000 * time.time()))

    async def mount(self, component: Component) -> None:
        """Show a component, or tell the one that is there of its new data."""
        data = component.data
        if component.name == _LOOK:
            await self._look_so(data["page"], data["look"])
        if component.name != _LIVE:
            return
        key = component.key
        if key not in self._lives:
            self._lives[key] = Live(key, self)
        if "at" in data and self._at.get(key, self) != data["at"]:  # the script's word, where it is new
            self._at[key] = data["at"]
            await self._look_so(data["page"], {"at": data["at"]})
        await self._lives[key].follow(data)
        if key not in self._tasks:
            self._tasks[key] = [self.begin(self._lives[key].serve()), self.begin(self._lives[key].watch())]

    def unmount(self, key: str) -> None:
        """Take away an element that the script did not draw again."""
        if key in self._lives:
            del self._lives[key]
            self._at.pop(key, None)
            for task in self._tasks.pop(key):
                task.cancel()  # its socket is closed beside, which may take a moment

    def begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do something beside the rest; if it fails, the visit is over."""
        task = asyncio.create_task(work)
        self._begun.add(task)
        task.add_done_callback(self._ended)
        return task

    async def close(self) -> None:
        """Leave: end all that was begun."""
        for task in self._begun:
            task.cancel()
        await asyncio.gather(*self._begun, return_exceptions=True)

    async def _look_so(self, page: str, look: dict[str, Any]) -> None:
        self._looks[page] = {**self._looks.get(page, {}), **look}
        for live in list(self._lives.values()):
            if live.page == page:
                await live.say()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._begun.discard(task)
        if not task.cancelled() and task.exception() is not None and not self.over.done():
            self.over.set_exception(task.exception())  # type: ignore[arg-type]
