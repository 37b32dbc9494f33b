"""Whether every run that somebody was told of can be reached: in the store, and at its link."""

from __future__ import annotations

import asyncio
import random
import re
import secrets
from collections.abc import Collection, Mapping
from urllib.parse import urlencode

from websockets.exceptions import WebSocketException

from pages.components.lessons.ways import explore_link
from tools.load.tab import Component, opened

from .house import House
from .ledger import Told
from .sitting import run_of
from .wishes import EXPLORE

_PATIENCE = 60.0  # seconds for a page
_AT_ONCE = 4
_EVENTS = "queued|done|failed|cancelled|interrupted"


async def reach(house: House, runs: Collection[str], most: int, seed: int) -> tuple[int, dict[str, str]]:
    """Open links to so many of the runs, as somebody who was never here; return how many, and what is wrong with which.

    A link is what the dashboard itself writes for a run: all that it is, and nothing of who ran it.
    """
    stored = house.stored()
    links = {
        run: urlencode(explore_link(stored[run]), doseq=True)
        for run in sorted(runs)
        if run in stored and stored[run].problem.data is None
    }
    chosen = random.Random(seed).sample(list(links), min(most, len(links)))
    inspector, few = secrets.token_hex(16), asyncio.Semaphore(_AT_ONCE)

    async def shown(run: str) -> str:
        async with few:
            try:
                async with asyncio.timeout(_PATIENCE), opened(house.url, links[run], visitor=inspector) as tab:
                    tab.screen = screen = _Screen()
                    await tab.rerun()
                    await anext(tab.runs())
                    return screen.run
            except (OSError, WebSocketException, TimeoutError) as why:
                return f"{type(why).__name__}"

    found = dict(zip(chosen, await asyncio.gather(*map(shown, chosen)), strict=True))
    begun = set(re.findall(rf"event=queued run=(\w+) visitor={inspector[:8]}", house.log.read_text(errors="replace")))
    wrong = {run: f"its link shows {there or 'nothing'}" for run, there in found.items() if there != run}
    return len(chosen), wrong | dict.fromkeys(begun & set(chosen), "its link computes it anew")


def gave_way(gone: Mapping[str, Told], log: str) -> set[str]:
    """Return the runs that started by themselves and were given up for the next, which nobody saw before they left.

    All who hold one had asked for another, and the last that the server says of it is that it was stopped.
    """
    last = {run: event for event, run in re.findall(rf"event=({_EVENTS}) run=(\w+)", log)}
    return {run for run, told in gone.items() if told.holders <= told.doubting and last.get(run) == "cancelled"}


class _Screen:
    """Notes which run is shown."""

    run = ""

    async def mount(self, component: Component) -> None:
        if component.key == f"{EXPLORE}-study":
            self.run = run_of(component.data["ticket"])

    def unmount(self, key: str) -> None:
        pass
