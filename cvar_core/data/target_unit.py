"""The unit of a target that was standardised, and losses told in it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from ..catalogue import losses
from ..results import number
from .bounds import DataError


@dataclass(frozen=True)
class TargetUnit:
    """Mean and standard deviation of the target over the training rows, as the file has them."""

    mean: float
    deviation: float

    @classmethod
    def of(cls, name: str, y: NDArray[np.float64]) -> TargetUnit:
        with np.errstate(over="ignore", invalid="ignore"):
            mean, deviation = float(y.mean()), float(y.std())
        if not np.isfinite(deviation):
            raise DataError(f"the target of {name} is too large to be standardised")
        if not deviation > 1e-12 * abs(mean):
            raise DataError(f"the target of {name} hardly varies beside its size, and cannot be standardised")
        return cls(mean, deviation)

    def apply(self, y: NDArray[np.float64]) -> NDArray[np.float64]:
        return (y - self.mean) / self.deviation

    def own(self, y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return targets, or predictions, as the file has them."""
        return y * self.deviation + self.mean

    def factor(self, loss: str) -> float | None:
        """Return what a loss is multiplied by to be told in the target's own unit; ``None`` if no factor does that."""
        degree = losses[loss].degree
        return None if degree is None else self.deviation**degree

    def to_dict(self, loss: str | None = None) -> dict[str, float | None]:
        """Return it in JSON types, with the factor of a loss if one is named."""
        return {**asdict(self), "loss_factor": None if loss is None else self.factor(loss)}

    def told(self, value: float, loss: str) -> str:
        """Say what a loss, or a CVaR of losses, is in the target's own unit.

        >>> TargetUnit(20.0, 4.0).told(0.5, "absolute")
        "that is 2 in the target's unit (× 4)"
        >>> TargetUnit(20.0, 4.0).told(0.5, "huber")
        "of the standardised target: no factor turns huber loss into the target's unit"
        """
        factor = self.factor(loss)
        if factor is None:
            return f"of the standardised target: no factor turns {loss} loss into the target's unit"
        return f"that is {number(value * factor)} in the target's unit (× {number(factor)})"
