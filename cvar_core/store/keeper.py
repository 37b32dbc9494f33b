"""Keep one sweep in a store while it is computed: what is there is known, and what is found is saved."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..engine import Records, Shard, State
from ..problem import Optimum
from ..specs import SpecError, SweepSpec
from .store import Store


class Keeper:
    """What a store has of a sweep, and where more of it goes."""

    def __init__(self, store: Store, spec: SweepSpec) -> None:
        store.complete(spec)
        self.states, self.records = store.load(spec.id)
        self.optimum = store.optimum_of(spec.problem)
        self._store, self._id = store, spec.id
        if self.optimum is not None:
            self.solved(self.optimum)
        store.set_status(self._id, "running")

    def save(self, shard: Shard, state: State, records: Records) -> None:
        self._store.save(self._id, shard, state, records)

    def solved(self, optimum: Optimum) -> None:
        self._store.set_optimum(self._id, optimum)

    def ended(self, status: str, timings: Mapping[str, float] | None = None) -> None:
        self._store.set_status(self._id, status, None, timings)


@contextmanager
def opened(store: Store | str | os.PathLike[str]) -> Iterator[Store]:
    """Open the file of a store, and close it; one that is open is left to its owner."""
    if isinstance(store, Store):
        yield store
        return
    kept = Store.open(Path(store))
    try:
        if kept.cause is not None:  # a file that was asked for by name, and that would keep nothing
            raise SpecError(kept.cause)
        yield kept
    finally:
        kept.close()
