"""A wire between a browser and a server that a test can cut, or hold so that nothing passes and nobody is told."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Wire:
    """Passes on what comes to its port; one thread a direction."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = int(self._listening.getsockname()[1])
        self._sockets: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._flowing = threading.Event()
        self._flowing.set()
        self._cut = False
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """End all connections, and refuse new ones until it is mended."""
        self._cut = True
        self._end_all()

    def hold(self) -> None:
        """Let nothing pass; no end hears of it."""
        self._flowing.clear()

    def mend(self) -> None:
        """Let everything pass again; what was held is lost with its connections, as after a night's sleep."""
        if not self._flowing.is_set():
            self._end_all()
        self._cut = False
        self._flowing.set()

    def close(self) -> None:
        self._listening.close()
        self.cut()
        self._flowing.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                if self._cut:
                    near.close()
                    continue
                try:
                    far = socket.create_connection(("127.0.0.1", self._to))
                except OSError:  # no server is there now
                    near.close()
                    continue
                with self._lock:
                    self._sockets |= {near, far}
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                self._flowing.wait()
                target.sendall(data)
        self._end(source, target)

    def _end_all(self) -> None:
        with self._lock:
            sockets = list(self._sockets)
        self._end(*sockets)

    def _end(self, *sockets: socket.socket) -> None:
        for each in sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        with self._lock:
            self._sockets -= set(sockets)


@contextmanager
def wired(url: str) -> Iterator[tuple[Wire, str]]:
    """Put a wire before a server; return it with the address at its near end."""
    wire = Wire(int(url.rsplit(":")[-1]))
    try:
        yield wire, f"http://127.0.0.1:{wire.port}"
    finally:
        wire.close()
