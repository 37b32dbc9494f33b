"""What can be done to features before they are used: scaling, and an intercept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CELLS = 2**22  # that are looked at together


@dataclass(frozen=True)
class Standardiser:
    """Column means and standard deviations of training rows."""

    mean: NDArray[np.float64] | None  # (columns,); None leaves columns where they are
    deviation: NDArray[np.float64]  # (columns,); 1 where a column does not vary, not finite where it is too large

    @classmethod
    def of(cls, x: Any) -> Standardiser:
        if hasattr(x, "indptr"):
            mean = np.asarray(x.mean(axis=0)).ravel()
            square = np.asarray(x.multiply(x).mean(axis=0)).ravel()
            variance = square - mean**2
            varies = variance > 1e-12 * square  # the difference of two squares is rounded
        else:
            mean = x.mean(axis=0)
            variance = _squares(x, mean) / len(x)
            varies = variance > 1e-24 * (mean**2 + variance)
        varies |= ~np.isfinite(variance)  # so much that it cannot be told
        return cls(None if hasattr(x, "indptr") else mean, np.sqrt(np.where(varies, variance, 1.0)))

    def apply(self, x: Any, ours: bool = False) -> Any:
        """Return the columns scaled; in the place of what is given, if that is ``ours`` to overwrite."""
        if self.mean is None:
            scaled = x if ours else x.copy()
            scaled.data /= self.deviation[x.indices]
            return scaled
        scaled = np.subtract(x, self.mean, out=x if ours else None)
        scaled /= self.deviation
        return scaled

    def undo(self, x: Any) -> Any:
        """Return what ``apply`` was given; columns that came later, such as an intercept, are left as they are."""
        later = x.shape[1] - len(self.deviation)
        deviation = np.append(self.deviation, np.ones(later))
        if hasattr(x, "indptr"):
            original = x.copy()
            original.data = x.data * deviation[x.indices]
            return original
        return x * deviation + (0.0 if self.mean is None else np.append(self.mean, np.zeros(later)))


def _squares(x: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums of (x − mean)², some rows at a time: a large matrix is not held once more."""
    total = np.zeros(x.shape[1])
    step = max(1, _CELLS // x.shape[1])
    for begin in range(0, len(x), step):
        away = x[begin : begin + step] - mean
        away *= away
        away[0] += total  # so that the sum is taken row by row, as that over all rows at once
        total = away.sum(axis=0)
    return total


def with_intercept(x: Any) -> Any:
    """Add a last column of ones."""
    if not hasattr(x, "indptr"):
        wider = np.empty((len(x), x.shape[1] + 1))
        wider[:, :-1], wider[:, -1] = x, 1.0
        return wider
    from scipy.sparse import csr_array, hstack

    return csr_array(hstack([x, csr_array(np.ones((x.shape[0], 1)))], format="csr"))
