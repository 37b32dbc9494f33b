"""Results made for the purpose: gaps at the start and at the end, by both measures."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from cvar_core import Optimum, ProblemSpec, Result, SweepSpec
from cvar_core.results import Forgiven, Judged, criterion

# So little noise that a few updates close the gap of the model too.
QUIET = {"loss": "absolute", "noise": "normal", "noise_params": {"std": 0.3}, "dim": 4, "eval_size": 1_500}


def made(
    finals: Any,
    starts: Any = 100.0,
    f_star: float = 0.0,
    methods: tuple[str, ...] = ("spl",),
    lambdas: tuple[float, ...] | None = None,
    *,
    models: Any = None,
    model_starts: Any = None,
    recorded: int = 2,
    problem: ProblemSpec | None = None,
    **optimum: Any,
) -> Result:
    """A result whose final gaps are ``finals``, shape (methods, seeds, lambdas), after ``starts``, one for each seed.

    Of these gaps ``models`` and ``model_starts`` are the model's part; all of it, if they are not given.
    """
    ends = np.array(finals, dtype=float)
    lambdas = tuple(10.0**k for k in range(ends.shape[2])) if lambdas is None else lambdas
    spec = SweepSpec(problem or ProblemSpec(), methods, lambdas, 10, seeds=ends.shape[1], checkpoints=1)
    objectives = _records(ends, starts, f_star)
    risks = _records(
        ends if models is None else np.array(models, dtype=float),
        starts if model_starts is None else model_starts,
        f_star,
    )
    for values in (objectives, risks):
        values[:, :, recorded:] = np.nan
    best = Optimum(f_star, torch.zeros(1), 0.0, None, **optimum)
    return Result(spec, best, objectives, np.full(ends.shape[:2], recorded), {"risk": risks})


def _records(ends: np.ndarray, starts: Any, f_star: float) -> np.ndarray:
    first = np.broadcast_to(np.array(starts, dtype=float).reshape(1, -1, 1), ends.shape)
    return np.stack([first, ends], axis=2) + f_star


def judged(result: Result, epsilon: float | None = None, measure: str = "risk", closed: float | None = None) -> Judged:
    return result.judged(criterion(measure, closed, epsilon))


def forgiven(
    result: Result,
    epsilon: float | None = None,
    measure: str = "risk",
    closed: float | None = None,
    method: str = "spl",
) -> Forgiven:
    return judged(result, epsilon, measure, closed).forgiven[method]
