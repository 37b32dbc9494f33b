"""What one update costs the server, of pictures that are drawn already, beside what else there is to pay for.

Nothing is computed meanwhile. To have the server send, listeners turn to and fro between two ways to look.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from statistics import median
from typing import Any, NamedTuple

from websockets.asyncio.client import ClientConnection, connect

from .live import origin
from .message import Message
from .server import Server, Watch
from .tab import Component, Tab, opened
from .visitor import visit

_ROUNDS = 5  # of each in turn, so that what else the machine does slows all of them alike
_UPDATES = 20  # a listener and round
_DRAWINGS = 40  # a round
_RERUNS = 20
_IDLE = 10.5  # seconds: two heartbeats
_PATIENCE = 60.0  # seconds
_QUIET = 0.05  # of a core, below which a server does nothing

Work = Callable[[], Awaitable[tuple[int, int]]]  # returns how many there were, and their bytes


class Cost(NamedTuple):
    """What one of a kind costs, in milliseconds: of processor time, of the drawing thread's, and on the clock."""

    what: str
    times: int
    cpu_ms: float
    studio_ms: float
    wall_ms: float
    kilobytes: float


async def update_costs(server: Server, listeners: int) -> list[Cost]:
    story = await visit(server.url, "alone", "", seconds=600)
    if story.done is None:
        raise RuntimeError(f"The run did not end: {story.errors}")
    await _calm(server)
    async with AsyncExitStack() as stack:
        tab = await stack.enter_async_context(opened(server.url, ""))
        wanted = await _first_look(tab)
        sockets = [await stack.enter_async_context(_listening(server.url)) for _ in range(listeners)]
        crowd = [_Listener(socket, wanted) for socket in sockets]
        looks = [{**wanted["look"], "lam": lam} for lam in (0.1, 2.0)]
        new = ({**wanted["look"], "lam": 0.5 + place / 7919} for place in itertools.count())
        await crowd[0].turn(looks[1])  # both are drawn now, and all look the same way
        await asyncio.gather(*(each.turn(looks[0]) for each in crowd))

        async def update() -> tuple[int, int]:
            sizes = await asyncio.gather(*(each.turn_often(looks, _UPDATES) for each in crowd))
            return listeners * _UPDATES, sum(sizes)

        async def draw() -> tuple[int, int]:
            return _DRAWINGS, sum([await crowd[0].turn(next(new)) for _ in range(_DRAWINGS)])

        asked: list[tuple[str, Work]] = [
            (f"an update of a drawn picture, {listeners} listeners", update),
            ("a fresh drawing, one listener", draw),
            ("a rerun of λ's fragment", lambda: _rerun(tab, "explore_lambda")),
            ("a rerun of the whole page", lambda: _rerun(tab)),
        ]
        rounds = [[await _cost(server, *each) for each in asked] for _ in range(_ROUNDS)]
        resting = await _cost(server, f"a heartbeat, {listeners} listeners", lambda: _rest(crowd))
    return [*map(_middle, zip(*rounds, strict=True)), resting._replace(wall_ms=math.nan)]  # it comes by itself


class _Listener:
    """A live element that draws at once."""

    def __init__(self, socket: ClientConnection, wanted: dict[str, Any]) -> None:
        self._socket, self._wanted = socket, wanted

    async def turn(self, look: dict[str, Any]) -> int:
        """Look so, and return the bytes of the picture."""
        await self._socket.send(json.dumps({**self._wanted, "number": 1, "look": look}))
        async with asyncio.timeout(_PATIENCE):
            while True:
                size, drawn = await self.hear()
                if drawn:
                    return size

    async def turn_often(self, looks: list[dict[str, Any]], times: int) -> int:
        return sum([await self.turn(looks[(place + 1) % len(looks)]) for place in range(times)])

    async def hear(self) -> tuple[int, bool]:
        message = Message.read(await self._socket.recv(decode=False))
        await self._socket.send('{"drawn": true}')
        return message.size, bool(message.picture)


class _Screen:
    """Notes what the study would say to the stream."""

    def __init__(self) -> None:
        self.said: dict[str, Any] = {}

    async def mount(self, component: Component) -> None:
        if component.name == "cvar_look":
            self.said["look"] = {**component.data["look"], "at": None}
        elif component.key.endswith("-study"):
            self.said |= {name: component.data[name] for name in ("ticket", "part")}

    def unmount(self, key: str) -> None:
        pass


async def _first_look(tab: Tab) -> dict[str, Any]:
    tab.screen = screen = _Screen()
    await tab.rerun()
    await anext(tab.runs())
    return screen.said


def _listening(url: str) -> connect:
    return connect(f"ws{url.removeprefix('http')}/live", origin=origin(url), max_size=None, ping_interval=None)  # type: ignore[arg-type]


async def _rerun(tab: Tab, within: str | None = None) -> tuple[int, int]:
    size = 0
    for _ in range(_RERUNS):
        fragment_id = tab.widgets[within].fragment_id if within else ""
        await tab.rerun(fragment_id)
        run = await anext(tab.runs())
        if run.fragment_ids != ([fragment_id] if within else []) or not run.elements:
            raise RuntimeError("The server has run something else than it was asked for.")
        size += run.size
    return _RERUNS, size


async def _rest(crowd: list[_Listener]) -> tuple[int, int]:
    """Only answer what comes by itself, for a while."""
    found: list[int] = []

    async def answer(listener: _Listener) -> None:
        while True:
            found.append((await listener.hear())[0])

    answering = [asyncio.create_task(answer(each)) for each in crowd]
    await asyncio.sleep(_IDLE)
    for task in answering:
        task.cancel()
    await asyncio.gather(*answering, return_exceptions=True)
    return len(found), sum(found)


async def _calm(server: Server) -> None:
    """Wait until the server has got ready for what might come next, or for so long."""
    before, begun = -1.0, time.monotonic()
    while server.cpu - before > _QUIET and time.monotonic() - begun < _PATIENCE:
        before = server.cpu
        await asyncio.sleep(1)


async def _cost(server: Server, what: str, work: Work) -> Cost:
    watch, begun = Watch(server), time.perf_counter()
    count, size = await work()
    cpu, wall = watch.cpu, time.perf_counter() - begun
    each = 1000 / max(1, count)
    return Cost(what, count, each * cpu["all"], each * cpu["studio"], each * wall, size / max(1, count) / 1000)


def _middle(costs: tuple[Cost, ...]) -> Cost:
    numbers = (median(getattr(cost, name) for cost in costs) for name in Cost._fields[2:])
    return Cost(costs[0].what, sum(cost.times for cost in costs), *numbers)
