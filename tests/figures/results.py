"""Results to draw, and how to read what was drawn."""

from __future__ import annotations

import numpy as np
import torch

from cvar_core import Optimum, ProblemSpec, Result, SweepSpec, figures
from cvar_core.results import Criterion

OBJECTIVE = Criterion("objective")
THEMES = ("light", "dark")
METHODS = ("sgm", "spl", "spl+")


def made(
    gaps: np.ndarray,
    recorded: int | None = None,
    f_star: float = 5.0,
    *,
    model: float = 1.0,
    floor: float | None = None,
) -> Result:
    """Make a result with the given suboptimalities, shape (methods, seeds, checkpoints, lambdas).

    Of each, the share ``model`` is the excess risk of the model.
    """
    names, seeds, checkpoints, lambdas = gaps.shape
    spec = SweepSpec(
        ProblemSpec(),
        methods=METHODS[:names],
        lambdas=tuple(10.0 ** (k - 3) for k in range(lambdas)),
        iterations=10 ** (checkpoints - 2),
        seeds=tuple(range(seeds)),
        checkpoints=checkpoints - 1,
    )
    assert len(spec.checkpoint_iterations) == checkpoints
    optimum = Optimum(f_star, torch.zeros(10), 0.0, 0.0, floor=floor)
    done = np.full((names, seeds), checkpoints if recorded is None else recorded)
    return Result(spec, optimum, gaps + f_star, done, {"risk": model * gaps + f_star})


def gently(names: int = 3, seeds: int = 3, lambdas: int = 5) -> np.ndarray:
    """Return suboptimalities that begin at 100 and fall, differently for each method, seed and λ."""
    shape = (names, seeds, 4, lambdas)
    gaps = 100 * 0.3 ** np.broadcast_to(np.arange(4.0)[:, None], shape)
    wiggle = 1 + 0.1 * np.arange(np.prod(shape)).reshape(shape) / np.prod(shape)
    wiggle[:, :, 0] = 1
    return gaps * wiggle


def trace(figure: figures.Figure, uid: str) -> dict:
    return next(one for one in figure["data"] if one["uid"] == uid)


def axis_span(figure: figures.Figure, axis: str) -> tuple[float, float]:
    low, high = figure["layout"][axis]["range"]
    return 10**low * (1 - 1e-9), 10**high * (1 + 1e-9)


def all_figures(result: Result) -> list[figures.Figure]:
    last = dict.fromkeys(result.spec.methods, result.spec.lambdas[-1])
    return [
        figure
        for theme in THEMES
        for figure in (
            figures.sensitivity(result, mark=0.2, theme=theme),
            figures.sensitivity(result, by=Criterion(epsilon=1e-3), chosen=result.spec.lambdas[0], theme=theme),
            figures.sensitivity(result, by=OBJECTIVE, theme=theme),
            figures.curves(result, theme=theme),
            figures.curves(result, last, measure="objective", theme=theme),
            figures.parts(result, theme=theme),
            figures.parts(result, last, theme=theme),
            figures.iterations_to(result, theme=theme),
            figures.iterations_to(result, by=OBJECTIVE, chosen=result.spec.lambdas[-1], theme=theme),
        )
    ]
