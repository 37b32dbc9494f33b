"""The unit of a feature in one chart: what is left of the model's excess risk, in the first unit and in another one."""

from __future__ import annotations

import numpy as np

from ...catalogue import methods
from ...lessons.feature_unit import LEFT, METHODS, SEEDS, FeatureUnit
from ...results import Spread, number, width
from ..axes import gap_span
from ..frame import Figure, Frame
from ..palette import theme_named
from ..sensitivity import STEP_SIZE, lambda_span
from ..series import Series

_SHOWN = ("spl", "spl+", "spl-u")


def feature_curves(first: FeatureUnit, other: FeatureUnit, lam: float, *, theme: str = "light") -> Figure:
    """Draw what is left against λ: bold in the other unit, pale and open in the first one."""
    series = [_series(found, name, second) for found, second in ((other, False), (first, True)) for name in _SHOWN]
    medians = np.concatenate([one.median for one in series])
    y_span = gap_span(Spread(medians, medians, medians), 1.0, 1e-9, [LEFT])
    frame = Frame(theme_named(theme), STEP_SIZE, lambda_span(other.lambdas), "share of R − F* left", y_span)
    frame.bands = False
    frame.level(LEFT, f"ε = {number(LEFT)}")
    frame.mark(lam, f"λ = {number(lam)}")
    about = f"excess risk R(θ̄) − F* of the model as a share of the start's, median of {len(SEEDS)} seeds"
    return frame.figure(series, "diverged or off the chart", _title(first, other), about)


def _series(found: FeatureUnit, name: str, second: bool) -> Series:
    m = METHODS.index(name)
    median, failed = found.left.median[m], found.diverged[m]
    label = f"{methods[name].label}, c = {number(found.factor)}" if second else methods[name].label
    hover = [
        f"<b>{methods[name].label}</b>, c = {number(found.factor)}, λ = {number(each)}<br>"
        + (f"{lost} of {len(SEEDS)} seeds diverged" if lost else f"{number(left)} of the excess risk left")
        for each, left, lost in zip(found.lambdas, median.tolist(), failed.tolist(), strict=True)
    ]
    return Series(name, label, found.lambdas, median, median, median, failed > 0, hover, second)


def _title(first: FeatureUnit, other: FeatureUnit) -> str:
    if other.factor == 1:
        return "At c = 1 there is nothing to compare: choose another unit of the feature"
    words = []
    for name in reversed(_SHOWN):
        here, there = (width(found.range(name)) for found in (first, other))
        words.append(f"{methods[name].label} {here if here == there else f'{there} instead of {here}'}")
    return f"Decades of λ forgiven at c = {number(other.factor)}: {', '.join(words)}"
