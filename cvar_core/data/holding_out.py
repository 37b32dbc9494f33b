"""Which rows are held out for testing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..specs import LARGEST_SEED
from .bounds import DataError

_HOLDOUT = 0x686F6C64  # separates this stream of a seed from all others


class SplitError(DataError):
    """Rows that cannot be split as asked."""


def split_rows(rows: int, fraction: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows to train on and those held out, each in their order in the file."""
    if not 0 < fraction < 1:
        raise SplitError(f"holdout is {fraction:g}, but the share of rows to hold out must lie between 0 and 1")
    if not 0 <= seed <= LARGEST_SEED:
        raise SplitError(f"the seed of the split is {seed:,}, but it must lie between 0 and {LARGEST_SEED:,}")
    held = round(fraction * rows)
    if not 1 <= held < rows:
        raise SplitError(f"holdout is {fraction:g}, but of {rows:,} rows that leaves none on one side")
    order = np.random.default_rng(np.random.SeedSequence((_HOLDOUT, seed))).permutation(rows)
    return np.sort(order[held:]), np.sort(order[:held])


def held_out(held: int, rows: int, seed: int) -> str:
    """Say which rows were split off."""
    return f"{held:,} of {rows:,} rows are held out for testing (seed {seed})"
