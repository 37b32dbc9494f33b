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
    """How likely ζ + δu lies beyond r or −κr, and the density of that, both of the shape of r."""

    mass: Array
    density: Array


class Shifted:
    """ζ + δu for u in dimension ``dim``, from both ends inwards: −κr is as far out as r, where κ is the ``stretch``.

    ``power`` is what the density on the left is worth, as a power of κ. With 1 it is the rate at which the mass falls
    with r. A loss with φ(−κr) = φ(r) has φ'(−κr) = −φ'(r)/κ: it is −1 for what is weighed with φ' and φ''.
    """

    def __init__(self, law: NoiseLaw, dim: int, stretch: float = 1.0, power: int = 1) -> None:
        self.law, self.dim, self.stretch = law, dim, stretch
        self._left_mass, self._left_density = stretch ** (power - 1), stretch**power
        inside = _BREAKS[1.5 * math.sqrt(dim) > _BREAKS] / math.sqrt(dim)
        reach = np.append(inside, math.pi / 2)[: len(_BREAKS)]
        self._breaks = np.concatenate([-reach[::-1], [0.0], reach])
        half = np.diff(self._breaks)[:, None] / 2
        nodes = self._breaks[:-1, None] + half + half * _NODES
        self._whole = float((half * _WEIGHTS * self._weight(np.cos(nodes))).sum())

    def _weight(self, cosine: Array) -> Array:
        with np.errstate(under="ignore"):
            weight: Array = cosine ** (self.dim - 2.0)
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
            left = -self.stretch * r
            ends = np.stack([r - delta, r + delta, left - delta, left + delta])
            below, above = self.law.tails(ends)
            density = self.law.density(ends)
            density[2:] *= self._left_density
            return Tail((above[:2].sum(0) + self._left_mass * below[2:].sum(0)) / 2, density.sum(0) / 2)
        right, at_right = self._average(r, delta, 1)
        left, at_left = self._average(-self.stretch * r, delta, 0)
        return Tail(right + self._left_mass * left, at_right + self._left_density * at_left)

    def _average(self, at: Array, delta: Array, side: int) -> tuple[Array, Array]:
        """Return P(ζ + δu < at), or > for side 1, and the density there, both (rows,)."""
        centres, sizes = at[:, None], delta[:, None]
        inner = np.broadcast_to(self._breaks, (len(at), len(self._breaks)))
        reach = sizes * math.sin(self._breaks[-1])
        edges = np.clip(self.law.edges, centres - reach, centres + reach)
        # Every break keeps the coordinate that it was given in: the other one is rounded.
        end = self._breaks[-1]
        x_breaks = np.concatenate([np.arcsin(((centres - edges) / sizes).clip(-1, 1)).clip(-end, end), inner], 1)
        z_breaks = np.concatenate([edges, centres - sizes * np.sin(inner)], 1)
        order = np.argsort(-x_breaks, axis=1, kind="stable")
        x_breaks, z_breaks = np.take_along_axis(x_breaks, order, 1), np.take_along_axis(z_breaks, order, 1)
        rows, columns = np.nonzero((np.diff(x_breaks) < 0) | (np.diff(z_breaks) > 0))
        x_left, x_right = x_breaks[rows, columns], x_breaks[rows, columns + 1]
        left, right = z_breaks[rows, columns], z_breaks[rows, columns + 1]
        centre, size, half = centres[rows], sizes[rows], (x_left - x_right)[:, None] / 2
        x = (x_left + x_right)[:, None] / 2 + half * _NODES
        cosine = np.cos(x)
        z = centre - size * np.sin(x)
        weight = half * _WEIGHTS * self._weight(cosine)
        # A panel that is narrow for u is one of the noise, whose own coordinate keeps its digits.
        least = cosine.min(1)
        narrow = (half[:, 0] < _NARROW * least) & (least > 1e-6) & (left < right)
        half = (right - left)[narrow, None] / 2
        z[narrow] = left[narrow, None] + half + half * _NODES
        u = (centre[narrow] - z[narrow]) / size[narrow]
        cosine = np.sqrt((1 - u) * (1 + u))
        weight[narrow] = half / size[narrow] * _WEIGHTS * self._weight(cosine) / cosine
        weight /= self._whole
        panels = self.law.panel((left + right) / 2)
        mass = (weight * self.law.tails_on(panels, z)[side]).sum(1)
        density = (weight * self.law.density(z)).sum(1)
        return _sums(rows, mass, len(at)), _sums(rows, density, len(at))

    def quantile(self, share: float, delta: Array, guess: Array) -> Array:
        """Return the r beyond which ζ + δu lies with probability ``share`` < 1, shape of δ."""
        low, high = np.zeros_like(guess), np.full_like(guess, np.inf)
        r = guess.copy()
        active = np.arange(len(r))
        for _ in range(_MOST_STEPS):
            mass, density = self.tail(r[active], delta[active])
            here = r[active]
            # The smaller of both tails is nearly a power of r, or falls faster: Newton is good at its logarithm.
            part, wanted, sign = (mass, share, -1.0) if share <= 0.5 else (1 - mass, 1 - share, 1.0)
            miss = sign * np.log(np.maximum(part, 1e-300) / wanted)  # above 0 where r is too large
            low[active] = np.where(miss < 0, here, low[active])
            high[active] = np.where(miss > 0, here, high[active])
            with np.errstate(all="ignore"):
                step = here * np.exp((-miss * part / (density * here)).clip(-2, 2))
            inside = (step > low[active]) & (step < high[active])
            halfway = np.where(np.isinf(high[active]), 2 * here, (low[active] + high[active]) / 2)
            close = np.abs(miss) <= 1e-11 + 1e-13 / wanted  # nothing but rounding
            r[active] = np.where(close, here, np.where(inside, step, halfway))
            # Newton's next error is about the square of this one.
            settled = (np.abs(miss) <= 1e-6) & inside | close
            settled |= high[active] * (1 - 1e-15) <= low[active]
            active = active[~settled]
            if not len(active):
                return r
        raise Untrusted


def _sums(rows: NDArray[np.intp], values: Array, count: int) -> Array:
    return np.asarray(np.bincount(rows, values, count), dtype=np.float64)
