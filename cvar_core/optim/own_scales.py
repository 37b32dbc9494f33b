"""SPL-U for any torch model: step sizes free of the units of loss and features. It is ours, not the paper's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.optim.optimizer import ParamsT

from .losses_of_a_batch import Batch, NotFinite, dots, gradients
from .prox_linear import SPL, positive
from .tail_optimizer import Scales

PER = ("tensor", "coordinate")
_PROBES = 16  # backward passes that find the scales, once; as many samples or fewer are taken one by one


class SPLU(SPL):
    """SPL with λ_α = λ ℓ_0, and a λ_θ for each tensor (or coordinate) by the size of its gradients at the start.

    With E‖v_p‖² the mean square of a sample's gradient in tensor p, at the start, and k tensors that have one,

        λ_p = λ ℓ_0/(√k E‖v_p‖²).

    Multiply the loss by any factor, or the inputs of a linear layer and its weights by opposite ones, and λ means the
    same. Per coordinate, p is a single number and k counts all of them, as in ``cvar_core``'s SPL-U for linear models.
    Both were tried, on a linear model and on two-layer networks: per tensor forgives about a decade more above the best
    λ, so that it is the default; it takes one number of memory for each tensor. What λ = 1 does untuned is in README.

    E‖v_p‖² is found with the first batch, without a gradient for each sample: with random signs r_i, the gradient of
    Σ_i r_i ℓ_i/√b has the mean square mean_i v_i². Sixteen such backward passes are taken, once (of at most sixteen
    samples each is taken by itself, exactly). A tensor without a gradient there stands still, and is asked again at the
    2nd, 4th, 8th … step; a coordinate without one takes the mean of its tensor's.

    Parameters are those of ``SPL``, and

    Parameters
    ----------
    per
        ``"tensor"`` or ``"coordinate"``.
    scales
        E v² of each parameter, in the order of ``params``, if it is known: per tensor a number, the sum over its
        entries; per coordinate a tensor of its shape.

    >>> import torch
    >>> model = torch.nn.Linear(3, 1)
    >>> opt = SPLU(model.parameters(), beta=0.95)
    >>> losses = opt.step(lambda: model(torch.ones(8, 3))[:, 0] ** 2)
    """

    _FURTHER = ("per",)

    def __init__(
        self,
        params: ParamsT,
        beta: float = 0.95,
        lam: float = 1.0,
        *,
        per: str = "tensor",
        scales: Sequence[float | Tensor] | None = None,
        **settings: Any,
    ) -> None:
        if per not in PER:
            raise ValueError(f"per is {per!r}; choose from {', '.join(PER)}")
        super().__init__(params, beta, lam, per=per, **settings)
        if scales is not None:
            if len(scales) != len(self._all()):
                raise ValueError(f"there are {len(scales)} scales for {len(self._all())} parameters")
            self._settle(dict(zip(self._all(), scales, strict=True)))

    def _units(self, initial_loss: float) -> tuple[float, float]:
        return positive(initial_loss), initial_loss

    def _scales(self, batch: Batch, step: int) -> Scales:
        """Return E v² of each parameter that has one."""
        params = [p for p in self._all() if p.requires_grad]
        known: Scales = {p: self.state[p]["scale"] for p in params if "scale" in self.state.get(p, {})}
        if len(known) < len(params) and (step + 1) & step == 0:  # t + 1 is a power of two
            per_tensor = self._shared("per") == "tensor"
            known |= _mean_squares(batch, [p for p in params if p not in known], params, per_tensor)
        return known

    def _metric(self, scales: Scales) -> Scales:
        """Return 1/(√k E v²)."""
        if self._shared("per") == "tensor":
            root = math.sqrt(len(scales))
            return {p: 1 / (root * scale) for p, scale in scales.items()}
        known = {p: torch.as_tensor(scale) for p, scale in scales.items()}
        root = math.sqrt(sum(int((scale > 0).sum()) for scale in known.values()))
        return {p: torch.where(scale > 0, 1 / (root * scale), 0.0) for p, scale in known.items()}


def _mean_squares(batch: Batch, wanted: Sequence[Tensor], params: Sequence[Tensor], per_tensor: bool) -> Scales:
    """Return E‖v_p‖² of the wanted parameters, or E v² of their coordinates, where that is not 0."""
    signs = _signs(len(batch.losses))
    sums: dict[Tensor, Tensor | float] = {}
    for row in signs:
        for p in params:
            p.grad = None
        batch.pull(row, last=False)
        grads = gradients(wanted)
        squares: Sequence[Tensor | float] = [g.square() for g in grads.values()]
        if per_tensor:
            squares = dots([(g, g) for g in grads.values()])
        for p, square in zip(grads, squares, strict=True):
            sums[p] = sums.get(p, 0.0) + square / len(signs)
    found: Scales = {}
    for p, total in sums.items():
        mean = float(total.mean()) if isinstance(total, Tensor) else total
        if not math.isfinite(mean):
            raise NotFinite("a gradient is not finite; neither the parameters nor α were changed")
        if mean > 0:
            found[p] = torch.where(total > 0, total, mean) if isinstance(total, Tensor) else total
    return found


def _signs(count: int) -> Tensor:
    """Return weights of losses, shape (probes, count), whose gradients have mean_i v_i² for their mean square."""
    if count <= _PROBES:
        return torch.eye(count, dtype=torch.float64)
    own = torch.Generator().manual_seed(0)  # neither takes from nor gives to the user's random numbers
    signs = 2 * torch.randint(2, (_PROBES, count), generator=own) - 1
    weights: Tensor = signs.to(torch.float64) / count**0.5
    return weights
