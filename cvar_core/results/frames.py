"""The tables of a result, as DataFrames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .certainty import Interval
from .criterion import criterion

if TYPE_CHECKING:
    from .result import Result


class Curves(pd.DataFrame):
    """A DataFrame that may be called, too: ``result.curves`` reads like ``result.summary()``, with or without ()."""

    def __call__(self) -> Curves:
        return self


def curves(result: Result) -> Curves:
    spec = result.spec
    levels = [spec.methods, spec.lambdas, spec.seeds, result.checkpoints]
    index = pd.MultiIndex.from_product(levels, names=["method", "lambda", "seed", "iteration"])
    rows = index.to_frame(index=False)
    columns = {
        "objective": result.objectives,
        "suboptimality": result.suboptimality,
        "risk": result.risks,
        "excess_risk": result.excess_risk,
        "true_excess_risk": result.true_excess_risk,
        "status": np.where(np.isnan(result.objectives), "diverged", "ok"),
        **result.measures,
    }
    for name, values in columns.items():
        if values is not None:
            rows[name] = values.transpose(0, 3, 1, 2).ravel()
    known = np.arange(len(result.checkpoints)) < result.recorded[:, None, :, None]
    return Curves(rows[np.broadcast_to(known, (len(spec.methods), len(spec.lambdas), *known.shape[2:])).ravel()])


def summary(result: Result, measure: str) -> pd.DataFrame:
    end = result.at(measure=measure)
    index = pd.MultiIndex.from_product([result.spec.methods, result.spec.lambdas], names=["method", "lambda"])
    rows = index.to_frame(index=False)
    for name in ("median", "low", "high"):
        rows[name] = getattr(end, name).ravel()
    some, every = end.diverged > 0, end.diverged == len(result.spec.seeds)
    rows["status"] = np.where(every, "diverged", np.where(some, "partly", "ok")).ravel()
    for name in result.measures:
        rows[name] = result.measured(name).ravel()
    return rows


def robustness(result: Result, epsilon: float | None, measure: str, closed: float | None) -> pd.DataFrame:
    judged = result.judged(criterion(measure, closed, epsilon))
    rows = []
    for method, found in judged.forgiven.items():
        typical = found.typical
        rows.append(
            {
                "method": method,
                "best_lambda": judged.best_lambda(method),
                "low_lambda": typical.low if typical else None,
                "high_lambda": typical.high if typical else None,
                "decades": found.decades,
                "open_low": typical.open_low if typical else False,
                "open_high": typical.open_high if typical else False,
                "at_least": found.at_least if typical else False,
                "holes": typical.holes if typical else False,
                "decades_low": found.decades_low,
                "decades_high": found.decades_high,
                **_named("best_lambda", judged.best_interval(method)),
                **_named("low_lambda", found.low_ends),
                **_named("high_lambda", found.high_ends),
            }
        )
    return pd.DataFrame(rows)


def _named(name: str, interval: Interval | None) -> dict[str, float | None]:
    low, high = (None, None) if interval is None else interval
    return {f"{name}_low": low, f"{name}_high": high}
