"""What a study found, in words: who forgives what, each optimiser at its best λ, and SPL-U without tuning."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ...own_model import ModelStudy, trainers
from ...own_model.training import MEASURES
from ...results import decades, interval, number, sureness
from ...results.certainty import Interval

FAMILIES = (("sgm", "spl", "spl+", "spl-u"), ("sgd-mean", "sgd-topk", "sgd-ru"), ("adam-mean", "adam-topk", "adam-ru"))
UNTUNED, UNTUNED_LAMBDA = "spl-u", 1.0
_IN_WORDS = {"sgd-mean": "SGD on the mean", "sgd-topk": "SGD on the top k", "sgd-ru": "SGD on the RU loss"}
_IN_WORDS |= {name.replace("sgd", "adam"): words.replace("SGD", "Adam") for name, words in _IN_WORDS.items()}


class Row(NamedTuple):
    """An optimiser: decades of λ that it forgives, with their interval, and what it reaches at its own best λ."""

    name: str
    label: str
    decades: str
    interval: str
    best_lambda: str
    cvar: str
    mean: str
    worst_group: str


def headline(study: ModelStudy) -> str:
    """Say in one sentence what the most forgiving of each family forgives, the most forgiving first."""
    if not np.isfinite(study.reference) or not (study.limits > 0).any():
        return study.finding().rstrip(".")
    first, *others = _ranked(study, [_ranked(study, family)[0] for family in _families(study)])
    if study.forgiven[first].decades is None:
        return "No optimiser has a λ that is usable for most starts"
    told = f"{_named(first)} forgives {_decades(study, first)} decades of λ"
    return ", ".join([told, *(f"{_named(name)} {_decades(study, name)}" for name in others)])


def rows(study: ModelStudy) -> list[Row]:
    """Return a row for each optimiser, the most forgiving first."""
    return [_row(study, name) for name in _ranked(study, study.optimisers)]


def untuned(study: ModelStudy) -> str:
    """Say what SPL-U does at λ = 1; nothing while that has not been tried."""
    if UNTUNED not in study.optimisers or UNTUNED_LAMBDA not in study.lambdas:
        return ""
    k, at, count = study.optimisers.index(UNTUNED), study.lambdas.index(UNTUNED_LAMBDA), len(study.seeds)
    kept = int((study.gaps[k, :, at] <= study.limits).sum())  # NaN is above all
    median = float(study.spread().median[k, at])
    closed = 1 - (median - study.reference) / (start(study) - study.reference)
    reached = "diverges" if not np.isfinite(median) else f"reaches {number(median)}{_between(study)}"
    words = f"Without tuning, SPL-U at λ = {UNTUNED_LAMBDA:g} {reached}, where the best of all "
    words += f"has {number(study.reference)}"
    did = f"closes {100 * closed:.0f}% of the gap" if closed >= 0 else "is worse than before training"
    share = f"; it {did} and is usable for {kept} of {count} starts"
    return words + (share if np.isfinite(closed) else "") + "."


def reference_words(study: ModelStudy) -> str:
    """Say by what all are judged."""
    sure = f" In brackets: the {sureness(len(study.seeds))}." if len(study.seeds) > 1 else ""
    return (
        f"A network has no known optimum. The reference, {number(study.reference)}, is the least median test CVaR that "
        f"any of these optimisers reached at any λ of this grid: the ruler is chosen on the test rows, for all alike. "
        f"Before training it is {number(start(study))}. A λ is usable for a start that closes {100 * study.closed:g}% "
        f"of that gap.{sure}"
    )


def start(study: ModelStudy) -> float:
    """Return the median test CVaR before training."""
    return float(np.median(study.starts[:, MEASURES.index("test_cvar")]))


def _row(study: ModelStudy, name: str) -> Row:
    found, best, k = study.forgiven[name], study.best_lambda(name), study.optimisers.index(name)

    def at_best(measure: str) -> float | None:
        return None if best is None else float(study.spread(measure).median[k, study.lambdas.index(best)])

    worst = at_best("worst_group")
    return Row(
        name, trainers[name].label, decades(found), interval(found), number(best), number(at_best("test_cvar")),
        number(at_best("test_mean")), "none" if worst is None else f"{100 * worst:.0f}%",
    )  # fmt: skip


def _between(study: ModelStudy) -> str:
    found: Interval | None = study.at(UNTUNED, UNTUNED_LAMBDA)
    return "" if found is None or len(study.seeds) < 2 else f" ({number(found.low)} to {number(found.high)})"


def _families(study: ModelStudy) -> list[list[str]]:
    known = [[name for name in family if name in study.optimisers] for family in FAMILIES]
    return [family for family in known if family]


def _ranked(study: ModelStudy, names: Iterable[str]) -> list[str]:
    """Return optimisers, the most forgiving first; of those alike, that which reaches the least test CVaR."""
    least = dict(zip(study.optimisers, study.spread().median.min(axis=1).tolist(), strict=True))
    return sorted(names, key=lambda name: (-(study.forgiven[name].decades or 0.0), least[name]))


def _decades(study: ModelStudy, name: str) -> str:
    return decades(study.forgiven[name])


def _named(name: str) -> str:
    return _IN_WORDS.get(name, trainers[name].label.removesuffix(" (ours)"))
