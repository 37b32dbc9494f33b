"""A wire between a browser and a server, on a loop of its own, that a test can cut, hold and mend."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.pages.serving import free_port
from tools.wire import Wire


class FromHere:
    """A wire as a test uses it, which has no event loop."""

    def __init__(self, wire: Wire, loop: asyncio.AbstractEventLoop) -> None:
        self._wire, self._loop = wire, loop

    def cut(self) -> None:
        self._have(self._wire.cut)

    def hold(self) -> None:
        self._have(self._wire.hold)

    def mend(self) -> None:
        self._have(self._wire.mend)

    def _have(self, what: Callable[[], None]) -> None:
        async def done() -> None:
            what()

        asyncio.run_coroutine_threadsafe(done(), self._loop).result()


@contextmanager
def wired(url: str) -> Iterator[tuple[FromHere, str]]:
    """Put a wire before a server; return it with the address at its near end."""
    loop, wire = asyncio.new_event_loop(), Wire(free_port(), int(url.rsplit(":")[-1]))
    aside = threading.Thread(target=loop.run_forever)
    aside.start()
    try:
        asyncio.run_coroutine_threadsafe(wire.open(), loop).result()
        yield FromHere(wire, loop), wire.url
    finally:
        asyncio.run_coroutine_threadsafe(wire.close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        aside.join()
        loop.close()
