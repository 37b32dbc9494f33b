"""A study while it is computed: trainings one after another, in pieces, and what is known so far."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from torch import nn

from ..cancel import Stop, check
from .model_study import ModelStudy
from .model_task import Task
from .trainers import trainers
from .training import DIVERGED, MEASURES, Training, fresh, worth

USUAL, DECREASING, CONSTANT = SCHEDULES = ("usual", "decreasing", "constant")
_AT_ONCE = 10  # steps between two looks at the clock

Cell = tuple[int, int, int]  # places of optimiser, seed and λ


@dataclass(frozen=True)
class SoFar:
    """What is known of a study at one moment.

    Attributes
    ----------
    plan
        The whole study; what is not known yet is NaN in its records, as is what diverged.
    known
        Which (optimiser, λ) have been trained from all seeds.
    study
        That of those λ which all optimisers have been tried at; ``None`` while there is none.
    trainings
        How many are over.
    """

    plan: ModelStudy
    known: NDArray[np.bool_]
    study: ModelStudy | None
    trainings: int

    @classmethod
    def whole(cls, study: ModelStudy) -> SoFar:
        """Return a study that is complete."""
        known = np.ones((len(study.optimisers), len(study.lambdas)), bool)
        return cls(study, known, study, study.records[..., 0].size)


class GrowingStudy:
    """Trains in the order in which a reader sees the most: λ by λ, coarse to fine, each optimiser from all seeds.

    Each training depends on its optimiser, λ and seed alone, so neither the order nor where it is cut changes a bit.

    Parameters
    ----------
    plan
        What is to be tried, with records that are still empty; starts are filled in.
    """

    def __init__(self, make_model: Callable[[], nn.Module], task: Task, plan: ModelStudy) -> None:
        self._make_model, self._task = make_model, task
        starts = [worth(fresh(make_model, seed), task, plan.beta) for seed in plan.seeds]
        self._plan = replace(plan, starts=np.array(starts))
        self.known: NDArray[np.bool_] = np.zeros((len(plan.optimisers), len(plan.lambdas)), bool)
        self._waiting: deque[Cell] = deque(
            (k, s, at)
            for at in coarse_to_fine(len(plan.lambdas))
            for k in range(len(plan.optimisers))
            for s in range(len(plan.seeds))
        )
        self.count = len(self._waiting)
        self._training: Training | None = None
        self.trainings = 0  # that are over
        self.seconds = 0.0

    @property
    def complete(self) -> bool:
        return not self._waiting

    @property
    def steps_left(self) -> int:
        """How many steps are left, if none diverges."""
        return self._plan.steps * len(self._waiting) - (self._training.steps if self._training else 0)

    def advance(self, seconds: float, stop: Stop | None = None) -> int:
        """Go on for about so many seconds; return how many trainings have ended, each of which may end earlier."""
        begun, before = time.perf_counter(), self.trainings
        try:
            while self._waiting:
                check(stop)
                self._go_on()  # once at the least
                if time.perf_counter() >= begun + seconds:
                    break
        finally:
            self.seconds += time.perf_counter() - begun
        return self.trainings - before

    def so_far(self) -> SoFar:
        """Return what is known now, which does not change any more."""
        plan = replace(self._plan, records=self._plan.records.copy(), seconds=self.seconds)
        tried, study = np.all(self.known, axis=0), None
        if tried.any():
            lambdas = tuple(lam for lam, there in zip(plan.lambdas, tried, strict=True) if there)
            study = replace(plan, lambdas=lambdas, records=plan.records[:, :, tried])
        return SoFar(plan, self.known.copy(), study, self.trainings)

    def _go_on(self) -> None:
        plan, (k, s, at) = self._plan, self._waiting[0]
        training = self._training = self._training or self._begin(k, plan.lambdas[at], plan.seeds[s])
        fine = training.advance(min(_AT_ONCE, plan.steps - training.steps))
        if fine and training.steps < plan.steps:
            return
        plan.records[k, s, at] = worth(training.model, self._task, plan.beta) if fine else DIVERGED
        self._training = None
        self._waiting.popleft()
        self.known[k, at] = s + 1 == len(plan.seeds)
        self.trainings += 1

    def _begin(self, k: int, lam: float, seed: int) -> Training:
        plan, trainer = self._plan, trainers[self._plan.optimisers[k]]
        decay = trainer.decays if plan.schedule == USUAL else plan.schedule == DECREASING
        model = fresh(self._make_model, seed)
        return Training(model, self._task, trainer, lam, seed, beta=plan.beta, batch=plan.batch, decay=decay)


def planned(
    names: Sequence[str], lambdas: Sequence[float], seeds: Sequence[int], beta: float, steps: int, batch: int,
    schedule: str = USUAL, closed: float = 0.9,
) -> ModelStudy:  # fmt: skip
    """Return a study without records."""
    records = np.full((len(names), len(seeds), len(lambdas), len(MEASURES)), np.nan)
    starts = np.full((len(seeds), len(MEASURES)), np.nan)
    return ModelStudy(tuple(names), tuple(lambdas), tuple(seeds), records, starts, beta, steps, batch, schedule, closed)


def coarse_to_fine(count: int) -> list[int]:
    """Return the places of a row, first its ends and its middle, then the middles between.

    >>> coarse_to_fine(9)
    [0, 8, 4, 2, 6, 1, 3, 5, 7]
    """
    found = [0, count - 1] if count > 1 else list(range(count))
    stretches = deque([(0, count - 1)])
    while stretches:
        low, high = stretches.popleft()
        middle = (low + high) // 2
        if low < middle:
            found.append(middle)
            stretches.extend([(low, middle), (middle, high)])
    return found
