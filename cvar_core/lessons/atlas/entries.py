"""A problem of the atlas: its loss and β, and the numbers that it is made of."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ...problem import Problem
from ...specs import RANDOM, ProblemSpec, SweepSpec
from .table_sets import SETS

AS_DRAWN, RAW, STANDARDISED = PREPARED = ("as drawn", "raw", "standardised")

METHODS = ("sgm", "spl", "spl+", "spl-u", "sgm-u", "sgm-t")
LAMBDAS = tuple(10.0 ** (k / 2) for k in range(-12, 13))
SEEDS = 5

_DRAWN = 100_000  # updates on a synthetic problem, as in the paper
_PASSES, _FEWEST, _MOST = 20, 20_000, 200_000  # over the rows of data


@dataclass(frozen=True)
class Entry:
    """A problem of the atlas.

    Attributes
    ----------
    origin
        Where its numbers come from: data, or a noise. Problems of one origin are not independent, and are resampled
        together.
    kind
        "synthetic", of the paper's model; "made" data; or "real" ones.
    role
        The part that it played when SPL-U's rule was chosen; see ``TableSet``.
    start
        Where θ begins: at random, as in the paper; on data at 0, because a random start in raw columns is so bad that
        closing most of its gap means little.
    drawn
        A synthetic problem; ``None`` for data.
    """

    name: str
    origin: str
    kind: str
    role: str
    loss: str
    beta: float
    prepared: str = AS_DRAWN
    start: str = RANDOM
    table: str | None = None  # in ``SETS``
    drawn: ProblemSpec | None = None

    def make(self, folder: str | None = None) -> Problem:
        """Make the problem; raise ``Missing`` where its data are neither on this machine nor in the folder."""
        if self.drawn is not None:
            return Problem(self.drawn)
        chosen = SETS[str(self.table)]
        data = chosen.load(folder)
        data = (data.standardise() if self.prepared == STANDARDISED else data).intercept()
        return data.problem(self.loss, self.beta, positive=chosen.positive, start=self.start)

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "drawn": None if self.drawn is None else self.drawn.to_dict()}

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> Entry:
        drawn = None if given["drawn"] is None else ProblemSpec.from_dict(given["drawn"])
        return cls(**{**given, "drawn": drawn})


def sweep_of(problem: ProblemSpec, methods: tuple[str, ...] = METHODS) -> SweepSpec:
    """Return what is run on a problem: each method with every step size, recorded at the start and at the end."""
    updates = _DRAWN if problem.data is None else min(max(_PASSES * problem.eval_size, _FEWEST), _MOST)
    return SweepSpec(problem, methods, LAMBDAS, updates, tuple(range(SEEDS)), checkpoints=1)
