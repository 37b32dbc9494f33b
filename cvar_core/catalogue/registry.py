"""A registry: the named entries of one kind that every other part of the project reads.

Other packages bring entries by an entry point, ``[project.entry-points."cvar_core.methods"]``, which names an entry or
several; they are read once, when a registry is first asked for what is not built in. At run time there is ``add``.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
import threading
import warnings
from collections.abc import Iterator
from importlib import metadata
from typing import Any, Generic, Protocol, TypeVar

from ..compiled import fingerprint

RUN_TIME = "added at run time"

_NAME = re.compile(r"[a-z0-9][a-z0-9+_.-]*", re.IGNORECASE)


class Named(Protocol):
    @property
    def name(self) -> str: ...


Entry = TypeVar("Entry", bound=Named)


class UnknownName(ValueError):
    """A name that is in no registry; the message lists the names that are."""


class PlugInWarning(UserWarning):
    """A package brought something that cannot be used, which is left out."""


class Registry(Generic[Entry]):
    """Entries by name, in the order in which they were added.

    Parameters
    ----------
    kind
        What an entry is, in a word.
    entry_type, group
        The class of entries that other packages may bring, and the group of their entry points; ``None`` for neither.
    """

    def __init__(self, kind: str, entry_type: type[Entry] | None = None, group: str | None = None) -> None:
        self.kind = kind
        self._entry_type, self._group = entry_type, group
        self._entries: dict[str, Entry] = {}
        self._origins: dict[str, str] = {}  # of those that are not built in
        self._hidden: set[str] = set()
        self._sealed = False
        self._unread = group is not None
        self._reading = threading.RLock()

    def add(self, entry: Entry, origin: str = RUN_TIME) -> Entry:
        """Add an entry, under a name that is free; ``origin`` says where it comes from, if it is not built in."""
        if self._entry_type is not None and not isinstance(entry, self._entry_type):
            raise ValueError(f"{entry!r} is no {self._entry_type.__name__}, so it cannot be a {self.kind}")
        if not isinstance(entry.name, str) or not _NAME.fullmatch(entry.name):
            raise ValueError(f"a {self.kind} is named {entry.name!r}, but a name has letters, digits and + _ . - only")
        if entry.name in self._entries:
            raise ValueError(f"there is already a {self.kind} named {entry.name!r}")
        self._entries[entry.name] = entry
        if self._sealed:
            self._origins[entry.name] = origin
        return entry

    def remove(self, name: str) -> None:
        del self._entries[name]
        self._origins.pop(name, None)
        self._hidden.discard(name)

    def hide(self, name: str) -> None:
        """List an entry nowhere: it is there for whoever has its name."""
        self._hidden.add(name)

    def seal(self) -> None:
        """Say that what is there is built in, and what comes later is not."""
        self._sealed = True

    def origin(self, name: str) -> str | None:
        """Return where an entry comes from, ``None`` if it is built in."""
        self[name]
        return self._origins.get(name)

    def stamp(self, name: str) -> str | None:
        """Return what tells the numbers of an entry from those of another of its name; ``None`` if it is built in.

        It has the origin, which has a version, and a fingerprint of the code.
        """
        origin = self.origin(name)
        if origin is None:
            return None
        return f"{self.kind} {name}: {origin}, {hashlib.sha256(_contents(self[name]).encode()).hexdigest()[:16]}"

    def __getitem__(self, name: str) -> Entry:
        if name not in self:
            raise UnknownName(f"unknown {self.kind} {name!r}; choose from {', '.join(self.names())}")
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        if name not in self._entries:
            self._read()
        return name in self._entries

    def __iter__(self) -> Iterator[Entry]:
        return iter([self._entries[name] for name in self.names()])

    def __len__(self) -> int:
        return len(self.names())

    def names(self) -> tuple[str, ...]:
        self._read()
        return tuple(name for name in self._entries if name not in self._hidden)

    def _read(self) -> None:
        """Take what other packages bring, once."""
        if not (self._unread and self._sealed):
            return
        with self._reading:
            points = metadata.entry_points(group=str(self._group)) if self._unread else ()
            self._unread = False  # whatever a plug-in asks for while it loads
            for point in points:
                try:
                    self._bring(point)
                except Exception as why:  # another's code: whatever it does, the program goes on without it
                    told = f"{type(why).__name__}: {why}" if not isinstance(why, ValueError) else str(why)
                    words = f"the {self.kind} {point.name!r} of {_whence(point)} is left out: {told}"
                    warnings.warn(words, PlugInWarning, stacklevel=3)

    def _bring(self, point: metadata.EntryPoint) -> None:
        loaded = point.load()
        for entry in loaded if isinstance(loaded, list | tuple) else (loaded,):
            self.add(entry, _whence(point))


def _whence(point: metadata.EntryPoint) -> str:
    return point.value if point.dist is None else f"{point.dist.name} {point.dist.version}"


def _contents(value: Any) -> str:
    """Return what an entry computes as a text: the fingerprints of its functions, and its values."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = ((each.name, _contents(getattr(value, each.name))) for each in dataclasses.fields(value))
        return f"{type(value).__name__}({', '.join(f'{name}={text}' for name, text in parts)})"
    return fingerprint(value) if callable(value) else repr(value)
