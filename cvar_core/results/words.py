"""Results in words: numbers that a person can read, and verdicts as sentences."""

from __future__ import annotations

import functools
import math

from ..catalogue import methods
from ..problem import Optimum
from .result import Result
from .robustness import UsableRange
from .verdict import Verdict

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@functools.lru_cache(maxsize=1 << 14)  # every poll of a running sweep writes its earlier points again
def number(value: float | None) -> str:
    """Return three significant digits: 0.0123, 45.6, 7.89·10⁴."""
    if value is None or math.isnan(value):
        return "none"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"  # and not −0
    if 1e-3 <= abs(value) < 1e4:
        text = f"{value:.3g}" if abs(value) < 999.5 else f"{value:.0f}"
        return text.replace("-", "−")
    mantissa, exponent = f"{value:.2e}".split("e")
    power = "10" + str(int(exponent)).translate(_SUPERSCRIPTS)
    mantissa = mantissa.rstrip("0").rstrip(".")
    text = mantissa.replace("1", power) if mantissa in ("1", "-1") else f"{mantissa}·{power}"
    return text.replace("-", "−")


def decades(found: UsableRange | None) -> str:
    """Return how many decades a range spans, with "≥" if the grid ended before the range did."""
    if found is None:
        return "none"
    return f"{'≥ ' if found.open_low or found.open_high else ''}{found.decades:.1f}"


def certainty(optimum: Optimum) -> str:
    """Say in a few words how far F* can be trusted, and whether there is a minimum at all."""
    if not optimum.attained:
        return "the best value found: there is no minimum, it is only approached as θ grows without end"
    return "not certified" if optimum.gap is None else f"certified to {number(optimum.gap)}"


def measured(result: Result) -> list[str]:
    """Say what the runs at each method's best λ, and θ*, are worth on data; nothing for a synthetic problem."""
    if not result.measures:
        return []
    names = list(result.measures)
    lines = [f"{'':8}" + "".join(f"{name.replace('_', ' '):>18}" for name in names)]
    for m, method in enumerate(result.spec.methods):
        best = result.best_lambda(method)
        if best is not None:
            place = result.spec.lambdas.index(best)
            lines.append(
                f"{method:8}" + "".join(f"{_share(name, result.measured(name)[m, place]):>18}" for name in names)
            )
    if result.reference:
        lines.append(f"{'θ*':8}" + "".join(f"{_share(name, result.reference[name]):>18}" for name in names))
    else:
        lines.append(
            "θ* = 0 is optimal here: at this β no linear classifier does better than none, so it has no accuracy."
        )
    return lines


def _share(name: str, value: float) -> str:
    return f"{100 * value:.2f}%" if name.endswith("accuracy") else number(float(value))


def finding(result: Result, epsilon: float | None = None) -> str:
    """Say in one sentence how many decades of λ each method forgives, the most forgiving first."""
    ranges = result.ranges(epsilon)
    if len(result.spec.lambdas) == 1:
        lam = number(result.spec.lambdas[0])
        usable = [methods[name].label for name, found in ranges.items() if found is not None]
        return f"λ = {lam} is usable for {' and '.join(usable) if usable else 'no method'}"
    order = sorted(ranges, key=lambda name: -(ranges[name].decades if ranges[name] else -1.0))  # type: ignore[union-attr]
    if ranges[order[0]] is None:
        return "No λ of this grid is usable for any method"
    first, *others = order
    rest = ", ".join(f"{methods[name].label} {decades(ranges[name])}" for name in others)
    return f"{methods[first].label} forgives {decades(ranges[first])} decades of λ" + (f", {rest}" if rest else "")


def judgement(verdict: Verdict) -> str:
    """Say in one sentence whether a λ is safe, and by how much."""
    label, lam = methods[verdict.method].label, number(verdict.lam)
    if verdict.iteration == 0:
        return f"Whether λ = {lam} is safe for {label} is not known yet: the runs are starting."
    gap, limit = number(verdict.suboptimality), number(verdict.epsilon)
    if verdict.safe:
        return (
            f"λ = {lam} is safe for {label}: {_margins(verdict)}"
            f" (median suboptimality {gap} ≤ ε = {limit}{_source(verdict)})."
        )
    if verdict.diverged:
        beside = " beside it" if verdict.between else ""
        why = f"{verdict.diverged} of its seeds diverged{beside}"
    else:
        why = f"median suboptimality {gap} > ε = {limit}"
    return f"λ = {lam} is not safe for {label}: {why}{_source(verdict)}; {advice(verdict)}."


def margin(verdict: Verdict) -> str:
    """Say in a few words whether a λ is safe: by how much, or why not."""
    if verdict.iteration == 0:
        return "not known yet"
    if verdict.safe:
        return f"safe, {_margins(verdict)}"
    if verdict.diverged:
        runs = f"{verdict.diverged} of {verdict.seeds} seeds" if verdict.seeds > 1 else "the run"
        return f"not safe: {runs} diverged{' beside it' if verdict.between else ''}"
    times = number(verdict.suboptimality / verdict.epsilon)
    return f"not safe: {'just above' if times == '1' else f'{times} ×'} ε"


def advice(verdict: Verdict) -> str:
    """Say which step sizes are usable instead."""
    if verdict.range is None:
        return "no λ of the grid is usable"
    return f"usable: {number(verdict.range.low)} to {number(verdict.range.high)}, best {number(verdict.best_lambda)}"


def _margins(verdict: Verdict) -> str:
    below = f"{'≥ ' if verdict.open_below else ''}{verdict.below:.1f}"
    above = f"{'≥ ' if verdict.open_above else ''}{verdict.above:.1f}"
    return f"margin {below} decades below and {above} above"


def _source(verdict: Verdict) -> str:
    """Say where a λ that was not run is read off."""
    if verdict.between is None:
        return ""
    left, right = verdict.between
    return f", read between λ = {number(left)} and {number(right)}"
