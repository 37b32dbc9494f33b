"""One open tab of a student: what is seen on it, and what is done to it."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from typing import TYPE_CHECKING

from streamlit.proto.Alert_pb2 import Alert

from tools.load.message import Message
from tools.load.page import Page
from tools.load.tab import Component, Run, Tab, key_of

from .wishes import DATA, EXPLORE, LAMBDAS, Place, a_change, a_file, a_large_link

if TYPE_CHECKING:
    from .student import Student

_PAUSE = 9.0  # seconds between two deeds, on average, beside a second at least
_SETTLED = 1.3  # seconds after which a page takes a change for meant
_PATIENCE = 60.0  # seconds that somebody waits for a page
_UNANSWERED = 30.0  # seconds, after which nobody waits for a changed λ any more
_REFUSED = re.compile(r"but this server allows|which is the most|is too large")
_WAITS = re.compile(r"<p class=\"cvar-note\">(The cluster[^<]*)")
_TAGS = re.compile(r"<[^>]+>")


class Sitting:
    """``stay`` until the student leaves; raises what the connection does."""

    def __init__(self, tab: Tab, student: Student, name: str, since: float) -> None:
        self._tab, self._student, self._ledger, self._chance = tab, student, student.ledger, student.chance
        self._name, self._since = name, since
        self._page = Page(tab, self)
        tab.screen = self
        self._answered = asyncio.Event()  # the script has run once
        self._buttons: dict[str, str] = {}  # labels of those that can be pressed
        self._run = ""  # the id of the run that is shown
        self._pressed: set[str] = set()  # runs that were asked for by a button
        self._awaits_own = False  # such a run is not on the page yet
        self._over: set[str] = set()  # runs that were seen to end
        self._judged, self._lam = False, ""
        self._asked: tuple[str, float] | None = None  # the λ that is not on the page yet, and when it was typed
        self._changed: tuple[str, float] | None = None  # from which run to another, and when that was asked for
        self._drawn = False

    async def stay(self) -> None:
        self._page.begin(self._read())
        self._page.begin(self._act())
        try:
            await self._page.over
        finally:
            await self._page.close()
            if self._changed is not None and self._run not in self._over | self._pressed:
                self._ledger.doubt(self._run, self._student.visitor)  # the next may have begun, and not been seen

    # What is seen.

    async def _read(self) -> None:
        await self._tab.rerun()
        async for run in self._tab.runs():
            self._see(run)
            if not self._answered.is_set():
                self._ledger.wait("page open", self._since)
                self._answered.set()
        raise ConnectionResetError("the server closed the page")

    def _see(self, run: Run) -> None:
        if not run.fragment_ids:
            self._buttons.clear()
        for element in run.elements:
            match element.WhichOneof("type"):
                case "exception":
                    self._ledger.fail(f"exception: {element.exception.type} {element.exception.message}")
                case "alert" if element.alert.format in (Alert.ERROR, Alert.WARNING):
                    self._say(element.alert.body)
                case "button" if not element.button.disabled:
                    self._buttons[key_of(element.button.id)] = element.button.label
                case "markdown" if "but this server allows" in element.markdown.body:
                    self._ledger.refuse(element.markdown.body)

    def _say(self, text: str) -> None:
        if _REFUSED.search(text):
            self._awaits_own = False
            self._ledger.refuse(text)
        else:
            self._ledger.fail(f"page: {text}")

    async def mount(self, component: Component) -> None:
        if component.key == f"{self._name}-study":
            self._show(run_of(component.data["ticket"]))
        await self._page.mount(component)

    def unmount(self, key: str) -> None:
        self._page.unmount(key)

    def _show(self, run: str) -> None:
        before, self._run = self._run, run
        if before == run:
            return
        self._judged, self._asked = False, None  # its cards may take their time
        if self._awaits_own:
            self._awaits_own = False
            self._pressed.add(run)
        if before and before not in self._over | self._pressed:
            self._ledger.give_up(before, self._student.visitor)

    def hear(self, part: str, message: Message) -> None:
        """Look at what the stream has sent."""
        ledger = self._ledger
        if "could not be drawn" in message.words or b"could not be drawn" in message.picture[:200]:
            ledger.fail(f"stream: {part} could not be drawn")
        if part != "study" or not message.ticket:
            return
        run = run_of(message.ticket)
        if run != self._run:
            return  # the page has gone on to another
        if message.settled in ("", "done", "cancelled", "interrupted"):
            ledger.tell(run, self._name, self._tab.query, self._student.visitor)
        elif message.settled == "failed":
            ledger.fail(f"stream: a run failed: {_TAGS.sub('', message.words)}")
        elif message.settled == "deleted" and self._changed is not None:
            ledger.give_up(run, self._student.visitor)  # it gives way to the next, which is not on the page yet
        elif message.settled == "deleted":
            ledger.fail("stream: a run that was shown is deleted")
        if message.settled:
            self._over.add(run)
        ledger.queued += "Queued" in message.words
        if waits := _WAITS.search(message.words):
            ledger.fail(f"stream: {waits[1]}")
        if message.picture:
            self._look(run, message)

    def _look(self, run: str, message: Message) -> None:
        ledger = self._ledger
        if not self._drawn:
            self._drawn = True
            ledger.wait("first chart", self._since)
        if self._changed is not None and run != self._changed[0]:
            ledger.wait("changed run", self._changed[1])
            self._changed = None
        self._judged = self._judged or message.judges()
        if self._asked is not None and message.judges(self._asked[0]):
            ledger.wait("changed λ", self._asked[1])
            self._asked = None

    def settle(self) -> None:
        pass

    def lose(self, part: str, how: str, why: str) -> None:
        """Note it, and stay: a page finds its way back."""
        self._ledger.fail(f"stream: {how}")

    # What is done.

    async def _act(self) -> None:
        async with asyncio.timeout(_PATIENCE):
            await self._answered.wait()
        while not self._page.over.done():
            await asyncio.sleep(1 + self._chance.expovariate(1 / _PAUSE))
            if self._student.greedy and self._name == EXPLORE:
                self._student.greedy = False
                self._leave("asked for a large run", Place(EXPLORE, a_large_link(self._chance)))
            else:
                await self._do_something()

    async def _do_something(self) -> None:
        name, buttons = self._name, self._buttons
        if self._asked is not None and self._ledger.now - self._asked[1] > _UNANSWERED:
            self._ledger.count("saw no card that says what it thinks of a changed λ")  # there are runs without one
            self._asked = None
        deeds = {"change": 4.0, "reload": 0.8, "leave": 1.6}
        if self._judged and self._asked is None:
            deeds["look"] = 5.0
        for key, weight in (("cancel", 2.0), ("run", 4.0), ("starts", 0.6), ("sharpen-run", 0.3)):
            if f"{name}-{key}" in buttons:
                deeds[key] = weight
        if f"{name}-stop-sharpening" in buttons:
            deeds["stop-sharpening"] = 1.0
        if name == DATA:
            deeds["upload"] = 2.0
        deed = self._chance.choices(list(deeds), list(deeds.values()))[0]
        match deed:
            case "look":
                lam = self._chance.choice([lam for lam in LAMBDAS if lam != self._lam])
                self._lam, self._asked = lam, (lam, self._ledger.now)
                self._ledger.count("changed λ")
                await self._tab.enter(f"{name}_lambda", lam)
            case "change":
                await self._change()
            case "reload":
                self._leave("reloaded", Place(name, self._tab.query))
            case "leave":
                self._ledger.count("closed a tab")
                self._leave("", self._student.another())
            case "upload":
                await self._upload()
            case _:
                await self._press(deed)

    async def _change(self) -> None:
        """Change a field, wait until the page takes that for meant, and have it start what is short."""
        field, value = a_change(self._chance)
        if f"{self._name}_{field}" not in self._tab.widgets:
            return
        self._ledger.count("changed a field")
        self._changed, self._awaits_own = (self._run, self._ledger.now), False
        await self._tab.enter(f"{self._name}_{field}", value)
        await asyncio.sleep(_SETTLED)
        await self._tab.rerun()  # what a page that waits for the visitor to settle does by itself

    async def _press(self, deed: str) -> None:
        label = self._buttons[f"{self._name}-{deed}"]
        if label == "Run" or deed == "starts":
            self._changed, self._awaits_own = (self._run, self._ledger.now), True  # another than the one that is shown
        elif deed == "run":
            self._pressed.add(self._run)
        self._ledger.count(f"pressed {label}")
        await self._tab.press(f"{self._name}-{deed}")

    async def _upload(self) -> None:
        key = max((key for key in self._tab.widgets if key.startswith(f"{DATA}-upload-")), key=_turn)
        self._ledger.count("uploaded a file")
        await self._tab.upload(key, *a_file(self._student.number))

    def _leave(self, deed: str, then: Place) -> None:
        if deed:
            self._ledger.count(deed)
        self._student.next = then
        if not self._page.over.done():
            self._page.over.set_result(None)


def run_of(ticket: str) -> str:
    """Return the id of the run that a live element's ticket is for."""
    said = ticket.partition(".")[0]
    subject: list[str] = json.loads(base64.urlsafe_b64decode(said + "=" * (-len(said) % 4)))
    return subject[-1]


def _turn(key: str) -> int:
    return int(key.rpartition("-")[2])
