"""What a method is: a local model of the objective with its proximal step, and a rule for the step sizes.

At (θ_t, α_t) a method draws one sample z, sees its loss ℓ_t and a subgradient v_t, builds a model m_t of
α + max(ℓ(θ; z) − α, 0)/(1 − β), and moves to the minimiser of

    m_t(θ, α) + Σ_j (θ_j − θ_{t,j})²/(2 λ_θ m_j) + (α − α_t)²/(2 λ_α),

where the metric m is 1 in every method of the paper. For every model here that minimiser has the form
θ_t − λ_θ g m∘v_t, α_t − λ_α k + λ_α g with two numbers (g, k), the *weight* of the sample; k is 1 in every method of
the paper, and g between 0 and 1/(1 − β). The compiled kernel is made from the weight alone. Which λ_θ, λ_α and m belong
to a λ is the rule's business: any rule goes with any model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from .explanation import Explanation

EVEN = torch.ones((), dtype=torch.float64)  # the metric in which all coordinates of θ have the same step size


class Linearisation(NamedTuple):
    """One sample's loss around the current point, for any number of runs at once."""

    theta: Tensor  # (..., d)  θ_t
    alpha: Tensor  # (...)     α_t
    loss: Tensor  # (...)      ℓ_t = ℓ(θ_t; z)
    v: Tensor  # (..., d)      v_t ∈ ∂ℓ(θ_t; z)
    beta: float
    mix: float = 1.0  # the share of CVaR in the objective, the rest being the mean


class StepSizes(NamedTuple):
    """λ_θ and λ_α, for θ and for α; coordinate j of θ has λ_θ m_j."""

    theta: Tensor  # (...)
    alpha: Tensor  # (...)
    metric: Tensor = EVEN  # (d,)  m, or one number for all

    def along(self, v: Tensor) -> Tensor:
        """Return λ_θ Σ_j m_j v_j², by how much a unit of weight lowers the linearised loss; v (..., d), shape (...)."""
        lowered: Tensor = self.theta * (self.metric * v**2).sum(-1)
        return lowered

    def moved(self, weight: Tensor, v: Tensor) -> Tensor:
        """Return λ_θ g m∘v, how far a sample of that weight moves θ; v (..., d), shape (..., d)."""
        return (self.theta * weight).unsqueeze(-1) * (self.metric * v)


class Point(NamedTuple):
    """A point (θ, α)."""

    theta: Tensor  # (..., d)
    alpha: Tensor  # (...)


class Distances(NamedTuple):
    """How far a start is from the minimiser, and how steep the losses are: what a bound depends on.

    In a metric m the theorem holds with the norms that belong to it: ‖θ‖² = Σ_j θ_j²/m_j for points, and
    Σ_j m_j v_j² for slopes.
    """

    theta: float  # ‖θ_0 − θ*‖
    alpha: float  # |α_0 − α*|
    lipschitz: Tensor  # (n,) M(z) of each sample


# Whose a model or a rule is. What is not the paper's says so wherever it is shown.
PAPERS = "the paper's"
OURS = "ours"
ASI_AND_DUCHIS = "Asi and Duchi's"


@dataclass(frozen=True)
class Model:
    """A local model of the objective, and the proximal step on it. Called at (θ, α, linearisation), it is m_t(θ, α).

    Attributes
    ----------
    value
        (θ, α, linearisation) ↦ m_t(θ, α).
    step
        (linearisation, step sizes) ↦ the next point, in plain torch: the definition.
    bound
        (distances, step sizes, β, n) ↦ the theorem's bound on the mean suboptimality of the averaged
        iterate after n updates with the constant schedule.
    weight
        (ℓ_t, λ_θ‖v_t‖², α_t, λ_α, 1/(1−β), mix) ↦ (g, k) of plain numbers; ``None`` leaves the model to torch.
    explain
        (linearisation, step sizes) of one sample ↦ its arithmetic in words; ``None`` says no more than where it goes.
    whose
        The paper's, ours or somebody else's.
    """

    name: str
    label: str
    value: Callable[[Tensor, Tensor, Linearisation], Tensor]
    step: Callable[[Linearisation, StepSizes], Point]
    bound: Callable[[Distances, StepSizes, float, int], Tensor]
    weight: Callable[[float, float, float, float, float, float], tuple[float, float]] | None = None
    explain: Callable[[Linearisation, StepSizes], Explanation] | None = None
    whose: str = "not the paper's"

    def __call__(self, theta: Tensor, alpha: Tensor, at: Linearisation) -> Tensor:
        return self.value(theta, alpha, at)


@dataclass(frozen=True)
class Rule:
    """What a λ stands for: the step sizes of θ and α.

    Attributes
    ----------
    step_sizes
        (λ, ℓ_0) ↦ (λ_θ, λ_α) before any decay; both are proportional to λ.
    metric
        E[ℓ'²] E[x_j²] of each coordinate j, with the slopes ℓ' in the prediction at the start ↦ m; ``None`` for 1.
    """

    name: str
    label: str  # after "with"
    step_sizes: Callable[[Tensor, Tensor], StepSizes]
    metric: Callable[[Tensor], Tensor] | None = None
    whose: str = "not the paper's"


class Look(NamedTuple):
    """How a method is drawn."""

    light: str  # its colour as #rrggbb, on light and on dark
    dark: str
    dash: str  # plotly's names
    marker: str


@dataclass(frozen=True)
class Method:
    """A method of the family: a model with a rule; ``None`` for the look takes one that is free.

    ``short`` is what it is in a few words, where the summary has no room.
    """

    name: str
    label: str
    summary: str
    model: Model
    rule: Rule
    look: Look | None = None
    short: str = ""

    @property
    def whose(self) -> str:
        """Whose it is: of the model's and the rule's origins those that are not the paper's."""
        others = dict.fromkeys(part.whose for part in (self.model, self.rule) if part.whose != PAPERS)
        return " and ".join(others) or PAPERS

    @property
    def step(self) -> Callable[[Linearisation, StepSizes], Point]:
        return self.model.step

    @property
    def weight(self) -> Callable[[float, float, float, float, float, float], tuple[float, float]] | None:
        return self.model.weight

    @property
    def bound(self) -> Callable[[Distances, StepSizes, float, int], Tensor]:
        return self.model.bound

    @property
    def step_sizes(self) -> Callable[[Tensor, Tensor], StepSizes]:
        return self.rule.step_sizes

    @property
    def metric(self) -> Callable[[Tensor], Tensor] | None:
        return self.rule.metric


def sharp_bound(start: Distances, sizes: StepSizes, beta: float, n: int) -> Tensor:
    """Bound the mean suboptimality of every model here, tighter than the theorem.

    It asks of a model that it is convex, below the sampled objective, and at (θ_t, α_t) as high and as steep as SGM's.
    [a²/(2λ_θ) + b²/(2λ_α) + λ_α G² (n+1)/(2n)]/√n with G² = E max{1, (ρM² + β²)/(1−β)²}, ρ = λ_θ/λ_α.
    """
    ratio = (sizes.theta / sizes.alpha).unsqueeze(-1)
    steepness = ((ratio * start.lipschitz**2 + beta**2) / (1 - beta) ** 2).clamp(min=1.0).mean(-1)
    travel = start.theta**2 / (2 * sizes.theta) + start.alpha**2 / (2 * sizes.alpha)
    bound: Tensor = (travel + sizes.alpha * steepness * (n + 1) / (2 * n)) / n**0.5
    return bound
