"""Files at the upload address: refused before they are held, by size, by number and by address."""

import asyncio
import random
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cvar_core.jobs import Limits, Settings
from pages.components.asking import turned_away
from pages.components.sending import intake as the_intake
from pages.components.sending.intake import Intake
from tests.pages.aside import run_aside

KB = 2**10
LIMITS = Limits(upload=100 * KB, uploads=3, upload_memory=1000 * KB, address_share=50)
LARGEST = LIMITS.upload + 16 * KB  # with what a browser sends around it


class Memory:
    """What Streamlit holds, and which of its tabs were run again."""

    def __init__(self) -> None:
        self.files: dict[str, dict[str, int]] = defaultdict(dict)
        self.ran: list[str] = []

    def is_open(self, session: str) -> bool:
        return session != "nobody's"

    def files_of(self, session: str) -> list[str]:
        return list(self.files[session])

    def let_go(self, session: str, file: str) -> None:
        self.files[session].pop(file, None)

    def run_again(self, session: str) -> None:
        self.ran.append(session)


@dataclass
class Sender:
    """Sends a file in parts; ``None`` among them is a pause without end, and ``b""`` hangs up."""

    intake: Intake
    parts: list[bytes | None]
    length: int | None = None
    session: str = "tab"
    file: str = "a"
    address: str = "192.0.2.1"
    status: int = 0
    said: str = ""
    read: int = 0
    more: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self) -> int:
        headers = [] if self.length is None else [(b"content-length", str(self.length).encode())]
        scope = {
            "type": "http", "method": "PUT", "path": f"/lab/_stcore/upload_file/{self.session}/{self.file}",
            "headers": headers, "client": (self.address, 5), "query_string": b"",
        }  # fmt: skip
        await self.intake(scope, self._receive, self._send)
        return self.status

    async def _receive(self) -> dict[str, Any]:
        if self.read == len(self.parts):
            return {"type": "http.request", "body": b"", "more_body": False}
        part, self.read = self.parts[self.read], self.read + 1
        if part is None:
            await self.more.wait()
            part = b"x"
        return {"type": "http.request", "body": part, "more_body": True} if part else {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        self.status = message.get("status", self.status)
        self.said += message.get("body", b"").decode()


@pytest.fixture
def memory(monkeypatch) -> Memory:
    held = Memory()
    monkeypatch.setattr(the_intake, "internals", held)
    monkeypatch.setattr(the_intake.server, "told", lambda: Settings(limits=LIMITS))
    return held


@pytest.fixture
def intake(memory) -> Intake:
    """Before a server that holds what it is sent, as Streamlit does."""

    async def put(request: Request) -> Response:
        size = 0
        async for chunk in request.stream():
            size += len(chunk)
        memory.files[request.path_params["session"]][request.path_params["file"]] = size
        return Response(status_code=204)

    return Intake(Starlette(routes=[Route("/lab/_stcore/upload_file/{session}/{file}", put, methods=["PUT"])]))


def test_what_is_too_long_is_refused_before_a_byte_of_it_is_read(intake, memory):
    sender = Sender(intake, [bytes(KB)], length=300 * 2**20)
    assert run_aside(sender.send()) == 413
    assert sender.said == "The file is too large: this server takes at most 0.1 MB."
    assert (sender.read, memory.files["tab"]) == (0, {})
    assert (turned_away.told("tab"), memory.ran) == ([sender.said], ["tab"]), "the page can say it"


def test_what_does_not_tell_its_length_is_counted_as_it_comes(intake, memory):
    sender = Sender(intake, [bytes(10 * KB)] * 1000)
    assert run_aside(sender.send()) == 413
    assert sender.read == LARGEST // (10 * KB) + 1
    assert memory.files["tab"] == {}
    assert memory.ran == ["tab"]


def test_the_largest_that_is_allowed_is_taken(intake, memory):
    assert run_aside(Sender(intake, [bytes(LIMITS.upload)], length=LIMITS.upload + 200).send()) == 204
    assert memory.files["tab"] == {"a": LIMITS.upload}
    assert memory.ran == []


def test_a_tab_has_so_many_files_and_no_more_coming_or_there(intake, memory):
    async def story() -> None:
        assert await Sender(intake, [b"1"], file="there").send() == 204
        coming = [Sender(intake, [None], file=name) for name in "bc"]
        under_way = [asyncio.create_task(each.send()) for each in coming]
        await asyncio.sleep(0)
        fourth = Sender(intake, [b"1"], file="d")
        assert await fourth.send() == 429
        assert fourth.said == "You can send 3 files at a time. Try again with fewer."
        assert await Sender(intake, [b"1"], session="other").send() == 204
        assert await Sender(intake, [b"1"], file="there").send() == 204, "it takes its own place"
        coming[0].more.set()
        await under_way[0]
        assert await Sender(intake, [b"1"], file="d").send() == 429, "whether it comes or is there"
        memory.let_go("tab", "there")
        assert await Sender(intake, [b"1"], file="d").send() == 204
        coming[1].more.set()
        await under_way[1]

    run_aside(story())


def test_an_address_has_its_share_and_others_the_rest(intake, memory):
    async def sent(number: int, address: str) -> int:
        return await Sender(intake, [bytes(100 * KB)], 100 * KB, f"tab {number}", address=address).send()

    async def story() -> None:
        own = [await sent(number, "192.0.2.1") for number in range(8)]
        assert own == [204] * 5 + [503] * 3, "from new tabs each time"
        others = [await sent(10 + number, f"192.0.2.{2 + number}") for number in range(6)]
        assert others == [204] * 5 + [503], "and all together no more than there is room for"
        unheard = Sender(intake, [bytes(KB)], length=100 * KB, session="tab 19")
        assert await unheard.send() == 503
        assert (unheard.read, unheard.said) == (
            0,
            "The server is taking in as many files as it can. Try again in a moment.",
        )
        memory.let_go("tab 0", "a")
        assert await sent(20, "192.0.2.1") == 204, "who is done makes room"

    run_aside(story())


def test_a_file_that_is_sent_again_counts_once(intake):
    async def story() -> list[int]:
        return [await Sender(intake, [bytes(100 * KB)]).send() for _ in range(20)]

    assert run_aside(story()) == [204] * 20


def test_who_tells_no_length_gets_no_more_of_the_room(intake):
    async def story() -> None:
        for number in range(5):
            await Sender(intake, [bytes(100 * KB)], session=f"tab {number}").send()
        late = Sender(intake, [bytes(10 * KB)] * 9, session="late")
        assert await late.send() == 503
        assert late.read == 1

    run_aside(story())


def test_a_file_that_stops_coming_is_given_up(intake, memory, monkeypatch):
    monkeypatch.setattr(the_intake, "SILENCE", 0.02)
    sender = Sender(intake, [b"1", None], length=50)
    assert run_aside(asyncio.wait_for(sender.send(), 5)) == 408
    assert memory.files["tab"] == {}


def test_a_file_that_no_page_takes_is_let_go(intake, memory, monkeypatch):
    monkeypatch.setattr(the_intake, "KEPT", 0.02)

    async def story() -> None:
        await Sender(intake, [b"1"]).send()
        assert memory.files["tab"]
        await asyncio.sleep(0.1)
        assert not memory.files["tab"]

    run_aside(story())


def test_a_tab_that_is_none_is_left_to_streamlit(intake, memory):
    sender = Sender(intake, [bytes(KB)], length=300 * 2**20, session="nobody's")
    run_aside(sender.send())
    assert sender.status == 204, "which says no"
    assert memory.ran == []


def test_no_room_is_lost_whatever_becomes_of_the_files(intake, memory, monkeypatch):
    monkeypatch.setattr(the_intake, "SILENCE", 0.01)
    chance = random.Random(0)
    ends: list[list[bytes | None]] = [[], [b""], [None], [bytes(LARGEST)]]

    async def one(number: int) -> None:
        body = [bytes(chance.randrange(60 * KB)) for _ in range(chance.randrange(3))]
        length = chance.choice([None, sum(map(len, body)), 2**40])
        session, file = f"tab {number % 7}", chance.choice("abc")
        sender = Sender(intake, [*body, *chance.choice(ends)], length, session, file, f"192.0.2.{number % 3}")
        await asyncio.sleep(chance.random() / 20)
        await sender.send()
        if chance.random() < 0.5:
            memory.let_go(session, file)

    async def story() -> None:
        await asyncio.gather(*(one(number) for number in range(200)))
        memory.files.clear()
        for number in range(5):
            assert await Sender(intake, [bytes(100 * KB)], session=f"tab {number}").send() == 204
        assert await Sender(intake, [bytes(100 * KB)], session="tab 5").send() == 503, "as at the beginning"

    run_aside(story())
