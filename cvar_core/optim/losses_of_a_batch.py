"""What a closure returns, read with care: the losses of a batch, sums of their gradients, and products of these."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

Closure = Callable[..., Tensor]


class NotFinite(ArithmeticError):
    """A loss or a gradient is NaN or infinite. Neither the parameters nor the optimiser's state were changed."""


class WholeBatch:
    """The losses of one call of the closure, with their graph."""

    def __init__(self, closure: Closure, params: Sequence[Tensor]) -> None:
        with torch.enable_grad():
            self._losses = checked(closure())
        if not self._losses.requires_grad:
            raise ValueError(
                "the closure's losses have no graph to the parameters: compute them with gradients enabled"
            )
        self._params = params
        self.losses = on_host(self._losses)

    def pull(self, weights: Tensor, *, last: bool = True) -> None:
        """Add Σ_i w_i v_i to the parameters' ``grad``; weights (b,). The graph is kept unless it is the last time."""
        self._backward(self._losses, weights, self._params, keep=not last)

    @staticmethod
    def _backward(losses: Tensor, weights: Tensor, params: Sequence[Tensor], keep: bool = False) -> None:
        torch.autograd.backward([losses], [weights.to(losses)], retain_graph=keep, inputs=list(params))


class Chunks:
    """The losses of a batch that is too large for one graph: ``closure(k)`` returns those of its chunk k.

    The weights depend on all losses. So these come first, without graphs, and the chunks again, with them, when
    gradients are needed; a chunk that has no sample in the tail is not computed again. Both times the chunk
    sees the same random numbers (dropout).
    """

    def __init__(self, closure: Closure, count: int, params: Sequence[Tensor]) -> None:
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise ValueError(f"chunks is {count!r}; it is the number of chunks, from 1 on")
        self._closure, self._params = closure, params
        self._random, found = [], []
        for k in range(count):
            self._random.append(random_state(params))
            found.append(on_host(checked(closure(k), what=f"the closure, called with chunk {k},")))
        self.losses = torch.cat(found)
        self._sizes = [len(each) for each in found]

    def pull(self, weights: Tensor, *, last: bool = True) -> None:
        """Add Σ_i w_i v_i to the parameters' ``grad``, chunk by chunk; weights (b,)."""
        with _undisturbed(self._params):
            for k, part in enumerate(weights.split(self._sizes)):
                if part.any():
                    set_random_state(self._random[k])
                    with torch.enable_grad():
                        losses = checked(self._closure(k))
                    if len(losses) != len(part):
                        raise ValueError(f"chunk {k} had {len(part)} losses, and {len(losses)} when it was asked again")
                    WholeBatch._backward(losses, part, self._params)


Batch = WholeBatch | Chunks


def read_batch(closure: Closure | None, chunks: int | None, params: Sequence[Tensor]) -> Batch:
    """Call the closure, or say what is wrong with it."""
    if not callable(closure):
        raise ValueError(
            "step takes a closure that returns the losses of the batch, one by one: opt.step(lambda: losses)"
        )
    return WholeBatch(closure, params) if chunks is None else Chunks(closure, chunks, params)


def checked(losses: Any, what: str = "the closure") -> Tensor:
    """Return losses of shape (b,), or say what is wrong with them."""
    if not isinstance(losses, Tensor):
        raise TypeError(f"{what} returned {type(losses).__name__}; it returns a tensor with the losses of the batch")
    if losses.dim() != 1:
        shape = "a single number" if losses.dim() == 0 else f"a tensor of shape {tuple(losses.shape)}"
        raise ValueError(f"{what} returned {shape}; it returns the losses one by one, shape (batch,): reduction='none'")
    if len(losses) == 0:
        raise ValueError(f"{what} returned no losses: the batch is empty")
    if not losses.is_floating_point():
        raise TypeError(f"{what} returned losses of {losses.dtype}; they are real numbers")
    return losses


def on_host(losses: Tensor) -> Tensor:
    """Return the numbers alone, in float64 on the CPU, where all that concerns α is computed."""
    found = losses.detach().to("cpu", torch.float64)
    if not bool(torch.isfinite(found).all()):
        wrong = int((~torch.isfinite(found)).sum())
        raise NotFinite(f"{wrong} of {len(found)} losses are not finite; neither the parameters nor α were changed")
    return found


def gradients(params: Iterable[Tensor]) -> dict[Tensor, Tensor]:
    """Return the gradients of those parameters that have one, or say that they are of a kind that is not known here."""
    found = {p: p.grad for p in params if p.grad is not None}
    if any(g.is_sparse or g.is_complex() for g in found.values()):
        raise ValueError("gradients are dense and real here; make the embedding with sparse=False")
    return found


_SMALL = 1e-30  # a product of float32 below has lost digits, or all of itself


def dots(pairs: Sequence[tuple[Tensor, Tensor]]) -> list[float]:
    """Return ⟨g, h⟩ of each pair: in float32 or wider, and in float64 where the square of a number is beyond that."""
    if not pairs:
        return []
    products = [_dot(g, h, torch.promote_types(g.dtype, torch.float32)) for g, h in pairs]
    widest = functools.reduce(torch.promote_types, (each.dtype for each in products))
    found: list[float] = torch.stack([each.to(products[0].device, widest) for each in products]).tolist()
    return [
        each if _SMALL < abs(each) < math.inf else float(_dot(g.cpu(), h.cpu(), torch.float64))
        for each, (g, h) in zip(found, pairs, strict=True)
    ]


def _dot(g: Tensor, h: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.dot(g.reshape(-1).to(dtype), h.reshape(-1).to(dtype))


RandomState = list[tuple[Callable[[Tensor], None], Tensor]]


def random_state(params: Sequence[Tensor]) -> RandomState:
    """Return the generators of the CPU and of the parameters' devices, and where they stand."""
    state: RandomState = [(torch.set_rng_state, torch.get_rng_state())]
    for device in {p.device for p in params if p.device.type not in ("cpu", "meta")}:
        module: Any = torch.get_device_module(device)
        state.append((lambda at, m=module, d=device: m.set_rng_state(at, d), module.get_rng_state(device)))  # type: ignore[misc]
    return state


def set_random_state(state: RandomState) -> None:
    for put, at in state:
        put(at)


@contextmanager
def _undisturbed(params: Sequence[Tensor]) -> Iterator[None]:
    """Leave the generators where they are."""
    before = random_state(params)
    try:
        yield
    finally:
        set_random_state(before)
