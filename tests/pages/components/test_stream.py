"""The stream as a browser hears it: what is new, once it has drawn what it has, and only what it may hear."""

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from cvar_core.jobs import Manager
from pages.components.drawing import run_picture
from pages.components.sending import server, stream
from pages.components.sending.stream import UNKNOWN, Listener
from pages.components.sending.studio import Studio
from tests.pages.aside import run_aside
from tests.pages.exploring import halfway, small

VISITOR = "a" * 32


class Browser:
    """The other end of a socket, in the place of Starlette's."""

    def __init__(self) -> None:
        self._said: asyncio.Queue[str | bytes | None] = asyncio.Queue()
        self._heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.code: int | None = None
        self.number = 0

    # What the server calls.

    async def receive(self) -> dict[str, Any]:
        said = await self._said.get()
        if said is None:
            return {"type": "websocket.disconnect", "code": 1001}
        return {"type": "websocket.receive", "bytes" if isinstance(said, bytes) else "text": said}

    async def send_text(self, text: str) -> None:
        self._heard.put_nowait(json.loads(text))

    async def close(self, code: int = 1000) -> None:
        self.code = self.code or code
        self._said.put_nowait(None)

    # What a page does.

    def say(self, text: str | bytes) -> None:
        self._said.put_nowait(text)

    def ask(self, ticket: str, part: str = "study", **look: Any) -> None:
        self.number += 1
        self.say(json.dumps({"number": self.number, "ticket": ticket, "part": part, "look": look}))

    async def hears(self) -> dict[str, Any]:
        """Return the next message, and say that it is drawn."""
        message = await self.gets()
        self.say('{"drawn": true}')
        return message

    async def gets(self) -> dict[str, Any]:
        return await asyncio.wait_for(self._heard.get(), 30)

    async def hears_nothing_for(self, seconds: float) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(self._heard.get(), seconds)

    def leave(self) -> None:
        self._said.put_nowait(None)


def ticket(run_id: str = "") -> str:
    return server.ticket("run", "explore", VISITOR, run_id or small().id)


def with_browsers(count: int, story: Callable[..., Awaitable[None]]) -> None:
    """Let browsers listen while a story goes on; when it is told they leave, and nothing is left behind."""

    async def tell() -> None:
        browsers = [Browser() for _ in range(count)]
        serving = [asyncio.create_task(Listener(each, server.opened()).serve()) for each in browsers]
        await story(*browsers)
        for browser in browsers:
            browser.leave()
        await asyncio.wait_for(asyncio.gather(*serving), 30)

    run_aside(tell())


@pytest.fixture
def run(jobs, held) -> Manager:
    """A run that has come halfway."""
    jobs.submit(small(), VISITOR)
    halfway(jobs, held)
    return jobs


@pytest.fixture
def eager(monkeypatch) -> None:
    """Messages as often as there is news, and no heartbeats."""
    monkeypatch.setattr(stream, "OFTEN", 0.0)
    monkeypatch.setattr(stream, "_SHARE", 0)
    monkeypatch.setattr(server, "HEARTBEAT", 600.0)


def test_the_first_message_has_everything_and_the_next_only_what_is_new(run, held, eager):
    async def story(browser: Browser) -> None:
        browser.ask(ticket(), lam=1.0)
        first = await browser.hears()
        assert first["settled"] == ""
        assert "Running the methods" in first["words"]
        assert [chart["key"] for chart in first["picture"]["charts"]] == ["explore-sensitivity", "explore-curves"]
        run.submit(small(), "somebody else")
        second = await browser.hears()
        assert "shared with 1 other" in second["words"]
        assert "picture" not in second
        halfway(run, held, records=int(run.view(small(), "").result.recorded.min()) + 1)
        assert "picture" in await browser.hears()

    with_browsers(1, story)


def test_nothing_queues_behind_a_slow_reader(run, held, eager):
    async def story(browser: Browser) -> None:
        browser.ask(ticket())
        await browser.gets()
        held.work()  # hundreds of changes, until the run is done
        await browser.hears_nothing_for(0.3)
        browser.say('{"drawn": true}')
        newest = await browser.hears()
        assert newest["settled"] == "done"
        await browser.hears_nothing_for(0.3)

    with_browsers(1, story)


def test_a_browser_that_draws_slowly_is_left_alone_for_as_long(run, held, eager):
    async def story(browser: Browser) -> None:
        browser.ask(ticket())
        await browser.gets()
        await asyncio.sleep(0.6)
        browser.say('{"drawn": true}')
        held.work(1)
        await browser.hears_nothing_for(0.3)
        await browser.hears()

    with_browsers(1, story)


def test_what_the_visitor_changes_does_not_wait(run, eager, monkeypatch):
    monkeypatch.setattr(stream, "OFTEN", 600.0)

    async def story(browser: Browser) -> None:
        browser.ask(ticket(), lam=1.0)
        assert "λ = 1 is" in (await browser.hears())["picture"]["above"]
        browser.ask(ticket(), lam=0.5)
        assert "λ = 0.5 is" in (await browser.hears())["picture"]["above"]

    with_browsers(1, story)


def test_one_drawing_serves_all_who_look_the_same_way(run, held, eager, monkeypatch):
    drawn: list[str] = []
    draw = run_picture.sensitivity
    monkeypatch.setattr(
        run_picture, "sensitivity", lambda *given, **named: drawn.append(named["theme"]) or draw(*given, **named)
    )

    async def story(*browsers: Browser) -> None:
        for k, browser in enumerate(browsers):
            browser.ask(ticket(), lam=1.0, theme="light" if k % 3 else "dark")
        heard = [await browser.hears() for browser in browsers]
        assert sorted(drawn) == ["dark", "light"]
        assert len({json.dumps(each["picture"]) for each in heard}) == 2

    with_browsers(30, story)


def test_another_run_is_heard_on_the_same_socket(run, held, eager):
    other = small({"loss": "absolute"})
    run.submit(other, VISITOR)
    held.work()

    async def story(browser: Browser) -> None:
        browser.ask(ticket())
        first = await browser.hears()
        browser.ask(ticket(other.id))
        second = await browser.hears()
        assert second["picture"]["charts"] != first["picture"]["charts"]
        assert f"F* = {run.view(other, '').result.optimum.value:.6g}" in second["words"]

    with_browsers(1, story)


def test_a_deleted_run_is_told(run, eager):
    async def story(browser: Browser) -> None:
        browser.ask(ticket())
        await browser.hears()
        run.forget(small().id, VISITOR)
        assert (await browser.hears())["settled"] == "deleted"

    with_browsers(1, story)


@pytest.mark.parametrize("sent", ["", "x.y", "é", 7, None, "W10.0"])
def test_who_has_no_ticket_of_ours_hears_nothing(run, sent):
    async def story(browser: Browser) -> None:
        browser.say(json.dumps({"number": 1, "ticket": sent, "part": "study"}))
        await browser.hears_nothing_for(0.1)
        assert browser.code == UNKNOWN

    with_browsers(1, story)


def test_a_changed_ticket_is_none_of_ours(run):
    _, _, signature = ticket().partition(".")
    forged = server.ticket("run", "explore", "b" * 32, small().id).partition(".")[0]

    async def story(browser: Browser) -> None:
        browser.ask(f"{forged}.{signature}")
        await browser.hears_nothing_for(0.1)
        assert browser.code == UNKNOWN

    with_browsers(1, story)


def test_nonsense_is_not_heard(run, eager):
    async def story(browser: Browser) -> None:
        for text in (
            "",
            "{",
            "[]",
            "7",
            "null",
            '{"look": 3}',
            "x" * 100_000,
            "[" * 9_000,
            b"bytes",
            '{"drawn": true}',
        ):
            browser.say(text)
        browser.ask(ticket(), lam=10**400, theme=["dark"], at={}, closed=-1, measure=None)
        assert "picture" in await browser.hears()

    with_browsers(1, story)


@pytest.mark.parametrize("part", ["no such", "server", None, 3, ["study"]])
def test_a_ticket_is_for_its_own_parts(run, part):
    async def story(browser: Browser) -> None:
        browser.ask(ticket(), part)
        await browser.hears_nothing_for(0.1)
        assert browser.code == UNKNOWN

    with_browsers(1, story)


def test_what_cannot_be_drawn_is_said_once_and_the_rest_goes_on(run, held, eager, monkeypatch, caplog):
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(run_picture, "sensitivity", broken)

    async def story(browser: Browser) -> None:
        browser.ask(ticket())
        assert "could not be drawn" in (await browser.hears())["picture"]["above"]
        run.submit(small(), "somebody else")
        assert "shared with 1 other" in (await browser.hears())["words"]
        assert caplog.text.count("nothing could be drawn") == 1
        held.work()
        assert (await browser.hears())["settled"] == "done"

    with_browsers(1, story)


def test_an_answer_says_to_what(run, eager):
    async def story(browser: Browser) -> None:
        for lam in (1.0, 2.0, 3.0):
            browser.ask(ticket(), lam=lam)
            assert (await browser.hears())["answers"] == browser.number

    with_browsers(1, story)


def test_who_has_left_is_not_drawn_for(run, eager):
    shared, drawn = server.opened(), []

    async def story(slow: Browser, gone: Browser) -> None:
        ready = asyncio.Event()
        loop = asyncio.get_running_loop()
        begun, go_on = asyncio.Event(), threading.Event()

        def wait() -> None:
            loop.call_soon_threadsafe(begun.set)
            go_on.wait(30)

        blocking = asyncio.create_task(shared.studio.draw(wait, soon=True))
        await begun.wait()
        gone.ask(ticket(), lam=7.0)
        await asyncio.sleep(0.05)
        gone.leave()
        await asyncio.sleep(0.05)
        go_on.set()
        await blocking
        slow.ask(ticket())
        await slow.hears()
        drawn.extend(key for key in shared.pictures if "lam=7.0" in repr(key))
        ready.set()

    with_browsers(2, story)
    assert drawn == []


def test_those_who_change_their_look_without_end_do_not_starve_the_others():
    """What has merely grown waits behind what was changed, but not for ever."""
    order: list[str] = []

    async def story() -> None:
        studio = Studio()
        grown = asyncio.create_task(studio.draw(lambda: order.append("grown"), soon=False))

        async def change() -> None:
            for _ in range(20):
                await studio.draw(lambda: (order.append("changed"), time.sleep(0.05)), soon=True)

        await asyncio.gather(grown, *(change() for _ in range(3)))  # there is always one that waits
        studio.close()

    run_aside(story())
    assert order[0] == "changed"
    assert 3 < order.index("grown") < 50


def test_a_silent_browser_is_let_go(run, monkeypatch):
    monkeypatch.setattr(stream, "GREETING", 0.1)
    monkeypatch.setattr(stream, "PATIENCE", 0.1)

    async def story(silent: Browser, gone: Browser) -> None:
        gone.ask(ticket())
        await gone.gets()  # and never says that it has drawn it
        await asyncio.sleep(0.5)
        assert (silent.code, gone.code) == (1000, 1000)

    with_browsers(2, story)


def test_who_leaves_is_not_told_any_more(run, held, eager):
    async def story(browser: Browser) -> None:
        browser.ask(ticket())
        await browser.hears()
        assert run._changes._watchers

    with_browsers(1, story)
    assert run._changes._watchers == {}
    assert Listener.listening == 0


def test_heartbeats_come_when_there_is_no_news(run, eager, monkeypatch):
    monkeypatch.setattr(server, "HEARTBEAT", 0.05)

    async def story(browser: Browser) -> None:
        browser.ask(ticket())
        beats = [await browser.hears() for _ in range(5)]
        assert all("picture" not in beat for beat in beats[1:])
        assert {beat["boot"] for beat in beats} == {server.boot()}

    with_browsers(1, story)


def test_heartbeats_come_while_the_studio_is_busy(run, held, eager, monkeypatch):
    monkeypatch.setattr(server, "HEARTBEAT", 0.05)
    busy, draw = threading.Event(), Listener._draw
    monkeypatch.setattr(Listener, "_draw", lambda *given: busy.wait(30) and draw(*given))

    async def story(browser: Browser) -> None:
        browser.ask(ticket(), lam=1.0)
        for beat in [await browser.hears() for _ in range(3)]:
            assert (beat["answers"], beat["words"], beat["boot"]) == (0, None, server.boot())
        busy.set()
        while (first := await browser.hears())["answers"] != 1:
            assert "picture" not in first  # what was on its way
        assert "picture" in first
        busy.clear()
        browser.ask(ticket(), lam=0.5)
        for beat in [await browser.hears() for _ in range(3)]:  # what was said last, about what was asked for before
            assert (beat["answers"], beat["words"]) == (1, first["words"])
        busy.set()
        while (second := await browser.hears())["answers"] != 2:
            assert "picture" not in second
        assert "λ = 0.5 is" in second["picture"]["above"]

    with_browsers(1, story)


def test_who_does_not_answer_a_heartbeat_is_let_go_while_the_studio_is_busy(run, eager, monkeypatch):
    monkeypatch.setattr(server, "HEARTBEAT", 0.05)
    monkeypatch.setattr(stream, "PATIENCE", 0.1)
    busy, draw = threading.Event(), Listener._draw
    monkeypatch.setattr(Listener, "_draw", lambda *given: busy.wait(30) and draw(*given))

    async def story(gone: Browser) -> None:
        gone.ask(ticket())
        await gone.gets()
        await asyncio.sleep(0.5)
        assert gone.code == 1000
        busy.set()

    with_browsers(1, story)


def test_a_heartbeat_is_due_by_what_was_sent_last_and_not_by_when_drawing_began(run, held, eager, monkeypatch):
    busy, draw = threading.Event(), Listener._draw
    monkeypatch.setattr(Listener, "_draw", lambda *given: busy.wait(30) and draw(*given))
    busy.set()

    async def story(browser: Browser) -> None:
        browser.ask(ticket())
        await browser.hears()
        monkeypatch.setattr(server, "HEARTBEAT", 2.0)
        run.submit(small(), "somebody else")
        await browser.hears()  # the last before it waits no longer than that
        said = time.monotonic()
        busy.clear()
        await asyncio.sleep(1.5)
        run.submit(small(), "a third")
        await browser.hears()
        assert time.monotonic() - said < 3.0
        busy.set()

    with_browsers(1, story)
