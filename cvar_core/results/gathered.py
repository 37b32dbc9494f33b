"""Records put in their places as they come in, shard by shard."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..engine import Records, Shard
from ..problem import recorded_names
from ..specs import SweepSpec


class Gathered:
    """The arrays of a result that still grows; see ``Result`` for their meaning."""

    def __init__(self, spec: SweepSpec) -> None:
        self._spec = spec
        shape = (len(spec.methods), len(spec.seeds), len(spec.checkpoint_iterations), len(spec.lambdas))
        self.objectives = np.full(shape, np.nan)
        self.recorded: NDArray[np.int64] = np.zeros(shape[:2], dtype=np.int64)
        self.beside = {name: np.full(shape, np.nan) for name in recorded_names(spec.problem)}

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
        place = self._place(shard)
        first = self.count(shard)
        here = slice(first, first + len(records.iterations))
        self.objectives[place][here] = records.objectives.numpy()
        for k, values in enumerate(self.beside.values()):
            values[place][here] = records.beside[:, :, k].numpy()
        self.recorded[place] = here.stop

    def count(self, shard: Shard) -> int:
        return int(self.recorded[self._place(shard)])

    @property
    def whole(self) -> bool:
        return bool((self.recorded == self.objectives.shape[2]).all())

    def _place(self, shard: Shard) -> tuple[int, int]:
        return self._spec.methods.index(shard.method), self._spec.seeds.index(shard.seed)
