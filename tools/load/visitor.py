"""What a visitor does, and what it sees: open a link, press Run if asked to, fiddle with λ, leave when it is done."""

from __future__ import annotations

import asyncio
import itertools
import random
import re
import time
from dataclasses import dataclass, field
from typing import Any

from streamlit.proto.Alert_pb2 import Alert
from websockets.exceptions import ConnectionClosed

from .message import Message
from .page import Page
from .tab import Run, Tab, opened

_PAUSE = 5.0  # seconds between two changes of a widget
_UNANSWERED = 30.0  # seconds, after which a changed λ counts as forgotten
_LAMBDAS = ("0.1", "0.3", "2", "10")  # as the cards write them, by which the answer is recognised


@dataclass
class Story:
    """What one visitor saw. Moments are seconds since it began to connect."""

    kind: str
    link: str
    begun: float = 0.0  # on the monotonic clock
    first_chart: float | None = None  # with axes, at least
    first_curve: float | None = None
    growth: float | None = None  # the second, different curves
    done: float | None = None
    agreed: float | None = None  # the script, which has run again, knows that it is done
    ended: float = 0.0
    pressed_run: bool = False
    progress: list[tuple[float, float]] = field(default_factory=list)
    changes: list[float] = field(default_factory=list)  # seconds until the page showed a changed λ
    runs: int = 0  # of the script or a fragment, that the server made for this visitor
    script_bytes: int = 0
    messages: int = 0  # of the stream
    pictures: int = 0  # that came with them
    stream_bytes: int = 0
    errors: list[str] = field(default_factory=list)

    def progress_at(self, moment: float) -> float:
        """Return the share that the page showed at a moment on the monotonic clock."""
        return max((share for at, share in self.progress if self.begun + at <= moment), default=0.0)


async def visit(url: str, kind: str, link: str, *, seconds: float, wait: float = 0.0, stay: float = 0.0) -> Story:
    """Open a link after a while, and stay until the run is done, and a while longer, or until the time is over."""
    await asyncio.sleep(wait)
    story = Story(kind, link, begun=time.monotonic())
    try:
        async with asyncio.timeout(seconds), opened(url, link) as tab:
            await _Visit(tab, story, stay).stay()
    except TimeoutError:
        pass
    except (OSError, ConnectionClosed) as error:
        story.errors.append(f"connection: {type(error).__name__} {error}")
    story.ended = time.monotonic() - story.begun
    return story


class _Visit:
    def __init__(self, tab: Tab, story: Story, longer: float) -> None:
        self._tab, self._story, self._longer = tab, story, longer
        self._page = tab.screen = Page(tab, self)
        self._curves: list[dict[str, Any]] = []
        self._judged = False  # a λ stands on the cards
        self._asked: tuple[str, float] | None = None  # the λ that is not on the page yet, and when it was typed

    @property
    def _now(self) -> float:
        return time.monotonic() - self._story.begun

    async def stay(self) -> None:
        self._page.begin(self._read())
        self._page.begin(self._fiddle())
        try:
            await self._page.over
        finally:
            await self._page.close()
            if self._asked is not None and time.monotonic() - self._asked[1] > _UNANSWERED:
                self._story.errors.append(f"stream: λ = {self._asked[0]} was never answered")

    def _leave(self) -> None:
        if not self._page.over.done():
            self._page.over.set_result(None)

    async def _read(self) -> None:
        story = self._story
        await self._tab.rerun()
        async for run in self._tab.runs():
            self._see(run)
            if any("Press **Run**" in text for text in run.texts) and not story.pressed_run:
                story.pressed_run = True
                await self._tab.press("explore-run")
        story.errors.append("connection: the server closed it")
        self._leave()

    async def _fiddle(self) -> None:
        await asyncio.sleep(random.uniform(1, _PAUSE))  # not all visitors at once
        for lam in itertools.cycle(_LAMBDAS):
            if self._judged and self._asked is None:
                self._asked = lam, time.monotonic()
                await self._tab.enter("explore_lambda", lam)
            await asyncio.sleep(_PAUSE)

    def _see(self, run: Run) -> None:
        """Look at what a run of the script has sent."""
        story = self._story
        story.runs += 1
        story.script_bytes += run.size
        for element in run.elements:
            match element.WhichOneof("type"):
                case "exception":
                    self._fail(f"exception: {element.exception.type} {element.exception.message}")
                case "alert" if element.alert.format in (Alert.ERROR, Alert.WARNING):
                    self._fail(f"page: {element.alert.body}")

    def hear(self, part: str, message: Message) -> None:
        """Look at what the stream has sent."""
        story = self._story
        story.messages += 1
        story.pictures += bool(message.picture)
        story.stream_bytes += message.size
        if "could not be drawn" in message.words:
            self._fail(f"stream: {part} could not be drawn")
        if part == "study":
            self._hear_study(message)

    def _hear_study(self, message: Message) -> None:
        story = self._story
        said = re.search(r'aria-valuenow="([\d.]+)"', message.words)
        if said:
            story.progress.append((self._now, float(said[1]) / 100))
        if message.picture:
            self._look_at_curves(message)
        self._judged = self._judged or message.judges()
        if self._asked is not None and message.judges(self._asked[0]):
            story.changes.append(time.monotonic() - self._asked[1])
            self._asked = None
        if message.settled == "done" and story.done is None:
            story.done = self._now
        elif message.settled not in ("", "done"):
            self._fail(f"stream: the run is {message.settled}")

    def _look_at_curves(self, message: Message) -> None:
        story = self._story
        if story.first_chart is None:
            story.first_chart = self._now
        if story.growth is not None:  # nothing more to learn from them
            return
        curves = message.curves  # λ and ε, which a visitor changes, do not show in them
        if not curves or curves == self._curves:
            return
        if story.first_curve is None:
            story.first_curve = self._now
        else:
            story.growth = self._now
        self._curves = curves

    def settle(self) -> None:
        """Leave, by and by, when the run is done and the script knows it."""
        if self._story.done is not None and self._story.agreed is None and self._page.agrees:
            self._story.agreed = self._now
            asyncio.get_running_loop().call_later(self._longer, self._leave)

    def lose(self, part: str, how: str, why: str) -> None:
        """Note it, and stay: a page finds its way back."""
        self._story.errors.append(f"stream: {how}: {part}, {why}")

    def _fail(self, why: str) -> None:
        self._story.errors.append(why)
        self._leave()
