"""A finite set of points (x_i, y_i), dense or sparse: what an objective is evaluated on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch
from torch import Tensor

from ..catalogue import Loss
from ..compiled import jit
from ..keeping import once
from ..linear import weigh_sparse_squares
from . import evaluation, risk, selection, sparse_sums
from .selection import Kept, Levels

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Points(Protocol):
    """What the objective, the optimum and the sampler ask of a set of points."""

    @property
    def target(self) -> Tensor: ...  # (count,)
    @property
    def count(self) -> int: ...
    @property
    def dim(self) -> int: ...
    @property
    def work(self) -> float: ...  # how many numbers are read to evaluate one θ, in those of a dense row
    def predict(self, theta: Tensor) -> Tensor:
        """Return x_i·θ for all i, shape (count,)."""

    def combine(self, weights: Tensor) -> Tensor:
        """Return Σ_i w_i x_i, shape (dim,)."""

    def combine_squares(self, weights: Tensor) -> Tensor:
        """Return Σ_i w_i x_{i,j}² for each coordinate j, shape (dim,)."""

    def rows(self, index: Tensor) -> Tensor:
        """Return the x_i of ``index`` as rows, shape (len(index), dim)."""

    def extremes(self) -> Tensor:
        """Return the numbers of the points that are largest or smallest in some column, some of them twice."""

    def subset(self, index: Tensor) -> Points:
        """Return the points of ``index`` as a set of their own."""

    def predictions(self, thetas: Tensor) -> Tensor:
        """Return x_i·θ for all i and each row of ``thetas``, shape (runs, count)."""

    def tail_sums(self, loss: Loss, thetas: Tensor, alphas: Tensor) -> Tensor:
        """Return Σ_i max(ℓ_i(θ) − α, 0) for each row of ``thetas``, shape (runs,)."""

    def survey(self, loss: Loss, thetas: Tensor, alphas: Tensor) -> tuple[Tensor, Tensor]:
        """Return the same, and how many points are on their right side (in regression, Σ_i ℓ_i), both (runs,)."""

    @property
    def thinned(self) -> Points: ...  # some of the points, see ``risk.thinning``
    def keep(
        self,
        loss: Loss,
        thetas: Tensor,
        levels: Levels,
        room: int,
        alphas: Tensor | None = None,
        surveying: bool = False,
    ) -> tuple[Tensor, Tensor, Kept]:
        """Return what ``survey`` does, zeros where it was not asked for, and what one pass finds above ``levels``.

        For a loss with a scalar form. There is room for ``room`` keys of each θ.
        """

    def value_of_key(self, loss: Loss) -> Callable[..., Any]:
        """Return key ↦ loss for the keys that ``keep`` returns."""


@dataclass(frozen=True)
class DensePoints:
    """Points as columns: contiguous along the points, which is what the fused sums want."""

    columns: Tensor  # (dim, count)
    target: Tensor  # (count,)
    reference: Tensor  # (dim,)  θ_r
    block_scores: Tensor = field(repr=False)  # (blocks,) the largest score at θ_r in each block
    block_norms: Tensor = field(repr=False)  # (blocks,) the largest ‖x_i‖ in each block

    @classmethod
    def build(cls, columns: Tensor, target: Tensor, loss: Loss, reference: Tensor | None = None) -> DensePoints:
        if reference is None:
            reference = torch.zeros(len(columns), dtype=torch.float64)
        prediction = reference @ columns
        score = (prediction - target).abs() if loss.task == "regression" else -target * prediction
        squares = np.einsum("ij,ij->j", columns.numpy(), columns.numpy())  # torch's norm takes twenty times as long
        norms = torch.from_numpy(squares).sqrt()
        return cls(columns, target, reference, _block_max(score), _block_max(norms))

    @property
    def count(self) -> int:
        return len(self.target)

    @property
    def dim(self) -> int:
        return len(self.columns)

    @property
    def work(self) -> float:
        return self.count * (self.dim + 5)

    def predict(self, theta: Tensor) -> Tensor:
        return evaluation.predict(self.columns, theta)

    def combine(self, weights: Tensor) -> Tensor:
        return evaluation.combine(self.columns, weights)

    def combine_squares(self, weights: Tensor) -> Tensor:
        # Column by column: all of the squares together would be a second copy of the points.
        return torch.cat([evaluation.combine(column.square().unsqueeze(0), weights) for column in self.columns])

    def rows(self, index: Tensor) -> Tensor:
        return self.columns[:, index].T.contiguous()

    def extremes(self) -> Tensor:
        return torch.cat([self.columns.argmax(1), self.columns.argmin(1)])

    def subset(self, index: Tensor) -> DensePoints:
        none = torch.empty(0, dtype=torch.float64)  # a subset is solved on, never swept over
        return DensePoints(self.columns[:, index].contiguous(), self.target[index], self.reference, none, none)

    def predictions(self, thetas: Tensor) -> Tensor:
        return evaluation.predictions(self.columns, thetas)

    @once
    def thinned(self) -> DensePoints:
        index = risk.thinning(self.count)
        always = torch.full(
            (-(-len(index) // evaluation.BLOCK),), torch.inf, dtype=torch.float64
        )  # no block is skipped
        columns = self.columns[:, index].contiguous()
        return DensePoints(columns, self.target[index], self.reference, always, torch.ones_like(always))

    def keep(
        self,
        loss: Loss,
        thetas: Tensor,
        levels: Levels,
        room: int,
        alphas: Tensor | None = None,
        surveying: bool = False,
    ) -> tuple[Tensor, Tensor, Kept]:
        return evaluation.keep(self, loss, thetas, levels, room, alphas, surveying)

    def value_of_key(self, loss: Loss) -> Callable[..., Any]:
        return selection.keys(loss)[1]

    def tail_sums(self, loss: Loss, thetas: Tensor, alphas: Tensor) -> Tensor:
        if loss.scalar is None:
            return _hinge_sums(loss, self, thetas, alphas)
        return evaluation.tail_sums(self, loss, thetas, alphas)

    def survey(self, loss: Loss, thetas: Tensor, alphas: Tensor) -> tuple[Tensor, Tensor]:
        if loss.scalar is None:
            return _hinge_sums(loss, self, thetas, alphas), _companion_sums(loss, self, thetas)
        return evaluation.survey(self, loss, thetas, alphas)


def _block_max(values: Tensor) -> Tensor:
    short = -len(values) % evaluation.BLOCK
    padded = torch.nn.functional.pad(values, (0, short), value=-torch.inf)
    return padded.view(-1, evaluation.BLOCK).amax(1)


@dataclass(frozen=True)
class SparsePoints:
    """Points as rows of a scipy CSR array, which is never made dense as a whole."""

    matrix: csr_array
    target: Tensor  # (count,)

    @property
    def count(self) -> int:
        return len(self.target)

    @property
    def dim(self) -> int:
        return int(self.matrix.shape[1])

    @property
    def work(self) -> float:
        return 5.0 * (int(self.matrix.nnz) + self.count)

    @once
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where each row begins, and the columns and values of its non-zeros: one type for each, for the kernels."""
        matrix = self.matrix
        return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data

    @once
    def norms(self) -> Tensor:
        """‖x_i‖², shape (count,)."""
        return _tensor(np.asarray(self.matrix.multiply(self.matrix).sum(axis=1)).ravel())

    def norms_of(self, index: Tensor, metric: Tensor) -> Tensor:
        """Return Σ_j m_j x_{i,j}² for the i of ``index``, shape (len(index),); m (dim,), or one number, which is 1."""
        if metric.dim() == 0:
            return self.norms[index]
        out = torch.empty(len(index), dtype=torch.float64)
        jit(weigh_sparse_squares)(*self.arrays, index.numpy(), metric.contiguous().numpy(), out.numpy())
        return out

    def predict(self, theta: Tensor) -> Tensor:
        return _tensor(self.matrix @ theta.numpy())

    def combine(self, weights: Tensor) -> Tensor:
        return _tensor(self.matrix.T @ weights.numpy())

    def combine_squares(self, weights: Tensor) -> Tensor:
        return _tensor(self.matrix.multiply(self.matrix).T @ weights.numpy())

    def rows(self, index: Tensor) -> Tensor:
        return _tensor(self.matrix[index.numpy()].toarray())

    def extremes(self) -> Tensor:
        found = [np.asarray(each(axis=0)).ravel() for each in (self.matrix.argmax, self.matrix.argmin)]
        return _tensor(np.concatenate(found).astype(np.int64))

    def subset(self, index: Tensor) -> SparsePoints:
        return SparsePoints(self.matrix[index.numpy()], self.target[index])

    def predictions(self, thetas: Tensor) -> Tensor:
        return sparse_sums.predictions(self, thetas)

    @once
    def thinned(self) -> SparsePoints:
        return self.subset(risk.thinning(self.count))

    def keep(
        self,
        loss: Loss,
        thetas: Tensor,
        levels: Levels,
        room: int,
        alphas: Tensor | None = None,
        surveying: bool = False,
    ) -> tuple[Tensor, Tensor, Kept]:
        return sparse_sums.keep(self, loss, thetas, levels, room, alphas)

    def value_of_key(self, loss: Loss) -> Callable[..., Any]:
        return selection.same

    def tail_sums(self, loss: Loss, thetas: Tensor, alphas: Tensor) -> Tensor:
        if loss.scalar is None:
            return _hinge_sums(loss, self, thetas, alphas)
        return sparse_sums.tail_sums(self, loss, thetas, alphas)

    def survey(self, loss: Loss, thetas: Tensor, alphas: Tensor) -> tuple[Tensor, Tensor]:
        if loss.scalar is None:
            return _hinge_sums(loss, self, thetas, alphas), _companion_sums(loss, self, thetas)
        return sparse_sums.survey(self, loss, thetas, alphas)


def _hinge_sums(loss: Loss, points: Points, thetas: Tensor, alphas: Tensor) -> Tensor:
    return torch.stack([_hinge_sum(loss, points, theta, alpha) for theta, alpha in zip(thetas, alphas, strict=True)])


def _hinge_sum(loss: Loss, points: Points, theta: Tensor, alpha: Tensor) -> Tensor:
    excess = loss.value(points.predict(theta), points.target) - alpha
    return torch.as_tensor(excess.clamp_(min=0).numpy().sum())  # numpy's sum does not depend on threads


def _companion_sums(loss: Loss, points: Points, thetas: Tensor) -> Tensor:
    if loss.task == "regression":
        return _hinge_sums(loss, points, thetas, torch.zeros(len(thetas), dtype=torch.float64))  # no loss is below 0
    return (points.predictions(thetas) * points.target > 0).sum(1).to(torch.float64)


def _tensor(array: Any) -> Tensor:
    return torch.from_numpy(array)
