"""Random numbers as pure functions of a seed: what is drawn never depends on when, or in which chunks."""

from __future__ import annotations

import weakref
from enum import IntEnum

import numpy as np
import torch
from torch import Tensor

from ..catalogue import losses, noises
from ..specs import ZERO, ProblemSpec


class _Purpose(IntEnum):
    """Separates the streams of one seed. The values are part of what a seed means: never change them."""

    THETA_GEN = 0
    FEATURES = 1
    TARGETS = 2
    START = 3
    STREAM = 4
    INDEPENDENT = 5


def _generator(purpose: _Purpose, *key: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((purpose, *key))))


def theta_gen(spec: ProblemSpec) -> Tensor:
    """Return the parameters that generate the data, shape (dim,)."""
    widest = 10.0 if losses[spec.loss].task == "classification" else 1.0
    return torch.from_numpy(_generator(_Purpose.THETA_GEN, spec.seed).uniform(0.0, widest, spec.dim))


# X is the largest thing that a problem holds, and problems of one shape and seed can share it.
_features: weakref.WeakValueDictionary[tuple[int, int, int], Tensor] = weakref.WeakValueDictionary()


def features(dim: int, size: int, seed: int) -> Tensor:
    """Return ``size`` points, uniform on the unit sphere, as columns: shape (dim, size)."""
    key = (dim, size, seed)
    shared = _features.get(key)
    if shared is None:
        columns = _generator(_Purpose.FEATURES, seed).standard_normal((dim, size))
        columns /= np.sqrt(np.einsum("ij,ij->j", columns, columns))
        shared = _features.setdefault(key, torch.from_numpy(columns))
    return shared


def targets(spec: ProblemSpec, clean: Tensor) -> tuple[Tensor, Tensor]:
    """Return the targets of points with x·θ_gen = ``clean``, and the noise in them, both of its shape.

    The noise is put in order of size before it meets the points. Features and noise are independent, so
    the set of points has the same law as without ordering, and a good θ then has its large losses
    together at one end (see ``evaluation``).
    """
    rng = _generator(_Purpose.TARGETS, spec.seed)
    noise = _noise(rng, spec, len(clean))
    noise = noise[np.argsort(np.abs(noise), kind="stable")]
    return _targets(rng, spec, clean.numpy(), noise), torch.from_numpy(noise)


def start(seed: int, spec: ProblemSpec) -> tuple[Tensor, float]:
    """Return θ_0 ~ N(0, I), or 0, shape (dim,), and α_0 ~ U(0, 1)."""
    rng = _generator(_Purpose.START, seed)
    alpha = float(rng.uniform())
    if spec.start == ZERO:
        return torch.zeros(spec.dim, dtype=torch.float64), alpha
    return torch.from_numpy(rng.standard_normal(spec.dim)), alpha


def block_length(dim: int) -> int:
    """Return how many samples are drawn at once: a power of two, at most 4 MB of features."""
    return max(16, min(32_768, 1 << (max(524_288 // dim, 1).bit_length() - 1)))


SPARSE_BLOCK = 32_768  # rows of sparse data are drawn by number alone: their dimension costs nothing


def fresh_block(spec: ProblemSpec, generating: Tensor, seed: int, block: int) -> tuple[Tensor, Tensor]:
    """Return block ``block`` of the endless stream of samples of a run's seed: x (length, dim), y (length,)."""
    rng = _generator(_Purpose.STREAM, seed, block)
    length = block_length(spec.dim)
    x = rng.standard_normal((length, spec.dim))
    x /= np.sqrt(np.einsum("ij,ij->i", x, x))[:, None]
    clean = x @ generating.numpy()
    return torch.from_numpy(x), _targets(rng, spec, clean, _noise(rng, spec, length))


def independent(spec: ProblemSpec, generating: Tensor, size: int, number: int) -> tuple[Tensor, Tensor]:
    """Return draw ``number`` of ``size`` points of a problem's law that no run sees: columns (dim, size), targets."""
    rng = _generator(_Purpose.INDEPENDENT, spec.seed, number)
    columns = rng.standard_normal((spec.dim, size))
    columns /= np.sqrt(np.einsum("ij,ij->j", columns, columns))
    clean = generating.numpy() @ columns
    return torch.from_numpy(columns), _targets(rng, spec, clean, _noise(rng, spec, size))


def index_block(rows: int, length: int, seed: int, block: int) -> Tensor:
    """Return block ``block`` of a run's endless stream of row numbers, uniform with replacement."""
    rng = _generator(_Purpose.STREAM, seed, block)
    return torch.from_numpy(rng.integers(0, rows, length))


def _noise(rng: np.random.Generator, spec: ProblemSpec, count: int) -> np.ndarray:
    assert spec.noise is not None
    assert spec.noise_params is not None
    return noises[spec.noise].sample(rng, count, spec.noise_params)


def _targets(rng: np.random.Generator, spec: ProblemSpec, clean: np.ndarray, noise: np.ndarray) -> Tensor:
    y = torch.from_numpy(clean + noise)
    if losses[spec.loss].task == "regression":
        return y
    positive = torch.from_numpy(rng.uniform(size=len(noise))) < torch.sigmoid(y)
    return torch.where(positive, 1.0, -1.0).to(y)
