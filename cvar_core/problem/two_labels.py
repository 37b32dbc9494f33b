"""Two labels of any kind as −1 and +1: the smaller, or the first in the alphabet, becomes −1."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from ..specs import SpecError


class Labels(NamedTuple):
    """Which label became −1 and which +1.

    >>> Labels.of(["no", "yes", "no"]), Labels.of([0, 1, 1]).signs([1, 0])
    (Labels(negative='no', positive='yes'), array([ 1., -1.]))
    """

    negative: Any
    positive: Any

    @classmethod
    def of(cls, y: Any) -> Labels:
        """Return the labels of targets, or say why they are not two."""
        found = np.unique(_plain(y))
        if set(found.tolist()) <= {-1, 1}:
            return cls(-1.0, 1.0)  # also where there is one class only
        if len(found) != 2:
            some = ", ".join(map(_written, found[:5].tolist())) + (", …" if len(found) > 5 else "")
            raise SpecError(f"y holds {len(found):,} different labels ({some}), but classification needs two")
        return cls(*found.tolist())

    def signs(self, y: Any) -> NDArray[np.float64]:
        """Return targets as −1 and +1; a label that is neither gets a sentence."""
        given = _plain(y)
        odd = (given != self.negative) & (given != self.positive)
        if odd.any():
            two = f"{_written(self.negative)} and {_written(self.positive)}"
            raise SpecError(f"y holds {_written(given[odd].ravel()[0].item())}, but the labels are {two}")
        return np.where(given == self.positive, 1.0, -1.0)


def _plain(y: Any) -> Any:
    """Return labels as one array of numbers, or of texts."""
    if isinstance(y, Tensor):
        y = y.detach().cpu().numpy()
    given = np.asarray(y)
    if given.dtype.kind == "O":
        cells = given.ravel().tolist()
        if not any(isinstance(each, str) for each in cells):
            try:
                given = given.astype(np.float64)
            except (TypeError, ValueError):
                raise SpecError("y holds labels that are neither numbers nor texts") from None
        elif all(isinstance(each, str) for each in cells):
            given = given.astype(str)
        else:
            odd = next(each for each in cells if not isinstance(each, str))
            raise SpecError(f"y holds {odd!r} among texts; labels must be all numbers or all texts, and none missing")
    if given.dtype.kind not in "biufU":
        raise SpecError(f"y holds {given.dtype} values; labels must be numbers or texts")
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        raise SpecError("y holds NaN or infinite values; every entry must be finite")
    return given


def _written(label: Any) -> str:
    return repr(label) if isinstance(label, str | bool) else f"{label:g}"
