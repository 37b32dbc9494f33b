"""A registry: the named entries of one kind that every other part of the project reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar


class Named(Protocol):
    @property
    def name(self) -> str: ...


Entry = TypeVar("Entry", bound=Named)


class UnknownName(ValueError):
    """A name that is in no registry; the message lists the names that are."""


class Registry(Generic[Entry]):
    """Entries by name, in the order in which they were added."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, Entry] = {}

    def add(self, entry: Entry) -> Entry:
        if entry.name in self._entries:
            raise ValueError(f"there is already a {self.kind} named {entry.name!r}")
        self._entries[entry.name] = entry
        return entry

    def remove(self, name: str) -> None:
        del self._entries[name]

    def __getitem__(self, name: str) -> Entry:
        if not isinstance(name, str) or name not in self._entries:
            raise UnknownName(f"unknown {self.kind} {name!r}; choose from {', '.join(self._entries)}")
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def names(self) -> tuple[str, ...]:
        return tuple(self._entries)
