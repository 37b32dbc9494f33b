"""The optimisers of a study: those of ``cvar_core.optim``, and what people use instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.optim import SGD, Adam, Optimizer

from ..catalogue.registry import Registry
from ..optim import SGM, SPL, SPLU, NotFinite, SPLPlus
from ..optim.losses_of_a_batch import on_host

Closure = Callable[[], Tensor]


class Stepping(Protocol):
    """What takes a step on the losses of a batch."""

    def step(self, closure: Closure) -> object: ...


@dataclass(frozen=True)
class Trainer:
    """``make(parameters, lam, beta, decay)`` begins a training; ``decay`` tells whether λ_t = λ/√(t+1).

    ``decays`` tells whether it usually does: in the paper's methods it does, and torch's optimisers keep λ.
    """

    name: str
    label: str
    make: Callable[[Iterable[nn.Parameter], float, float, bool], Stepping]
    decays: bool


class Descent:
    """A torch optimiser on one number made of the losses of a batch.

    Parameters
    ----------
    kind
        ``SGD`` or ``Adam``, as torch has them by default.
    aim
        (losses (b,), threshold α, β) ↦ what is minimised.
    with_threshold
        Whether α is a parameter beside those of the model. It begins at the β-quantile of the first batch.
    """

    def __init__(
        self,
        kind: Callable[..., Optimizer],
        aim: Callable[[Tensor, Tensor, float], Tensor],
        params: Iterable[nn.Parameter],
        lam: float,
        beta: float,
        decay: bool,
        *,
        with_threshold: bool = False,
    ) -> None:
        model = list(params)
        self._alpha = nn.Parameter(model[0].new_full((), torch.nan))
        self._optimiser = kind([*model, self._alpha] if with_threshold else model, lr=lam)
        self._aim, self._lam, self._beta, self._decay = aim, lam, beta, decay
        self._steps = 0

    def step(self, closure: Closure) -> None:
        losses = closure()
        on_host(losses)  # what is not finite has diverged
        if self._steps == 0:
            self._alpha.data = losses.detach().quantile(self._beta)
        if self._decay:
            self._optimiser.param_groups[0]["lr"] = self._lam / (self._steps + 1) ** 0.5
        self._optimiser.zero_grad()
        self._aim(losses, self._alpha, self._beta).backward()
        self._optimiser.step()
        self._steps += 1


def mean(losses: Tensor, alpha: Tensor, beta: float) -> Tensor:
    """Return the mean: ordinary training, empirical risk minimisation."""
    return losses.mean()


def top_k(losses: Tensor, alpha: Tensor, beta: float) -> Tensor:
    """Return the mean of the worst share of the batch: CVaR of so few losses is below that of all."""
    return losses.topk(max(1, round((1 - beta) * len(losses)))).values.mean()


def rockafellar_uryasev(losses: Tensor, alpha: Tensor, beta: float) -> Tensor:
    """Return α + mean max(ℓ − α, 0)/(1 − β), with α as one more parameter."""
    return alpha + (losses - alpha).relu().mean() / (1 - beta)


trainers: Registry[Trainer] = Registry("optimiser")
for _name, _label, _class in (
    ("sgm", "SGM", SGM),
    ("spl", "SPL", SPL),
    ("spl+", "SPL₊", SPLPlus),
    ("spl-u", "SPL-U (ours)", SPLU),
):
    trainers.add(Trainer(_name, _label, lambda p, lam, beta, decay, c=_class: c(p, beta, lam, decay=decay), True))  # type: ignore[misc]
for _kind in (SGD, Adam):
    for _name, _label, _aim in (
        ("mean", "mean", mean),
        ("topk", "top k", top_k),
        ("ru", "RU loss", rockafellar_uryasev),
    ):
        trainers.add(
            Trainer(
                f"{_kind.__name__.lower()}-{_name}",
                f"{_kind.__name__} ({_label})",
                lambda p, lam, beta, decay, k=_kind, a=_aim: Descent(  # type: ignore[misc]
                    k, a, p, lam, beta, decay, with_threshold=a is rockafellar_uryasev
                ),
                False,
            )
        )

__all__ = ["Descent", "NotFinite", "Stepping", "Trainer", "trainers"]
