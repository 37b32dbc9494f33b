"""A sweep before F* is known: the axes, and the objective itself as far as it has come."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..catalogue import methods
from ..results import Early, Spread, number, spread
from ..specs import SweepSpec
from .axes import Array, Span, gap_span
from .frame import Figure, Frame, over_seeds
from .palette import TEXT_SIZE, theme_named
from .sensitivity import STEP_SIZE, lambda_span
from .series import Series

_HEIGHT = "objective F̃"
_ANY = Span(0.01, 10.0)  # until there is something to draw


def beginning(
    spec: SweepSpec, early: Early | None, *, mark: float | None = None, theme: str = "light"
) -> tuple[Figure, Figure]:
    """Draw the objective against λ, and along the iterations at each method's best λ so far.

    Of a method there are the seeds that have begun. Before every method has one, and where the objective is not
    positive, there are axes alone.
    """
    started = early is not None and early.started
    by_lambda = [_by_lambda(early, m) for m in range(len(spec.methods))] if early is not None and started else []
    along = [_along(early, m, by_lambda[m]) for m in range(len(by_lambda))] if early is not None else []
    words = ("So far: the objective, which falls towards the optimum F*" if started else "The runs are starting"), ""
    figures = []
    for x_title, x_span, series in (
        (STEP_SIZE, lambda_span(spec.lambdas, mark), by_lambda),
        ("iterations", Span(1.0, float(spec.iterations)).around(0.025), along),
    ):
        frame = Frame(theme_named(theme), x_title, x_span, _HEIGHT, _span(series, early))
        if x_title == STEP_SIZE and mark is not None:
            frame.mark(mark, f"your λ = {number(mark)}")
        figure = frame.figure(series, "diverged or off the chart", *words)
        if not series:
            figure["layout"]["yaxis"]["showticklabels"] = False  # nobody knows the scale yet
            figure["layout"]["annotations"] = [*figure["layout"]["annotations"], _waiting(theme)]
        figures.append(figure)
    return figures[0], figures[1]


def _waiting(theme: str) -> dict[str, Any]:
    """Return what stands where the curves will be: on wide data that takes a while."""
    return {
        "text": "Each method takes its first steps.<br>Its curve is drawn here as soon as it has.",
        "xref": "paper", "x": 0.5, "yref": "paper", "y": 0.5, "showarrow": False,
        "font": {"size": TEXT_SIZE, "color": theme_named(theme).quiet},
    }  # fmt: skip


def _span(series: list[Series], early: Early | None) -> Span:
    if not series or early is None:
        return _ANY
    start = float(np.nanmedian(early.objectives[:, :, 0]))
    drawn = Spread(*(np.concatenate([getattr(one, part) for one in series]) for part in Spread._fields))
    return gap_span(drawn, start, 1e-9 * start) if start > 0 else _ANY


def _by_lambda(early: Early, m: int) -> Series:
    """Return a method's objective at the last record that all its seeds have which have begun, by λ."""
    seeds = early.under_way[m]
    last = int(early.recorded[m, seeds].min()) - 1
    return _series(early, m, early.spec.lambdas, early.objectives[m, seeds, last], over_seeds(int(seeds.sum())))


def _along(early: Early, m: int, by_lambda: Series) -> Series:
    best = int(np.argmin(np.where(np.isnan(by_lambda.median), np.inf, by_lambda.median)))
    seeds = early.under_way[m]
    reached = int(early.recorded[m, seeds].min())
    iterations = early.spec.checkpoint_iterations[1:reached]
    values = early.objectives[m, seeds, 1:reached, best]
    return _series(early, m, iterations, values, f"λ = {number(early.spec.lambdas[best])}")


def _series(early: Early, m: int, x: tuple[float, ...] | tuple[int, ...], values: Array, about: str) -> Series:
    name = early.spec.methods[m]
    median, low, high = spread(values, axis=0)
    failed = np.asarray(np.isnan(values).any(axis=0))
    hover = [f"<b>{methods[name].label}</b>, {about}: {number(float(each))}" for each in median]
    return Series(name, methods[name].label, x, median, low, high, failed, hover)
