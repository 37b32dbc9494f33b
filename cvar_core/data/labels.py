"""Two labels, whatever they are called, become −1 and +1; the mapping is kept to be shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bounds import DataError, shortened


@dataclass(frozen=True)
class Mapping:
    """Which labels became −1 and which +1, as the file has them."""

    negative: str
    positive: str

    def __str__(self) -> str:
        return f"{self.negative} → −1, {self.positive} → +1"


def written(value: float, texts: tuple[str, ...] | None) -> str:
    """Return a label as the file has it."""
    return " ".join(texts[int(value)].split()) if texts is not None else f"{value:.15g}"


def mapped(
    name: str, labels: NDArray[np.float64], texts: tuple[str, ...] | None, positive: str | float | None
) -> tuple[float, float | None, Mapping]:
    """Return the values that become +1 and −1 (``None``: all others), and the mapping in words."""
    values = np.unique(labels)
    if positive is not None:
        chosen = [value for value in values if _same(written(value, texts), positive)]
        if not chosen:
            raise DataError(f"no row of {name} has the label {shortened(positive)}; it has {_listed(values, texts)}")
        if len(values) == 1:
            raise DataError(f"every row of {name} has the label {written(values[0], texts)}: there is one class only")
        others = [value for value in values if value != chosen[0]]
        rest = written(others[0], texts) if len(others) == 1 else "the rest"
        return chosen[0], None, Mapping(rest, written(chosen[0], texts))
    if len(values) == 1:
        raise DataError(f"every row of {name} has the label {written(values[0], texts)}: there is one class only")
    if len(values) > 2:
        raise DataError(
            f"{name} has {len(values):,} different labels ({_listed(values, texts)}), but classification needs two:"
            f" choose one to tell from the rest (positive, --positive), or a regression loss"
        )
    return values[1], values[0], Mapping(written(values[0], texts), written(values[1], texts))


def signs(
    name: str, labels: NDArray[np.float64], texts: tuple[str, ...] | None, plus: float, minus: float | None
) -> NDArray[np.float64]:
    """Return the labels as −1 and +1."""
    if minus is not None:
        unknown = labels[(labels != plus) & (labels != minus)]
        if len(unknown):
            raise DataError(f"{name} has the label {written(unknown[0], texts)}, which the training data do not have")
    return np.where(labels == plus, 1.0, -1.0)


def _same(label: str, wanted: str | float) -> bool:
    try:
        return float(label) == float(wanted)
    except ValueError:
        return label == str(wanted)


def _listed(values: NDArray[np.float64], texts: tuple[str, ...] | None) -> str:
    some = ", ".join(shortened(written(value, texts)).strip("'\"") for value in values[:5])
    return some + (", …" if len(values) > 5 else "")
