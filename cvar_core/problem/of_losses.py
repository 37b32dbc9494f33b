"""VaR and CVaR of anybody's losses."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..specs import ProblemSpec, SpecError
from .given import vector
from .objective import cvar as cvar_of
from .objective import var as var_of


def cvar(losses: Any, beta: float = 0.95) -> float:
    """Return CVaR_β, the mean of the largest 1 − β of the losses; the last of these may count in part.

    ``losses`` is a list, an array, a Series or a tensor of numbers, shape (count,).

    >>> cvar([1.0, 2.0, 3.0, 10.0], beta=0.5), cvar([1.0, 2.0, 3.0, 10.0], beta=0)
    (6.5, 4.0)
    """
    return cvar_of(_checked(losses, beta), float(beta))


def var(losses: Any, beta: float = 0.95) -> float:
    """Return VaR_β, the lowest of the losses with at least a share β at or below it; for β = 0 the least.

    >>> var([1.0, 2.0, 3.0, 10.0], beta=0.5)
    2.0
    """
    return var_of(_checked(losses, beta), float(beta))


def _checked(losses: Any, beta: Any) -> Tensor:
    ProblemSpec(beta=beta)  # which says what is wrong with it
    try:
        count = len(losses)
    except TypeError:
        raise SpecError(f"losses is {losses!r}, but it must be a list or an array of numbers") from None
    found = vector("losses", losses, count)
    if not count or not bool(torch.isfinite(found).all()):
        raise SpecError("losses must hold at least one number, and every one must be finite")
    return found
