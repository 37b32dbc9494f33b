"""Visitors' files: each its visitor's alone, bounded in size and number, and removed after a while."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import threading
import time
from pathlib import Path
from typing import NamedTuple

from ..writing import UNFINISHED, write_whole
from .limits import Limits
from .refused import Refused
from .whereabouts import Whereabouts

log = logging.getLogger(__name__)

_LONGEST_NAME = 80
_TIDY_SECONDS = 300.0
_LEAST = 2**16  # bytes that a file counts for, however small: their number is bounded as well


class Upload(NamedTuple):
    """A file that a visitor has here."""

    name: str
    size: int
    until: float  # when it is removed, in seconds since 1970
    path: Path


class Uploads:
    """The files under a folder; one folder a visitor, whose name does not tell the visitor's id. Any thread may call.

    A visitor's files are told apart by their names, so that a link can name one without giving it away.
    """

    def __init__(self, folder: Path, limits: Limits, whereabouts: Whereabouts | None = None) -> None:
        self._folder = folder
        self._limits = limits
        self._whereabouts = whereabouts or Whereabouts()
        self._lock = threading.Lock()

    def add(self, visitor: str, name: str, content: bytes) -> Upload:
        """Keep a file; one of the same name is replaced."""
        name, limits = named(name), self._limits
        if len(content) > limits.upload:
            raise Refused(f"{name} has {_size(len(content))}, but this server takes at most {_size(limits.upload)}.")
        with self._lock:
            others = [each for each in self._of(visitor) if each.name != name]
            if len(others) >= limits.uploads:
                files = "1 file" if len(others) == 1 else f"{len(others)} files"
                raise Refused(f"You have {files} here, which is the most. Delete one, and try again.")
            place, address = self._place(visitor, name), self._whereabouts.of(visitor)
            self._ensure_room(place, max(len(content), _LEAST), address)
            try:
                place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                place.with_suffix(".name").write_text(f"{name}\n{_hash(address) if address else ''}", "utf-8")
                write_whole({place: content})
            except OSError as problem:
                log.error("upload %s", problem)
                raise Refused(f"The server cannot keep files: {problem.strerror or type(problem).__name__}.") from None
            return next(each for each in self._of(visitor) if each.name == name)

    def of(self, visitor: str) -> list[Upload]:
        """Return the visitor's files, the latest first."""
        with self._lock:
            return self._of(visitor)

    def remove(self, visitor: str, name: str) -> None:
        with self._lock:
            _delete(self._place(visitor, name))

    def tidy(self) -> None:
        """Remove all files whose time is over."""
        with self._lock:
            for place in [*self._folder.glob("*/*.data"), *self._folder.glob(f"*/*{UNFINISHED}")]:
                with contextlib.suppress(FileNotFoundError):
                    if self._until(place) <= time.time():
                        _delete(place)
            for folder in self._folder.glob("*"):
                with contextlib.suppress(OSError):  # it is not empty
                    folder.rmdir()

    def keep_tidy(self) -> None:
        """Remove files whose time is over from now on, whether anybody visits or not."""

        def tidy() -> None:
            while True:
                try:
                    self.tidy()
                except OSError as problem:
                    log.error("tidying %s", problem)
                time.sleep(_TIDY_SECONDS)

        threading.Thread(target=tidy, name="uploads", daemon=True).start()

    def _of(self, visitor: str) -> list[Upload]:
        found = []
        for place in self._place(visitor, "").parent.glob("*.data"):
            with contextlib.suppress(OSError):
                until = self._until(place)
                if until > time.time():
                    name, _ = _label(place)
                    found.append(Upload(name, place.stat().st_size, until, place))
        return sorted(found, key=lambda each: -each.until)

    def _ensure_room(self, place: Path, size: int, address: str) -> None:
        """Refuse a file for which there is no room, in all or of its address; it may take another's place."""
        everything = theirs = size
        for other in self._folder.glob("*/*.data"):
            with contextlib.suppress(OSError):
                if other != place:
                    taken = max(other.stat().st_size, _LEAST)
                    everything += taken
                    theirs += taken if address and _label(other)[1] == _hash(address) else 0
        if everything > self._limits.upload_store:
            raise Refused("The server has no room for further files. Try again later.")
        if address and theirs > self._limits.upload_store_per_address:
            raise Refused("The server has no room for further files from your address. Delete one, or try again later.")

    def _until(self, place: Path) -> float:
        return place.stat().st_mtime + 3600 * self._limits.upload_hours

    def _place(self, visitor: str, name: str) -> Path:
        return self._folder / _hash(visitor) / f"{_hash(name)}.data"


def named(name: str) -> str:
    """Return a file's name without its folders, on one line and not too long.

    >>> named("C:/my files/cars.csv")
    'cars.csv'
    """
    last = "".join(letter if letter.isprintable() else " " for letter in name.replace("\\", "/").rpartition("/")[2])
    return last.strip()[-_LONGEST_NAME:] or "file"  # its end says what it is


def _label(place: Path) -> tuple[str, str]:
    """Return a file's name, and what tells its address from others."""
    name, _, address = place.with_suffix(".name").read_text("utf-8").partition("\n")
    return name, address


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _delete(place: Path) -> None:
    for each in (place, place.with_suffix(".name")):
        with contextlib.suppress(OSError):
            each.unlink()


def _size(count: int) -> str:
    return f"{count / 2**20:,.1f} MB" if count >= 2**20 else f"{count / 2**10:,.1f} kB"
