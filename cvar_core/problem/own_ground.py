"""The ground of a problem whose loss is any function in torch: starts, samples and worth through ``torch.func``."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.func import grad_and_value, vmap

from ..cancel import Stop, check
from ..specs import ProblemSpec
from . import draws
from .ground import Evaluation, Ground, Start
from .objective import cvar, tail_mass

LossFunction = Callable[[Tensor, Tensor, Tensor], Tensor]
_LOSSES = 2**20  # at once


class OwnLoss(NamedTuple):
    """ℓ(θ; x, y) of one sample as a number, the samples, and θ_0 where it is not drawn."""

    function: LossFunction
    x: Tensor  # (count, …)
    y: Tensor  # (count, …)
    theta: Tensor | None  # (dim,)


class OwnGround(Ground):
    """Starts, row numbers and worth of a problem with a loss of its own. It has neither points nor predictions."""

    def __init__(self, spec: ProblemSpec, own: OwnLoss) -> None:
        super().__init__(spec)
        self.own = own
        self._each = vmap(vmap(own.function, (None, 0, 0)), (0, None, None))
        self._linearised = vmap(grad_and_value(own.function), (0, None, None))

    def losses(self, thetas: Tensor, stop: Stop | None = None) -> Tensor:
        """Return the losses of all samples, shape (runs, count)."""
        count = len(self.own.y)
        found = []
        for theta in thetas.split(max(1, _LOSSES // count)):
            check(stop)
            found.append(self.spec.scale * self._each(theta, self.own.x, self.own.y).to(torch.float64))
        return torch.cat(found)

    def linearised(self, theta: Tensor, row: int) -> tuple[Tensor, Tensor]:
        """Return the loss of a sample at each θ, shape (runs,), and its slopes, shape (runs, dim)."""
        slopes, values = self._linearised(theta, self.own.x[row], self.own.y[row])
        return self.spec.scale * values, self.spec.scale * slopes

    def rows(self, seed: int, first: int, last: int) -> list[int]:
        """Return the numbers of samples first … last−1 of a run's seed, which lie in one block of the stream."""
        length = self.block_length
        index = draws.index_block(len(self.own.y), length, seed, first // length)
        numbers: list[int] = index[first % length : first % length + last - first].tolist()
        return numbers

    def evaluate(self, thetas: Tensor, alphas: Tensor, stop: Stop | None = None) -> Evaluation:
        values, spec = self.losses(thetas, stop), self.spec
        above = (values - alphas.unsqueeze(1)).clamp(min=0).sum(1)
        means = values.mean(1)
        objectives = self._mixed(means, alphas + above / tail_mass(values.shape[1], spec.beta))
        tails = [cvar(each, spec.beta) if bool(torch.isfinite(each).all()) else torch.inf for each in values]
        risks = self._mixed(means, torch.tensor(tails, dtype=torch.float64))
        return Evaluation(objectives, torch.minimum(risks, objectives), means.unsqueeze(1))

    def objectives(self, thetas: Tensor, alphas: Tensor, stop: Stop | None = None) -> Tensor:
        return self.evaluate(thetas, alphas, stop).objectives

    def risks(self, thetas: Tensor, stop: Stop | None = None) -> Tensor:
        return self.evaluate(thetas, torch.zeros(len(thetas), dtype=torch.float64), stop).risks

    def start(self, seed: int) -> Start:
        with self._lock:
            if seed not in self._starts:
                theta, alpha = draws.start(seed, self.spec)
                theta = theta if self.own.theta is None else self.own.theta.clone()
                mean = float(self.losses(theta.unsqueeze(0)).mean())
                self._starts[seed] = Start(theta, self.spec.scale * alpha, mean or self.spec.scale)
            return self._starts[seed]

    def slope_squares(self, seed: int) -> Tensor:
        """Return E[v_j²] at a seed's θ_0, shape (dim,): a loss of its own has no prediction to take apart."""
        slopes = vmap(grad_and_value(self.own.function), (None, 0, 0))(self.start(seed).theta, self.own.x, self.own.y)[
            0
        ]
        squares: Tensor = (self.spec.scale * slopes).square().mean(0)
        return squares

    @property
    def points(self) -> None:  # type: ignore[override]
        """Nothing has to be drawn before the runs begin."""
        return

    @property
    def test_points(self) -> None:
        return
