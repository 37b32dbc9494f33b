"""A wire between visitors and a server that can be cut, or held so that nothing passes and nobody is told."""

from __future__ import annotations

import asyncio
import contextlib


class Wire:
    """Passes on what comes to its port, on the event loop on which it was opened and is used."""

    def __init__(self, port: int, to: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._port, self._to = port, to
        self._ends: set[asyncio.StreamWriter] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._is_cut = False

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._take, "127.0.0.1", self._port, backlog=200)

    async def close(self) -> None:
        """End everything; nothing is left on the loop."""
        self._server.close()
        self.cut()
        self._flowing.set()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*others, return_exceptions=True)

    def cut(self) -> None:
        """End all connections, and refuse new ones until it is mended."""
        self._is_cut = True
        self._end_all()

    def hold(self) -> None:
        """Let nothing pass; no end hears of it."""
        self._flowing.clear()

    def mend(self) -> None:
        """Let everything pass again; what was held is lost with its connections, as after a night's sleep."""
        if not self._flowing.is_set():
            self._end_all()
        self._is_cut = False
        self._flowing.set()

    def _end_all(self) -> None:
        for end in tuple(self._ends):
            end.transport.abort()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            writer.transport.abort()
            return
        try:
            beyond, far = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:  # no server is there now
            writer.transport.abort()
            return
        ends = {writer, far}
        self._ends |= ends
        passing = [asyncio.create_task(self._pass_on(*each)) for each in ((reader, far), (beyond, writer))]
        await asyncio.wait(passing, return_when=asyncio.FIRST_COMPLETED)
        for task in passing:
            task.cancel()
        await asyncio.gather(*passing, return_exceptions=True)
        self._ends -= ends
        for end in ends:
            end.close()

    async def _pass_on(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(2**16):
                await self._flowing.wait()
                target.write(data)
                await target.drain()
