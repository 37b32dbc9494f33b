"""One live element of a page, doing over its own socket what ``pages/components/sending/live.js`` does in a browser."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import time
from dataclasses import replace
from typing import Any, Protocol
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from .message import Message

# As live.js has them: the first in heartbeats of the server, the others in seconds.
_SILENCE = 2.4
_AGAIN = 0.3, 5.0
_HEALED = 10.0, 60.0
_LOOK = 1.0
_UNKNOWN = 4001

_DRAWING = 0.045  # seconds that plotly.js takes for a picture: 30 to 60 ms on a laptop
_OPENING = 60.0  # seconds; a browser waits about as long


# How a connection can be lost.
REFUSED, SILENT, LOST = "a ticket was refused", "a socket was silent", "a socket was lost"


class Surroundings(Protocol):
    """What a live element has to do with the page around it."""

    url: str

    def look(self, page: str) -> dict[str, Any] | None: ...

    def see(self, part: str, message: Message) -> None: ...

    def lose(self, part: str, how: str, why: str) -> None: ...

    def settle(self) -> None:
        """An element and the script agree."""

    async def ask(self, key: str) -> None: ...


class Live:
    """``serve`` it as long as it stands in the page."""

    def __init__(self, key: str, page: Surroundings) -> None:
        self._key, self._page = key, page
        self._data: dict[str, Any] = {}
        self._socket: ClientConnection | None = None
        self._said: str | None = None
        self._told: tuple[str, str] | None = None
        self._disagreed: tuple[str, str] | None = None
        self._asked = 0.0
        self._heal = _HEALED[0]
        self._number = 0  # of what was asked for last
        self._tickets: dict[int, str] = {}  # by the numbers of what was asked for
        self._asking: asyncio.Task[None] | None = None

    @property
    def page(self) -> str | None:
        """Whose look it follows."""
        return self._data.get("page")

    @property
    def _patience(self) -> float:
        return float(_SILENCE * self._data["heartbeat"] / 1000)

    @property
    def agrees(self) -> bool:
        """Whether the script knows what the server says, as far as this element sees to it."""
        return self._data.get("settled") is None or self._told == (self._data.get("boot"), self._data.get("settled"))

    async def follow(self, data: dict[str, Any]) -> None:
        """Take what the script says."""
        if data["ticket"] != self._data.get("ticket"):
            self._told = None
        self._data = data
        await self.say()
        await self._agree()

    async def say(self) -> None:
        """Say what is wanted, if that is not what was said last."""
        look = self._data["look"] if "look" in self._data else self._page.look(self._data["page"])
        if look is None or self._socket is None:
            return
        said = {"ticket": self._data["ticket"], "part": self._data["part"], "look": look}
        if json.dumps(said) == self._said:
            return
        self._said = json.dumps(said)
        self._number += 1
        self._tickets[self._number] = self._data["ticket"]
        wanted = json.dumps({"number": self._number, **said})
        with contextlib.suppress(ConnectionClosed):  # whoever listens hears of it
            await self._socket.send(wanted)

    async def serve(self) -> None:
        """Listen, and find the way back when the connection was away."""
        wait = _AGAIN[0]
        while True:
            try:
                async with connect(
                    f"ws{self._page.url.removeprefix('http')}/live", origin=origin(self._page.url), max_size=None,  # type: ignore[arg-type]
                    ping_interval=None, open_timeout=_OPENING, close_timeout=1,
                ) as socket:  # fmt: skip
                    self._socket, self._said = socket, None
                    await self.say()
                    while True:
                        async with asyncio.timeout(self._patience):
                            text = await socket.recv(decode=False)
                        wait = _AGAIN[0]
                        await self._hear(socket, text)
            except TimeoutError:
                self._page.lose(self._data["part"], SILENT, f"for {self._patience:.0f} s")
                continue
            except (OSError, WebSocketException) as why:
                refused = isinstance(why, ConnectionClosed) and why.rcvd is not None and why.rcvd.code == _UNKNOWN
                self._page.lose(self._data["part"], REFUSED if refused else LOST, f"{type(why).__name__} {why}")
                if refused:
                    await self._page.ask(self._key)
            finally:
                self._socket = None
            await asyncio.sleep(wait)
            wait = min(2 * wait, _AGAIN[1])

    async def watch(self) -> None:
        """Ask once more for a run of the script that was lost on the way."""
        while True:
            await asyncio.sleep(_LOOK)
            await self._agree()

    async def _hear(self, socket: ClientConnection, text: bytes) -> None:
        message = Message.read(text)
        message = replace(message, ticket=self._tickets.get(message.answers, ""))
        self._page.see(self._data["part"], message)
        if message.picture:
            await asyncio.sleep(_DRAWING)
        await socket.send('{"drawn": true}')
        if message.answers == self._number:
            self._told, self._spread = (message.boot, message.settled), message.spread
            await self._agree()

    async def _agree(self) -> None:
        if self._told is None:
            return
        if self.agrees:
            if self._data.get("settled") is not None:
                self._page.settle()
            self._heal, self._disagreed = _HEALED[0], None
            return
        again = self._told == self._disagreed
        if again and time.monotonic() - self._asked < self._heal:
            return
        if again:
            self._heal = min(2 * self._heal, _HEALED[1])
        self._disagreed, self._asked = self._told, time.monotonic()
        self._asking = asyncio.create_task(self._ask_later(random.random() * self._spread / 1000))

    async def _ask_later(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        with contextlib.suppress(ConnectionClosed):  # whoever reads the runs hears of it
            await self._page.ask(self._key)


def origin(url: str) -> str:
    """Return what a browser says of where a page is from.

    >>> origin("http://127.0.0.1:8501/lab")
    'http://127.0.0.1:8501'
    """
    there = urlsplit(url)
    return f"{there.scheme}://{there.netloc}"
