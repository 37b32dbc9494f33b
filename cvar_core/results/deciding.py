"""The least work that decides whether one step size is safe: the step size itself, more starts, then its margins."""

from __future__ import annotations

from dataclasses import replace

from ..specs import SpecError, SweepSpec
from .verdict import NEAR, SURE_STARTS, Verdict

_STAGES = (5, 20, SURE_STARTS)  # starts; one that fails rules out "safe", so that few often do


def next_check(base: SweepSpec, verdict: Verdict | None, spec: SweepSpec | None = None) -> SweepSpec | None:
    """Return the sweep that comes after one with a verdict; ``None`` if that decides.

    ``base`` has the method, the step size alone, and the starts that are asked for.
    """
    stages = sorted({*_STAGES, max(len(base.seeds), SURE_STARTS)})
    if spec is None or verdict is None:
        return _with_starts(base, stages[0])
    if verdict.nothing_to_close is not None or not verdict.unanimous or len(spec.lambdas) > 1:
        return None
    further = next((stage for stage in stages if stage > len(spec.seeds)), None)
    return _with_margins(spec) if further is None else _with_starts(base, further)


def _with_starts(base: SweepSpec, count: int) -> SweepSpec:
    seeds = [*base.seeds[:count]]
    seeds += [seed for seed in range(count + len(seeds)) if seed not in seeds][: count - len(seeds)]
    return replace(base, seeds=tuple(seeds))


def _with_margins(spec: SweepSpec) -> SweepSpec | None:
    """Return the sweep with the step sizes on both sides that "on the edge" asks about; ``None`` if there are none."""
    (lam,) = spec.lambdas
    sides: list[float] = []
    for side in (lam / 10**NEAR, lam * 10**NEAR):
        try:
            sides += replace(spec, lambdas=(side,)).lambdas
        except SpecError:  # there are no such step sizes
            continue
    return replace(spec, lambdas=(lam, *sides)) if sides else None
