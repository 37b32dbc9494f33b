"""Records put in their places as they come in, shard by shard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engine import Records, Shard
from ..problem import recorded_names
from ..specs import SweepSpec


class Snapshot(NamedTuple):
    """The arrays of a result at one moment; see ``Result`` for their meaning."""

    objectives: NDArray[np.float64]
    recorded: NDArray[np.int64]
    beside: dict[str, NDArray[np.float64]]


class Gathered:
    """The arrays of a result that still grows. Step sizes of one method and seed may be at different checkpoints."""

    def __init__(self, spec: SweepSpec) -> None:
        self._spec = spec
        shape = (len(spec.methods), len(spec.seeds), len(spec.checkpoint_iterations), len(spec.lambdas))
        self._objectives = np.full(shape, np.nan)
        self._counts: NDArray[np.int64] = np.zeros((*shape[:2], shape[3]), dtype=np.int64)  # of each step size
        self._beside = {name: np.full(shape, np.nan) for name in recorded_names(spec.problem)}
        self._columns = {lam: k for k, lam in enumerate(spec.lambdas)}

    @classmethod
    def of(cls, spec: SweepSpec, records: Mapping[Shard, list[Records]]) -> Gathered:
        """Put the records of all shards, complete or not, in their places."""
        gathered = cls(spec)
        for shard, parts in records.items():
            for part in parts:
                gathered.put(shard, part)
        return gathered

    def put(self, shard: Shard, records: Records) -> None:
        """Add the records that follow those which the shard has."""
        place = self._spec.methods.index(shard.method), self._spec.seeds.index(shard.seed)
        columns = [self._columns[lam] for lam in shard.step_sizes(self._spec)]
        first = int(self._counts[place][columns[0]])
        here = slice(first, first + len(records.iterations)), columns
        self._objectives[place][here] = records.objectives.numpy()
        for k, values in enumerate(self._beside.values()):
            values[place][here] = records.beside[:, :, k].numpy()
        self._counts[place][columns] = here[0].stop

    @property
    def whole(self) -> bool:
        return bool((self._counts == self._objectives.shape[2]).all())

    def snapshot(self) -> Snapshot:
        """Return a copy, in which no step size is ahead of the others of its method and seed."""
        recorded = self._counts.min(axis=2)
        ahead = np.arange(self._objectives.shape[2]) >= recorded[..., None]
        return Snapshot(
            _without(self._objectives, ahead),
            recorded,
            {name: _without(values, ahead) for name, values in self._beside.items()},
        )


def _without(values: NDArray[np.float64], unknown: NDArray[np.bool_]) -> NDArray[np.float64]:
    copied = values.copy()
    copied[unknown] = np.nan
    return copied
