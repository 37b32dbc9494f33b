"""How large the measurements are: the paper's sizes, or tiny ones that only show that everything runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    """Sizes of all sections; ``slice_*`` is what a slow contender is measured on before it is scaled."""

    iterations: int
    eval_size: int
    lambdas: int | None  # how many of the paper's, from the middle; None takes all 15
    seeds: int
    repeats: int
    losses: tuple[str, ...]
    slice_autograd: int  # steps, of a few runs
    slice_eager: int  # steps, of all runs
    slice_checkpoints: int  # checkpoints whose iterates brute force and torch evaluate
    path: int  # steps after which the contenders are compared
    growth_iterations: tuple[int, ...]
    memory_iterations: tuple[int, ...]
    growth_seeds: tuple[int, ...]  # of all three methods, after one seed of one method
    growth_dims: tuple[int, ...]
    growth_counts: tuple[int, ...]
    growth_steps: int  # steps where something else than their number grows
    statistics_rounds: int  # of a result's statistics, which take milliseconds
    torch_width: int  # of the layers of a torch model


PAPER = Sizes(
    iterations=100_000,
    eval_size=1_000_000,
    lambdas=None,
    seeds=5,
    repeats=3,
    losses=("squared", "absolute", "logistic"),
    slice_autograd=500,
    slice_eager=3_000,
    slice_checkpoints=2,
    path=300,
    growth_iterations=(10_000, 100_000, 1_000_000),
    memory_iterations=(100_000, 1_000_000),
    growth_seeds=(1, 5, 20),
    growth_dims=(2, 10, 50, 200, 1_000),
    growth_counts=(10_000, 100_000, 1_000_000),
    growth_steps=10_000,
    statistics_rounds=20,
    torch_width=700,
)

QUICK = Sizes(
    iterations=1_000,
    eval_size=5_000,
    lambdas=4,
    seeds=2,
    repeats=1,
    losses=("squared",),
    slice_autograd=50,
    slice_eager=100,
    slice_checkpoints=2,
    path=50,
    growth_iterations=(500, 1_000),
    memory_iterations=(1_000,),
    growth_seeds=(1, 2),
    growth_dims=(2, 10),
    growth_counts=(1_000, 5_000),
    growth_steps=500,
    statistics_rounds=2,
    torch_width=16,
)
