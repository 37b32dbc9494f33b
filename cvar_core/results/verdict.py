"""Whether one step size is safe, for what, for how many starts, and by how much."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .certainty import Interval, share_at_least
from .robustness import UsableRange

SAFE, SO_FAR, EDGE, NOT_SAFE, UNKNOWN = ("safe", "safe so far", "on the edge", "not safe", "no verdict")
NOT_YET = "not yet"  # of a run that is still going
SURE = 0.9  # the share of all starts that has to be shown before a λ is called safe without reserve
SURE_STARTS = 29  # that have to agree for it
NEAR = 0.3  # decades: with less margin than a factor of two, a λ is on the edge


@dataclass(frozen=True)
class Verdict:
    """Whether one λ is safe for one method: whether it lies in a usable stretch of step sizes, start by start.

    ``below`` and ``above`` are the decades of margin to the ends of the usable range: how far λ may be divided
    or multiplied, for the median start. They are negative on the side on which an unsafe λ is out, and ``None`` if
    nothing is usable.

    Attributes
    ----------
    measure
        Safe for what: "risk", the model's, or "objective", that of model and threshold together.
    starts, seeds
        For how many starts λ is usable, and out of how many.
    range
        The median over starts of the stretch that λ lies in; of a start for which it lies in none, the one around its
        best λ. ``None`` if most starts have none.
    below_interval, above_interval
        The exact intervals of the two median margins; ``None`` if most starts have no range.
    gap
        The median over starts at λ; between two points of the grid, on the line in log–log through theirs.
    left
        The median over starts of the share of the gap at the start that is left; more than 1 if it grew.
    diverged
        How many starts diverged (between two points of the grid, at the worse one).
    iteration
        How far every run had come; at 0 nothing is known yet.
    between
        The neighbours of a λ that the grid does not have.
    nothing_to_close
        How far the start is above F*, as a share of it, if that is so little that there is no verdict; else ``None``.
    alone
        Whether no other step size was tried.
    remarks
        From ``check``, sentences about what the verdict alone would hide.
    going
        Whether the runs are not over: what is not usable yet may still become so.
    rival
        Of the other methods the one that comes nearest to the optimum, and its median gap at its best λ.
    """

    method: str
    lam: float
    measure: str
    starts: int
    seeds: int
    range: UsableRange | None
    below_interval: Interval | None
    above_interval: Interval | None
    epsilon: float
    gap: float
    left: float
    diverged: int
    iteration: int
    best_lambda: float | None
    between: tuple[float, float] | None = None
    nothing_to_close: float | None = None
    alone: bool = False
    remarks: tuple[str, ...] = ()
    going: bool = False
    rival: tuple[str, float] | None = field(default=None, compare=False)  # for words alone

    @property
    def state(self) -> str:
        """How safe λ is, in words.

        "safe": every start is fine, and they are enough to show 90% of all starts. "safe so far": every start is fine,
        but they are too few for that. "on the edge": starts disagree, or the margin on a side is under 0.3 decades.
        "not safe": no start is fine; "not yet" if the runs are still going and none has diverged. "no verdict": there
        is nothing to close, or no update has been taken yet.
        """
        if self.nothing_to_close is not None or self.iteration == 0:
            return UNKNOWN
        if self.starts == 0:
            return NOT_YET if self.going and not self.diverged else NOT_SAFE
        if not self.unanimous or self.near:
            return EDGE
        return SAFE if self.bound >= SURE else SO_FAR

    def __bool__(self) -> bool:
        """Whether λ is safe: what is not known to be so is not."""
        return self.safe

    def __str__(self) -> str:
        from .verdict_sentences import judgement

        return " ".join([judgement(self), *(f"{each}." for each in self.remarks)])

    @property
    def safe(self) -> bool:
        """Whether every start that was tried is fine with λ, and none of its ends is near."""
        return self.state in (SAFE, SO_FAR)

    @property
    def sure(self) -> bool:
        """Whether enough starts were tried to say so without reserve."""
        return self.state == SAFE

    @property
    def unanimous(self) -> bool:
        """Whether λ is usable for every start that was tried."""
        return self.starts == self.seeds

    @property
    def bound(self) -> float:
        """The share of all starts for which λ is usable that those tried show, at least, with 95%."""
        return share_at_least(self.starts, self.seeds)

    @property
    def near(self) -> bool:
        """Whether an end of the usable range is less than 0.3 decades away; an end of the grid is none."""
        below, above = self.below, self.above
        return (below is not None and not self.open_below and below < NEAR) or (
            above is not None and not self.open_above and above < NEAR
        )

    @property
    def below(self) -> float | None:
        """Decades of margin below λ, negative if it is out on that side."""
        return None if self.range is None else math.log10(self.lam / self.range.low)

    @property
    def above(self) -> float | None:
        """Decades of margin above λ, likewise."""
        return None if self.range is None else math.log10(self.range.high / self.lam)

    @property
    def open_below(self) -> bool:
        """Whether the grid ended below λ before the usable range did."""
        return self.range is not None and self.range.open_low

    @property
    def open_above(self) -> bool:
        """Whether it ended above λ before the range did."""
        return self.range is not None and self.range.open_high
