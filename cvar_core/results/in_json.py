"""A result's summary as JSON types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from .compared import Comparison
from .criterion import MEASURES, Criterion
from .recommended import Recommended

if TYPE_CHECKING:
    from .result import Result


def summarised(result: Result, by: Criterion | None = None) -> dict[str, Any]:
    """Return the summary as JSON types, by one criterion and beside it by every measure; not finite is null."""
    by = Criterion() if by is None else by
    report = {
        "spec": result.spec.to_dict(),
        "id": result.spec.id,
        "f_star": result.optimum.value,
        "f_star_gap": result.optimum.gap,
        "alpha_star": result.optimum.alpha,
        "floor": result.optimum.floor,
        "measure": by.measure,
        **_told(result, by),
        "by_measure": {measure: _told(result, replace(by, measure=measure)) for measure in MEASURES},
        "timings": dict(result.timings),
    }
    if result.measures:
        report["f_star_attained"] = result.optimum.attained
        report["best_constant"] = result.optimum.constant
        report["optimum_measures"] = dict(result.reference) or None  # of θ*
    plain: dict[str, Any] = _plain(report)
    return plain


def _told(result: Result, by: Criterion) -> dict[str, Any]:
    """Return what a summary says by one criterion."""
    judged, summary = result.judged(by), result.summary(by.measure)
    robustness = result.robustness(by.epsilon, by.measure, by.closed).set_index("method")
    per_method: dict[str, dict[str, Any]] = {}
    for m, method in enumerate(result.spec.methods):
        rows = summary[summary["method"] == method]
        names = ("lambda", "median", "low", "high", "status", *result.measures)
        lists = {name: rows[name].tolist() for name in names} | {"usable_starts": judged.usable[m].tolist()}
        advised = {"recommended": _recommended(judged.recommended(method))}
        per_method[method] = {str(name): value for name, value in robustness.loc[method].items()} | lists | advised
    pairs = combinations(result.spec.methods, 2)
    return {
        "gap": result.gap_name(by.measure),
        "closed": by.closed if by.epsilon is None else None,
        "epsilon": judged.epsilon,
        "epsilons": judged.limits.tolist(),
        "start_gaps": judged.starts.tolist(),
        "comparisons": [_compared(judged.compare(*pair)) for pair in pairs],
        "start_gap": judged.start,
        "nothing_to_close": judged.nothing_to_close,
        "points_needed": judged.points_needed,
        "taken": None if judged.choice is None else judged.choice.taken.method,
        "methods": per_method,
    }


def _compared(found: Comparison) -> dict[str, Any]:
    """Return a comparison as a row of JSON."""
    names = ("first", "second", "difference", "low", "high", "agree", "told_apart")
    return {name: getattr(found, name) for name in names}


def _recommended(found: Recommended | None) -> dict[str, Any] | None:
    """Return the λ to take as JSON, with how far it may be wrong."""
    if found is None:
        return None
    verdict = found.verdict
    return {
        "lambda": found.lam,
        "state": verdict.state,
        "starts": verdict.starts,
        "bound": verdict.bound,
        "factor": found.factor,
        "at_least": found.at_least,
        "low_lambda": found.shared.low,
        "high_lambda": found.shared.high,
        "gap": verdict.gap,
        "left": verdict.left,
    }


def _plain(value: Any) -> Any:
    """Turn numpy's numbers into Python's, and what is not finite into ``None``."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
