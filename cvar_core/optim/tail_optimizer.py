"""What the optimisers share: they own the threshold α, take the losses of a batch one by one, and step on a model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from numbers import Real
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from torch import Tensor
from torch.optim.optimizer import Optimizer, ParamsT

from .batch_model import Piece, Threshold
from .losses_of_a_batch import Batch, Closure, NotFinite, dots, gradients, read_batch

_SHARED = ("beta", "mix", "decay", "average", "foreach")  # settings of the optimiser, which no group may change
_MEMORY = "threshold"  # where the state has what belongs to no parameter


Scales = dict[Tensor, float | Tensor]  # of a parameter: a number, or one for each entry


class Memory(NamedTuple):
    """What an optimiser knows beside the parameters: plain numbers, so that they come back bit for bit."""

    step: int = 0  # updates taken, t
    alpha: float | None = None  # α_t; None before the first batch, which then gives α_0
    initial_loss: float | None = None  # ℓ_0, likewise
    average: float = 0.0  # of α, as of the parameters


class Move(NamedTuple):
    """A parameter, its gradient of one piece, and its step size λ_θ: a number, or one for each entry."""

    param: Tensor
    grad: Tensor
    size: float | Tensor


class TailOptimizer(Optimizer):
    """An optimiser of (1 − mix)·mean + mix·CVaR_β; see ``SGM``, ``SPL``, ``SPLPlus`` and ``SPLU``."""

    def __init__(
        self, params: ParamsT, lam: float, *, alpha: float | None, initial_loss: float | None, **settings: Any
    ) -> None:
        _check_settings(settings)
        given: dict[str, Any] = {"alpha": alpha, "initial_loss": initial_loss}
        for name, value in given.items():
            if value is not None and not (isinstance(value, Real) and math.isfinite(value)):
                raise ValueError(f"{name} is {value!r}; it is a finite number, or None for what the first batch says")
        super().__init__(params, {"lr": lam, **settings})
        self._keep(Memory(alpha=alpha, initial_loss=initial_loss))

    # --- what a method says ---

    def _pieces(self, losses: Tensor, at: Threshold) -> list[Piece]:
        raise NotImplementedError

    def _multipliers(self, pieces: list[Piece], gram: list[list[float]]) -> list[float]:
        raise NotImplementedError

    def _units(self, initial_loss: float) -> tuple[float, float]:
        """Return λ_θ/λ and λ_α/λ."""
        return 1.0, 1.0

    def _scales(self, batch: Batch, step: int) -> Scales:
        """Return what the step sizes of the parameters are measured by; of none, if they are all the same."""
        return {}

    def _metric(self, scales: Scales) -> Scales | None:
        """Return the factor of each parameter's λ_θ; ``None`` for 1."""
        return None

    # --- what one asks ---

    @property
    def alpha(self) -> float | None:
        """The threshold α_t: at the end about the β-quantile of the losses. ``None`` before the first step."""
        return self._memory.alpha

    @property
    def initial_loss(self) -> float | None:
        """ℓ_0, the mean loss at the start: the given one, or that of the first batch."""
        return self._memory.initial_loss

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group with a ``lam`` of its own (torch's name for it, ``lr``, does as well) and a ``weight_decay``."""
        group = dict(param_group)
        if "lam" in group:
            group["lr"] = group.pop("lam")
        for name in set(self.defaults) - {"lr", "weight_decay"}:
            if name in group and group[name] != self.defaults[name]:
                raise ValueError(
                    f"{name} is one for the whole optimiser; a group has its own lam and weight_decay only"
                )
        for name in ("lr", "weight_decay"):
            value = group.get(name, self.defaults[name])
            if not (isinstance(value, Real | Tensor) and 0 <= float(value) < math.inf):
                raise ValueError(f"{'lam' if name == 'lr' else name} is {value!r}; it is a number from 0 on")
        super().add_param_group(group)

    @torch.no_grad()
    def step(self, closure: Closure | None = None, chunks: int | None = None) -> Tensor:  # type: ignore[override]
        """Take one step on the losses of a batch, and return them, shape (b,).

        Parameters
        ----------
        closure
            Returns the losses of the batch one by one, shape (b,), with their graph. It neither zeroes gradients nor
            calls ``backward``: which samples count is known only when all losses are.
        chunks
            For a batch that is too large for one graph: ``closure(k)`` returns the losses of chunk k. Each chunk is
            computed without a graph first, and those that have a sample in the tail once more with one. (A layer that
            counts its calls in training, such as batch norm, counts both.)
        """
        params = [p for group in self.param_groups for p in group["params"] if p.requires_grad]
        if not params:
            raise ValueError("no parameter of the optimiser requires a gradient: all are frozen")
        batch = read_batch(closure, chunks, params)
        memory = self._begun(batch.losses)
        assert memory.alpha is not None
        assert memory.initial_loss is not None
        decay = (memory.step + 1) ** -0.5 if self._shared("decay") else 1.0
        scales = self._scales(batch, memory.step)
        metric = self._metric(scales)
        for_theta, for_alpha = self._units(memory.initial_loss)
        lam_alpha = decay * float(self.param_groups[0]["lr"]) * for_alpha
        at = Threshold(memory.alpha, lam_alpha, self._shared("beta"), self._shared("mix"))
        pieces = self._pieces(batch.losses, at)
        sizes = [
            decay * float(group["lr"]) * for_theta * (1.0 if metric is None else metric.get(p, 0.0))
            for group in self.param_groups
            for p in group["params"]
            if p.requires_grad
        ]
        slopes = [self._slopes(batch, piece, params, k == len(pieces) - 1) for k, piece in enumerate(pieces)]
        gammas = self._multipliers(pieces, _gram(pieces, slopes, sizes, lam_alpha)) if pieces else []

        # From here on nothing can fail.
        self._settle(scales)
        self._shrink(decay)
        for gamma, grads in zip(gammas, slopes, strict=True):
            moves = [Move(p, g, size) for p, g, size in zip(params, grads, sizes, strict=True) if g is not None]
            self._move(moves, gamma)
        alpha = at.shifted - lam_alpha * sum(g * piece.slope for g, piece in zip(gammas, pieces, strict=True))
        self._keep(memory._replace(step=memory.step + 1, alpha=alpha, average=self._average(memory, alpha)))
        return batch.losses

    @contextmanager
    def averaged(self) -> Iterator[float]:
        """Have the averaged iterate in the parameters inside the block, which is told the averaged α.

        The iterates themselves come back at its end; do not step inside. Buffers, such as the statistics of batch
        norm, are those of the iterate.

        >>> from cvar_core.optim import SPLPlus
        >>> layer = torch.nn.Linear(2, 1)
        >>> opt = SPLPlus(layer.parameters(), average="uniform")
        >>> x, y = torch.ones(4, 2), torch.ones(4)
        >>> losses = opt.step(lambda: (layer(x)[:, 0] - y) ** 2)
        >>> with opt.averaged() as alpha:
        ...     out = layer(x)
        """
        if self._shared("average") is None:
            raise ValueError("no average is kept; make the optimiser with average='uniform' or a decay such as 0.999")
        if self._memory.step == 0:
            raise ValueError("there is nothing to average before the first step")
        averages = {p: self.state[p]["average"] for p in self._all() if "average" in self.state[p]}
        held = {p: p.detach().clone() for p in averages}
        self._put(averages)
        try:
            yield self._memory.average
        finally:
            self._put(held)

    # --- how it is done ---

    @property
    def _memory(self) -> Memory:
        return Memory(**cast(dict[Any, Any], self.state)[_MEMORY])

    def _keep(self, memory: Memory) -> None:
        # A new dict each time: a state_dict that was taken before must not change with it.
        cast(dict[Any, Any], self.state)[_MEMORY] = memory._asdict()

    def _settle(self, scales: Scales) -> None:
        for p, scale in scales.items():
            self.state[p]["scale"] = scale

    def _shared(self, name: str) -> Any:
        return self.param_groups[0][name]

    def _all(self) -> list[Tensor]:
        return [p for group in self.param_groups for p in group["params"]]

    def _begun(self, losses: Tensor) -> Memory:
        """Return the memory, with α_0 and ℓ_0 of these losses if it has none yet."""
        memory = self._memory
        if memory.initial_loss is None:
            memory = memory._replace(initial_loss=float(losses.mean()))
        if memory.alpha is None:
            memory = memory._replace(alpha=float(np.quantile(losses.numpy(), self._shared("beta"))))
        return memory

    def _slopes(self, batch: Batch, piece: Piece, params: Sequence[Tensor], last: bool) -> list[Tensor | None]:
        """Return the slopes of a piece in the parameters; ``None`` where there is none."""
        for p in params:
            p.grad = None
        batch.pull(piece.weights, last=last)
        found = gradients(params)
        return [found.get(p) for p in params]

    def _shrink(self, decay: float) -> None:
        """Decay the weights: the proximal step of ½ weight_decay ‖θ‖² with λ_t, which cannot overshoot at a large λ."""
        for group in self.param_groups:
            factor = 1 + decay * float(group["lr"]) * float(group["weight_decay"])
            params = [p for p in group["params"] if p.requires_grad]
            if factor != 1 and params:
                torch._foreach_div_(params, factor)

    def _move(self, moves: list[Move], gamma: float) -> None:
        if gamma == 0:
            return
        together: dict[float, list[Move]] = {}
        for move in moves:
            if isinstance(move.size, Tensor):
                move.param.addcmul_(move.size, move.grad, value=-gamma)
            elif self._shared("foreach"):
                together.setdefault(move.size, []).append(move)
            else:
                move.param.add_(move.grad, alpha=-gamma * move.size)
        for size, same in together.items():
            torch._foreach_add_([move.param for move in same], [move.grad for move in same], alpha=-gamma * size)

    def _average(self, memory: Memory, alpha: float) -> float:
        """Take the new iterate into the average; return that of α."""
        kind = self._shared("average")
        if kind is None:
            return 0.0
        share = 1 / (memory.step + 1) if kind == "uniform" or memory.step == 0 else 1 - kind
        params = [p for p in self._all() if p.requires_grad]
        fresh = [p for p in params if "average" not in self.state[p]]
        for p in fresh:
            self.state[p]["average"] = p.detach().clone(memory_format=torch.preserve_format)
        averages = [self.state[p]["average"] for p in params]
        if self._shared("foreach"):
            torch._foreach_lerp_(averages, [p.detach() for p in params], share)
        else:
            for average, p in zip(averages, params, strict=True):
                average.lerp_(p, share)
        return memory.average + share * (alpha - memory.average)

    @staticmethod
    @torch.no_grad()
    def _put(values: dict[Tensor, Tensor]) -> None:
        for p, value in values.items():
            p.copy_(value)


def _gram(
    pieces: list[Piece], slopes: list[list[Tensor | None]], sizes: Sequence[float | Tensor], lam_alpha: float
) -> list[list[float]]:
    """Return ⟨g_j, g_k⟩ in the metric of the step sizes, α included, shape (pieces, pieces)."""
    gram = [[0.0] * len(pieces) for _ in pieces]
    for j, first in enumerate(slopes):
        for k, second in enumerate(slopes[: j + 1]):
            inner = _inner(first, second, sizes) + lam_alpha * pieces[j].slope * pieces[k].slope
            gram[j][k] = gram[k][j] = inner
    if not all(math.isfinite(each) for row in gram for each in row):
        raise NotFinite("a gradient is not finite; neither the parameters nor α were changed")
    return gram


def _inner(first: list[Tensor | None], second: list[Tensor | None], sizes: Sequence[float | Tensor]) -> float:
    """Return Σ_p λ_p ⟨g_p, h_p⟩, with one wait for the device."""
    pairs, factors = [], []
    for g, h, size in zip(first, second, sizes, strict=True):
        if g is not None and h is not None:
            pairs.append((g * size if isinstance(size, Tensor) else g, h))
            factors.append(1.0 if isinstance(size, Tensor) else size)
    return math.fsum(f * each for f, each in zip(factors, dots(pairs), strict=True))


def _check_settings(settings: dict[str, Any]) -> None:
    beta, mix, average = settings["beta"], settings["mix"], settings["average"]
    if not (isinstance(beta, Real) and 0 <= float(beta) < 1):
        raise ValueError(f"beta is {beta!r}; it is a level from 0, the mean, to below 1: 0.95 averages the worst 5%")
    if not (isinstance(mix, Real) and 0 <= float(mix) <= 1):
        raise ValueError(f"mix is {mix!r}; it is the weight of CVaR, from 0 to 1, beside that of the mean")
    if average not in (None, "uniform") and not (isinstance(average, float) and 0 < average < 1):
        raise ValueError(f"average is {average!r}; it is None, 'uniform' or a decay between 0 and 1, such as 0.999")
