"""SPL and SPL₊ for any torch model: the loss is linearised inside the max (Meng and Gower, Algorithm 2 and Lemma 1)."""

from __future__ import annotations

from torch import Tensor
from torch.optim.optimizer import ParamsT

from .batch_model import CUTS, Piece, Threshold, dual_weights, prox_linear_pieces
from .tail_optimizer import TailOptimizer


class SPL(TailOptimizer):
    """The stochastic prox-linear method, with one step size λ for the parameters θ and the threshold α.

    On one sample it takes the paper's step: with η = min{c, max(ℓ − α + λ_α, 0)/(λ_θ‖v‖² + λ_α)} and c = 1/(1 − β),

        θ ← θ − λ_θ η v,    α ← α − λ_α + λ_α η.

    On a batch it takes the step of ``batch_model``, which is ours: one backward pass over the samples of the tail,
    and none where no sample is in it. A steep gradient makes that step short, so there is no clipping: a gradient
    that is clipped would make it longer.

    Parameters
    ----------
    params
        As for every torch optimiser: parameters, or groups. A group may have its own ``lam`` and ``weight_decay``.
        There is one α for all; it takes the λ of the first group.
    beta
        The level: 0.95 minimises the mean of the worst 5% of the losses.
    lam
        λ. Groups have it as ``lr``, so that torch's schedulers work on it.
    mix
        The weight μ of CVaR in (1 − μ)·mean + μ·CVaR. Below 1, losses must not be negative, and a step takes two
        backward passes.
    alpha, initial_loss
        α_0 and ℓ_0; by default the β-quantile and the mean of the first batch's losses.
    decay
        Whether λ_t = λ/√(t+1); ``False`` leaves λ to a scheduler.
    cut
        Which samples of a batch are in its model: ``"shifted"``, ``"now"`` or ``"implicit"``; see ``batch_model``.
    weight_decay
        Decoupled, and implicit: θ is divided by 1 + λ_t · weight_decay, whatever the unit of the loss.
    average
        ``None`` keeps no average (of a network the last iterate is the usual choice), ``"uniform"`` the mean of all
        iterates, of which theory speaks for convex losses, a number such as 0.999 an exponential average. See
        ``averaged``.
    foreach
        Whether tensors are updated together, or one after the other.

    >>> import torch
    >>> torch.manual_seed(0).initial_seed()
    0
    >>> model, x, y = torch.nn.Linear(3, 1), torch.randn(64, 3), torch.randn(64)
    >>> opt = SPL(model.parameters(), beta=0.9, lam=0.1)
    >>> for _ in range(20):
    ...     losses = opt.step(lambda: (model(x)[:, 0] - y) ** 2)
    >>> bool(opt.alpha < losses.max())
    True
    """

    _FURTHER: tuple[str, ...] = ()  # settings that a method on this model has beside these

    def __init__(
        self,
        params: ParamsT,
        beta: float = 0.95,
        lam: float = 1.0,
        *,
        mix: float = 1.0,
        alpha: float | None = None,
        initial_loss: float | None = None,
        decay: bool = True,
        cut: str = "shifted",
        weight_decay: float = 0.0,
        average: str | float | None = None,
        foreach: bool = True,
        **more: object,
    ) -> None:
        if cut not in CUTS:
            raise ValueError(f"cut is {cut!r}; choose from {', '.join(CUTS)}")
        if unknown := sorted(set(more) - set(self._FURTHER)):
            raise TypeError(f"{type(self).__name__} has no setting {unknown[0]!r}")
        super().__init__(
            params, lam, alpha=alpha, initial_loss=initial_loss, beta=beta, mix=mix, decay=decay, cut=cut,
            weight_decay=weight_decay, average=average, foreach=foreach, **more,
        )  # fmt: skip

    def _pieces(self, losses: Tensor, at: Threshold) -> list[Piece]:
        if at.mix < 1 and float(losses.min()) < 0:
            raise ValueError(f"a loss is {float(losses.min()):g}; with mix below 1 losses must not be negative")
        return prox_linear_pieces(losses, at, self._shared("cut"))

    def _multipliers(self, pieces: list[Piece], gram: list[list[float]]) -> list[float]:
        return dual_weights([piece.value for piece in pieces], gram)


class SPLPlus(SPL):
    """SPL₊: SPL with λ_θ = λ/ℓ_0 and λ_α = λ ℓ_0, so that λ does not depend on the unit of the loss.

    Its parameters are those of ``SPL``. ℓ_0 is the mean loss at the start, by default of the first batch.

    >>> import torch
    >>> model = torch.nn.Linear(3, 1)
    >>> opt = SPLPlus(model.parameters(), beta=0.95, lam=1.0)
    >>> losses = opt.step(lambda: model(torch.ones(8, 3))[:, 0] ** 2)
    """

    def _units(self, initial_loss: float) -> tuple[float, float]:
        return 1 / positive(initial_loss), initial_loss


def positive(initial_loss: float) -> float:
    """Return ℓ_0, or say that it is no unit to measure by."""
    if not initial_loss > 0:
        raise ValueError(
            f"the mean loss at the start is {initial_loss:g}; λ is measured by it, so that it has to be positive: "
            "pass initial_loss"
        )
    return initial_loss
