"""The losses ℓ(θ; x, y) = φ(x·θ, y): each is convex and non-negative, and grows with a score.

The score says how bad a prediction p is: |p − y| in regression, −y·p in classification. A loss is told
to the rest of the project by its value and slope in p, once in torch, which is its definition, and once
as a function of plain numbers, which the compiled kernels are made of.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from .arithmetic import exp_minus, log1p_unit
from .registry import Registry

Task = Literal["regression", "classification"]


class Smoothed(NamedTuple):
    """A smooth stand-in for a loss, all of the shape of p."""

    value: Tensor
    slope: Tensor
    curvature: Tensor
    touch: Tensor  # the value at p of the highest line of that slope below the loss


@dataclass(frozen=True)
class Loss:
    """A loss as a function of the prediction p and the target y.

    Attributes
    ----------
    value, slope, curvature
        φ, ∂φ/∂p and ∂²φ/∂p² of tensors (p, y). At a kink the slope is the middle one.
    scalar
        (p, y) ↦ (φ, ∂φ/∂p) of numbers, without branches where possible; ``None`` leaves the loss to torch.
    log_form
        For a loss max(score, 0) + log f with 1 ≤ f ≤ 2: (p, y) ↦ (score, f) of numbers. A sum of such losses needs a
        logarithm only of the product of the f.
    reach
        α ↦ the largest score at which φ ≤ α, or −∞: which points cannot lie above α. ``None`` if unknown.
    degree
        The k for which φ(c·p, c·y) = cᵏ φ(p, y) for every c > 0; ``None`` if there is none.
    lipschitz
        The largest |∂φ/∂p|; ``None`` if there is none, and then the theorem does not apply.
    smoothed
        For a loss with kinks: (p, y, μ) ↦ a smooth stand-in that tends to φ as μ → 0 and whose slope
        is that of a line below φ.
    """

    name: str
    formula: str
    task: Task
    value: Callable[[Tensor, Tensor], Tensor]
    slope: Callable[[Tensor, Tensor], Tensor]
    curvature: Callable[[Tensor, Tensor], Tensor] | None = None
    scalar: Callable[[float, float], tuple[float, float]] | None = None
    log_form: Callable[[float, float], tuple[float, float]] | None = None
    reach: Callable[[float], float] | None = None
    degree: int | None = None
    lipschitz: float | None = None
    smoothed: Callable[[Tensor, Tensor, float], Smoothed] | None = None


losses: Registry[Loss] = Registry("loss")


def _squared(p: float, y: float) -> tuple[float, float]:
    r = p - y
    return 0.5 * r * r, r


losses.add(
    Loss(
        name="squared",
        formula="½ (x·θ − y)²",
        task="regression",
        value=lambda p, y: 0.5 * (p - y) ** 2,
        slope=lambda p, y: p - y,
        curvature=lambda p, y: torch.ones_like(p),
        scalar=_squared,
        reach=lambda alpha: math.sqrt(2 * alpha) if alpha >= 0 else -math.inf,
        degree=2,
    )
)


def _absolute(p: float, y: float) -> tuple[float, float]:
    r = p - y
    return abs(r), (1.0 if r > 0.0 else 0.0) - (1.0 if r < 0.0 else 0.0)


def _absolute_smoothed(p: Tensor, y: Tensor, mu: float) -> Smoothed:
    r = p - y
    length = torch.hypot(r, r.new_tensor(mu))
    slope = r / length
    return Smoothed(length, slope, (mu / length) ** 2 / length, slope * r)


losses.add(
    Loss(
        name="absolute",
        formula="|x·θ − y|",
        task="regression",
        value=lambda p, y: (p - y).abs(),
        slope=lambda p, y: torch.sign(p - y),
        curvature=lambda p, y: torch.zeros_like(p),
        scalar=_absolute,
        reach=lambda alpha: alpha if alpha >= 0 else -math.inf,
        degree=1,
        lipschitz=1.0,
        smoothed=_absolute_smoothed,
    )
)


def _logistic(p: float, y: float) -> tuple[float, float]:
    score = -y * p
    u = exp_minus(abs(score))
    value = (score if score > 0.0 else 0.0) + log1p_unit(u)
    return value, -y * (1.0 if score > 0.0 else u) / (1.0 + u)


def _logistic_log_form(p: float, y: float) -> tuple[float, float]:
    score = -y * p
    return score, 1.0 + exp_minus(abs(score))


losses.add(
    Loss(
        name="logistic",
        formula="log(1 + exp(−y x·θ))",
        task="classification",
        value=lambda p, y: torch.nn.functional.softplus(-y * p, threshold=40.0),
        slope=lambda p, y: -y * torch.sigmoid(-y * p),
        curvature=lambda p, y: torch.sigmoid(p) * torch.sigmoid(-p) * y * y,
        scalar=_logistic,
        log_form=_logistic_log_form,
        reach=lambda alpha: alpha + math.log(-math.expm1(-alpha)) if alpha > 0 else -math.inf,
        lipschitz=1.0,
    )
)


_HUBER_KNEE = 1.0


def _huber(p: float, y: float) -> tuple[float, float]:
    r = p - y
    a = abs(r)
    inside = a if a < _HUBER_KNEE else _HUBER_KNEE
    return inside * (a - 0.5 * inside), inside if r > 0.0 else -inside


losses.add(
    Loss(
        name="huber",
        formula="½ r² for |r| ≤ 1, else |r| − ½, with r = x·θ − y",
        task="regression",
        value=lambda p, y: torch.nn.functional.huber_loss(p, y.expand_as(p), reduction="none", delta=_HUBER_KNEE),
        slope=lambda p, y: (p - y).clamp(-_HUBER_KNEE, _HUBER_KNEE),
        curvature=lambda p, y: ((p - y).abs() <= _HUBER_KNEE).to(p.dtype),
        scalar=_huber,
        reach=lambda alpha: (
            -math.inf
            if alpha < 0
            else math.sqrt(2 * alpha)
            if alpha <= _HUBER_KNEE**2 / 2
            else alpha / _HUBER_KNEE + _HUBER_KNEE / 2
        ),
        lipschitz=_HUBER_KNEE,
    )
)
