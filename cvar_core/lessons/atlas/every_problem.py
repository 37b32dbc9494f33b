"""The problems of the atlas, in the order in which they are computed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from ...specs import RANDOM, ZERO, ProblemSpec
from .entries import RAW, STANDARDISED, Entry
from .origins import SEEN, SYNTHETIC, TableSet
from .table_sets import SETS

_PAPER = [(loss, noise) for loss in ("squared", "absolute", "logistic") for noise in ("normal", "gumbel", "lognormal")]
_THREE = (("squared", "normal"), ("absolute", "lognormal"), ("logistic", "gumbel"))  # each loss and noise once
_FITTING = {"regression": ("squared", "absolute", "huber"), "classification": ("logistic",)}  # of data, by their task
_BETAS = (0.0, 0.5, 0.9, 0.99)
_FEW = 1_000  # points, of which the largest loss is minimised
_DIMENSIONS = (2, 100, 300)
_HEAVY: tuple[tuple[str, str, dict[str, float]], ...] = (
    ("squared", "student", {"df": 3.0}), ("squared", "student", {"df": 2.5}), ("absolute", "student", {"df": 1.5}),
    ("huber", "student", {"df": 1.5}), ("squared", "pareto", {"shape": 3.0}), ("squared", "pareto", {"shape": 2.5}),
    ("absolute", "pareto", {"shape": 1.5}), ("huber", "pareto", {"shape": 1.5}),
)  # fmt: skip
_UNITS = (1e-3, 1e3)
_EASIER = (0.0, 0.5)
_VARIED = {"diabetes": "squared", "wine quality": "absolute", "breast cancer": "logistic"}


@cache
def every_problem() -> tuple[Entry, ...]:
    found = (*_drawn(), *(entry for chosen in SETS.values() for entry in _of_set(chosen)))
    assert len({entry.name for entry in found}) == len(found)
    return found


def _drawn() -> Iterator[Entry]:
    for loss, noise in _PAPER:
        yield _synthetic(loss, noise)
    for loss, noise in _THREE:
        for beta in _BETAS:
            yield _synthetic(loss, noise, f"β = {beta:g}", beta=beta)
        yield _synthetic(loss, noise, f"largest of {_FEW:,} losses", beta=1 - 1 / _FEW, sample_size=_FEW)
        for dim in _DIMENSIONS:
            yield _synthetic(loss, noise, f"d = {dim}", dim=dim)
        for unit in _UNITS:
            yield _synthetic(loss, noise, f"loss × {unit:g}", scale=unit)
    for loss, noise, parameters in _HEAVY:
        ((name, value),) = parameters.items()
        yield _synthetic(loss, noise, f"{name} = {value:g}", noise_params=parameters)


def _synthetic(loss: str, noise: str, variant: str = "", beta: float = 0.95, **further: Any) -> Entry:
    size = 20_000 if further.get("dim", 10) > 10 else 100_000
    drawn = ProblemSpec(loss, noise, beta, eval_size=size, **further)
    name = ", ".join(part for part in (f"{noise} noise", loss, variant) if part)
    return Entry(name, f"{noise} noise", SYNTHETIC, SEEN, loss, beta, drawn=drawn)


def _of_set(chosen: TableSet) -> Iterator[Entry]:
    """Yield the losses that fit, raw and standardised; of some sets also other levels β, and a random start.

    Of classes other levels always: the worst twentieth of their rows is mostly so hard that θ = 0 has the least CVaR.
    """
    for prepared in (RAW, STANDARDISED):
        for loss in _FITTING[chosen.task]:
            yield _on_data(chosen, prepared, loss)
            if chosen.task == "classification":
                for beta in _EASIER:
                    yield _on_data(chosen, prepared, loss, f"β = {beta:g}", beta=beta)
    if chosen.name in _VARIED:
        for beta in _BETAS:
            if beta not in _EASIER or chosen.task == "regression":
                yield _on_data(chosen, STANDARDISED, _VARIED[chosen.name], f"β = {beta:g}", beta=beta)
        for prepared in (RAW, STANDARDISED):
            yield _on_data(chosen, prepared, _VARIED[chosen.name], "random start", start=RANDOM)


def _on_data(
    chosen: TableSet, prepared: str, loss: str, variant: str = "", beta: float = 0.95, start: str = ZERO
) -> Entry:
    name = ", ".join(part for part in (chosen.name, prepared, loss, variant) if part)
    origin = chosen.origin or chosen.name
    return Entry(name, origin, chosen.kind, chosen.role, loss, beta, prepared, start, chosen.name)
