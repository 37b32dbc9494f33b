"""What sweeps of one family have found together: the final gap of every run, whichever sweep it came from."""

from __future__ import annotations

import numpy as np

from .bracketed import Bracketed, bracketed
from .judged import Judged


class Pooled:
    """Final gaps by method, start and step size. Starts need not have the same step sizes."""

    def __init__(self) -> None:
        self._gaps: dict[tuple[str, int], dict[float, float]] = {}
        self._limits: dict[int, float] = {}
        self.nothing_to_close: float | None = None

    def add(self, judged: Judged) -> None:
        """Take what a sweep has found; all have to be judged by one criterion, and to have ended."""
        spec, reached = judged.result.spec, judged.result.reached
        for s, seed in enumerate(spec.seeds):
            self._limits[seed] = float(judged.limits[s])
            for m, method in enumerate(spec.methods):
                found = zip(spec.lambdas, judged.gaps[m, s, reached].tolist(), strict=True)
                self._gaps.setdefault((method, seed), {}).update(found)
        self.nothing_to_close = judged.nothing_to_close

    def starts(self, method: str) -> tuple[int, ...]:
        """Return the starts that a method was run from, as they came."""
        return tuple(seed for name, seed in self._gaps if name == method)

    def step_sizes(self, method: str, seed: int) -> frozenset[float]:
        return frozenset(self._gaps.get((method, seed), ()))

    def bracketed(self, method: str, seed: int) -> Bracketed:
        """Return where the ends of a start's usable range lie."""
        found = sorted(self._gaps[method, seed].items())
        lambdas, gaps = zip(*found, strict=True)
        return bracketed(lambdas, np.array(gaps), self._limits[seed])

    @property
    def runs(self) -> int:
        """How many there are, each counted once."""
        return sum(len(found) for found in self._gaps.values())
