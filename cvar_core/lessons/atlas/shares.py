"""What the atlas answers: on how many problems one step size is safe, and how far each method stays behind the best.

Problems that are made of the same data are not independent. An interval therefore resamples whole origins: as many as
there are, with replacement, each with all of its problems.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...keeping import once
from ...results import MEASURES, RISK, SO_FAR, UNKNOWN
from .charted import STATES, Atlas
from .entries import LAMBDAS, METHODS, Entry
from .origins import HELD_OUT

Array = NDArray[np.float64]

RESAMPLED = 2_000
_LEVEL = 0.95
SOLVED = 1e-3  # of the gap at the start: methods that leave less are level


@dataclass(frozen=True)
class Shares:
    """The share of problems on which each step size is safe for a method.

    Attributes
    ----------
    share, low, high
        And its 95% interval, of the length of ``LAMBDAS``.
    best
        The place of the single λ, for who does not want to tune: it is safe most often on the problems that are not
        held out, and in the middle, if several are. Where all are held out, it is that of the rest of the atlas.
    """

    method: str
    share: Array
    low: Array
    high: Array
    best: int

    @property
    def lam(self) -> float:
        return float(LAMBDAS[self.best])


@dataclass(frozen=True)
class Record:
    """What became of one step size for every problem: the recommendation for who does not want to tune.

    Attributes
    ----------
    lam
        The one that is safe most often on the problems that are not held out.
    safe, problems
        On how many problems it is safe, and out of how many, all together.
    held_out_safe, held_out
        The same of the problems that had no part in choosing the rule, nor this λ.
    low, high
        The 95% interval of the share of held-out problems, of all if none is held out.
    failures
        The problems on which it is not safe.
    """

    method: str
    lam: float
    safe: int
    problems: int
    held_out_safe: int
    held_out: int
    low: float
    high: float
    failures: tuple[str, ...]


class View:
    """Some problems of an atlas, by one measure. Those without a verdict, with nothing to close, are kept apart."""

    def __init__(self, atlas: Atlas, measure: str = RISK, chosen: Callable[[Entry], bool] = lambda entry: True) -> None:
        self.atlas, self.measure, self.chosen = atlas, measure, chosen
        wanted = np.array([chosen(each.entry) for each in atlas.problems], dtype=bool)
        states = atlas.states[:, MEASURES.index(measure)]
        judged = (states != STATES.index(UNKNOWN)).any(axis=(1, 2))
        self.places: NDArray[np.intp] = np.flatnonzero(wanted & judged)
        self.without_verdict = tuple(atlas.problems[k].entry for k in np.flatnonzero(wanted & ~judged))
        self.entries = tuple(atlas.problems[k].entry for k in self.places)
        self.states = states[self.places]
        self.safe: NDArray[np.bool_] = self.states >= STATES.index(SO_FAR)  # (problems, methods, lambdas)
        self._shares: dict[str, Shares] = {}  # each resamples thousands of times

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def left(self) -> Array:
        """The median share of the gap that is left, shape (problems, methods, lambdas)."""
        shares: Array = self.atlas.left[self.places, MEASURES.index(self.measure)]
        return shares

    @once
    def origins(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(entry.origin for entry in self.entries))

    @once
    def _of_origin(self) -> Array:
        """Which problems each origin has, shape (origins, problems)."""
        return np.array([[entry.origin == each for entry in self.entries] for each in self.origins], dtype=float)

    def only(self, role: str) -> View:
        """Return the part that played one role."""
        return View(self.atlas, self.measure, lambda entry: entry.role == role and self.chosen(entry))

    def shares(self, method: str) -> Shares:
        if method not in self._shares:
            safe = self.safe[:, METHODS.index(method)].astype(float)
            low, high = self.interval(safe)
            self._shares[method] = Shares(method, safe.mean(axis=0), low, high, self._single(method))
        return self._shares[method]

    def count(self, method: str, role: str | None = None) -> int:
        """Return on how many problems a method's single λ is safe; or on how many of those that played one role."""
        safe = self.safe[:, METHODS.index(method), self.shares(method).best]
        return sum(bool(fine) for entry, fine in zip(self.entries, safe, strict=True) if role in (None, entry.role))

    def _single(self, method: str) -> int:
        judging = np.array([entry.role != HELD_OUT for entry in self.entries], dtype=bool)
        if not judging.any():
            others = View(self.atlas, self.measure, lambda entry: entry.role != HELD_OUT)
            if len(others):
                return others.shares(method).best
            judging[:] = True
        share = self.safe[judging, METHODS.index(method)].mean(axis=0)
        tied = np.flatnonzero(share == share.max())
        return int(tied[(len(tied) - 1) // 2])

    def interval(self, values: Array) -> tuple[Array, Array]:
        """Return the 95% interval of the means of values, shape (problems, any), over resampled origins."""
        counts, sums = self._of_origin.sum(axis=1), self._of_origin @ values
        draws = np.random.Generator(np.random.PCG64(0))
        times = draws.multinomial(len(counts), np.full(len(counts), 1 / len(counts)), RESAMPLED)
        means = (times @ sums) / (times @ counts)[:, None]
        low, high = np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2], axis=0)
        return low, high

    def behind(self, single: bool) -> Array:
        """Return by which factor each method leaves more than the best one at its best λ, (problems, methods).

        At its own best λ on each problem; or, if ``single``, at the one λ that is safe most often.
        """
        left = np.maximum(self.left, SOLVED)
        own = left.min(axis=2)
        at_one = np.stack([left[:, m, self.shares(name).best] for m, name in enumerate(METHODS)], axis=1)
        best = own.min(axis=1, keepdims=True)
        factors: Array = (at_one if single else own) / np.where(np.isinf(best), 1.0, best)  # ∞ where all diverge
        return factors

    def profile(self, method: str, single: bool) -> tuple[Array, Array]:
        """Return Dolan and Moré's performance profile: factors, and the share of problems on which the method stays
        behind the best one by at most that factor. The last share is below 1 if the method diverges on some.
        """
        factors = self.behind(single)[:, METHODS.index(method)]
        reached, times = np.unique(factors[np.isfinite(factors)], return_counts=True)
        return reached, np.cumsum(times) / len(factors)

    def further(self, method: str, other: str) -> tuple[float, float, float]:
        """Return by how much the share of one method's single λ is above that of another's, with its 95% interval."""
        mine, theirs = (self.safe[:, METHODS.index(each), self.shares(each).best] for each in (method, other))
        apart = mine.astype(float) - theirs
        low, high = self.interval(apart[:, None])
        return float(apart.mean()), float(low[0]), float(high[0])

    def failures(self, method: str) -> tuple[Entry, ...]:
        """Return the problems on which a method's single λ is not safe."""
        safe = self.safe[:, METHODS.index(method), self.shares(method).best]
        return tuple(entry for entry, fine in zip(self.entries, safe, strict=True) if not fine)


def record(atlas: Atlas, method: str, measure: str = RISK) -> Record:
    """Return what is known of the step size that needs no tuning."""
    everything = View(atlas, measure)
    m, place = METHODS.index(method), everything.shares(method).best
    held = everything.only(HELD_OUT)
    judged = (held if len(held) else everything).shares(method)
    return Record(
        method, LAMBDAS[place], everything.count(method), len(everything),
        int(held.safe[:, m, place].sum()), len(held), float(judged.low[place]), float(judged.high[place]),
        tuple(entry.name for entry in everything.failures(method)),
    )  # fmt: skip
