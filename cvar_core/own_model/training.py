"""One training of a model: an optimiser, a step size and a seed; and what the model is worth afterwards."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from ..problem.objective import cvar
from ..specs import SpecError
from .model_task import Rows, Task
from .trainers import NotFinite, Trainer

MEASURES = ("train_mean", "train_cvar", "test_mean", "test_cvar", "accuracy", "worst_group")
DIVERGED = (math.nan,) * len(MEASURES)


def fresh(make_model: Callable[[], nn.Module], seed: int) -> nn.Module:
    """Return the model with the weights of a seed, without touching the caller's random numbers."""
    if isinstance(make_model, nn.Module):
        raise SpecError(
            "make_model is a model, but it must be a function that returns a new one: lambda: nn.Linear(10, 1)"
        )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return make_model()


class Training:
    """A training on batches that the seed draws. It can be cut anywhere: the pieces together give the same bits."""

    def __init__(
        self, model: nn.Module, task: Task, trainer: Trainer, lam: float, seed: int, *, beta: float, batch: int,
        decay: bool,
    ) -> None:  # fmt: skip
        self.model, self._task, self._batch = model, task, batch
        self._drawn = torch.Generator().manual_seed(seed)
        self._dropout = self._drawn.get_state()
        self._stepping = trainer.make(model.parameters(), lam, beta, decay)
        self.steps = 0
        model.train()

    def advance(self, steps: int) -> bool:
        """Take so many steps; return whether all stayed finite."""
        train = self._task.train
        with torch.random.fork_rng():
            torch.set_rng_state(self._dropout)
            for _ in range(steps):
                rows = train.at(torch.randint(len(train), (self._batch,), generator=self._drawn))
                try:
                    self._stepping.step(lambda rows=rows: self._task.losses(self.model, rows))  # type: ignore[misc]
                except NotFinite:
                    return False
                self.steps += 1
            self._dropout = torch.get_rng_state()
        return True


def worth(model: nn.Module, task: Task, beta: float) -> tuple[float, ...]:
    """Return the measures of a model; all NaN if a loss is not finite."""
    model.eval()
    trained, tested = _losses(model, task, task.train), _losses(model, task, task.test)
    if not (torch.isfinite(trained).all() and torch.isfinite(tested).all()):
        return DIVERGED
    right = _right(model, task)
    accuracy = math.nan if right is None else float(right.mean())
    by = (right if right is not None else -tested), task.test.groups
    worst = math.nan if by[1] is None else min(float(by[0][by[1] == group].mean()) for group in by[1].unique())
    return (
        float(trained.mean()), cvar(trained, beta), float(tested.mean()), cvar(tested, beta), accuracy,
        worst if right is not None else -worst,
    )  # fmt: skip


@torch.no_grad()
def _losses(model: nn.Module, task: Task, rows: Rows) -> Tensor:
    return torch.cat([task.losses(model, part).to("cpu", torch.float64) for part in rows.parts()])


@torch.no_grad()
def _right(model: nn.Module, task: Task) -> Tensor | None:
    if not task.classes:
        return None
    return torch.cat([(model(part.x).argmax(-1) == part.y).to("cpu", torch.float64) for part in task.test.parts()])
