"""What is costly to make, kept at hand while there is room for it: the one cache of this package."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Generic, NamedTuple, Self, TypeVar, overload

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class _Sized(NamedTuple, Generic[Value]):
    value: Value
    size: int  # when it was put here: what is taken off again must be what was added


class _Making(Generic[Value]):
    """A value that one thread makes and others may wait for."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.made: list[Value] = []  # still empty when it is over: the making failed


class Kept(Generic[Key, Value]):
    """Keeps values while their sizes together are at most ``most``, and always the very last. Any thread may ask.

    What was not asked for longest goes first. Without ``size`` every value counts as 1.

    >>> kept = Kept(2)
    >>> kept.get("a", lambda: "made"), kept.get("a", lambda: "not made again")
    ('made', 'made')
    >>> kept.put("b", "put"), kept.get("a"), kept.put("c", "put")
    (None, 'made', None)
    >>> list(kept)
    ['a', 'c']
    """

    def __init__(self, most: int, size: Callable[[Value], int] = lambda _: 1) -> None:
        self._most, self._size = most, size
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, _Sized[Value]] = OrderedDict()  # what was not asked for longest first
        self._total = 0
        self._making: dict[Key, _Making[Value]] = {}

    @overload
    def get(self, key: Key) -> Value | None: ...
    @overload
    def get(self, key: Key, make: Callable[[], Value]) -> Value: ...
    def get(self, key: Key, make: Callable[[], Value] | None = None) -> Value | None:
        """Return what is kept under a key; else make and keep it, or return ``None`` if nobody says how.

        Who asks for what another is making waits for it, and tries in turn if that fails: a failure is the asker's own.
        """
        while True:
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    return self._kept[key].value
                if make is None:
                    return None
                others = self._making.get(key)
                if others is None:
                    mine = self._making[key] = _Making()
                    break
            others.over.wait()
            if others.made:  # at hand, though it may have had to go since
                return others.made[0]
        return self._make(key, make, mine)

    def put(self, key: Key, value: Value) -> None:
        """Keep a value, in the place of what was under its key."""
        size = self._size(value)
        with self._lock:
            self._put(key, _Sized(value, size))

    def drop(self, unwanted: Callable[[Key], bool]) -> None:
        """Let go of all whose key is unwanted; what is being made under such a key will not be kept."""
        with self._lock:
            for key in [key for key in self._kept if unwanted(key)]:
                self._remove(key)
            for key in [key for key in self._making if unwanted(key)]:
                del self._making[key]

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[Key]:
        """Go over the keys there are now, that which was not asked for longest first."""
        with self._lock:
            return iter(list(self._kept))

    def _make(self, key: Key, make: Callable[[], Value], mine: _Making[Value]) -> Value:
        try:
            value = make()  # not under the lock: who asks for something else need not wait
            size = self._size(value)
            with self._lock:
                if self._making.get(key) is mine:
                    self._put(key, _Sized(value, size))
            mine.made.append(value)
        finally:
            with self._lock:
                if self._making.get(key) is mine:
                    del self._making[key]
            mine.over.set()
        return value

    def _put(self, key: Key, sized: _Sized[Value]) -> None:
        if key in self._kept:
            self._remove(key)
        self._kept[key] = sized
        self._total += sized.size
        while self._total > self._most and len(self._kept) > 1:
            self._remove(next(iter(self._kept)))

    def _remove(self, key: Key) -> None:
        self._total -= self._kept.pop(key).size


class once(Generic[Value]):  # noqa: N801 - it is written like ``property``
    """A property that is made once for each object, and kept by it.

    ``functools.cached_property`` of Python 3.11 has one lock for all objects of a class: whoever draws one run would
    wait until the figures of another, which takes seconds, are there.
    """

    def __init__(self, make: Callable[[Any], Value]) -> None:
        self._make, self.__doc__ = make, make.__doc__
        self._making: dict[int, threading.RLock] = {}  # by the object; not in it, because a lock cannot be pickled

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...
    def __get__(self, instance: object | None, owner: type) -> Self | Value:
        if instance is None:
            return self
        held = instance.__dict__
        try:
            with self._making.setdefault(id(instance), threading.RLock()):
                if self._name not in held:
                    held[self._name] = self._make(instance)
        finally:
            self._making.pop(id(instance), None)
        value: Value = held[self._name]
        return value
