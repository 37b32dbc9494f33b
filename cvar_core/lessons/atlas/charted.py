"""What the atlas knows: the final gaps of every run on every problem, and the verdicts on every step size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...keeping import once
from ...results import EDGE, MEASURES, NOT_SAFE, SAFE, SO_FAR, UNKNOWN, Criterion, Result, UsableRange
from ...specs import SweepSpec
from .entries import LAMBDAS, Entry

STATES = (UNKNOWN, NOT_SAFE, EDGE, SO_FAR, SAFE)  # in the file a verdict is its place here


@dataclass(frozen=True)
class Charted:
    """One problem that was computed: what it is, what was run, and its certified optimum.

    Attributes
    ----------
    certified
        How far F* may lie above the minimum, at most; ``None`` if that is not known.
    floor
        What even the population's minimiser shows as a gap on the points, if there is such a floor.
    attained
        Whether some θ has the risk F*; else it is only approached, as by the logistic loss of separable classes.
    """

    entry: Entry
    spec: SweepSpec
    optimum: float
    certified: float | None
    floor: float | None
    attained: bool

    def to_dict(self) -> dict[str, Any]:
        return {**self.__dict__, "entry": self.entry.to_dict(), "spec": self.spec.to_dict()}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        told = {"entry": Entry.from_dict(given["entry"]), "spec": SweepSpec.from_dict(given["spec"])}
        return cls(**{**given, **told})


@dataclass(frozen=True, eq=False)
class Atlas:
    """Problems, and arrays whose first axis they are and whose second is the measure.

    Attributes
    ----------
    gaps
        At the end of each run, NaN where it diverged; shape (problems, measures, methods, seeds, lambdas).
    starts
        The gap that each seed starts with; shape (problems, measures, seeds).
    states
        The verdict on each step size, as a place in ``STATES``; shape (problems, measures, methods, lambdas).
    ranges
        Both ends of the typical usable range, NaN where there is none; shape (problems, measures, methods, 2).
    """

    problems: tuple[Charted, ...]
    gaps: NDArray[np.float32]
    starts: NDArray[np.float64]
    states: NDArray[np.int8]
    ranges: NDArray[np.float32]
    versions: Mapping[str, str]

    def __post_init__(self) -> None:
        count, seeds = len(self.problems), self.starts.shape[-1]
        shape = (count, len(MEASURES), len(self.methods))
        wanted = {
            "gaps": (*shape, seeds, len(LAMBDAS)), "starts": (count, len(MEASURES), seeds),
            "states": (*shape, len(LAMBDAS)), "ranges": (*shape, 2),
        }  # fmt: skip
        for name, size in wanted.items():
            if getattr(self, name).shape != size:
                raise ValueError(f"{name} of shape {getattr(self, name).shape}, not {size}")

    @property
    def methods(self) -> tuple[str, ...]:
        """What was run on every problem."""
        return self.problems[0].spec.methods

    @once
    def left(self) -> NDArray[np.float64]:
        """The median share of the gap that is left, ∞ where most diverge; (problems, measures, methods, lambdas)."""
        begun = np.where(self.starts > 0, self.starts, np.nan)[:, :, None, :, None]
        shares: NDArray[np.float64] = np.median(np.nan_to_num(self.gaps / begun, nan=np.inf, posinf=np.inf), axis=3)
        return shares

    def range(self, place: int, measure: str, method: str) -> UsableRange | None:
        """Return the typical usable range; an end of it that is the grid's is open."""
        low, high = map(float, self.ranges[place, MEASURES.index(measure), self.methods.index(method)])
        if math.isnan(low):
            return None
        open_low, open_high = (math.isclose(*ends, rel_tol=1e-6) for ends in ((low, LAMBDAS[0]), (high, LAMBDAS[-1])))
        return UsableRange(low, high, open_low, open_high, holes=False)

    def at(self, place: int) -> Atlas:
        """Return the atlas of one of its problems."""
        p = slice(place, place + 1)
        return Atlas(self.problems[p], self.gaps[p], self.starts[p], self.states[p], self.ranges[p], self.versions)

    def place(self, name: str) -> int | None:
        return next((k for k, each in enumerate(self.problems) if each.entry.name == name), None)


def charted(entry: Entry, result: Result, versions: Mapping[str, str]) -> Atlas:
    """Return the atlas of one problem."""
    best, spec = result.optimum, result.spec
    judged = [result.judged(Criterion(measure)) for measure in MEASURES]
    verdicts = [[[each.verdict(name, lam) for lam in spec.lambdas] for name in spec.methods] for each in judged]
    typical = [[each.forgiven[name].typical for name in spec.methods] for each in judged]
    one = Charted(entry, spec, best.value, best.gap, best.floor, best.attained)
    with np.errstate(over="ignore"):  # what is beyond 10^38 has diverged
        gaps = np.stack([each.gaps[:, :, -1, :] for each in judged]).astype("<f4")
    return Atlas(
        (one,),
        gaps[None],
        np.stack([each.starts for each in judged])[None],
        np.array([[[STATES.index(v.state) for v in row] for row in rows] for rows in verdicts], dtype=np.int8)[None],
        np.array([[(f.low, f.high) if f else (np.nan, np.nan) for f in row] for row in typical], dtype="<f4")[None],
        versions,
    )


def joined(parts: Sequence[Atlas]) -> Atlas:
    """Return one atlas of the problems of all."""
    names = [each.name for each in fields(Atlas) if each.name not in ("problems", "versions")]
    arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return Atlas(tuple(one for part in parts for one in part.problems), versions=parts[-1].versions, **arrays)
