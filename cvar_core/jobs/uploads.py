"""Visitors' files: each its visitor's alone, bounded in size and number, and removed after a while."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import threading
import time
from pathlib import Path
from typing import NamedTuple

from .limits import Limits
from .refused import Refused

log = logging.getLogger(__name__)

_LONGEST_NAME = 80
_TIDY_SECONDS = 300.0


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

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits
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
            taken = sum(each.stat().st_size for each in self._folder.glob("*/*.data"))
            if taken + len(content) > limits.upload_store:
                raise Refused("The server has no room for further files. Try again later.")
            place = self._place(visitor, name)
            try:
                place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                place.with_suffix(".name").write_text(name, "utf-8")
                unfinished = place.with_suffix(".part")
                unfinished.write_bytes(content)
                unfinished.replace(place)
            except OSError as problem:
                log.error("upload %s", problem)
                raise Refused(f"The server cannot keep files: {problem.strerror or problem}.") from None
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
            for place in [*self._folder.glob("*/*.data"), *self._folder.glob("*/*.part")]:
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
                    name = place.with_suffix(".name").read_text("utf-8")
                    found.append(Upload(name, place.stat().st_size, until, place))
        return sorted(found, key=lambda each: -each.until)

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


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _delete(place: Path) -> None:
    for each in (place, place.with_suffix(".name")):
        with contextlib.suppress(OSError):
            each.unlink()


def _size(count: int) -> str:
    return f"{count / 2**20:,.1f} MB" if count >= 2**20 else f"{count / 2**10:,.1f} kB"
