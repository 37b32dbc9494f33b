"""VaR, CVaR and the variational objective of a finite list of losses, exact for ties and any 0 ≤ β < 1."""

from __future__ import annotations

import math
import sys

from torch import Tensor


def tail_mass(count: int, beta: float) -> float:
    """Return (1 − β)·count, the number of losses that the tail holds, not always whole.

    β is a rounded number: (1 − 0.95)·10⁶ comes out as 50000.00000000004. A product within that rounding
    of a whole number is that number.
    """
    mass = (1.0 - beta) * count
    nearest = float(round(mass))
    if nearest >= 1 and abs(mass - nearest) <= 2 * sys.float_info.epsilon * count:
        return nearest
    return mass


def var(losses: Tensor, beta: float) -> float:
    """Return VaR_β, the lowest α with at least a share β of the losses at or below it; the least loss for β = 0."""
    count = len(losses)
    rank = count - math.floor(tail_mass(count, beta))
    return float(losses.kthvalue(max(rank, 1)).values)


def objective(losses: Tensor, alpha: float, beta: float) -> float:
    """Return F̃_β = α + Σ max(ℓ_i − α, 0)/((1 − β) N)."""
    return alpha + float((losses - alpha).clamp(min=0).sum()) / tail_mass(len(losses), beta)


def mixed(losses: Tensor, beta: float, mix: float) -> float:
    """Return (1 − μ)·mean + μ·CVaR_β for the mix μ."""
    return cvar(losses, beta) if mix == 1 else (1 - mix) * float(losses.mean()) + mix * cvar(losses, beta)


def cvar(losses: Tensor, beta: float) -> float:
    """Return CVaR_β = min over α of F̃_β: the mean of the largest (1 − β)N losses, the last one in part."""
    return objective(losses, var(losses, beta), beta)
