"""The population's excess risk in synthetic regression, which no sample of points is needed for.

x is uniform on the unit sphere and independent of the noise ζ, so the residual at θ has the law of ζ + δu with
δ = ‖θ − θ_gen‖ and u one coordinate of x, and E(δ) = CVaR_β[φ(ζ + δu)] − CVaR_β[φ(ζ)] depends on δ alone. With q such
that ζ + δu lies beyond q or −κq with probability 1 − β, and h = φ' there, else 0,

    E'(δ) = E[u h(ζ + δu)]/(1 − β) = δ/(d(1 − β)) · ∫ p(r) dh(r),

where p is the density of ζ + δv for v a coordinate of a uniform point of the sphere in d + 2 dimensions: partial
integration in u. Nothing on the right is negative, so nothing cancels, however small δ is. κ is how much wider φ is on
the left, φ(−κr) = φ(r): 1 for an even loss, τ/(1 − τ) for pinball loss. A loss that has none has no table.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.polynomial import chebyshev, legendre
from numpy.typing import NDArray
from torch import Tensor

from ..catalogue import Loss, losses, noises
from ..specs import ProblemSpec
from .bends import Bends, slope, stretch, value
from .noise_law import NoiseLaw, Untrusted
from .recorded import fresh_regression
from .shifted import Shifted

Array = NDArray[np.float64]

_COUNT = 11  # points of a panel of log δ
_POINTS = -np.cos(np.pi * np.arange(_COUNT) / (_COUNT - 1))
_TO_SERIES = np.linalg.inv(chebyshev.chebvander(_POINTS, _COUNT - 1))  # from values at the points
_POWERS = [np.pad(chebyshev.cheb2poly(row[: k + 1]), (0, _COUNT - 1 - k)) for k, row in enumerate(np.eye(_COUNT))]
_TO_POWERS = np.stack(_POWERS, 1)
# From values at the points of a panel to those at the points of its halves.
_HALVES = [chebyshev.chebvander((_POINTS + side) / 2, _COUNT - 1) @ _TO_SERIES for side in (-1, 1)]
_NODES, _WEIGHTS = legendre.leggauss(16)
_DERIVATIVE = np.linalg.solve(
    legendre.legvander(_NODES, 15).T, np.stack([legendre.legval(_NODES, legendre.legder(row)) for row in np.eye(16)])
).T
_WIDEST = 3.5  # of a panel of log δ
_RESOLVED = 1e-8  # the last coefficients of the logarithm of E'/δ on a panel
_TRUSTED = 1e-6  # the same, where rounding stands in the way
_MOST_HALVINGS = 15
_MOST_PANELS = 300
_NEAR, _FAR = 1e-4, 1e7  # below and above these multiples of the noise's scales E is a power of δ
_LOOKS = 1_000  # drawn residuals, for a first guess of their quantile
_OUTWARDS, _CURVED_PANELS = 16.0, 16  # how far a curved loss is integrated, as a logarithm, and in how many panels
_VANISHING = 1e-14  # of what E'/δ could be
_LEAST_TAIL = 1e-12  # 1 − β


@dataclass(frozen=True)
class PopulationRisk:
    """The population's optimum, and how far above it a θ is, by its distance from θ_gen. The loss is not scaled.

    Attributes
    ----------
    value
        F* of the population: CVaR_β of φ(ζ).
    """

    value: float
    _edges: Array  # (panels + 1,) of log δ
    _series: Array  # (11, panels) log E/δ² as powers of a panel's own coordinate in [−1, 1]
    _power: float  # with which E' grows beyond the last panel
    _last_slope: float  # δE' at its end, by δ²

    def excess(self, distances: Tensor) -> Tensor:
        """Return E(δ) for distances δ = ‖θ − θ_gen‖ of any shape; 0 for 0."""
        delta = distances.detach().to(torch.float64).numpy()
        with np.errstate(all="ignore"):  # an infinite or a missing distance has an infinite or a missing risk
            y = np.log(delta)
            panel = (np.searchsorted(self._edges, y, side="right") - 1).clip(0, len(self._edges) - 2)
            left, right = self._edges[panel], self._edges[panel + 1]
            local = ((2 * y - left - right) / (right - left)).clip(-1, 1)
            ratio = np.zeros_like(local)
            for powers in self._series[::-1]:
                ratio = ratio * local + powers[panel]
            end = np.exp(self._edges[-1])
            ahead = np.maximum(delta / end, 1.0)
            # E(end) + ∫ of E', which is a power of δ from there on.
            growth = self._last_slope * end * end * np.expm1((1 + self._power) * np.log(ahead)) / (1 + self._power)
            near = np.minimum(delta, end)
            risk = near * near * np.exp(ratio) + np.where(ahead > 1, growth, 0.0)
        return torch.from_numpy(np.asarray(np.where(delta == 0, 0.0, risk)))


@dataclass(frozen=True)
class MixedPopulationRisk:
    """The same of a mix of risks: all have their minimum at θ_gen, so that their excesses add up."""

    parts: tuple[tuple[float, PopulationRisk], ...]  # each with its weight

    @property
    def value(self) -> float:
        return sum(weight * part.value for weight, part in self.parts)

    def excess(self, distances: Tensor) -> Tensor:
        return torch.stack([weight * part.excess(distances) for weight, part in self.parts]).sum(0)


def population_risk(spec: ProblemSpec) -> PopulationRisk | MixedPopulationRisk | None:
    """Return the population's risk of a synthetic regression problem with fresh samples.

    ``None`` for data and drawn samples, which are their own population, for classification, where the risk is infinite,
    and where quadrature does not come out well enough to be relied on.
    """
    if not fresh_regression(spec):
        return None
    assert spec.noise is not None
    assert spec.noise_params is not None
    settings = losses[spec.full_loss], spec.noise, tuple(spec.noise_params.items())
    if spec.mix is None:
        return _tabulated(*settings, spec.beta, spec.dim)
    weights = ((1 - spec.mix, 0.0), (spec.mix, spec.beta))
    found = [(weight, _tabulated(*settings, beta, spec.dim)) for weight, beta in weights if weight > 0]
    known = tuple((weight, part) for weight, part in found if part is not None)
    return MixedPopulationRisk(known) if len(known) == len(found) else None


@functools.lru_cache(maxsize=256)
def _tabulated(
    loss: Loss, noise: str, parameters: tuple[tuple[str, float], ...], beta: float, dim: int
) -> PopulationRisk | None:
    try:
        return _Table(loss, noise, dict(parameters), beta, dim).risk()
    except Untrusted:
        return None


class _Table:
    """What is needed of one problem to tabulate its risk."""

    def __init__(self, loss: Loss, noise: str, parameters: Mapping[str, float], beta: float, dim: int) -> None:
        if 1 - beta < _LEAST_TAIL:
            raise Untrusted
        self.loss, self.share, self.dim = loss, 1 - beta, dim
        self.law = NoiseLaw.build(noises[noise], parameters, functools.partial(value, loss))
        self.bends = Bends.of(loss)
        wider = stretch(loss)
        if wider is None or (wider != 1 and not self.bends.lines):  # the panels of a curved loss are made for even ones
            raise Untrusted
        self.stretch = wider
        self.shifted, self.smoother = Shifted(self.law, dim, wider), Shifted(self.law, dim + 2, wider, power=-1)
        rng = np.random.Generator(np.random.PCG64(0))
        self.noise_looks = noises[noise].sample(rng, _LOOKS, parameters)
        normal = rng.standard_normal(_LOOKS)
        others = rng.chisquare(dim - 1, _LOOKS) if dim > 1 else 0.0
        self.feature_looks = normal / np.sqrt(normal**2 + others)

    def risk(self) -> PopulationRisk:
        none = np.zeros(1)
        alone = Shifted(self.law, 1, self.stretch)
        level = 0.0 if self.share == 1 else float(alone.quantile(self.share, none, self._guess(none))[0])
        near, far = self._scales(level)
        edges, rates = self._resolved(np.log(_NEAR * near), np.log(_FAR * far))
        ratios = _integrated(edges, rates)
        series = _TO_POWERS @ (_TO_SERIES @ np.log(ratios).T)
        power = self._end_power(rates[-1], edges)
        return PopulationRisk(self._value(level), edges, series, power, float(rates[-1, -1]))

    def _guess(self, delta: Array) -> Array:
        """Return rough β-quantiles of how far out ζ + δu lies, shape of δ."""
        looks = self._outwards(self.noise_looks + delta[:, None] * self.feature_looks)
        rank = min(int((1 - self.share) * _LOOKS), _LOOKS - 5)
        guess: Array = np.partition(looks, rank, axis=1)[:, rank]
        return guess

    def _outwards(self, z: Array) -> Array:
        """Return the r ≥ 0 for which z is r or −κr."""
        return np.where(z > 0, z, -z / self.stretch)

    def _scales(self, level: float) -> tuple[float, float]:
        """Return the lengths at which a small δ begins to matter, and at which the noise ceases to."""
        law = self.law
        ends = np.array([-self.stretch * level, level])
        density, here = law.density(ends), law.panel(ends)
        matters = (density > 1e-9 * density.max()) & (here >= 0) & (here < len(law.edges) - 1)
        near = min(np.diff(law.edges)[here[matters]].tolist(), default=law.scale)
        return near, np.sqrt(self.dim) * (law.scale + abs(law.middle) + max(self.stretch, 1.0) * level)

    def _resolved(self, low: float, high: float) -> tuple[Array, Array]:
        """Return edges in log δ and E'/δ at the points of the panels between them, shape (panels, points)."""
        count = int(np.ceil((high - low) / _WIDEST))
        left, width = low + np.arange(count) * (high - low) / count, np.full(count, (high - low) / count)
        done: list[tuple[Array, Array]] = []
        guess = self._guess(np.exp(_spread(left, width).ravel()))
        before = np.full(count, np.inf)  # the error on the panel that this one is half of
        for _ in range(_MOST_HALVINGS):
            if len(left) > _MOST_PANELS:
                raise Untrusted
            y = _spread(left, width)
            delta = np.exp(y.ravel())
            levels = np.zeros_like(delta) if self.share == 1 else self.shifted.quantile(self.share, delta, guess)
            rates = self._rates(levels, delta).reshape(y.shape)
            error = np.abs(np.log(rates) @ _TO_SERIES.T)[:, -2:].max(1)
            ready = (error <= _RESOLVED) | ((error <= _TRUSTED) & (error > before / 4))
            done.append((left[ready], rates[ready]))
            left, width, before = left[~ready], width[~ready] / 2, np.tile(error[~ready], 2)
            if not len(left):
                break
            left, width = np.concatenate([left, left + width]), np.tile(width, 2)
            halves = [levels.reshape(y.shape)[~ready] @ half.T for half in _HALVES]
            guess = np.concatenate(halves).ravel().clip(levels.min())
        if len(left):
            raise Untrusted
        lefts, found = (np.concatenate(parts) for parts in zip(*done, strict=True))
        order = np.argsort(lefts)
        return np.append(lefts[order], high), found[order]

    def _rates(self, levels: Array, delta: Array) -> Array:
        """Return E'(δ)/δ where the β-quantiles are ``levels``, shape of δ."""
        bend = self._straight(levels, delta) if self.bends.lines else self._curved(levels, delta)
        # Far from its kinks a piecewise linear loss has no excess at all, and that has no logarithm.
        reach = levels + delta
        least = _VANISHING * self.share * slope(self.loss, reach) / reach
        if not np.isfinite(bend).all() or (bend < 0).any():
            raise Untrusted
        return (bend + least) / (self.dim * self.share)

    def _straight(self, levels: Array, delta: Array) -> Array:
        """Return ∫ p dh for a slope that consists of lines."""
        mass, density = self.smoother.tail(levels, delta)
        lines = self.bends.lines
        knots = np.array([line.knot for line in lines])
        own = np.searchsorted(knots, levels, side="right") - 1
        starts, rises = np.array([line.start for line in lines]), np.array([line.rise for line in lines])
        bend: Array = (starts[own] + rises[own] * (levels - knots[own])) * density + rises[own] * mass
        for before, after in itertools.pairwise(lines):
            rows = np.flatnonzero(levels < after.knot)
            jump = after.start - before.at(after.knot)
            if len(rows):
                mass, density = self.smoother.tail(np.full(len(rows), after.knot), delta[rows])
                bend[rows] += jump * density + (after.rise - before.rise) * mass
        return bend

    def _curved(self, levels: Array, delta: Array) -> Array:
        """Return ∫ p dh for any slope: on panels from the quantile outwards, which break where δu ends."""
        scale = 0.1 * (self.law.scale + delta / np.sqrt(self.dim))[:, None]
        edges = np.tile(np.linspace(0.0, _OUTWARDS, _CURVED_PANELS + 1), (len(delta), 1))
        end = np.log1p(np.maximum(delta - levels, 0.0)[:, None] / scale)
        nearest = 1 + np.argmin(np.abs(edges[:, 1:-1] - end), axis=1)[:, None]
        inside = (end > edges[:, :1]) & (end < edges[:, -1:])
        np.put_along_axis(edges, nearest, np.where(inside, end, np.take_along_axis(edges, nearest, 1)), 1)
        half = np.diff(edges)[:, :, None] / 2
        r = levels[:, None, None] + scale[:, :, None] * np.expm1(edges[:, :-1, None] + half + half * _NODES)
        _, density = self.smoother.tail(r.ravel(), np.repeat(delta, r[0].size))
        rises = slope(self.loss, r) @ _DERIVATIVE.T  # along a panel's own coordinate
        start = levels if self.share < 1 else 1e-12 * scale[:, 0]  # from the right, if there is a kink at 0
        bend: Array = slope(self.loss, start) * self.smoother.tail(levels, delta).density
        bend += (_WEIGHTS * rises * density.reshape(r.shape)).sum((1, 2))
        return bend

    def _end_power(self, rates: Array, edges: Array) -> float:
        """Return the power of δ that E' ends as."""
        power = 1 + float(np.log(rates[-1] / rates[0]) / (edges[-1] - edges[-2]))
        return float(np.round(power)) if abs(power - np.round(power)) < 1e-4 else power

    def _value(self, level: float) -> float:
        """Return φ(q) + ∫ φ'(s) P(ζ > s or ζ < −κs) ds/(1 − β) from q on."""
        edges = np.concatenate([self._outwards(self.law.edges), [line.knot for line in self.bends.lines], [level]])
        edges = np.unique(edges[edges >= level])
        half = np.diff(edges)[:, None] / 2
        s = edges[:-1, None] + half + half * _NODES
        above = self._beyond(s)
        slopes = slope(self.loss, s)
        with np.errstate(under="ignore"):
            total = float((half * _WEIGHTS * slopes * above).sum())
        # Beyond the last edge both are powers.
        last = edges[-1]
        beyond = float(self._beyond(np.array([last]))[0])
        if beyond > 0:
            density = self.law.density(np.array([-self.stretch * last, last]))
            fall = last * float(self.stretch * density[0] + density[1]) / beyond
            growth = float(np.log2(slope(self.loss, np.array([2 * last])) / slope(self.loss, np.array([last])))[0])
            total += last * beyond * float(slope(self.loss, np.array([last]))[0]) / (fall - growth - 1)
        found = float(value(self.loss, np.array([level]))[0]) + total / self.share
        if not np.isfinite(found):
            raise Untrusted
        return found

    def _beyond(self, s: Array) -> Array:
        """Return P(ζ > s or ζ < −κs), shape of s."""
        found: Array = self.law.tails(s)[1] + self.law.tails(-self.stretch * s)[0]
        return found


def _spread(left: Array, width: Array) -> Array:
    """Return the points of panels, shape (panels, points)."""
    points: Array = left[:, None] + width[:, None] * (_POINTS + 1) / 2
    return points


def _integrated(edges: Array, rates: Array) -> Array:
    """Return ρ = E/δ² at the points of all panels from κ = E'/δ there: ρ' + 2ρ = κ in log δ."""
    found = np.empty_like(rates)
    ratio = rates[0, 0] / 2  # below the first edge E is quadratic
    half = (_POINTS[:, None] + 1) / 2
    t = half - 1 + half * _NODES  # (points, nodes) from a panel's start to each of its points
    lagrange = chebyshev.chebvander(t, _COUNT - 1) @ _TO_SERIES
    for k, width in enumerate(np.diff(edges)):
        kernel = np.exp(-width * (_POINTS[:, None] - t)) * half * _WEIGHTS * width / 2
        # Where E is a power of δ, so is κ, and its logarithm is straight.
        passed = np.exp(-width * (_POINTS + 1)) * ratio
        found[k] = passed + (kernel * np.exp(lagrange @ np.log(rates[k]))).sum(1)
        ratio = found[k, -1]
    return found
