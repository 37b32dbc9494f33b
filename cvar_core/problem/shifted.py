"""The law of a residual ζ + δu, where u is a coordinate of a uniform point of the unit sphere, by quadrature.

With u = sin x the density of u is that of x ∝ cosᵈ⁻² x, smooth for every d ≥ 2; d = 1 has two atoms. Panels in x
break wherever those of the noise do, so that neither a small nor a large δ leaves anything unresolved.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from .noise_law import NoiseLaw, Untrusted

Array = NDArray[np.float64]

_NODES, _WEIGHTS = legendre.leggauss(10)
_BREAKS = np.array([1.3, 2.6, 4.0, 5.5, 7.5, 10.0, 13.0])  # in standard deviations of u; beyond them is nothing
_NARROW = 0.05
_MOST_ROWS = 4_096  # that are worked on at once
_MOST_STEPS = 60


class Tail(NamedTuple):
    """How likely |ζ + δu| > r is, and the density of |ζ + δu| at r, all of the shape of r."""

    mass: Array
    density: Array


class Shifted:
    """ζ + δu for u in dimension ``dim``."""

    def __init__(self, law: NoiseLaw, dim: int) -> None:
        self.law, self.dim = law, dim
        inside = _BREAKS[_BREAKS < 1.5 * math.sqrt(dim)] / math.sqrt(dim)
        reach = np.append(inside, math.pi / 2)[: len(_BREAKS)]
        self._breaks = np.concatenate([-reach[::-1], [0.0], reach])
        half = np.diff(self._breaks)[:, None] / 2
        nodes = self._breaks[:-1, None] + half + half * _NODES
        self._whole = float((half * _WEIGHTS * self._weight(np.sin(nodes))).sum())

    def _weight(self, u: Array) -> Array:
        weight: Array = np.exp((0.5 * self.dim - 1) * np.log1p(-u * u))
        return weight

    def tail(self, r: Array, delta: Array) -> Tail:
        """Return the tail beyond r ≥ 0, shape (rows,), of δ, shape (rows,)."""
        parts = [
            self._tail(r[first : first + _MOST_ROWS], delta[first : first + _MOST_ROWS])
            for first in range(0, max(len(r), 1), _MOST_ROWS)
        ]
        return Tail(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def _tail(self, r: Array, delta: Array) -> Tail:
        if self.dim == 1:
            ends = np.stack([r - delta, r + delta, -r - delta, -r + delta])
            below, above = self.law.tails(ends)
            return Tail((above[:2].sum(0) + below[2:].sum(0)) / 2, self.law.density(ends).sum(0) / 2)
        right, at_right = self._average(r, delta, 1)
        left, at_left = self._average(-r, delta, 0)
        return Tail(right + left, at_right + at_left)

    def _average(self, at: Array, delta: Array, side: int) -> tuple[Array, Array]:
        """Return P(ζ + δu < at), or > for side 1, and the density there, both (rows,)."""
        reach = delta[:, None] * np.sin(self._breaks)
        breaks = np.concatenate([np.clip(self.law.edges, at[:, None] - reach[:, -1:], at[:, None] + reach[:, -1:]),
                                 at[:, None] - reach], 1)
        breaks.sort(axis=1)
        rows, columns = np.nonzero(np.diff(breaks) > 0)
        left, right, centre, size = breaks[rows, columns], breaks[rows, columns + 1], at[rows, None], delta[rows, None]
        end = np.sin(self._breaks[-1])
        x_left, x_right = np.arcsin(((centre[:, 0] - np.stack([left, right])) / size[:, 0]).clip(-end, end))
        half = (x_left - x_right)[:, None] / 2
        u = np.sin((x_left + x_right)[:, None] / 2 + half * _NODES)
        z = centre - size * u
        weight = half * _WEIGHTS * self._weight(u)
        # A panel that is narrow for u is one of the noise, whose own coordinate keeps its digits.
        narrow = half[:, 0] < _NARROW * np.sqrt(1 - u * u).min(1)
        half = (right - left)[narrow, None] / 2
        z[narrow] = left[narrow, None] + half + half * _NODES
        u = (centre[narrow] - z[narrow]) / size[narrow]
        weight[narrow] = half / size[narrow] * _WEIGHTS * self._weight(u) / np.sqrt(1 - u * u)
        weight /= self._whole
        panels = self.law.panel((left + right) / 2)
        mass = (weight * self.law.tails_on(panels, z)[side]).sum(1)
        density = (weight * self.law.density(z)).sum(1)
        return np.bincount(rows, mass, len(at)), np.bincount(rows, density, len(at))

    def quantile(self, share: float, delta: Array, guess: Array) -> Array:
        """Return the r that |ζ + δu| exceeds with probability ``share`` < 1, shape of δ."""
        low, high = np.zeros_like(guess), np.full_like(guess, np.inf)
        r = guess.copy()
        active = np.arange(len(r))
        for _ in range(_MOST_STEPS):
            mass, density = self.tail(r[active], delta[active])
            miss = mass / share - 1
            here = r[active]
            low[active] = np.where(miss > 0, here, low[active])
            high[active] = np.where(miss < 0, here, high[active])
            # The tail's logarithm is nearly straight in that of r, whether it is a power or falls faster.
            with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
                step = here * np.exp((np.log(np.maximum(mass, 1e-300) / share) * mass / (density * here)).clip(-2, 2))
            inside = (step > low[active]) & (step < high[active])
            halfway = np.where(np.isinf(high[active]), 2 * here, (low[active] + high[active]) / 2)
            r[active] = np.where(np.abs(miss) <= 1e-13, here, np.where(inside, step, halfway))
            # Newton's next error is about the square of this one.
            settled = (np.abs(miss) <= 1e-6) & inside | (np.abs(miss) <= 1e-13)
            settled |= high[active] * (1 - 1e-15) <= low[active]
            active = active[~settled]
            if not len(active):
                return r
        raise Untrusted
