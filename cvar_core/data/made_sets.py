"""Data that are made here, each with one thing that makes step sizes hard: the same on every machine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .dataset import Dataset

Array = NDArray[np.float64]
Made = tuple[Array, Array]

_ROWS, _COLUMNS = 5_000, 20
TOWN, HILLS = 72, 8  # deliveries: first those in town, then those to the hills


def dataset(name: str, make: Callable[[np.random.Generator], Made], sparse: bool = False) -> Dataset:
    """Make a set from its own stream of random numbers."""
    x, y = make(np.random.Generator(np.random.PCG64(20_261_117)))
    if not sparse:
        columns = ("kilometres",) if make is deliveries else tuple(f"x{j}" for j in range(1, x.shape[1] + 1))
        return Dataset(name, x, y, columns)
    from scipy.sparse import csr_array

    return Dataset(name, csr_array(x), y)


def correlated(rng: np.random.Generator) -> Made:
    """Neighbouring features are almost the same: correlation 0.95."""
    x = rng.standard_normal((_ROWS, _COLUMNS))
    for j in range(1, _COLUMNS):
        x[:, j] = 0.95 * x[:, j - 1] + np.sqrt(1 - 0.95**2) * x[:, j]
    return x, _answer(rng, x)


def badly_scaled(rng: np.random.Generator) -> Made:
    """Features in units from 10^-3 to 10^3, all of the same weight in the target."""
    x = rng.standard_normal((_ROWS, _COLUMNS))
    return x * np.logspace(-3, 3, _COLUMNS), _answer(rng, x)


def offset(rng: np.random.Generator) -> Made:
    """Features far from 0 beside their spread, as a year or a temperature in kelvin is."""
    x = rng.standard_normal((_ROWS, _COLUMNS))
    return x + 30.0, _answer(rng, x)


def rare(rng: np.random.Generator) -> Made:
    """Half of the features are 0 in all but one row of two hundred."""
    x = rng.standard_normal((_ROWS, _COLUMNS))
    x[:, ::2] *= rng.random((_ROWS, _COLUMNS // 2)) < 0.005
    return x, _answer(rng, x)


def outliers(rng: np.random.Generator) -> Made:
    """One target of a hundred is off by a hundred times the noise."""
    x = rng.standard_normal((_ROWS, _COLUMNS))
    y = _answer(rng, x)
    wrong = rng.random(_ROWS) < 0.01
    return x, np.where(wrong, y + 100 * rng.standard_normal(_ROWS), y)


def tiny(rng: np.random.Generator) -> Made:
    """Twenty rows of three features."""
    x = rng.standard_normal((20, 3))
    return x, _answer(rng, x)


def sparse(rng: np.random.Generator) -> Made:
    """Two hundred features, of which a row has ten."""
    x = rng.standard_normal((_ROWS, 200)) * (rng.random((_ROWS, 200)) < 0.05)
    return x, _answer(rng, x)


def nearly_separable(rng: np.random.Generator) -> Made:
    """Two classes that a plane parts but for one row in two hundred."""
    x = rng.standard_normal((_ROWS, _COLUMNS))
    side = np.where(x @ rng.standard_normal(_COLUMNS) > 0, 1.0, -1.0)
    return x, np.where(rng.random(_ROWS) < 0.005, -side, side)


def deliveries(rng: np.random.Generator) -> Made:
    """Minutes that eighty deliveries took, by their distance; eight of them went to the hills, and took longer."""
    near = 0.5 + 8.5 * rng.beta(1.5, 4.0, TOWN)
    far = rng.uniform(4.5, 9.0, HILLS)
    x = np.concatenate([near, far]).round(1)
    slower = np.concatenate([np.zeros(TOWN), 2.0 + 2.5 * x[TOWN:]])
    y = (9.0 + 3.0 * x + slower + 2.0 * rng.standard_normal(len(x))).round()
    return x[:, None], y


def _answer(rng: np.random.Generator, x: Array) -> Array:
    """Return a linear target with noise of one tenth of its spread, as far as features have unit variance."""
    weights = rng.standard_normal(x.shape[1])
    target: Array = x @ weights + 0.1 * np.linalg.norm(weights) * rng.standard_normal(len(x))
    return target
