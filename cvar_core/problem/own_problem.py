"""A problem whose loss is any function in torch."""

from __future__ import annotations

import copy
import hashlib
import threading
import uuid
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import grad, vmap

from ..cancel import Stop
from ..catalogue import Loss, losses
from ..specs import ProblemSpec, SpecError
from .given import vector
from .optimum import Optimum
from .own_ground import OwnGround, OwnLoss
from .own_optimum import known_optimum, minimise_own
from .problem import Problem


class OwnProblem(Problem):
    """Made by ``Problem.from_torch``."""

    def __init__(self, spec: ProblemSpec, own: OwnLoss, theta_star: Tensor | None, convex: bool) -> None:
        self._own, self._theta_star, self._convex = own, theta_star, convex
        super().__init__(spec, (None, own.y))  # what needs features is refused below

    def _reset(self) -> None:
        super()._reset()
        self._ground = OwnGround(self.spec, self._own)

    def __reduce__(self) -> Any:
        return OwnProblem, (self.spec, self._own, self._theta_star, self._convex)

    def losses(self, theta: Any) -> Tensor:
        assert isinstance(self._ground, OwnGround)
        return self._ground.losses(vector("theta", theta, self.spec.dim).unsqueeze(0))[0]

    def optimum(self, stop: Stop | None = None) -> Optimum:
        """Return F*: at the caller's θ*, or the best that was found, with a bound from below for a convex loss."""
        assert isinstance(self._ground, OwnGround)
        if self._optimum is None:
            known = self._theta_star
            self._optimum = (
                minimise_own(self._ground, self._convex, stop) if known is None else known_optimum(self._ground, known)
            )
        return self._optimum

    def under(self, *args: Any, **settings: Any) -> Problem:
        raise SpecError("a problem with a loss of its own is made again with Problem.from_torch")

    def in_unit(self, scale: float) -> Problem:
        raise SpecError("a problem with a loss of its own is made again with Problem.from_torch, and its scale")


def own_problem(
    loss_fn: Callable[..., Tensor], data: tuple[Any, Any], dim: int | None, module: nn.Module | None, *,
    optimum: Any, convex: bool, **settings: Any,
) -> OwnProblem:  # fmt: skip
    """Make the problem, or say what is wrong; see ``Problem.from_torch``."""
    if not callable(loss_fn):
        raise SpecError(f"loss_fn is {loss_fn!r}, but it must be a function that returns the loss of one sample")
    x, y = _pair(data)
    if len(x) != len(y) or len(x) == 0:
        raise SpecError(f"the data have {len(x)} inputs and {len(y)} targets; they need as many of both, at least one")
    if (dim is None) == (module is None):
        raise SpecError("a loss of its own takes either dim, the length of θ, or the module whose parameters θ is")
    function, theta = (loss_fn, None) if module is None else _of_module(loss_fn, module)
    size = dim if theta is None else len(theta)
    name = f"own-{uuid.uuid4().hex[:12]}"  # a function has no digest: no two problems are taken for one
    losses.add(Loss(name, "a function of your own", "regression", _no_prediction, _no_prediction))
    losses.hide(name)
    try:
        spec = ProblemSpec(loss=name, dim=size, sample_size=len(y), data=_digest(x, y), **settings)  # type: ignore[arg-type]
        start = torch.zeros(spec.dim, dtype=torch.float64) if theta is None else theta
        _tried(function, start, x, y)
        best = None if optimum is None else vector("optimum", optimum, spec.dim)
    except Exception:
        losses.remove(name)
        raise
    return OwnProblem(spec, OwnLoss(function, x, y, theta), best, convex)


def _pair(data: Any) -> tuple[Tensor, Tensor]:
    """Return inputs and targets, numbers in float64, or say that they are no such pair."""
    try:
        parts = [
            part.detach().clone() if isinstance(part, Tensor) else torch.from_numpy(np.array(part)) for part in data
        ]
        x, y = (part.to(torch.float64) if part.is_floating_point() else part for part in parts)
        len(x), len(y)
    except (TypeError, ValueError) as why:
        raise SpecError(f"data must be a pair of inputs and targets, arrays of numbers ({why})") from None
    return x, y


def _no_prediction(p: Tensor, y: Tensor) -> Tensor:
    raise SpecError("a loss of its own is no function of a linear prediction")


def _digest(x: Tensor, y: Tensor) -> str:
    found = hashlib.sha256()
    for part in (x, y):
        found.update(part.contiguous().numpy().tobytes())
    return found.hexdigest()[:16]


def _of_module(loss_fn: Callable[..., Tensor], module: nn.Module) -> tuple[Callable[..., Tensor], Tensor]:
    """Return the loss as a function of the flattened parameters, and those that the module has."""
    module = copy.deepcopy(module).to(torch.float64)  # the caller's own stays as it is
    if not any(True for _ in module.parameters()):
        raise SpecError("the module has no parameters, so that there is nothing to learn")
    names, shapes = zip(*((name, p.shape) for name, p in module.named_parameters()), strict=True)
    sizes = [shape.numel() for shape in shapes]
    theta = torch.cat([p.detach().reshape(-1) for p in module.parameters()])
    own = threading.local()  # a call puts θ into its module for the while: each thread needs one of its own

    def function(theta: Tensor, x: Tensor, y: Tensor) -> Tensor:
        parts = {n: part.reshape(s) for n, part, s in zip(names, theta.split(sizes), shapes, strict=True)}
        if not hasattr(own, "module"):
            own.module = copy.deepcopy(module)
        outputs = torch.func.functional_call(own.module, parts, (x.unsqueeze(0),))
        return loss_fn(outputs[0], y)

    return function, theta


def _tried(function: Callable[..., Tensor], theta: Tensor, x: Tensor, y: Tensor) -> None:
    """Have the losses of all samples, and say what is wrong with them."""
    try:
        found = function(theta, x[0], y[0])
    except Exception as why:  # a function of the caller's may do anything
        given = f"θ of shape {tuple(theta.shape)}, x of {tuple(x[0].shape)} and y of {tuple(y[0].shape)}, in this order"
        raise SpecError(f"the loss of one sample cannot be computed from {given}: {why}") from why
    if not isinstance(found, Tensor) or found.dim() != 0 or not found.is_floating_point():
        shape = tuple(found.shape) if isinstance(found, Tensor) else type(found).__name__
        raise SpecError(f"the loss of one sample is {shape}; it must be a single number, a tensor without dimensions")
    try:
        every = vmap(function, (None, 0, 0))(theta, x, y)
        grad(function)(theta, x[0], y[0])
    except Exception as why:
        raise SpecError(
            f"the loss has no slope that torch.func can take, or it is random (put the module into eval()): {why}"
        ) from why
    if not bool((every >= 0).all()):
        raise SpecError(f"a loss at the start is {float(every.min()):g}; losses must be numbers, and not negative")
