"""What is known of a sweep before its optimum is: objectives, of which nobody can say yet how good they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..specs import SweepSpec
from .gathered import Gathered


@dataclass(frozen=True)
class Early:
    """A sweep at one moment before F* is known. It does not change.

    Attributes
    ----------
    objectives
        F̃_β of the averaged iterates, shape (methods, seeds, checkpoints, lambdas) as in a ``Result``; NaN where not yet
        recorded, and where diverged.
    recorded
        How many checkpoints each (method, seed) has.
    """

    spec: SweepSpec
    objectives: NDArray[np.float64]
    recorded: NDArray[np.int64]

    @classmethod
    def so_far(cls, spec: SweepSpec, gathered: Gathered) -> Early | None:
        """Return what has been gathered, copied; ``None`` if that is nothing."""
        objectives, recorded, _ = gathered.snapshot()
        return cls(spec, objectives, recorded) if recorded.any() else None

    @property
    def under_way(self) -> NDArray[np.bool_]:
        """Which (method, seed) has come further than its start."""
        return self.recorded > 1

    @property
    def started(self) -> bool:
        """Whether there is something to see of every method."""
        return bool(self.under_way.any(axis=1).all())

    @property
    def checkpoints(self) -> tuple[int, ...]:
        """The iterations that are recorded."""
        return self.spec.checkpoint_iterations
