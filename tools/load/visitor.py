"""What a visitor does, and what it sees: open a link, press Run if asked to, fiddle with λ, leave when it is done."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
import time
from dataclasses import dataclass, field

from streamlit.proto.Alert_pb2 import Alert
from websockets.exceptions import ConnectionClosed

from .tab import Run, Tab, opened

_PAUSE = 5.0  # seconds between two changes of a widget
_LAMBDAS = ("0.1", "0.3", "2", "10")  # as the cards write them, by which the answer is recognised


@dataclass
class Story:
    """What one visitor saw. Moments are seconds since it began to connect."""

    kind: str
    link: str
    begun: float = 0.0  # on the monotonic clock
    first_chart: float | None = None
    growth: float | None = None  # the second, different chart
    done: float | None = None
    ended: float = 0.0
    pressed_run: bool = False
    progress: list[tuple[float, float]] = field(default_factory=list)
    changes: list[float] = field(default_factory=list)  # seconds until the page showed a changed λ
    polls: list[float] = field(default_factory=list)
    silences: int = 0  # that the page had to break by itself
    runs: int = 0  # of the script or a fragment, that the server made for this visitor
    errors: list[str] = field(default_factory=list)

    def progress_at(self, moment: float) -> float:
        """Return the share that the page showed at a moment on the monotonic clock."""
        return max((share for at, share in self.progress if self.begun + at <= moment), default=0.0)


async def visit(url: str, kind: str, link: str, *, seconds: float, wait: float = 0.0) -> Story:
    """Open a link after a while, and stay until the run is done or the time is over."""
    await asyncio.sleep(wait)
    story = Story(kind, link, begun=time.monotonic())
    try:
        async with asyncio.timeout(seconds), opened(url, link) as tab:
            await _Visit(tab, story).stay()
    except TimeoutError:
        pass
    except (OSError, ConnectionClosed) as error:
        story.errors.append(f"connection: {type(error).__name__} {error}")
    story.ended = time.monotonic() - story.begun
    return story


class _Visit:
    def __init__(self, tab: Tab, story: Story) -> None:
        self._tab, self._story = tab, story
        self._curves: bytes | None = None
        self._patience = 10.0  # seconds, until the page has said
        self._asked: tuple[str, float] | None = None  # the λ that is not on the page yet, and when it was typed

    async def stay(self) -> None:
        busy = [asyncio.create_task(self._fiddle()), asyncio.create_task(self._break_silence())]
        try:
            async for run in self._tab.runs():
                self._see(run)
                if self._story.done is not None or self._story.errors:
                    return
                if any("Press **Run**" in text for text in run.texts) and not self._story.pressed_run:
                    self._story.pressed_run = True
                    await self._tab.press("explore-run")
            self._story.errors.append("connection: the server closed it")
        finally:
            for task in busy:
                task.cancel()
            self._story.polls = self._tab.poll_seconds

    async def _fiddle(self) -> None:
        await asyncio.sleep(random.uniform(1, _PAUSE))  # not all visitors at once
        for lam in itertools.cycle(_LAMBDAS):
            if self._curves is not None and self._asked is None:
                self._asked = lam, time.monotonic()
                await self._tab.enter("explore_lambda", lam)
            await asyncio.sleep(_PAUSE)

    async def _break_silence(self) -> None:
        """Do what the page's own script does in a browser (see ``pages/components/sending/alive.py``)."""
        while True:
            await asyncio.sleep(self._patience / 10)
            if time.monotonic() - self._tab.heard > self._patience:
                self._tab.heard = time.monotonic()
                self._story.silences += 1
                await self._tab.rerun()

    def _see(self, run: Run) -> None:
        story, now = self._story, time.monotonic()
        since = now - story.begun
        story.runs += 1
        for element in run.elements:
            match element.WhichOneof("type"):
                case "exception":
                    story.errors.append(f"exception: {element.exception.type} {element.exception.message}")
                case "alert" if element.alert.format in (Alert.ERROR, Alert.WARNING):
                    story.errors.append(f"page: {element.alert.body}")
                case "progress":
                    said = re.search(r"(\d+)%", element.progress.text)
                    story.progress.append((since, int(said[1]) / 100 if said else 0.0))
                case "bidi_component" if element.bidi_component.id.endswith("-explore-alive"):
                    self._patience = json.loads(element.bidi_component.json)["patience"] / 1000
                case "bidi_component" if element.bidi_component.id.endswith("-explore-charts"):
                    self._see_curves(element.bidi_component.bytes.split(b"\n")[-1], since)
        if self._asked is not None and any(f"λ = {self._asked[0]} " in text for text in run.texts):
            story.changes.append(now - self._asked[1])
            self._asked = None
        if any(":material/check_circle: Done" in text for text in run.texts):
            story.done = since

    def _see_curves(self, drawn: bytes, since: float) -> None:
        # The curves, because λ and ε, which a visitor changes, do not show in them.
        if self._story.first_chart is None:
            self._story.first_chart = since
        elif self._story.growth is None and drawn != self._curves:
            self._story.growth = since
        self._curves = drawn
