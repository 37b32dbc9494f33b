"""One sample, one coordinate: a step that can be drawn. The objective is α + max(ℓ(θ) − α, 0)/(1 − β).

The methods are those of the registry that have no metric, and explain themselves; only the losses are here, as
functions of a single number θ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor

from ..catalogue import losses, methods
from ..catalogue.methods import Explanation, Linearisation, StepSizes
from ..specs import SpecError


class SampleLoss(NamedTuple):
    """ℓ as a function of θ, with its slope."""

    formula: str  # as LaTeX
    value: Callable[[Tensor], Tensor]
    slope: Callable[[Tensor], Tensor]


def _registered(name: str, target: float, formula: str) -> SampleLoss:
    loss, y = losses[name], torch.tensor(target, dtype=torch.float64)
    return SampleLoss(formula, lambda theta: loss.value(theta, y), lambda theta: loss.slope(theta, y))


def drawable() -> tuple[str, ...]:
    """Return the methods that can be drawn: a metric has scales of features in it, and one coordinate has no others."""
    return tuple(method.name for method in methods if method.metric is None)


SAMPLE_LOSSES: Mapping[str, SampleLoss] = {
    "paper": SampleLoss(
        r"\log(1+e^{\theta}) + 0.005\,\theta^2",
        lambda theta: torch.nn.functional.softplus(theta, threshold=50) + 0.005 * theta**2,
        lambda theta: torch.sigmoid(theta) + 0.01 * theta,
    ),
    "squared": _registered("squared", 0.0, r"\tfrac12\,\theta^2"),
    "absolute": _registered("absolute", 0.0, r"|\theta|"),
    "logistic": _registered("logistic", -1.0, r"\log(1+e^{\theta})"),
}


@dataclass(frozen=True)
class Setup:
    """Where a method stands, and with which step size. The defaults are the paper's picture."""

    loss: str = "paper"
    beta: float = 0.9
    lam: float = 2.0
    initial_loss: float = 4.0  # ℓ_0, which only SPL+ uses
    theta: float = 2.0
    alpha: float = 3.0

    def __post_init__(self) -> None:
        if self.loss not in SAMPLE_LOSSES:
            raise SpecError(f"loss is {self.loss!r}, but it must be one of {', '.join(SAMPLE_LOSSES)}")
        if not 0 <= self.beta < 1:
            raise SpecError(f"beta is {self.beta:g}, but it must satisfy 0 ≤ beta < 1")
        for name, low, high in (("lam", 1e-12, 1e12), ("initial_loss", 1e-12, 1e12)):
            if not low <= getattr(self, name) <= high:
                raise SpecError(f"{name} is {getattr(self, name):g}, but it must lie between {low:g} and {high:g}")
        for name in ("theta", "alpha"):
            if not abs(getattr(self, name)) <= 1e6:
                raise SpecError(f"{name} is {getattr(self, name):g}, but it must be at most 1e6 in size")

    def objective(self, theta: Tensor, alpha: Tensor) -> Tensor:
        """F(θ, α) for the one sample."""
        return alpha + (SAMPLE_LOSSES[self.loss].value(theta) - alpha).clamp(min=0) / (1 - self.beta)


@dataclass(frozen=True)
class Update:
    """One update of one method, with all that explains it.

    Attributes
    ----------
    weight
        The (g, k) of the sample: θ moves by −λ_θ g v and α by −λ_α k + λ_α g; ``None`` if the model does not tell.
    explanation
        The case, and how the weight is found, as the model has it; ``None`` if it does not tell.
    """

    method: str
    setup: Setup  # at the start of the update, with this update's λ
    loss: float  # ℓ_t
    slope: float  # v_t
    sizes: StepSizes
    weight: tuple[float, float] | None
    explanation: Explanation | None
    theta: float  # θ_{t+1}
    alpha: float  # α_{t+1}
    model: float  # of the next point
    proximal: float  # of the next point
    before: float  # F
    after: float  # F

    def model_at(self, theta: Tensor, alpha: Tensor) -> Tensor:
        """m_t on a grid; both of one shape."""
        return methods[self.method].model(theta.unsqueeze(-1), alpha, _linearised(self.setup))

    @property
    def finite(self) -> bool:
        return all(math.isfinite(value) for value in (self.theta, self.alpha, self.after))


def update(method: str, setup: Setup) -> Update:
    """Take one update of a method of the registry from ``setup``.

    >>> step = update("spl", Setup())
    >>> f"{step.explanation.case}: θ = {step.theta:.5f}, α = {step.alpha:.5f}, F {step.before:.3f} → {step.after:.3f}"
    'middle: θ = 1.42965, α = 1.63316, F 3.000 → 1.846'
    """
    chosen, at = methods[method], _linearised(setup)
    sizes = chosen.step_sizes(_number(setup.lam), _number(setup.initial_loss))
    point = chosen.step(at, sizes)
    moved = (point.theta - at.theta).square().sum(-1) / (2 * sizes.theta)
    moved = moved + (point.alpha - at.alpha) ** 2 / (2 * sizes.alpha)
    model, weight = chosen.model, None
    if model.weight is not None:
        loss, slope_term = float(at.loss), float(sizes.along(at.v))
        weight = model.weight(loss, slope_term, setup.alpha, float(sizes.alpha), 1 / (1 - setup.beta), at.mix)
    return Update(
        method=method,
        setup=setup,
        loss=float(at.loss),
        slope=float(at.v),
        sizes=sizes,
        weight=weight,
        explanation=None if model.explain is None else model.explain(at, sizes),
        theta=float(point.theta),
        alpha=float(point.alpha),
        model=float(model(point.theta, point.alpha, at)),
        proximal=float(moved),
        before=float(setup.objective(_number(setup.theta), _number(setup.alpha))),
        after=float(setup.objective(point.theta.squeeze(-1), point.alpha)),
    )


def updates(method: str, setup: Setup, count: int) -> list[Update]:
    """Take ``count`` updates with λ/√(t+1), t = 0, 1, …; fewer, if the method leaves the numbers."""
    found: list[Update] = []
    for t in range(count):
        here = replace(setup, lam=max(setup.lam / math.sqrt(t + 1), 1e-12))
        if found:
            last = found[-1]
            if not (last.finite and max(abs(last.theta), abs(last.alpha)) <= 1e6):
                break
            here = replace(here, theta=last.theta, alpha=last.alpha)
        found.append(update(method, here))
    return found


def _linearised(setup: Setup) -> Linearisation:
    theta = _number(setup.theta)
    loss = SAMPLE_LOSSES[setup.loss]
    return Linearisation(
        theta.reshape(1), _number(setup.alpha), loss.value(theta), loss.slope(theta).reshape(1), setup.beta
    )


def _number(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)
