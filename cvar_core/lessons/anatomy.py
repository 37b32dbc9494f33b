"""CVaR taken apart: the losses between a start and the optimum, a handful of losses, and classifiers that give up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..catalogue import losses as all_losses
from ..problem import Problem, Sketch, cvar, draws, tail_mass, var
from ..specs import ProblemSpec

Array = NDArray[np.float64]

POINTS = 10_000  # enough for a picture, and a sketch's optimum in a few hundredths of a second
_FEW_POINTS = 5_000  # for each of the classifiers, of which there are a dozen
_STEP = 0.1  # between two classifiers' β
_HALVINGS = 3
_ROUNDING = 1e-12  # of F: a part of the gap that is less is none
_ENOUGH = 10  # losses in the tail for each coordinate of θ


class Risks(NamedTuple):
    """What a list of losses is reduced to."""

    mean: float
    var: float
    cvar: float


def risks(losses: Tensor, beta: float) -> Risks:
    """Return mean, VaR_β and CVaR_β.

    >>> risks(torch.arange(1.0, 11.0, dtype=torch.float64), 0.8)
    Risks(mean=5.5, var=8.0, cvar=9.5)
    """
    return Risks(float(losses.mean()), var(losses, beta), cvar(losses, beta))


@dataclass(frozen=True)
class Way:
    """The straight way from a run's start θ_0 to the optimum θ*."""

    problem: Problem
    start: Tensor  # (dim,)  θ_0
    end: Tensor  # (dim,)  θ*
    alpha: float  # α_0

    @classmethod
    def of(cls, problem: Problem, seed: int = 0) -> Way:
        first = problem.start(seed)
        return cls(problem, first.theta, problem.optimum().theta, first.alpha)

    @property
    def fitted(self) -> int | None:
        """How many losses the tail holds, if so few that θ* fits them rather than what they were drawn from."""
        mass = tail_mass(self.problem.ground.points.count, self.problem.spec.beta)
        return math.ceil(mass) if mass <= _ENOUGH * self.problem.spec.dim else None

    def losses(self, share: float) -> Tensor:
        """Return the losses of all points after a share of the way, shape (count,)."""
        # At the end itself, not a rounding beside it: there a classifier's losses may all tie.
        return self.problem.losses(self.end if share == 1 else torch.lerp(self.start, self.end, share))


def objective_along(losses: Tensor, alphas: Array, beta: float) -> Array:
    """Return F̃_β = α + Σ max(ℓ_i − α, 0)/((1 − β)N) at many α for one list of losses, shape of ``alphas``."""
    ordered = np.sort(losses.numpy())[::-1]
    sums = np.concatenate([[0.0], np.cumsum(ordered)])
    above = np.searchsorted(-ordered, -alphas, side="left")  # how many losses are larger
    along: Array = alphas + (sums[above] - above * alphas) / tail_mass(len(losses), beta)
    return along


class Gap(NamedTuple):
    """How far F̃_β(θ, α) is above F*, in two parts, neither of which is negative."""

    model: float  # CVaR_β(θ) − F*: the excess risk of θ, with its best threshold
    threshold: float  # F̃_β(θ, α) − CVaR_β(θ): what α adds

    @property
    def whole(self) -> float:
        return self.model + self.threshold

    @property
    def share(self) -> float:
        """How much of it is the model's, from 0 to 1."""
        return self.model / self.whole if self.whole > 0 else 0.0


def gap(losses: Tensor, alpha: float, beta: float, best: float) -> Gap:
    """Return the parts of F̃_β(θ, α) − F* for the losses at θ; ``best`` is F*.

    >>> gap(torch.arange(1.0, 11.0, dtype=torch.float64), 5.0, 0.8, 7.5)
    Gap(model=2.0, threshold=3.0)
    """
    risk = cvar(losses, beta)
    (value,) = objective_along(losses, np.array([alpha]), beta).tolist()
    rounding = _ROUNDING * (abs(value) + abs(risk))
    return Gap(*(part if part > rounding else 0.0 for part in (risk - best, value - risk)))


def tail_parts(losses: Tensor, beta: float) -> Tensor:
    """Return how much of each loss belongs to the tail, from 0 to 1: they sum to (1 − β)N. Ties share alike."""
    level = var(losses, beta)
    above, tied = (losses > level).to(losses), (losses == level).to(losses)
    return above + tied * (tail_mass(len(losses), beta) - float(above.sum())) / float(tied.sum())


class Few(NamedTuple):
    """A handful of losses under one β, by both definitions of CVaR, which differ for a finite sample."""

    value: float  # min over α of F_β
    low: float  # the least minimising α, −∞ for β = 0
    high: float  # the largest
    conditional: float  # E[ℓ | ℓ ≥ VaR_β]


def few(losses: Tensor, beta: float) -> Few:
    """Return what β makes of a handful of losses.

    F_β is flat between two losses exactly if a whole number of losses lies above both, so that the tail ends there.

    >>> few(torch.tensor([1.0, 2.0, 6.0, 7.0], dtype=torch.float64), 0.25)
    Few(value=5.0, low=1.0, high=2.0, conditional=4.0)
    """
    mass = tail_mass(len(losses), beta)
    low = high = var(losses, beta)
    if mass == len(losses):
        low = -math.inf
    elif mass == math.floor(mass):
        high = float(losses.sort(descending=True).values[int(mass) - 1])
    return Few(cvar(losses, beta), low, high, float(losses[losses >= var(losses, beta)].mean()))


def drawn_losses(noise: str, count: int, seed: int) -> Tensor:
    """Return the absolute losses |ζ_i| of a sample at θ_gen, in order of size, shape (count,)."""
    spec = ProblemSpec(loss="absolute", noise=noise, sample_size=count, seed=seed)
    _, noise_drawn = draws.targets(spec, torch.zeros(count, dtype=torch.float64))
    return noise_drawn.abs().sort().values


class Classifier(NamedTuple):
    """The best classifier for one β."""

    beta: float
    length: float  # ‖θ*‖
    accuracy: float | None  # the share of points on the right side; θ* = 0 has no sides
    value: float  # F*


@dataclass(frozen=True)
class GivingUp:
    """The best classifiers for growing β, the last of them θ* = 0."""

    classifiers: Sequence[Classifier]  # in order of β

    @property
    def critical(self) -> float | None:
        """β_c, from which on θ* = 0: between the last classifier and the first zero; ``None`` if there is none."""
        ends = [one.beta for one in self.classifiers if one.length == 0]
        before = [one.beta for one in self.classifiers if one.length > 0]
        if not ends:
            return None
        return (before[-1] + ends[0]) / 2 if before else 0.0

    def length_at(self, beta: float) -> float:
        """Return ‖θ*‖, read between two neighbours."""
        return _between(beta, [(one.beta, one.length) for one in self.classifiers])

    def accuracy_at(self, beta: float) -> float:
        """Return the accuracy, read between two neighbours; from β_c on, that of the last classifier."""
        return _between(beta, [(one.beta, one.accuracy) for one in self.classifiers if one.accuracy is not None])


def _between(beta: float, rows: Sequence[tuple[float, float]]) -> float:
    betas, values = zip(*rows, strict=True)
    return float(np.interp(beta, betas, values))


def giving_up(noise: str, loss: str = "logistic", points: int = _FEW_POINTS) -> GivingUp:
    """Return the best classifiers of a synthetic problem for growing β, until the best is θ* = 0.

    θ = 0 is optimal iff in every direction d the lowest (1 − β) share of y x·d has a mean of at most 0. A larger β
    lowers that mean, so after the first zero all is zero, and between it and the classifier before it β_c is
    looked for by halving.
    """
    assert all_losses[loss].task == "classification"
    found: list[Classifier] = []
    for beta in np.arange(0.0, 1.0, _STEP).round(3).tolist():
        found.append(_best(loss, noise, beta, points))
        if found[-1].length == 0:
            break
    if len(found) > 1 and found[-1].length == 0:
        low, high = found[-2].beta, found[-1].beta
        for _ in range(_HALVINGS):
            middle = _best(loss, noise, (low + high) / 2, points)
            low, high = (low, middle.beta) if middle.length == 0 else (middle.beta, high)
            found.append(middle)
    return GivingUp(tuple(sorted(found)))


def _best(loss: str, noise: str, beta: float, points: int) -> Classifier:
    problem = Sketch.synthetic(loss, noise, beta, eval_size=points)
    best = problem.optimum()
    length = float(torch.linalg.vector_norm(best.theta))
    right = problem.ground.points.predict(best.theta) * problem.ground.points.target > 0
    return Classifier(beta, length, float(right.double().mean()) if length > 0 else None, best.value)
