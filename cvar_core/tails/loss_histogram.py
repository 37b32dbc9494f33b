"""How the losses of several fits are spread, counted on edges that they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_FEWEST, _MOST = 12, 40  # bins
_FAR = 30.0  # times what all but a tail lose: beyond that, even steps would put nearly all rows into the first
_NEAR = 1e-4  # of what all but a tail lose: whatever is lower is counted with it


@dataclass(frozen=True)
class LossHistogram:
    """Counts by the name of the fit, shape (bins,), on edges of shape (bins + 1,).

    The edges are evenly spaced from 0, or, where a few losses are very large, in the logarithm; the first bin then has
    all that is lower, too.
    """

    edges: NDArray[np.float64]
    counts: Mapping[str, NDArray[np.int64]]
    logarithmic: bool


def loss_histogram(losses: Mapping[str, NDArray[np.float64]], level: float) -> LossHistogram:
    """Count losses of shape (rows,) by name; ``level`` is what all rows but those of a tail lose at most."""
    top = max(float(each.max()) for each in losses.values())
    rows = max(map(len, losses.values()))
    bins = min(max(_FEWEST, round(2 * rows ** (1 / 3))), _MOST)  # as Rice has it: few rows in many bins are all spikes
    logarithmic = top > _FAR * level > 0
    edges = np.geomspace(_NEAR * level, top, bins + 1) if logarithmic else np.linspace(0, top or 1.0, bins + 1)
    edges[-1] = top or 1.0  # the logarithm is rounded, and the largest loss must be within
    counts = {name: np.histogram(np.maximum(each, edges[0]), edges)[0] for name, each in losses.items()}
    return LossHistogram(edges, counts, logarithmic)
