"""``check_model``: train a model of your own with every optimiser at every step size, and judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from torch import nn

from ..specs import ProblemSpec, SpecError, SweepSpec
from .growing_study import SCHEDULES, USUAL, GrowingStudy, planned
from .model_study import ModelStudy
from .model_task import RowLoss, read_task
from .trainers import trainers

_LOOK = 0.1  # seconds between two moves of the bar
GRID = tuple(10.0 ** (k / 2) for k in range(-8, 7))  # 10⁻⁴ … 10³ by half decades


def check_model(
    make_model: Callable[[], nn.Module],
    dataset: Any,
    test: Any = 0.25,
    loss: RowLoss | None = None,
    *,
    beta: float = 0.95,
    optimisers: Iterable[str] = trainers.names(),
    lambdas: Iterable[float] = GRID,
    steps: int = 500,
    batch: int = 64,
    seeds: int | Iterable[int] = 5,
    schedule: str = USUAL,
    groups: Any = None,
    closed: float = 0.9,
    progress: bool | None = None,
) -> ModelStudy:
    """Train a model with every optimiser, step size and seed, and tell which step sizes are usable.

    Parameters
    ----------
    make_model
        Returns the model with fresh weights. A seed fixes them and the batches, the same for all optimisers and λ.
    dataset
        A pair (x, y) of arrays, or a torch data set of such pairs.
    test
        The share of the rows to hold out, or further data of the same kind.
    loss
        (outputs, targets) ↦ the loss of each row, shape (n,). By default cross-entropy for whole-number targets, and
        the squared error for others.
    beta
        The level of CVaR.
    optimisers
        Names in ``trainers``: sgm, spl, spl+, spl-u; sgd-mean, sgd-topk, sgd-ru and the same with adam.
    lambdas
        The step sizes, for all optimisers alike; half decades from 10⁻⁴ to 10³ by default.
    steps, batch, seeds
        Updates of a training, rows of a batch, drawn with replacement, and a count of seeds or a list.
    schedule
        "usual" takes λ/√(t+1) with the paper's methods and SPL-U, and λ with SGD and Adam; "decreasing" and "constant"
        take the one or the other with all alike.
    groups
        The group of each row (of the test set, where that is further data). The study then has the accuracy in the
        worst group (in regression: its mean loss).
    closed
        The share of a seed's own gap that a usable λ closes.
    progress
        Whether a bar shows how far it is; on a terminal by default.

    >>> import torch
    >>> x = torch.randn(80, 2, generator=torch.Generator().manual_seed(0))
    >>> study = check_model(lambda: torch.nn.Linear(2, 1), (x, x.sum(1)), beta=0.8, steps=20, seeds=2,
    ...                     optimisers=["spl+", "sgd-mean"], lambdas=[0.01, 0.1, 1])
    >>> study.frame.shape
    (12, 10)
    """
    from tqdm import tqdm

    names = tuple(trainers[name].name for name in ((optimisers,) if isinstance(optimisers, str) else optimisers))
    spec = SweepSpec(ProblemSpec(beta=beta), ("spl",), lambdas, steps, seeds)  # type: ignore[arg-type]
    if schedule not in SCHEDULES:
        raise SpecError(f"schedule is {schedule!r}; choose from {', '.join(SCHEDULES)}")
    if isinstance(batch, bool) or not isinstance(batch, int) or batch < 1:
        raise SpecError(f"batch is {batch!r}; it is a number of rows, from 1 on")
    if not 0 < closed < 1:
        raise SpecError(f"closed is {closed}; it is a share between 0 and 1")
    if not names:
        raise SpecError(f"there is no optimiser; choose from {', '.join(trainers.names())}")
    growing = GrowingStudy(
        make_model,
        read_task(dataset, test, loss, groups),
        planned(names, spec.lambdas, spec.seeds, beta, spec.iterations, batch, schedule, closed),
    )
    hidden = None if progress is None else not progress
    with tqdm(total=growing.count, disable=hidden, leave=False, unit="training") as bar:
        while not growing.complete:
            bar.update(growing.advance(_LOOK))
    return growing.so_far().plan
