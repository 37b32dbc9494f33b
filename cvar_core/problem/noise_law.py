"""The distribution function of a noise, from its density alone: polynomials on panels that adapt to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from ..catalogue.noises import Noise, Parameters

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

_NODES, _WEIGHTS = legendre.leggauss(16)
_DEGREES = np.arange(len(_NODES))
# From values at the nodes to a Legendre series, and to ∫ from −1 to t as powers of t.
_TO_SERIES = (_DEGREES[:, None] + 0.5) * legendre.legvander(_NODES, len(_NODES) - 1).T * _WEIGHTS
_UNITS = enumerate(np.eye(len(_NODES) + 1))
_POWERS = [np.pad(legendre.leg2poly(row[: k + 1]), (0, len(_NODES) - k)) for k, row in _UNITS]
_TO_INTEGRAL = np.stack(_POWERS, 1) @ legendre.legint(_TO_SERIES, lbnd=-1)
_RESOLVED = 1e-10  # of a panel's largest coefficient
_NEGLIGIBLE = 1e-17  # of all that is integrated
_MOST_HALVINGS = 120  # of a panel
_MOST_PANELS = 2_000
_MOST_DOUBLINGS = 220  # of the distance from the middle
_LOOKS = 4_096  # draws that show where a density lies


class Untrusted(Exception):
    """The quadrature did not come out well enough to be relied on, or what it is for is infinite."""


@dataclass(frozen=True)
class NoiseLaw:
    """A noise ζ by its density, which is exact, and both its tails, which keep their relative accuracy.

    Beyond the last edges a tail is that of a power of |z|, or nothing.
    """

    density: Callable[[Array], Array]
    edges: Array  # (panels + 1,)
    series: Array  # (17, panels) ∫ of the density from a panel's left edge, as powers of its own coordinate in [−1, 1]
    before: Array  # (panels + 1,) P(ζ < edge)
    after: Array  # (panels + 1,) P(ζ > edge)
    powers: tuple[float, float]  # with which the density falls beyond the first and the last edge
    middle: float
    scale: float

    @classmethod
    def build(cls, noise: Noise, parameters: Parameters, loss: Callable[[Array], Array]) -> NoiseLaw:
        """Tabulate a noise so far out that E φ(ζ) is covered, too, where ``loss`` is φ.

        Raises
        ------
        Untrusted
            If E φ(ζ) is infinite, or the density has no integral of 1 on the panels.
        """

        def density(z: Array) -> Array:
            return noise.density(z, parameters)

        # A density does not say where it is large: its sampler does.
        looks = np.sort(noise.sample(np.random.Generator(np.random.PCG64(0)), _LOOKS, parameters))
        low, middle, high = np.quantile(looks, [0.25, 0.5, 0.75])
        scale = float(high - low)
        if not (np.isfinite(looks).all() and scale > 1e-12 * abs(middle)):
            raise Untrusted
        ends, powers = zip(*(_end(density, loss, float(middle), sign * scale) for sign in (-1, 1)), strict=True)
        edges = np.unique(np.concatenate([*ends, _inner(looks, scale), [float(middle)]]))
        edges, values = _resolve(density, loss, edges)
        return cls._of(density, edges, values, powers, float(middle), scale)

    @classmethod
    def _of(
        cls,
        density: Callable[[Array], Array],
        edges: Array,
        values: Array,
        powers: tuple[float, float],
        middle: float,
        scale: float,
    ) -> NoiseLaw:
        half = np.diff(edges) / 2
        series = (_TO_INTEGRAL @ values.T) * half
        masses = half * (values @ _WEIGHTS)
        outside = [
            abs(edge) * float(density(np.array([edge]))[0]) / (power - 1) if np.isfinite(power) else 0.0
            for edge, power in zip((edges[0], edges[-1]), powers, strict=True)
        ]
        before = np.concatenate([[outside[0]], outside[0] + np.cumsum(masses)])
        after = np.concatenate([[outside[1]], outside[1] + np.cumsum(masses[::-1])])[::-1]
        if abs(before[-1] + outside[1] - 1) > 1e-9:
            raise Untrusted
        return cls(density, edges, series, before, after, powers, middle, scale)

    def tails(self, z: Array) -> tuple[Array, Array]:
        """Return P(ζ < z) and P(ζ > z), both of the shape of z."""
        flat = z.reshape(-1, 1)
        below, above = self.tails_on(self.panel(flat[:, 0]), flat)
        return below.reshape(z.shape), above.reshape(z.shape)

    def panel(self, z: Array) -> Integers:
        """Return the numbers of the panels that hold z: −1 before the first edge, ``panels`` after the last."""
        return np.searchsorted(self.edges, z, side="right") - 1

    def tails_on(self, panels: Integers, z: Array) -> tuple[Array, Array]:
        """Return P(ζ < z) and P(ζ > z) where row i of z, shape (rows, any), lies in panel ``panels[i]``."""
        count = len(self.edges) - 1
        inside = panels.clip(0, count - 1)
        left, right = self.edges[inside, None], self.edges[inside + 1, None]
        local = ((2 * z - left - right) / (right - left)).clip(-1, 1)
        series = self.series[:, inside]
        part = np.zeros_like(z)
        for powers in series[::-1]:
            part *= local
            part += powers[:, None]
        whole = series.sum(0)[:, None]
        below, above = self.before[inside, None] + part, self.after[inside + 1, None] + (whole - part)
        for outside, side in ((panels < 0, 0), (panels >= count, 1)):
            if outside.any():
                below[outside], above[outside] = self._outside(z[outside], side)
        return below, above

    def _outside(self, z: Array, side: int) -> tuple[Array, Array]:
        edge, mass, power = self.edges[-side], (self.before[0], self.after[-1])[side], self.powers[side]
        far = mass * (z / edge) ** (1 - power) if np.isfinite(power) else np.zeros_like(z)
        return (far, 1 - far) if side == 0 else (1 - far, far)


def _inner(looks: Array, scale: float) -> Array:
    """Return edges between which a density cannot hide, however narrow it is where its support ends."""
    edges = list(np.quantile(looks, [0.002, 0.03, 0.97, 0.998]))
    for first, other, sign in ((looks[0], edges[0], -1), (looks[-1], edges[-1], 1)):
        step = abs(first - other)
        while 0 < step < scale:
            edges.append(first + sign * step)
            step *= 4
    return np.array(edges)


def _end(
    density: Callable[[Array], Array], loss: Callable[[Array], Array], middle: float, step: float
) -> tuple[Array, float]:
    """Return edges from the middle outwards, until nothing is left or all that is left is a power, and that power."""
    offsets = step * np.exp2(np.arange(-1.0, _MOST_DOUBLINGS))
    z: Array = middle + offsets
    with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
        f = density(z)
        weighted = f * np.abs(offsets) * (1 + loss(z))
        rates = np.log(f[:-1] / f[1:]) / np.log(z[1:] / z[:-1])
        mass = f * np.abs(offsets)
    top = 0.0
    for k in range(2, len(z) - 2):
        top = max(top, weighted[k])
        if not (np.isfinite(weighted[k]) and np.isfinite(z[k])):
            break
        if mass[k] <= 1e-40 and weighted[k] <= 1e-22 * top:
            return z[: k + 1], np.inf
        straight = abs(rates[k] - rates[k - 1]) <= 1e-9 and abs(rates[k] - rates[k - 2]) <= 1e-9
        if straight and mass[k] < 1e-15 and z[k - 2] * step > 0:
            growth = float(np.log2(loss(z[k + 1 : k + 2]) / loss(z[k : k + 1]))[0])
            if rates[k] - growth <= 1 + 1e-9:
                break
            return z[: k + 1], float(rates[k])
    raise Untrusted


def _resolve(density: Callable[[Array], Array], loss: Callable[[Array], Array], edges: Array) -> tuple[Array, Array]:
    """Halve panels until the density is a polynomial on each; return all edges, and the density at their nodes."""
    done: list[tuple[Array, Array, Array]] = []
    left, right = edges[:-1], edges[1:]
    total = 0.0
    count = 0
    for _ in range(_MOST_HALVINGS):
        half = (right - left) / 2
        z = (left + half)[:, None] + half[:, None] * _NODES
        values = density(z)
        with np.errstate(under="ignore"):
            matters = half * (values * (1 + loss(z))).max(1)
        total = max(total, float(matters.sum()))
        size = np.abs(values @ _TO_SERIES.T)
        rounding = 1e-15 * (np.abs(left) + np.abs(right)) / half  # of z itself, seen through the density
        smooth = size[:, -2:].max(1) <= np.maximum(_RESOLVED, rounding) * size.max(1)
        small = (matters <= _NEGLIGIBLE * total) & (half * values.max(1) <= _NEGLIGIBLE)
        ready = smooth | small | (half <= 1e-15 * (np.abs(left) + np.abs(right)))
        done.append((left[ready], right[ready], values[ready]))
        count += len(left)
        if ready.all():
            lefts, rights, found = (np.concatenate(parts) for parts in zip(*done, strict=True))
            order = np.argsort(lefts)
            return np.append(lefts[order], rights.max()), found[order]
        if count > _MOST_PANELS:
            break
        left, right = left[~ready], right[~ready]
        between = (left + right) / 2
        left, right = np.concatenate([left, between]), np.concatenate([between, right])
    raise Untrusted
