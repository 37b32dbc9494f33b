"""The noises ζ that are added to the targets, each with its parameters, sampler and density."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .registry import Registry

Array = NDArray[np.float64]
Parameters = Mapping[str, float]


@dataclass(frozen=True)
class Noise:
    """A distribution of ζ.

    Attributes
    ----------
    parameters
        Name and default of each parameter; the defaults are the paper's where it has the noise.
    positive
        The parameters that have to be above zero.
    sample
        (generator, count, parameters) ↦ independent draws, shape (count,).
    density
        (z, parameters) ↦ the density at z.
    """

    name: str
    formula: str
    parameters: Mapping[str, float]
    positive: frozenset[str]
    sample: Callable[[np.random.Generator, int, Parameters], Array]
    density: Callable[[Array, Parameters], Array]


noises: Registry[Noise] = Registry("noise", Noise, "cvar_core.noises")


def _normal_density(z: Array, mean: float, std: float) -> Array:
    bell: Array = np.exp(-0.5 * ((z - mean) / std) ** 2) / (std * np.sqrt(2 * np.pi))
    return bell


noises.add(
    Noise(
        name="normal",
        formula="Normal(mean, std²)",
        parameters={"mean": 0.0, "std": 2.0},
        positive=frozenset({"std"}),
        sample=lambda rng, n, q: rng.normal(q["mean"], q["std"], n),
        density=lambda z, q: _normal_density(z, q["mean"], q["std"]),
    )
)


def _gumbel_density(z: Array, q: Parameters) -> Array:
    u = (z - q["loc"]) / q["scale"]
    with np.errstate(over="ignore"):  # exp(−exp(large)) is 0, as it should be
        return np.exp(-u - np.exp(-u)) / q["scale"]


noises.add(
    Noise(
        name="gumbel",
        formula="Gumbel(loc, scale)",
        parameters={"loc": 0.0, "scale": 4.0},
        positive=frozenset({"scale"}),
        sample=lambda rng, n, q: rng.gumbel(q["loc"], q["scale"], n),
        density=_gumbel_density,
    )
)


def _lognormal_density(z: Array, q: Parameters) -> Array:
    inside = np.where(z > 0, z, 1.0)
    return np.where(z > 0, _normal_density(np.log(inside), q["mean"], q["sigma"]) / inside, 0.0)


noises.add(
    Noise(
        name="lognormal",
        formula="exp(Normal(mean, sigma²))",
        parameters={"mean": 2.0, "sigma": 1.0},
        positive=frozenset({"sigma"}),
        sample=lambda rng, n, q: rng.lognormal(q["mean"], q["sigma"], n),
        density=_lognormal_density,
    )
)


def _student_density(z: Array, q: Parameters) -> Array:
    from math import lgamma

    df, scale = q["df"], q["scale"]
    constant = np.exp(lgamma((df + 1) / 2) - lgamma(df / 2)) / (np.sqrt(df * np.pi) * scale)
    density: Array = constant * (1 + (z / scale) ** 2 / df) ** (-(df + 1) / 2)
    return density


noises.add(
    Noise(
        name="student",
        formula="scale · Student-t(df)",
        parameters={"df": 3.0, "scale": 2.0},
        positive=frozenset({"df", "scale"}),
        sample=lambda rng, n, q: q["scale"] * rng.standard_t(q["df"], n),
        density=_student_density,
    )
)


def _pareto_density(z: Array, q: Parameters) -> Array:
    beyond = np.where(z > 0, z, 0.0) / q["scale"]
    return np.where(z > 0, q["shape"] / q["scale"] * (1 + beyond) ** -(q["shape"] + 1), 0.0)


noises.add(
    Noise(
        name="pareto",
        formula="scale · (Pareto(shape) − 1)",
        parameters={"shape": 3.0, "scale": 4.0},
        positive=frozenset({"shape", "scale"}),
        sample=lambda rng, n, q: q["scale"] * rng.pareto(q["shape"], n),
        density=_pareto_density,
    )
)
