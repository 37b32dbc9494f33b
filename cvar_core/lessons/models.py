"""One coordinate and one sample, or a few: a step that can be drawn. F is the mean of α + max(ℓ(θ) − α, 0)/(1 − β).

The methods are those of the registry that have no metric, and explain themselves; only the losses are here, as
functions of a single number θ. With several samples, each update sees one of them, the same for every method.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
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


# Each sample's loss is the first one's, mirrored or not and moved: ℓ_i(θ) = ℓ(± (θ − shift)).
_SAMPLES = ((1.0, 0.0), (-1.0, 3.0), (1.0, -2.0), (-1.0, 1.0), (1.0, 1.0))
MOST_SAMPLES = len(_SAMPLES)


@dataclass(frozen=True)
class Setup:
    """Where a method stands, and with which step size. The defaults are the paper's picture."""

    loss: str = "paper"
    beta: float = 0.9
    lam: float = 2.0
    initial_loss: float = 4.0  # ℓ_0, which only SPL+ uses
    theta: float = 2.0
    alpha: float = 3.0
    samples: int = 1
    seen: int = 0  # the sample that this update sees
    draw: int = 1  # which of them come in which order

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
        if not 1 <= self.samples <= MOST_SAMPLES:
            raise SpecError(f"samples is {self.samples}, but it must lie between 1 and {MOST_SAMPLES}")
        if not 0 <= self.seen < self.samples:
            raise SpecError(f"seen is {self.seen}, but there are the samples 0 to {self.samples - 1}")

    def losses(self, theta: Tensor) -> Tensor:
        """ℓ_i(θ) of every sample, in front of θ's own shape."""
        value = SAMPLE_LOSSES[self.loss].value
        return torch.stack([value(sign * (theta - shift)) for sign, shift in _SAMPLES[: self.samples]])

    def objective(self, theta: Tensor, alpha: Tensor) -> Tensor:
        """F(θ, α): the mean over the samples."""
        return self.objectives(theta, alpha).mean(0)

    def objectives(self, theta: Tensor, alpha: Tensor) -> Tensor:
        """F(θ, α; z) of every sample: that of the one it sees is what a method makes a model of."""
        return alpha + (self.losses(theta) - alpha).clamp(min=0) / (1 - self.beta)

    def linearised(self) -> Linearisation:
        """What a method is told: the seen sample's loss and slope, here."""
        theta, (sign, shift) = _number(self.theta), _SAMPLES[self.seen]
        loss, at = SAMPLE_LOSSES[self.loss], sign * (theta - shift)
        return Linearisation(
            theta.reshape(1), _number(self.alpha), loss.value(at), sign * loss.slope(at).reshape(1), self.beta
        )


EXAMPLES: Mapping[str, Setup] = {
    "SGM's model is flat": Setup(),
    "Nearly right, and fails": Setup(loss="logistic", beta=0.95, theta=-3.0, alpha=2.0),
    "Small λ: all agree": Setup(lam=0.01, initial_loss=1.0, alpha=1.0),
    "SPL is no magic": Setup(lam=5.0),
    "Three samples, one seen": Setup(loss="squared", beta=0.7, lam=1.0, samples=3),
}


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
    at: Linearisation = field(repr=False, compare=False)  # what the method was told
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
        return methods[self.method].model(theta.unsqueeze(-1), alpha, self.at)

    @property
    def finite(self) -> bool:
        return all(math.isfinite(value) for value in (self.theta, self.alpha, self.after))


def update(method: str, setup: Setup) -> Update:
    """Take one update of a method of the registry from ``setup``.

    >>> step = update("spl", Setup())
    >>> f"{step.explanation.case}: θ = {step.theta:.5f}, α = {step.alpha:.5f}, F {step.before:.3f} → {step.after:.3f}"
    'middle: θ = 1.42965, α = 1.63316, F 3.000 → 1.846'
    """
    chosen, at = methods[method], setup.linearised()
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
        at=at,
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


@functools.lru_cache(maxsize=512)  # kilobytes each: one slider moves, and the next is asked for the same
def updates(method: str, setup: Setup, count: int) -> tuple[Update, ...]:
    """Take ``count`` updates with λ/√(t+1), t = 0, 1, …; fewer, if the method leaves the numbers.

    Each sees the sample that is drawn for it, the same for every method.
    """
    found: list[Update] = []
    for t, seen in enumerate(order(setup, count)):
        here = replace(setup, lam=max(setup.lam / math.sqrt(t + 1), 1e-12), seen=seen)
        if found:
            last = found[-1]
            if not (last.finite and max(abs(last.theta), abs(last.alpha)) <= 1e6):
                break
            here = replace(here, theta=last.theta, alpha=last.alpha)
        found.append(update(method, here))
    return tuple(found)


def order(setup: Setup, count: int) -> list[int]:
    """Return which sample each of the first ``count`` updates sees."""
    drawn: list[int] = np.random.default_rng(setup.draw).integers(setup.samples, size=count).tolist()
    return drawn


class Slice(NamedTuple):
    """F and the model of it along the straight line of a step, where 0 is here and 1 the next point."""

    share: NDArray[np.float64]
    model: NDArray[np.float64]
    penalised: NDArray[np.float64]  # the model and the price of going there, which the step makes least
    fine: NDArray[np.float64]  # the shares with the kinks among them
    objective: NDArray[np.float64]  # F, at the fine ones
    seen: NDArray[np.float64]  # F of the sample that the update sees, at the fine ones
    kinks: tuple[float, ...]  # where the loss of the seen sample is α


_SHARES = np.arange(-6, 28) / 15  # from −0.4 to 1.8, with 0 and 1


def sliced(step: Update) -> Slice:
    """Cut through F and a method's model along the step that it takes, and beyond.

    >>> cut = sliced(update("spl", Setup()))
    >>> at = cut.share.tolist().index(1.0)
    >>> bool(cut.penalised[at] == cut.penalised.min()), [f"{kink:.2f}" for kink in cut.kinks]
    (True, ['0.98'])
    """
    setup, moved = step.setup, (step.theta - step.setup.theta, step.alpha - step.setup.alpha)
    if not any(moved):
        moved = (0.0, -1.0)  # it stays; so look at what lies below

    def along(share: NDArray[np.float64]) -> tuple[Tensor, Tensor]:
        far = torch.from_numpy(share)
        return setup.theta + far * moved[0], setup.alpha + far * moved[1]

    theta, alpha = along(_SHARES)
    kinks = _crossings(_SHARES, (setup.losses(theta) - alpha)[setup.seen].numpy())
    model = step.model_at(theta, alpha).numpy()
    price = (moved[0] ** 2 / float(step.sizes.theta) + moved[1] ** 2 / float(step.sizes.alpha)) / 2
    fine = np.unique(np.concatenate([_SHARES, kinks]))
    objectives = setup.objectives(*along(fine))
    return Slice(
        _SHARES,
        model,
        model + price * _SHARES**2,
        fine,
        objectives.mean(0).numpy(),
        objectives[setup.seen].numpy(),
        tuple(kinks),
    )


def _crossings(x: NDArray[np.float64], y: NDArray[np.float64]) -> list[float]:
    k = np.flatnonzero((y[:-1] < 0) != (y[1:] < 0))
    found: list[float] = (x[k] - y[k] * (x[k + 1] - x[k]) / (y[k + 1] - y[k])).tolist()
    return found


def _number(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)
