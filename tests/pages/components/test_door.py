"""Who is let in, how many, and for how long without a word."""

import asyncio
from typing import Any

import pytest

from pages.components.sending import door as the_door
from pages.components.sending.door import Door
from tests.pages.aside import run_aside


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Take part in a conversation until the other side leaves."""
    await receive()
    await send({"type": "websocket.accept"})
    while (await receive())["type"] != "websocket.disconnect":
        pass


class Visitor:
    """The other side of a socket: ``says`` what it says, then nothing, until it ``leaves``."""

    def __init__(
        self, door: Door, says: int = 0, path: str = "/lab/_stcore/stream", address: str = "192.0.2.1"
    ) -> None:
        self.sent: list[str] = []
        self._says, self._left = says, asyncio.Event()
        self._messages = 0
        scope = {"type": "websocket", "path": path, "headers": [], "client": (address, 5)}
        self.call = asyncio.create_task(door(scope, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        self._messages += 1
        if self._messages == 1:
            return {"type": "websocket.connect"}
        if self._messages <= 1 + self._says:
            return {"type": "websocket.receive", "text": "a word"}
        await self._left.wait()
        return {"type": "websocket.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        self.sent.append(message["type"].removeprefix("websocket."))

    async def leaves(self) -> None:
        self._left.set()
        await self.call


def test_a_tab_that_says_nothing_is_closed_and_one_that_has_spoken_stays(monkeypatch):
    monkeypatch.setattr(the_door, "SILENCE", 0.05)

    async def both() -> None:
        door = Door(app)
        silent, spoken = Visitor(door), Visitor(door, says=1)
        await asyncio.wait_for(silent.call, 5)
        assert silent.sent == ["accept", "close"]
        await asyncio.sleep(0.1)
        assert spoken.sent == ["accept"]
        await spoken.leaves()

    run_aside(both())


@pytest.mark.parametrize("path", ["/_stcore/stream", "/live"])
def test_some_files_stay_free_and_who_leaves_makes_room(monkeypatch, path):
    monkeypatch.setattr(the_door, "_open_files", lambda: 100)

    async def crowd() -> None:
        door = Door(app)
        visitors = [Visitor(door, path=path, address=f"192.0.2.{number}") for number in range(100)]
        await asyncio.sleep(0.01)
        inside = [each for each in visitors if each.sent == ["accept"]]
        assert all(each.sent == ["close"] for each in visitors if each not in inside)
        assert len(inside) * (4 if "stream" in path else 1) in range(40, 80)
        await inside[0].leaves()
        another = Visitor(door, path=path)
        await asyncio.sleep(0.01)
        assert another.sent == ["accept"]
        for each in [*inside[1:], another]:
            await each.leaves()

    run_aside(crowd())


def test_one_address_does_not_take_all_the_room(monkeypatch):
    monkeypatch.setattr(the_door, "_open_files", lambda: 100)

    async def crowd() -> None:
        door = Door(app)
        crowded = [Visitor(door, path="/live") for _ in range(100)]
        another = Visitor(door, path="/live", address="192.0.2.2")
        await asyncio.sleep(0.01)
        inside = [each for each in crowded if each.sent == ["accept"]]
        assert len(inside) == 25, "half of what there is for all"
        assert another.sent == ["accept"]
        for each in [*inside, another]:
            await each.leaves()

    run_aside(crowd())
