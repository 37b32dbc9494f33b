"""A student: opens pages one after the other, does something now and then, and comes back when thrown out."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import random
from urllib.error import URLError

from websockets.exceptions import WebSocketException

from tools.load.tab import opened

from .ledger import Ledger
from .sitting import Sitting
from .wishes import DATA, EXPLORE, Place, a_link

_AGAIN = 1.0, 4.0  # seconds until a browser that has lost its server tries again
_AWAY = 1.0, 15.0  # seconds between two tabs of one student
_OPENING = 60.0  # seconds until somebody gives up on a page


class Student:
    """Lives until it is cancelled."""

    def __init__(self, url: str, ledger: Ledger, seed: int, number: int) -> None:
        self.url, self.ledger = url, ledger
        self.chance = random.Random(f"student {seed} {number}")
        self.visitor = hashlib.sha256(f"{seed} {number}".encode()).hexdigest()[:32]
        self.next: Place | None = None
        self.greedy = False  # to ask for something large next
        self.number = number

    async def live(self, arrives: float) -> None:
        await asyncio.sleep(arrives)
        while True:
            place = self.next or Place(EXPLORE, a_link(self.chance))
            self.next = None
            try:
                await self._sit(place)
            except (OSError, URLError, WebSocketException, TimeoutError) as why:
                self.ledger.fail(f"connection: {type(why).__name__}")
                self.next = self.next or place
                await asyncio.sleep(self.chance.uniform(*_AGAIN))
                continue
            await asyncio.sleep(self.chance.uniform(*_AWAY))

    async def _sit(self, place: Place) -> None:
        since = self.ledger.now
        async with contextlib.AsyncExitStack() as stack:
            async with asyncio.timeout(_OPENING):
                page = "" if place.page == EXPLORE else place.page
                tab = await stack.enter_async_context(opened(self.url, place.query, page, self.visitor))
            sitting = Sitting(tab, self, place.page, since)
            try:
                await sitting.stay()
            finally:
                if self.next is None:  # thrown out, or reloading: the same again
                    self.next = Place(place.page, tab.query)

    def another(self) -> Place:
        """Return where to go next: somewhere new, to what somebody else has, or to data of one's own."""
        others = [told for told in self.ledger.runs.values() if told.page == EXPLORE]
        way = self.chance.random()
        if way < 0.35 and others:
            self.ledger.count("opened another's link")
            return Place(EXPLORE, self.chance.choice(others).link)
        if way < 0.55:
            self.ledger.count("went to the Data page")
            return Place(DATA, "")
        return Place(EXPLORE, a_link(self.chance))
