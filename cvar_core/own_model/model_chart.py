"""The λ-sensitivity of a model of your own, in the look of the other charts."""

from __future__ import annotations

import numpy as np

from ..figures.axes import gap_span
from ..figures.frame import Figure, Frame, over_seeds
from ..figures.palette import theme_named
from ..figures.sensitivity import STEP_SIZE, lambda_span
from ..figures.series import Series
from ..results.readable import number
from ..results.spread import Spread, spread
from .model_study import ModelStudy
from .trainers import trainers


def model_chart(study: ModelStudy, theme: str = "light") -> Figure:
    """Draw the test CVaR above the reference against λ, one line for each optimiser."""
    ends = spread(study.gaps, axis=1)
    limit, start = float(np.median(study.limits)), float(np.median(study.starts[:, 3]) - study.reference)
    unit = start if start > 0 else 1.0
    least = 1e-3 * unit  # the best median has the gap 0, which no logarithm shows
    shown = Spread(*(np.where(each < least, least, each) for each in ends))
    y_span = gap_span(shown, unit, least, [limit] if limit > 0 else [])
    height = f"test CVaR above {number(study.reference)}"
    frame = Frame(theme_named(theme), STEP_SIZE, lambda_span(study.lambdas), height, y_span)
    frame.bands = len(study.optimisers) <= 4  # more would only be mud
    if limit > 0:
        frame.level(limit, f"ε = {number(limit)}")
    series = [_series(study, k, shown) for k in range(len(study.optimisers))]
    subtitle = f"{study.steps:,} steps, batches of {study.batch}, {over_seeds(len(study.seeds))}"
    return frame.figure(series, "diverged or off the chart", study.finding(), subtitle)


def _series(study: ModelStudy, k: int, shown: Spread) -> Series:
    name = study.optimisers[k]
    label, values = trainers[name].label, study.spread()
    failed = np.isnan(study.cvars[k]).sum(axis=0)
    hover = [
        f"<b>{label}</b>  λ = {number(lam)}<br>test CVaR {number(float(values.median[k, at]))}"
        + (f"<br>{failed[at]} of {len(study.seeds)} seeds diverged" if failed[at] else "")
        for at, lam in enumerate(study.lambdas)
    ]
    return Series(name, label, study.lambdas, shown.median[k], shown.low[k], shown.high[k], failed > 0, hover)
