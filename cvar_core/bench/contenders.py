"""The panel's steps written in four ways. Each takes a panel of squared loss and returns all final θ.

The result has shape (seeds, methods, lambdas, dim). A contender is first made ready, which may compile, and
then run; only the run is timed.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .panel import Panel, walk

Run = Callable[[], Tensor]


def ours(panel: Panel) -> Run:
    """The engine's operator, one shard after another."""

    def run() -> Tensor:
        seeds, methods, _ = panel.lam_theta.shape
        ends = [[list(walk(panel, s, m, (panel.steps,)))[-1].theta for m in range(methods)] for s in range(seeds)]
        return torch.stack([torch.stack(row) for row in ends])

    return run


def autograd(panel: Panel) -> Run:
    """One run at a time in plain PyTorch, as one would write it from the paper."""

    def one(seed: int, method: int, k: int) -> Tensor:
        theta = panel.theta[seed].clone().requires_grad_()
        theta_sum = torch.zeros_like(panel.theta[seed])
        alpha, alpha_sum = float(panel.alpha[seed]), 0.0
        lam_theta, lam_alpha = float(panel.lam_theta[seed, method, k]), float(panel.lam_alpha[seed, method, k])
        ceiling = 1 / (1 - panel.beta)
        subgradient = panel.methods[method] == "sgm"
        for x, y, factor in zip(panel.x[seed], panel.y[seed], panel.factors.tolist(), strict=True):
            loss = 0.5 * (x @ theta - y) ** 2
            loss.backward()
            v = theta.grad
            assert v is not None
            value = loss.item()
            step_theta, step_alpha = lam_theta * factor, lam_alpha * factor
            if subgradient:
                eta = ceiling if value > alpha else 0.0
            else:
                eta = max(value - alpha + step_alpha, 0.0) / (step_theta * (v @ v).item() + step_alpha)
                eta = min(eta, ceiling)
            with torch.no_grad():
                theta -= step_theta * eta * v
                theta_sum += theta
            theta.grad = None
            alpha += step_alpha * (eta - 1)
            alpha_sum += alpha
        return theta.detach()

    def run() -> Tensor:
        seeds, methods, lambdas = panel.lam_theta.shape
        ends = [one(s, m, k) for s in range(seeds) for m in range(methods) for k in range(lambdas)]
        return torch.stack(ends).view(seeds, methods, lambdas, -1)

    return run


def eager(panel: Panel) -> Run:
    """All runs in one tensor, written as the paper's formulas."""
    seeds, methods, lambdas = panel.lam_theta.shape
    shape = (seeds, methods * lambdas)
    subgradient = torch.tensor([name == "sgm" for name in panel.methods]).repeat_interleave(lambdas).expand(shape)
    lam_theta, lam_alpha = panel.lam_theta.reshape(shape), panel.lam_alpha.reshape(shape)
    ceiling = 1 / (1 - panel.beta)

    def run() -> Tensor:
        first, second = panel.starts()
        theta, alpha = first.view(*shape, -1), second.view(shape)
        theta_sum, alpha_sum = torch.zeros_like(theta), torch.zeros_like(alpha)
        streams = (panel.x.unbind(1), panel.y.unbind(1), panel.factors.tolist())
        for x, y, factor in zip(*streams, strict=True):
            r = (theta * x.unsqueeze(1)).sum(2) - y.unsqueeze(1)
            loss, v = 0.5 * r**2, r.unsqueeze(2) * x.unsqueeze(1)
            step_theta, step_alpha = lam_theta * factor, lam_alpha * factor
            gamma = (loss - alpha + step_alpha).clamp(min=0) / (step_theta * (v**2).sum(2) + step_alpha)
            eta = torch.where(subgradient, ceiling * (loss > alpha), gamma.clamp(max=ceiling))
            theta = theta - (step_theta * eta).unsqueeze(2) * v
            alpha = alpha - step_alpha + step_alpha * eta
            theta_sum += theta
            alpha_sum += alpha
        return theta.view(seeds, methods, lambdas, -1)

    return run


def eager_tuned(panel: Panel) -> Run:
    """The same by hand for speed: in place, fused operators, and ‖v‖² from ‖x‖²."""
    seeds, methods, lambdas = panel.lam_theta.shape
    shape = (seeds, methods * lambdas)
    subgradient = torch.tensor([name == "sgm" for name in panel.methods]).repeat_interleave(lambdas).expand(shape)
    lam_theta, lam_alpha = panel.lam_theta.reshape(shape), panel.lam_alpha.reshape(shape)
    ceiling = torch.tensor(1 / (1 - panel.beta), dtype=torch.float64)
    nothing = torch.zeros((), dtype=torch.float64)

    def run() -> Tensor:
        first, second = panel.starts()
        theta, alpha = first.view(*shape, -1), second.view(shape)
        theta_sum, alpha_sum = torch.zeros_like(theta), torch.zeros_like(alpha)
        streams = (panel.x.unbind(1), panel.y.unbind(1), panel.norms.unbind(1), panel.factors.tolist())
        for x, y, norm, factor in zip(*streams, strict=True):
            r = torch.bmm(theta, x.unsqueeze(2)).squeeze(2).sub_(y.unsqueeze(1))
            square = r * r
            step_theta, step_alpha = lam_theta * factor, lam_alpha * factor
            excess = torch.sub(0.5 * square, alpha)
            above = torch.where(excess > 0, ceiling, nothing)
            gamma = excess.add_(step_alpha).clamp_(min=0)
            gamma /= torch.addcmul(step_alpha, step_theta, square.mul_(norm.unsqueeze(1)))
            eta = torch.where(subgradient, above, gamma.clamp_(max=ceiling))
            alpha.addcmul_(step_alpha, eta.sub(1))
            theta.baddbmm_(step_theta.mul_(eta).mul_(r).unsqueeze(2), x.unsqueeze(1), alpha=-1)
            theta_sum += theta
            alpha_sum += alpha
        return theta.view(seeds, methods, lambdas, -1)

    return run


def jax_installed() -> bool:
    return importlib.util.find_spec("jax") is not None


def jax_scan(panel: Panel) -> Run:
    """One run's step in JAX, ``vmap`` over the runs, ``scan`` over the samples; compiled here, not when run."""
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")  # one thread, like the others
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    seeds, methods, lambdas = panel.lam_theta.shape
    ceiling = 1 / (1 - panel.beta)

    def step(
        state: Any, lam_theta: Any, lam_alpha: Any, subgradient: Any, x: Any, y: Any, norm: Any, factor: Any
    ) -> Any:
        theta, alpha, theta_sum, alpha_sum = state
        lam_theta, lam_alpha = lam_theta * factor, lam_alpha * factor
        r = x @ theta - y
        value = 0.5 * r * r
        gamma = jnp.maximum(value - alpha + lam_alpha, 0.0) / (lam_theta * r * r * norm + lam_alpha)
        eta = jnp.where(subgradient, jnp.where(value > alpha, ceiling, 0.0), jnp.minimum(gamma, ceiling))
        theta = theta - lam_theta * eta * r * x
        alpha = alpha - lam_alpha + lam_alpha * eta
        return theta, alpha, theta_sum + theta, alpha_sum + alpha

    def numbers(tensor: Tensor) -> Any:
        return jnp.asarray(tensor.contiguous().numpy())

    # θ is laid out (dim, seeds, runs) and four steps are unrolled: the fastest of what was tried.
    axes = (1, 0, 1, 0)
    one_seed = jax.vmap(step, (axes, 0, 0, 0, None, None, None, None), axes)
    all_seeds = jax.vmap(one_seed, (axes, 0, 0, None, 0, 0, 0, None), axes)
    flat = (seeds, methods * lambdas)
    lam_theta, lam_alpha = numbers(panel.lam_theta.reshape(flat)), numbers(panel.lam_alpha.reshape(flat))
    subgradient = jnp.repeat(jnp.array([name == "sgm" for name in panel.methods]), lambdas)

    def scan(state: Any, samples: Any) -> Any:
        def body(state: Any, sample: Any) -> Any:
            return all_seeds(state, lam_theta, lam_alpha, subgradient, *sample), None

        return jax.lax.scan(body, state, samples, unroll=4)[0]

    first, second = panel.starts()
    theta, alpha = numbers(first.view(*flat, -1).permute(2, 0, 1)), numbers(second.view(flat))
    state = (theta, alpha, jnp.zeros_like(theta), jnp.zeros_like(alpha))
    samples = (*(numbers(part.transpose(0, 1)) for part in (panel.x, panel.y, panel.norms)), numbers(panel.factors))
    compiled = jax.jit(scan).lower(state, samples).compile()

    def run() -> Tensor:
        end = jax.block_until_ready(compiled(state, samples))[0]
        return torch.tensor(end.tolist(), dtype=torch.float64).permute(1, 2, 0).view(seeds, methods, lambdas, -1)

    return run
