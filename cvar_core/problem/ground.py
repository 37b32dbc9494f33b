"""What a problem's runs stand on: points to evaluate on, starts, and streams of samples. The engine asks for them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ..cancel import Stop, check
from ..catalogue import Loss, losses
from ..compiled import jit
from ..keeping import Kept, once
from ..linear import weigh_squares
from ..specs import ProblemSpec, SpecError
from . import draws, recorded, risk
from .objective import tail_mass
from .points import DensePoints, Points, SparsePoints

_MOST_PREDICTIONS = 2**23  # on test points, at once
_BLOCKS = 2**22  # numbers in the blocks at hand: the methods of one seed follow each other closely, so a few are enough

Arrays = tuple[Any, Tensor]  # features, a tensor of rows or a CSR array, and targets


class Start(NamedTuple):
    """Where the runs of one seed begin."""

    theta: Tensor  # (dim,)
    alpha: float
    initial_loss: float  # ℓ_0, the mean loss at θ_0


class Evaluation(NamedTuple):
    """What points (θ, α) are worth."""

    objectives: Tensor  # (runs,)  F̃(θ, α)
    risks: Tensor  # (runs,)  R(θ) = CVaR_β of the losses at θ, or its mix with their mean; never above the objective
    measures: Tensor  # (runs, len(measure_names))


class Samples(NamedTuple):
    """Consecutive samples of one seed's stream."""

    x: Tensor  # (count, dim)
    y: Tensor  # (count,)
    norms: Tensor  # (count,)  ‖x‖²

    def norms_in(self, metric: Tensor) -> Tensor:
        """Return Σ_j m_j x_j² of each sample, shape (count,); m (dim,), or one number, which is 1."""
        if metric.dim() == 0:
            return self.norms
        out = torch.empty_like(self.y)
        jit(weigh_squares)(self.x.contiguous().numpy(), metric.contiguous().numpy(), out.numpy())
        return out


class SparseSamples(NamedTuple):
    """Consecutive samples of one seed's stream from sparse data: the rows are named, not copied."""

    points: SparsePoints
    rows: Tensor  # (count,) their numbers


class Ground:
    """Points, starts and samples of a problem, made when they are first asked for, and what points (θ, α) are worth."""

    def __init__(self, spec: ProblemSpec, arrays: Arrays | None = None, test: Arrays | None = None) -> None:
        self.spec = spec
        self._arrays = arrays
        self._test = test
        self._lock = threading.RLock()
        self._blocks: Kept[tuple[int, int], Samples] = Kept(_BLOCKS, size=_room)
        self._starts: dict[int, Start] = {}
        self._slopes: dict[int, float] = {}  # E[ℓ'²] at the start of a seed
        self._points: Points | None = None
        self._test_points: Points | None = None

    def in_unit(self, scale: float) -> Ground:
        """Return the ground of the problem with its loss in another unit; points and samples are shared."""
        other = Ground(replace(self.spec, scale=scale), self._arrays, self._test)
        other._points, other._test_points, other._blocks = self.points, self.test_points, self._blocks
        return other

    @property
    def loss(self) -> Loss:
        return losses[self.spec.full_loss]

    @once
    def theta_gen(self) -> Tensor:
        """The parameters that generated a synthetic problem's data, shape (dim,)."""
        return draws.theta_gen(self.spec)

    @property
    def points(self) -> Points:
        """The points that the objective is evaluated on; drawn when first asked for."""
        with self._lock:
            if self._points is None:
                points = self._drawn() if self._arrays is None else _points(*self._arrays, self.loss)
                at_zero = self.loss.value(torch.zeros_like(points.target), points.target)
                if not bool(torch.isfinite(at_zero.sum())):
                    raise SpecError(f"the targets are so large that {self.spec.loss} loss overflows; scale them down")
                self._points = points
            return self._points

    @property
    def test_points(self) -> Points | None:
        """The held-out points, if there are any."""
        with self._lock:
            if self._test_points is None and self._test is not None:
                self._test_points = _points(*self._test, self.loss)
            return self._test_points

    def _drawn(self) -> Points:
        spec = self.spec
        columns = draws.features(spec.dim, spec.eval_size, spec.seed)
        target, _ = draws.targets(spec, torch.mv(columns.T, self.theta_gen))
        reference = self.theta_gen if self.loss.task == "regression" else None
        return DensePoints.build(columns, target, self.loss, reference)

    def objectives(self, thetas: Tensor, alphas: Tensor, stop: Stop | None = None) -> Tensor:
        """Return F̃ at each (θ, α): thetas (runs, dim), alphas (runs,); shape (runs,)."""
        points, levels = self.points, alphas.clamp(min=0) / self.spec.scale
        sums, means = [], []
        for here in self._groups(len(thetas), stop):
            sums.append(points.tail_sums(self.loss, thetas[here], levels[here]))
            means.append(self._means(thetas[here]))
        return self._mixed(torch.cat(means), self._tail_objectives(torch.cat(sums), alphas))

    def risks(self, thetas: Tensor, stop: Stop | None = None) -> Tensor:
        """Return R, the risk of the losses of all points, at each of thetas (runs, dim); shape (runs,)."""
        points, spec = self.points, self.spec
        tails, means = [], []
        for here in self._groups(len(thetas), stop, risks=True):
            tails.append(risk.risks(points, self.loss, thetas[here], spec.beta))
            means.append(self._means(thetas[here]))
        return self._mixed(torch.cat(means), spec.scale * torch.cat(tails))

    def evaluate(self, thetas: Tensor, alphas: Tensor, stop: Stop | None = None) -> Evaluation:
        """Return F̃ at each (θ, α), and R and the measures of θ, in one pass: thetas (runs, dim), alphas (runs,)."""
        points, test, spec = self.points, self.test_points, self.spec
        measuring, regression = bool(self.measure_names), self.loss.task == "regression"
        # In regression a survey sums the losses. In classification it counts, and a mean takes a pass of its own.
        levels, surveying = alphas.clamp(min=0) / spec.scale, measuring or (regression and spec.mix is not None)
        unit = spec.scale if regression else 1.0
        sums, risks, means, measured = [], [], [], []
        for here in self._groups(len(thetas), stop, risks=True):
            tails, others, worst = risk.evaluate(points, self.loss, thetas[here], levels[here], spec.beta, surveying)
            surveyed = unit * others / points.count
            trained = [surveyed] if measuring else []
            tested = [] if test is None else recorded.on_test(test, self.loss, spec, thetas[here])
            sums.append(tails)
            risks.append(spec.scale * worst)
            means.append(surveyed if regression else self._means(thetas[here]))
            measured.append(torch.stack([*trained, *tested], dim=1) if measuring else tails.new_empty(len(tails), 0))
        mean = torch.cat(means)
        objectives = self._mixed(mean, self._tail_objectives(torch.cat(sums), alphas))
        lowest = self._mixed(mean, torch.cat(risks))
        # R is the least F̃ over α: where both are that, they are summed in another order, and differ by rounding.
        return Evaluation(objectives, torch.minimum(lowest, objectives), torch.cat(measured))

    def _means(self, thetas: Tensor) -> Tensor:
        """Return the mean loss at each of thetas, shape (runs,); zeros where it does not count."""
        zeros = torch.zeros(len(thetas), dtype=torch.float64)
        if self.spec.mix is None:
            return zeros
        # Losses are never negative, so the sum above α = 0 is the sum of them all.
        return self.spec.scale * self.points.tail_sums(self.loss, thetas, zeros) / self.points.count

    def _mixed(self, means: Tensor, tails: Tensor) -> Tensor:
        """Return (1 − μ)·mean + μ·tail; a part that does not count may be infinite."""
        mix = self.spec.tail_weight
        return tails if mix == 1 else means if mix == 0 else (1 - mix) * means + mix * tails

    def _groups(self, runs: int, stop: Stop | None, risks: bool = False) -> Iterator[slice]:
        """Cut runs into groups that take about 0.2 seconds, and make no more predictions than fit."""
        group = max(1, int((0.9e9 if risks else 2e9) // self.points.work))
        if self.test_points is not None:
            group = max(1, min(group, _MOST_PREDICTIONS // self.test_points.count))
        for first in range(0, runs, group):
            check(stop)
            yield slice(first, first + group)

    def _tail_objectives(self, sums: Tensor, alphas: Tensor) -> Tensor:
        """Return F̃_β from the sums above α."""
        # Losses are never negative: below α = 0 the sum is linear in α, and adding it exactly keeps all digits.
        mass = tail_mass(self.points.count, self.spec.beta)
        below = alphas.clamp(max=0) * (1 - self.points.count / mass)
        return alphas.clamp(min=0) + self.spec.scale * sums / mass + below

    @property
    def measure_names(self) -> tuple[str, ...]:
        """What a point is measured by beside the objective; nothing but for data sets."""
        return recorded.names(self.spec)

    def measures(self, thetas: Tensor, stop: Stop | None = None) -> Tensor:
        """Return the measures of each θ: thetas (runs, dim); shape (runs, len(measure_names))."""
        return self.evaluate(thetas, torch.zeros(len(thetas), dtype=torch.float64), stop).measures

    def start(self, seed: int) -> Start:
        """Return θ_0, α_0 and ℓ_0 of a run's seed."""
        with self._lock:
            if seed not in self._starts:
                theta, alpha = draws.start(seed, self.spec)
                zero = torch.zeros(1, dtype=torch.float64)
                # Losses are never negative, so the sum above α = 0 is the sum of them all.
                mean = float(self.points.tail_sums(self.loss, theta.unsqueeze(0), zero)) / self.points.count
                self._starts[seed] = Start(theta, self.spec.scale * alpha, self.spec.scale * (mean or 1.0))
            return self._starts[seed]

    def slope_squares(self, seed: int) -> Tensor:
        """Return E[ℓ'²] E[x_j²] for each j, with the losses' slopes ℓ' in the prediction at a seed's θ_0, (dim,)."""
        with self._lock:
            if seed not in self._slopes:
                points, theta = self.points, self.start(seed).theta
                slopes = self.spec.scale * self.loss.slope(points.predict(theta), points.target)
                self._slopes[seed] = float(slopes.square().numpy().mean())  # numpy's does not depend on threads
            return self._slopes[seed] * self._feature_squares

    @once
    def _feature_squares(self) -> Tensor:
        points = self.points
        return points.combine_squares(torch.ones(points.count, dtype=torch.float64)) / points.count

    @property
    def block_length(self) -> int:
        """How many samples one block of the stream holds."""
        return draws.SPARSE_BLOCK if self.spec.nonzeros is not None else draws.block_length(self.spec.dim)

    def sparse_samples(self, seed: int, first: int, last: int) -> SparseSamples:
        """Return samples first … last−1 of a run's seed on sparse data; they must lie in one block of the stream."""
        points, length = self.points, self.block_length
        assert isinstance(points, SparsePoints)
        number = first // length
        assert (last - 1) // length == number, "samples are served block by block"
        index = draws.index_block(points.count, length, seed, number)
        return SparseSamples(points, index[first - number * length : last - number * length])

    def samples(self, seed: int, first: int, last: int) -> Samples:
        """Return samples first … last−1 of a run's seed; they must lie in one block of the stream."""
        length = self.block_length
        number = first // length
        assert (last - 1) // length == number, "samples are served block by block"
        block = self._block(seed, number)
        here = slice(first - number * length, last - number * length)
        return Samples(block.x[here], block.y[here], block.norms[here])

    def _block(self, seed: int, number: int) -> Samples:
        return self._blocks.get((seed, number), lambda: self._drawn_block(seed, number))

    def _drawn_block(self, seed: int, number: int) -> Samples:
        if self.spec.data is None and self.spec.sample_size is None:
            x, y = draws.fresh_block(self.spec, self.theta_gen, seed, number)
        else:
            index = draws.index_block(self.points.count, self.block_length, seed, number)
            # The arrays' own rows lie together in memory; those of the points, which are columns, do not.
            x = self.points.rows(index) if self._arrays is None else self._arrays[0][index]
            y = self.points.target[index]
        return Samples(x, y, (x * x).sum(1))


def _room(block: Samples) -> int:
    """Return how much of the room for blocks one of them takes: never so much that two do not fit."""
    return min(max(block.x.numel(), _BLOCKS // 64), _BLOCKS // 2)


def _points(matrix: Any, target: Tensor, loss: Loss) -> Points:
    if isinstance(matrix, Tensor):
        return DensePoints.build(matrix.T.contiguous(), target, loss)
    return SparsePoints(matrix, target)
