"""A result as if only some of its methods had been run, to say what those have found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .result import Result


def of_methods(result: Result, names: Sequence[str]) -> Result:
    """Return what a result says of some of its methods, no further than all of them have come."""
    places = [result.method(name) for name in names]
    found = replace(
        result,
        spec=replace(result.spec, methods=tuple(names)),
        objectives=result.objectives[places],
        recorded=np.minimum(result.recorded[places], result.recorded.min()),
        beside={name: values[places] for name, values in result.beside.items()},
    )
    if result.true_excess_risk is not None:  # which takes a moment to find again
        found.__dict__["true_excess_risk"] = result.true_excess_risk[places]
    return found
