"""One panel of the paper's study as tensors, so that every contender takes the same samples."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor

from ..catalogue import methods, schedules
from ..engine import kernel  # noqa: F401  registers torch.ops.cvar_core.steps
from ..problem import Problem
from ..problem.draws import block_length
from ..specs import SweepSpec, paper_grid
from .sizes import Sizes


class Panel(NamedTuple):
    """The samples of all seeds, and where and how far the runs step."""

    x: Tensor  # (seeds, steps, dim)
    y: Tensor  # (seeds, steps)
    norms: Tensor  # (seeds, steps)  ‖x‖²
    factors: Tensor  # (steps,) of the schedule
    lam_theta: Tensor  # (seeds, methods, lambdas)
    lam_alpha: Tensor  # (seeds, methods, lambdas)
    theta: Tensor  # (seeds, dim)  θ_0
    alpha: Tensor  # (seeds,)  α_0
    methods: tuple[str, ...]
    loss: str
    beta: float

    @property
    def steps(self) -> int:
        return len(self.factors)

    @property
    def runs(self) -> int:
        return self.lam_theta.numel()

    def cut(self, steps: int, seeds: int | None = None, lambdas: slice = slice(None)) -> Panel:
        """Return the first ``steps`` steps of some of the runs."""
        return self._replace(
            x=self.x[:seeds, :steps],
            y=self.y[:seeds, :steps],
            norms=self.norms[:seeds, :steps],
            factors=self.factors[:steps],
            lam_theta=self.lam_theta[:seeds, :, lambdas],
            lam_alpha=self.lam_alpha[:seeds, :, lambdas],
            theta=self.theta[:seeds],
            alpha=self.alpha[:seeds],
        )

    def starts(self) -> tuple[Tensor, Tensor]:
        """Return θ_0 and α_0 of every run: (seeds, methods, lambdas, dim) and (seeds, methods, lambdas)."""
        shape = self.lam_theta.shape
        return self.theta[:, None, None].repeat(1, *shape[1:], 1), self.alpha[:, None, None].repeat(1, *shape[1:])


class Runs(NamedTuple):
    """What the step operator carries along."""

    theta: Tensor  # (lambdas, dim)
    alpha: Tensor  # (lambdas,)
    theta_sum: Tensor  # (lambdas, dim)
    alpha_sum: Tensor  # (lambdas,)
    diverged: Tensor  # (lambdas,) of bool


def grid(sizes: Sizes) -> tuple[float, ...]:
    """Return the paper's step sizes, or a few of them around 0.01."""
    lambdas = paper_grid()
    return lambdas if sizes.lambdas is None else lambdas[3 : 3 + sizes.lambdas]


def sweep_spec(problem: Problem, sizes: Sizes) -> SweepSpec:
    return SweepSpec(problem.spec, lambdas=grid(sizes), iterations=sizes.iterations, seeds=tuple(range(sizes.seeds)))


def blocks(spec: SweepSpec) -> list[tuple[int, int]]:
    """Return the first and last iterations of the blocks that samples are drawn in."""
    return list(pairwise([*range(0, spec.iterations, block_length(spec.problem.dim)), spec.iterations]))


def draw(problem: Problem, spec: SweepSpec) -> Panel:
    """Draw all samples of a sweep. (The engine never holds more than a few blocks of them.)"""
    streams = []
    for seed in spec.seeds:
        pieces = [problem.ground.samples(seed, first, last) for first, last in blocks(spec)]
        streams.append([torch.cat(part) for part in zip(*pieces, strict=True)])
    x, y, norms = (torch.stack(part) for part in zip(*streams, strict=True))
    starts = [problem.start(seed) for seed in spec.seeds]
    lam = torch.tensor(spec.lambdas, dtype=torch.float64)
    sizes = [
        [methods[name].step_sizes(lam, torch.tensor(start.initial_loss, dtype=torch.float64)) for name in spec.methods]
        for start in starts
    ]
    return Panel(
        x=x,
        y=y,
        norms=norms,
        factors=schedules[spec.schedule].factors(0, spec.iterations, spec.iterations),
        lam_theta=torch.stack([torch.stack([pair.theta for pair in row]) for row in sizes]),
        lam_alpha=torch.stack([torch.stack([pair.alpha for pair in row]) for row in sizes]),
        theta=torch.stack([start.theta for start in starts]),
        alpha=torch.tensor([start.alpha for start in starts], dtype=torch.float64),
        methods=spec.methods,
        loss=spec.problem.full_loss,
        beta=spec.problem.beta,
    )


def walk(panel: Panel, seed: int, method: int, stops: tuple[int, ...]) -> Iterator[Runs]:
    """Step one shard with our operator, block by block as the engine does, and yield its runs at each stop."""
    lam_theta, lam_alpha = panel.lam_theta[seed, method], panel.lam_alpha[seed, method]
    theta, alpha = (tensor[seed, method] for tensor in panel.starts())
    runs = Runs(
        theta, alpha, torch.zeros_like(theta), torch.zeros_like(alpha), torch.zeros(len(alpha), dtype=torch.bool)
    )
    length = block_length(panel.x.shape[2])
    here = 0
    for stop in stops:
        while here < stop:
            block = slice(here, min(stop, (here // length + 1) * length))
            runs = Runs(
                *torch.ops.cvar_core.steps.default(
                    panel.x[seed, block], panel.y[seed, block], panel.norms[seed, block], panel.factors[block],
                    lam_theta, lam_alpha, *runs, panel.beta, 1.0, panel.loss, panel.methods[method],
                )
            )  # fmt: skip
            here = block.stop
        yield runs
