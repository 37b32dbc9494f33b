"""What is said of a sharpened result: the intervals at their own level, why each ended, and what it cost."""

from __future__ import annotations

import math

from ..catalogue import methods
from ..specs import SweepSpec
from .certainty import LEVEL
from .looks import STAGES
from .readable import listed, number, percent
from .sharpened import DENSE, Sharpened
from .sharpening import LIMIT, NOTHING, STARTS, Sharp
from .verdict_sentences import JUDGED_BY


def sharpened_lines(found: Sharpened) -> list[str]:
    """Say of every method that has been begun how many decades it forgives."""
    return [_line(found, name, known) for name, known in found.methods.items()]


def sharpened_sureness(found: Sharpened) -> str:
    """Say what the intervals are."""
    looks = listed([str(stage) for stage in STAGES])
    return (
        f"Sharpened, by {JUDGED_BY[found.by.measure]}: {100 * LEVEL:.0f}% intervals of the median over all starts, "
        f"which count that one looks at {looks} starts, and how exactly the step sizes that were run tell the ends"
    )


def sharpened_cost(found: Sharpened) -> str:
    """Say what it cost."""
    share = percent(found.updates / found.dense_updates)
    return (
        f"That took {found.runs:,} runs, {found.updates:,} updates: {share} of a grid of {DENSE} λ from "
        f"{STAGES[-1]} starts"
    )


def asked_words(spec: SweepSpec, base: SweepSpec) -> str:
    """Say in a few words what a sweep of a sharpening is about."""
    label = methods[spec.methods[0]].label
    if spec.lambdas == base.lambdas:
        return f"{label}: {len(spec.seeds)} starts"
    return f"{label}: {len(spec.seeds)} starts, λ near {listed([number(lam) for lam in _clusters(spec.lambdas)])}"


def _clusters(lambdas: tuple[float, ...]) -> list[float]:
    """Return about where step sizes are: one for all that are within a decade of their neighbour."""
    groups = [[lambdas[0]]]
    for lam in lambdas[1:]:
        if lam > 10 * groups[-1][-1]:
            groups.append([])
        groups[-1].append(lam)
    return [math.exp(sum(map(math.log, group)) / len(group)) for group in groups]


def _line(found: Sharpened, name: str, known: Sharp) -> str:
    label, why = methods[name].label, found.why.get(name)
    if why == NOTHING:
        return f"{label}: the start leaves nothing to close"
    low, high = known.interval
    upper = "∞" if math.isinf(high) else f"{high:.2f}"
    words = f"{label} forgives {known.decades:.2f} ({low:.2f}–{upper}) decades of λ, by {len(known.starts)} starts"
    return words + _REASONS.get(why or "", "").format(width=f"{found.width:g}")


_REASONS = {
    STARTS: "; {width} decades are not reached, and there are no further starts",
    LIMIT: "; {width} decades are not reached, and the budget is spent",
}
