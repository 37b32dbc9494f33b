"""Two sweeps in one chart: does what a method forgives carry over to another problem?"""

from __future__ import annotations

import numpy as np

from ..catalogue import methods
from ..results import GAP, Criterion, Forgiven, Judged, Result, Spread, counted, decades, number
from .axes import gap_span, rounding, start_gap
from .frame import Figure, Frame
from .palette import theme_named
from .sensitivity import STEP_SIZE, lambda_span
from .series import Series

_NARROW = 560  # px; its legend has twice the entries

Ranges = dict[str, Forgiven]


def compare(
    first: Result, second: Result, names: tuple[str, str], *, by: Criterion | None = None, theme: str = "light"
) -> Figure:
    """Draw what is left of the gap at the start against λ, for two sweeps.

    A share of each sweep's own start gap has no unit, so that problems, grids and methods may differ. The first
    sweep has filled markers, the second a thinner line and open ones; there are no bands, as they would hide the lines.

    Parameters
    ----------
    names
        Short labels of the two sweeps, such as "A" and "B".
    by
        By which measure, and what share of the gap a usable λ closes; not an ε outright, which has a unit.
    """
    by = Criterion() if by is None else by
    runs = (first.judged(by), second.judged(by))
    ranges = tuple(run.forgiven for run in runs)
    series = _series(runs[0], names[0]) + _series(runs[1], names[1], second=True)
    medians = np.concatenate([[], *(one.median for one in series)])
    floor = max(rounding(run) / start_gap(run) for run in runs)
    y_span = gap_span(Spread(medians, medians, medians), 1.0, floor, [1 - by.closed])
    x_span = lambda_span(first.spec.lambdas + second.spec.lambdas)
    frame = Frame(theme_named(theme), STEP_SIZE, x_span, f"share of the {GAP[by.measure]} left", y_span)
    frame.narrow, frame.bands = _NARROW, False
    frame.level(1 - by.closed, f"ε = {number(1 - by.closed)}")
    title = _title(runs, names, ranges)
    return frame.figure(series, "diverged or off the chart", title, _subtitle(runs, names))


def _begun(run: Judged) -> bool:
    return run.at().iteration > 0


def _running(run: Judged) -> bool:
    return run.at().iteration < run.result.spec.iterations


def _series(run: Judged, run_name: str, *, second: bool = False) -> list[Series]:
    if not _begun(run):
        return []
    spec, end = run.result.spec, run.at()
    lambdas = [number(lam) for lam in spec.lambdas]
    with np.errstate(over="ignore"):  # a huge median by a tiny start gap is ∞, and off the chart
        shares = end.median / start_gap(run)
    found = []
    for m, method in enumerate(spec.methods):
        name = f"{methods[method].label} · {run_name}"
        hover = []
        for lam, share, failed in zip(lambdas, shares[m].tolist(), end.diverged[m].tolist(), strict=True):
            words = f"{number(share)} of the start gap left"
            if failed:
                words = f"{failed} of {len(spec.seeds)} seeds diverged"
            hover.append(f"<b>{name}</b>  λ = {lam}<br>{words}")
        flagged = np.asarray(end.diverged[m] > 0)
        found.append(Series(method, name, spec.lambdas, shares[m], shares[m], shares[m], flagged, hover, second))
    return found


def _title(runs: tuple[Judged, Judged], names: tuple[str, str], ranges: tuple[Ranges, ...]) -> str:
    """Say what the most forgiving method that both sweeps ran forgives in each."""
    for run, name in zip(runs, names, strict=True):
        if run.nothing_to_close is not None:
            return f"In {name} the start leaves the model nothing to close: judge by the objective to compare"
    begun = [_begun(run) for run in runs]
    if not any(begun):
        return "The runs are starting"
    so_far = "So far: " if any(map(_running, runs)) else ""
    if not all(begun):
        ready = begun.index(True)
        return f"{so_far}{_best_of(ranges[ready], names[ready])}, {names[1 - ready]} is starting"
    shared = [method for method in ranges[0] if method in ranges[1]]
    widths = {method: max(_width(found[method]) for found in ranges) for method in shared}
    best = max(shared, key=widths.__getitem__, default=None)
    if best is None:
        return so_far + ", ".join(map(_best_of, ranges, names))
    label, (here, there) = methods[best].label, (decades(found[best]) for found in ranges)
    if widths[best] < 0:
        whom = "a method of both" if len(shared) > 1 else label
        return f"{so_far}{'no' if so_far else 'No'} λ is usable for {whom}, in {names[0]} or in {names[1]}"
    if ranges[0][best].decades is None:
        return f"{so_far}{label} forgives no λ in {names[0]} and {there} decades in {names[1]}"
    return f"{so_far}{label} forgives {here} decades in {names[0]} and {there} in {names[1]}"


def _best_of(found: Ranges, name: str) -> str:
    best = max(found, key=lambda method: _width(found[method]))
    if found[best].decades is None:
        return f"no λ is usable in {name}"
    return f"{methods[best].label} forgives {decades(found[best])} decades in {name}"


def _width(found: Forgiven) -> float:
    return -1.0 if found.decades is None else found.decades


def _subtitle(runs: tuple[Judged, Judged], names: tuple[str, str]) -> str:
    return " · ".join(f"{name}: {_taken(run)}" for run, name in zip(runs, names, strict=True))


def _taken(run: Judged) -> str:
    seeds = len(run.result.spec.seeds)
    return f"{counted(run.at().iteration, 'iteration')}, {counted(seeds, 'seed')}"
