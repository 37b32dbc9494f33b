"""The losses ℓ(θ; x, y) = φ(x·θ, y): each is convex and non-negative, and grows with a score.

The score says how bad a prediction p is: |p − y| in regression, −y·p in classification. A loss is told
to the rest of the project by its value and slope in p, once in torch, which is its definition, and once
as a function of plain numbers, which the compiled kernels are made of.

A loss with parameters is made by a function of them, and stands in the registry with their defaults. Its parameters are
numbers that a kernel is given, not part of its code: another value compiles nothing.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from .arithmetic import exp_minus, log1p_unit
from .registry import RUN_TIME, Registry

Task = Literal["regression", "classification"]


class Smoothed(NamedTuple):
    """A smooth stand-in for a loss, all of the shape of p."""

    value: Tensor
    slope: Tensor
    curvature: Tensor
    touch: Tensor  # the value at p of the highest line of that slope below the loss


@dataclass(frozen=True, eq=False)
class Loss:
    """A loss as a function of the prediction p and the target y.

    Attributes
    ----------
    formula
        In words of its parameters, if it has any.
    value, slope, curvature
        φ, ∂φ/∂p and ∂²φ/∂p² of tensors (p, y), in regression of p − y alone. A loss with kinks has no curvature, and at
        a kink the slope is the middle one.
    scalar
        (p, y, *parameters) ↦ (φ, ∂φ/∂p) of numbers, without branches where possible; ``None`` leaves the loss to torch.
    log_form
        For a loss max(score, 0) + log f with 1 ≤ f ≤ 2: (p, y, *parameters) ↦ (score, f) of numbers. A sum of such
        losses needs a logarithm only of the product of the f.
    reach
        α ↦ the largest score up to which φ ≤ α, on either side, or −∞: which points cannot lie above α. ``None`` if
        unknown.
    degree
        The k for which φ(c·p, c·y) = cᵏ φ(p, y) for every c > 0; ``None`` if there is none.
    lipschitz
        The largest |∂φ/∂p|; ``None`` if there is none or it is not known, and then the theorem is not applied.
    smoothed
        For a loss with kinks or straight parts: (p, y, μ) ↦ a smooth stand-in that tends to φ as μ → 0 and whose slope
        is that of a line below φ. μ has the unit of the loss.
    parameters
        Name and value of each parameter, in the order in which ``scalar`` takes them.
    between
        The numbers between which a parameter has to lie, both excluded.
    remade
        The function of the parameters by name that made this loss, and makes it with others.
    """

    name: str
    formula: str
    task: Task
    value: Callable[[Tensor, Tensor], Tensor]
    slope: Callable[[Tensor, Tensor], Tensor]
    curvature: Callable[[Tensor, Tensor], Tensor] | None = None
    scalar: Callable[..., tuple[float, float]] | None = None
    log_form: Callable[..., tuple[float, float]] | None = None
    reach: Callable[[float], float] | None = None
    degree: int | None = None
    lipschitz: float | None = None
    smoothed: Callable[[Tensor, Tensor, float], Smoothed] | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    between: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    remade: Callable[..., Loss] | None = None

    @property
    def constants(self) -> tuple[float, ...]:
        """The parameters as the kernels take them."""
        return tuple(self.parameters.values())


class Losses(Registry[Loss]):
    """The losses by name, each with the defaults of its parameters; by a full name, with others.

    >>> losses[full_name("huber", {"knee": 2.0})].lipschitz
    2.0
    """

    def add(self, entry: Loss, origin: str = RUN_TIME) -> Loss:
        if getattr(entry, "parameters", None) and entry.remade is None:  # what is no loss at all, the registry says
            raise ValueError(f"loss {entry.name!r} has parameters, but nothing that makes it with others: give remade")
        return super().add(entry, origin)

    def __getitem__(self, name: str) -> Loss:
        short, bracket, values = name.partition("(") if isinstance(name, str) else (name, "", "")
        entry = super().__getitem__(short)
        return _remade(entry, values.removesuffix(")")) if bracket else entry


def full_name(name: str, parameters: Mapping[str, float] | None) -> str:
    """Return what a loss with parameters is found by; its name alone stands for their defaults.

    >>> full_name("huber", {"knee": 2.0})
    'huber(knee=2.0)'
    """
    if not parameters:
        return name
    return f"{name}({', '.join(f'{each}={value!r}' for each, value in parameters.items())})"


@functools.lru_cache(maxsize=1_024)
def _remade(entry: Loss, values: str) -> Loss:
    assert entry.remade is not None, f"{entry.name} loss has no parameters"
    pairs = (each.split("=") for each in values.split(", "))
    return entry.remade(**{name: float(value) for name, value in pairs})


losses = Losses("loss", Loss, "cvar_core.losses")


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


def _huber(p: float, y: float, knee: float) -> tuple[float, float]:
    r = p - y
    a = abs(r)
    inside = a if a < knee else knee
    return inside * (a - 0.5 * inside), inside if r > 0.0 else -inside


def huber(knee: float = 1.0) -> Loss:
    """Return the loss that is squared up to the knee, and goes on straight from there."""

    def reach(alpha: float) -> float:
        if alpha < 0:
            return -math.inf
        return math.sqrt(2 * alpha) if alpha <= knee**2 / 2 else alpha / knee + knee / 2

    def smoothed(p: Tensor, y: Tensor, mu: float) -> Smoothed:
        r, wide = p - y, knee + mu / knee  # a knee further out, at the same slope
        inside = r.clamp(-wide, wide)
        slope = knee / wide * inside
        curvature = knee / wide * (r.abs() <= wide).to(r)
        return Smoothed(slope * (r - 0.5 * inside), slope, curvature, slope * (r - 0.5 * slope))

    return Loss(
        name="huber",
        formula="½ r² for |r| ≤ knee, else knee · (|r| − ½ knee), with r = x·θ − y",
        task="regression",
        value=lambda p, y: torch.nn.functional.huber_loss(p, y.expand_as(p), reduction="none", delta=knee),
        slope=lambda p, y: (p - y).clamp(-knee, knee),
        curvature=lambda p, y: ((p - y).abs() <= knee).to(p.dtype),
        scalar=_huber,
        reach=reach,
        lipschitz=knee,
        smoothed=smoothed,
        parameters={"knee": knee},
        between={"knee": (0.0, math.inf)},
        remade=huber,
    )


losses.add(huber())


def _pinball(p: float, y: float, tau: float) -> tuple[float, float]:
    r = p - y
    above = 1.0 - tau
    return (above if r > 0.0 else -tau) * r, (above if r > 0.0 else -tau if r < 0.0 else 0.5 - tau)


def pinball(tau: float = 0.9) -> Loss:
    """Return the loss whose mean is least at the quantile τ: of each unit that a prediction is too low it takes τ."""

    def slope(p: Tensor, y: Tensor) -> Tensor:
        r = p - y
        return (1 - tau) * (r > 0).to(r) - tau * (r < 0).to(r) + (0.5 - tau) * (r == 0).to(r)

    def smoothed(p: Tensor, y: Tensor, mu: float) -> Smoothed:
        value, slope, curvature, touch = _absolute_smoothed(p, y, mu)  # pinball is half of it, and a straight line
        r = p - y
        return Smoothed(
            0.5 * value + (0.5 - tau) * r,
            0.5 * slope + (0.5 - tau),
            0.5 * curvature,
            0.5 * touch + (0.5 - tau) * r,
        )

    return Loss(
        name="pinball",
        formula="tau · (y − x·θ) where that is positive, else (1 − tau) · (x·θ − y)",
        task="regression",
        value=lambda p, y: torch.where(p > y, (1 - tau) * (p - y), -tau * (p - y)),
        slope=slope,
        scalar=_pinball,
        reach=lambda alpha: alpha / max(tau, 1 - tau) if alpha >= 0 else -math.inf,
        degree=1,
        lipschitz=max(tau, 1 - tau),
        smoothed=smoothed,
        parameters={"tau": tau},
        between={"tau": (0.0, 1.0)},
        remade=pinball,
    )


losses.add(pinball())
