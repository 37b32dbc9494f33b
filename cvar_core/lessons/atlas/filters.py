"""Which problems of an atlas somebody wants to look at."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache

from .charted import Atlas
from .entries import Entry
from .shares import View


@dataclass(frozen=True)
class Filter:
    """The values that a problem may have, by the fields of ``Entry``; without any, it may have all.

    >>> Filter(loss=("squared", "huber"))(Entry("a", "b", "real", "seen", "huber", 0.9))
    True
    """

    loss: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    prepared: tuple[str, ...] = ()
    role: tuple[str, ...] = ()
    beta: tuple[float, ...] = ()
    origin: tuple[str, ...] = ()

    def __call__(self, entry: Entry) -> bool:
        wanted = {each.name: getattr(self, each.name) for each in fields(self)}
        return all(not values or getattr(entry, name) in values for name, values in wanted.items())


def choices(atlas: Atlas, name: str) -> tuple[str | float, ...]:
    """Return the values that a field has in an atlas, in order: numbers by size, words as they come."""
    found = dict.fromkeys(getattr(each.entry, name) for each in atlas.problems)
    return tuple(sorted(found) if name == "beta" else found)


@lru_cache(maxsize=64)  # a few hundred kilobytes each: the bootstrap of one is the same for all who look
def filtered(atlas: Atlas, measure: str, wanted: Filter) -> View:
    return View(atlas, measure, wanted)
