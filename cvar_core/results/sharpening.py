"""Sharpen: which starts and step sizes to run next, so that the interval of a method's decades becomes narrow.

What comes next depends on what is known alone, so that it can be stopped anywhere and gone on with. Starts come first,
in stages that are fixed in advance (``looks``). Once those that there are could do, λ is bisected at the ends of the
starts on which the interval hangs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ..keeping import once
from ..specs import SweepSpec
from .bracketed import Bracketed, End
from .certainty import Interval
from .looks import STAGES, left_out, looked
from .pooled import Pooled

WIDTH = 0.2  # decades: an interval that is no wider is narrow enough
_FINEST = 1 / 32  # decades between two step sizes that are put near an end
_SHARE = 0.25  # of an interval that starts leave wide may come from the grid
_TOGETHER = 3  # step sizes of a sweep that bisects: with more, starts run what others asked for; with fewer, all waits
_FURTHEST = 12.0  # decades from 1, beyond which there is no step size

REACHED, STARTS, LIMIT, NOTHING = ("reached", "starts", "limit", "nothing")

Allowed = Callable[[SweepSpec], bool]


@dataclass(frozen=True)
class Sharp:
    """What is known of the decades that a method forgives: by its starts, by their grids and by how often one looked.

    Attributes
    ----------
    starts
        Where the usable range of each start ends.
    """

    method: str
    starts: dict[int, Bracketed]

    @once
    def interval(self) -> Interval:
        """Holds the median over all starts with 90%, whatever the stage at which one stopped."""
        known = self.starts.values()
        return looked([each.least for each in known], [each.most for each in known])

    @once
    def likely(self) -> Interval:
        """The same if the ends were where the line in log–log has them: what the starts alone leave open."""
        values = [each.likely for each in self.starts.values()]
        return looked(values, values)

    @property
    def decades(self) -> float:
        """The median, with the ends where they likely are."""
        ordered = sorted(each.likely for each in self.starts.values())
        return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2

    @property
    def low(self) -> Interval | None:
        """The interval of the median lower end, of the starts that have one; ``None`` if most have none."""
        return self._end("low")

    @property
    def high(self) -> Interval | None:
        return self._end("high")

    def _end(self, name: str) -> Interval | None:
        found: list[End] = [getattr(each, name) for each in self.starts.values() if each.usable]
        if 2 * len(found) <= len(self.starts):
            return None
        bounds = [sorted((end.inside, end.beyond)) for end in found]
        low, high = looked([each[0] for each in bounds], [each[1] for each in bounds])
        return Interval(10.0**low, 10.0**high)

    @property
    def width(self) -> float:
        return self.interval.high - self.interval.low

    def too_few(self, width: float) -> bool:
        """Whether no finer grid is likely to make the interval narrow enough."""
        return self.likely.high - self.likely.low > width

    @property
    def blurred(self) -> bool:
        """Whether much of the width comes from the grid."""
        return self.width - (self.likely.high - self.likely.low) > _SHARE * self.width

    @property
    def deciding(self) -> list[int]:
        """The starts on which either end of the interval may hang."""
        skipped, known = left_out(len(self.starts)), self.starts.values()
        least, most = (sorted(getattr(each, name) for each in known) for name in ("least", "most"))
        ends = [(least[k], most[k]) for k in (skipped, len(known) - 1 - skipped)]
        return [
            seed
            for seed, each in self.starts.items()
            if any(each.least <= high and each.most >= low for low, high in ends)
        ]


@dataclass(frozen=True)
class Done:
    """Why there is no more to do: the interval is narrow, there are no further starts, more is not allowed, …"""

    why: str


def sharp(pooled: Pooled, method: str) -> Sharp:
    return Sharp(method, {seed: pooled.bracketed(method, seed) for seed in pooled.starts(method)})


def next_step(
    base: SweepSpec, method: str, pooled: Pooled, allowed: Allowed = lambda spec: True, width: float = WIDTH
) -> SweepSpec | Done:
    """Return what to run next for a method, as long as it is allowed, or why that is nothing.

    ``base`` has the step sizes that every start is run with, and the starts that come first.
    """
    count = len(pooled.starts(method))
    if pooled.nothing_to_close is not None and count:
        return Done(NOTHING)
    more = _with_starts(base, method, count)
    if count < _first(base) and more is not None:
        return more if allowed(more) else Done(LIMIT)
    known = sharp(pooled, method)
    if known.width <= width:
        return Done(REACHED)
    finer = _with_step_sizes(base, known) if known.blurred or not known.too_few(width) else None
    wanted = [more, finer] if known.too_few(width) else [finer, more]
    asked = [each for each in wanted if each is not None]
    return next((each for each in asked if allowed(each)), Done(LIMIT if asked else STARTS))


def step_size(decade: float) -> float:
    """Return the step size at a place of the lattice: half decades are the paper's, and others have three digits.

    >>> step_size(-1.5), step_size(0.25), step_size(-2)
    (0.03162277660168379, 1.78, 0.01)
    """
    exact: float = 10.0**decade
    return exact if float(2 * decade).is_integer() else float(f"{exact:.3g}")


def _first(base: SweepSpec) -> int:
    """Return how many starts there are at the first look: as many as a stage has, and no fewer than are asked for."""
    return next((stage for stage in STAGES if stage >= len(base.seeds)), len(base.seeds))


def _with_starts(base: SweepSpec, method: str, count: int) -> SweepSpec | None:
    """Return the sweep of the next stage's starts; ``None`` after the last stage."""
    goal = next((stage for stage in STAGES if stage > count), 0)
    goal = max(goal, _first(base))
    if count >= goal:
        return None
    seeds = [*base.seeds]
    seeds += [seed for seed in range(goal + len(seeds)) if seed not in seeds][: goal - len(seeds)]
    return replace(base, methods=(method,), seeds=tuple(seeds))


def _with_step_sizes(base: SweepSpec, known: Sharp) -> SweepSpec | None:
    """Return the sweep that tells more exactly where the ends of starts lie that decide; ``None`` if none can.

    A sweep runs every start with every step size. So starts whose ends lie between the same step sizes are asked
    together, and only few such groups at a time.
    """
    alike: dict[frozenset[float], list[int]] = {}
    for seed in known.deciding:
        wanted = frozenset(_between(known.starts[seed]))  # which it cannot have: they lie between two neighbours
        if wanted:
            alike.setdefault(wanted, []).append(seed)
    if not alike:
        return None
    together, seeds = set[float](), list[int]()
    for lambdas in sorted(alike, key=lambda each: len(alike[each]), reverse=True):
        if not together or len(together | lambdas) <= _TOGETHER:
            together |= lambdas
            seeds += alike[lambdas]
    return replace(base, methods=(known.method,), lambdas=tuple(together), seeds=tuple(seeds))


def _between(start: Bracketed) -> Iterator[float]:
    for end in (start.low, start.high):
        yield from map(step_size, _places(end))


def _places(end: End) -> Iterator[float]:
    """Yield where to look for an end: a decade further out, or in the middle of where it may be.

    Starts whose ends lie between the same two step sizes then ask for the same one.
    """
    if end.open:
        further = end.inside + math.copysign(1.0, end.beyond)
        if abs(further) <= _FURTHEST:
            yield further
        return
    low, high = sorted((end.inside, end.beyond))
    step = _FINEST
    while 4 * step <= end.width:
        step *= 2
    middle = round((low + high) / 2 / step) * step
    if low + step / 4 < middle < high - step / 4:
        yield middle
