"""SGM for any torch model: the stochastic subgradient method (Meng and Gower, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.optim.optimizer import ParamsT

from .batch_model import Piece, Threshold, subgradient_pieces
from .losses_of_a_batch import Batch
from .tail_optimizer import TailOptimizer


class SGM(TailOptimizer):
    """A subgradient step on the Rockafellar–Uryasev objective, in the parameters θ and the threshold α.

    With c = 1/(1 − β) and 1[·] for what is above the threshold,

        θ ← θ − λ c mean_i 1[ℓ_i > α] v_i,    α ← α − λ (1 − c mean_i 1[ℓ_i > α]).

    Its parameters are those of ``SPL``, but for ``cut``, which a linear model does not have, and

    Parameters
    ----------
    max_norm
        Clips the slope in θ to that norm. It makes sense here alone: nothing else bounds the step.

    >>> import torch
    >>> model = torch.nn.Linear(3, 1)
    >>> opt = SGM(model.parameters(), beta=0.95, lam=0.1)
    >>> losses = opt.step(lambda: model(torch.ones(8, 3))[:, 0] ** 2)
    """

    def __init__(
        self,
        params: ParamsT,
        beta: float = 0.95,
        lam: float = 0.1,
        *,
        mix: float = 1.0,
        alpha: float | None = None,
        initial_loss: float | None = None,
        decay: bool = True,
        max_norm: float | None = None,
        weight_decay: float = 0.0,
        average: str | float | None = None,
        foreach: bool = True,
    ) -> None:
        if max_norm is not None and not max_norm > 0:
            raise ValueError(f"max_norm is {max_norm}; it is a number above 0, or None")
        super().__init__(
            params, lam, alpha=alpha, initial_loss=initial_loss, beta=beta, mix=mix, decay=decay, max_norm=max_norm,
            weight_decay=weight_decay, average=average, foreach=foreach,
        )  # fmt: skip

    def _pieces(self, losses: Tensor, at: Threshold) -> list[Piece]:
        return subgradient_pieces(losses, at)

    def _multipliers(self, pieces: list[Piece], gram: list[list[float]]) -> list[float]:
        return [1.0 for _ in pieces]

    def _slopes(self, batch: Batch, piece: Piece, params: Sequence[Tensor], last: bool) -> list[Tensor | None]:
        found = super()._slopes(batch, piece, params, last)
        if (most := self._shared("max_norm")) is not None:
            torch.nn.utils.clip_grad_norm_(params, most, foreach=self._shared("foreach"))
        return found
