"""The study that ships with the project: written by ``python -m cvar_core.lessons.your_model``."""

from __future__ import annotations

import functools
import io
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...own_model import ModelStudy, trainers
from ...own_model.growing_study import planned
from ...own_model.model_check import GRID
from .digit_study import BATCH, SHIPPED_STUDY

SHIPPED_FILE = Path(__file__).with_name("digits.npz")


def packed_study(study: ModelStudy) -> bytes:
    """Return a study as a file's content: what it measured, and which optimisers and λ that was of."""
    file = io.BytesIO()
    np.savez_compressed(
        file, records=study.records, starts=study.starts, optimisers=np.array(study.optimisers),
        lambdas=np.array(study.lambdas), seconds=study.seconds,
    )  # fmt: skip
    return file.getvalue()


@functools.lru_cache(maxsize=1)
def shipped_study() -> ModelStudy:
    """Return the study that ships. What is registered later has no part in it."""
    with np.load(SHIPPED_FILE, allow_pickle=False) as file:
        names = tuple(map(str, file["optimisers"]))
        assert set(names) <= set(trainers.names())
        np.testing.assert_allclose(file["lambdas"], GRID)
        plan = planned(names, GRID, range(SHIPPED_STUDY.seeds), SHIPPED_STUDY.beta, SHIPPED_STUDY.steps, BATCH)
        return replace(plan, records=file["records"], starts=file["starts"], seconds=float(file["seconds"]))
