"""Atlases with any verdicts, made without a run."""

from dataclasses import replace

import numpy as np

from cvar_core import ProblemSpec
from cvar_core.lessons.atlas import LAMBDAS, METHODS, SEEDS, STATES, Atlas, Charted, Entry, sweep_of
from cvar_core.results import MEASURES, NOT_SAFE, RISK, SO_FAR, UNKNOWN

SHAPE = (len(METHODS), len(LAMBDAS))
DRAWN = ProblemSpec("absolute", "normal", eval_size=1_000)


def entry(name: str, origin: str | None = None, role: str = "seen", **further) -> Entry:
    """Return a synthetic problem, unless it is told to be another one."""
    usual = {"kind": "synthetic", "loss": "absolute", "beta": 0.95, "drawn": DRAWN}
    return Entry(name=name, origin=origin or name, role=role, **{**usual, **further})


def toy(entries, safe, left=None, unjudged=()) -> Atlas:
    """Return an atlas of problems whose λ are safe or not safe as is said, by the model's risk and by the objective.

    Parameters
    ----------
    safe
        Shape (problems, methods, lambdas).
    left
        The share of the gap that every start leaves, of the same shape; ∞ where it diverges.
    unjudged
        The places of problems that have no verdict by the model's risk.
    """
    count = len(entries)
    safe = np.broadcast_to(np.asarray(safe, dtype=bool), (count, *SHAPE))
    left = np.where(safe, 0.01, 0.5) if left is None else np.broadcast_to(left, (count, *SHAPE))
    states = np.where(safe, STATES.index(SO_FAR), STATES.index(NOT_SAFE))[:, None].repeat(len(MEASURES), axis=1)
    states[list(unjudged), MEASURES.index(RISK)] = STATES.index(UNKNOWN)
    starts = np.full((count, len(MEASURES), SEEDS), 4.0)
    gaps = np.where(np.isinf(left), np.nan, 4.0 * left)[:, None, :, None, :]
    gaps = np.broadcast_to(gaps, (count, len(MEASURES), len(METHODS), SEEDS, len(LAMBDAS)))
    ranges = np.full((count, len(MEASURES), len(METHODS), 2), np.nan)
    specs = (sweep_of(replace(DRAWN, loss=each.loss, beta=each.beta)) for each in entries)
    known = tuple(Charted(each, spec, 1.5, 1e-9, None, True) for each, spec in zip(entries, specs, strict=True))
    return Atlas(
        known, gaps.astype("<f4"), starts, states.astype(np.int8), ranges.astype("<f4"), {"cvar_core": "a test"}
    )


def at_random(count: int, origins: int, seed: int = 0, **further) -> Atlas:
    """Return an atlas of random verdicts; the first problems have the roles "choosing" and "held out"."""
    draws = np.random.default_rng(seed)
    roles = ["choosing", "held out", *["seen"] * count]
    entries = [entry(f"problem {k}", f"origin {k % origins}", roles[k]) for k in range(count)]
    left = 10 ** draws.uniform(-5, 1, (count, *SHAPE))
    left[draws.random(left.shape) < 0.1] = np.inf
    return toy(entries, draws.random((count, *SHAPE)) < 0.5, left, **further)


def at(method: str, *lambdas: float) -> np.ndarray:
    """Return verdicts, shape (methods, lambdas): safe for one method at some λ."""
    safe = np.zeros(SHAPE, dtype=bool)
    for lam in lambdas:
        safe[METHODS.index(method), LAMBDAS.index(lam)] = True
    return safe
