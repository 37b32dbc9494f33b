"""``start`` a shard of a sweep and ``advance`` it: pure functions of a spec, with the state in and out.

A shard is one method from one seed, with all its step sizes: runs that share a start and a stream of
samples. What is computed does not depend on how a run is cut into chunks, nor on the other step sizes.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import torch
from torch import Tensor

from ..cancel import Stop, check
from ..catalogue import methods, schedules
from ..problem import Problem
from ..problem.draws import block_length
from ..specs import SweepSpec
from . import kernel as kernel  # registers torch.ops.cvar_core.steps
from .cost import cost


class Shard(NamedTuple):
    """One method from one seed."""

    method: str
    seed: int


class State(NamedTuple):
    """Where the runs of a shard are, one row for each step size."""

    iteration: int  # updates taken
    recorded: int  # checkpoints recorded
    theta: Tensor  # (runs, dim)
    alpha: Tensor  # (runs,)
    theta_sum: Tensor  # (runs, dim) θ_1 + … + θ_iteration
    alpha_sum: Tensor  # (runs,)
    diverged: Tensor  # (runs,) of bool


class Seconds(NamedTuple):
    """Where the time went."""

    sample: float = 0.0
    step: float = 0.0
    evaluate: float = 0.0


class Records(NamedTuple):
    """The objective of the averaged iterates at checkpoints; NaN where a run has diverged."""

    iterations: tuple[int, ...]
    objectives: Tensor  # (checkpoints, runs)
    seconds: Seconds


def shards(spec: SweepSpec) -> list[Shard]:
    """Return the shards of a sweep, those of one seed together, for they share samples."""
    return [Shard(method, seed) for seed in spec.seeds for method in spec.methods]


def start(problem: Problem, spec: SweepSpec, shard: Shard) -> State:
    """Return the state before the first update."""
    begin = problem.start(shard.seed)
    runs = len(spec.lambdas)
    theta = begin.theta.repeat(runs, 1)
    alpha = torch.full((runs,), begin.alpha, dtype=torch.float64)
    none = torch.zeros(runs, dtype=torch.bool)
    return State(0, 0, theta, alpha, torch.zeros_like(theta), torch.zeros_like(alpha), none)


def advance(
    problem: Problem, spec: SweepSpec, shard: Shard, state: State, until: int, stop: Stop | None = None
) -> tuple[State, Records]:
    """Take the updates up to iteration ``until``, and record the checkpoints passed on the way."""
    checkpoints = [n for n in spec.checkpoint_iterations[state.recorded :] if n <= until]
    averages: list[tuple[int, Tensor, Tensor, Tensor]] = []
    sampling = stepping = 0.0
    for target in (*checkpoints, min(until, spec.iterations)):
        check(stop)
        state, sampled, stepped = _step_to(problem, spec, shard, state, target)
        sampling += sampled
        stepping += stepped
        if len(averages) < len(checkpoints):
            averages.append((state.iteration, *_average(state), state.diverged))
    begun = time.perf_counter()
    objectives, diverged = _evaluate(problem, averages, state.diverged, stop)
    seconds = Seconds(sampling, stepping, time.perf_counter() - begun)
    state = state._replace(recorded=state.recorded + len(checkpoints), diverged=state.diverged | diverged)
    return state, Records(tuple(checkpoints), objectives, seconds)


def next_stop(spec: SweepSpec, state: State, seconds: float = 0.25) -> int:
    """Return the iteration to advance to so that it takes about ``seconds``."""
    expected = cost(spec)
    here = state.iteration
    for checkpoint in spec.checkpoint_iterations[state.recorded :]:
        needed = (checkpoint - here) * expected.update + expected.checkpoint
        if needed > seconds:
            return min(checkpoint, here + max(1, int(seconds / expected.update)))
        seconds -= needed
        here = checkpoint
    return spec.iterations


def _step_to(problem: Problem, spec: SweepSpec, shard: Shard, state: State, target: int) -> tuple[State, float, float]:
    initial_loss = torch.tensor(problem.start(shard.seed).initial_loss, dtype=torch.float64)
    lam = torch.tensor(spec.lambdas, dtype=torch.float64)
    sizes = methods[shard.method].step_sizes(lam, initial_loss)
    length = block_length(problem.spec.dim)
    sampling = stepping = 0.0
    iteration, runs = state.iteration, state[2:]
    while iteration < target:
        last = min(target, (iteration // length + 1) * length)
        begun = time.perf_counter()
        x, y, norms = problem.samples(shard.seed, iteration, last)
        drawn = time.perf_counter()
        factors = schedules[spec.schedule].factors(iteration, last, spec.iterations)
        runs = torch.ops.cvar_core.steps.default(
            x, y, norms, factors, sizes.theta, sizes.alpha, *runs,
            problem.spec.beta, problem.spec.scale, problem.spec.loss, shard.method,
        )  # fmt: skip
        sampling += drawn - begun
        stepping += time.perf_counter() - drawn
        iteration = last
    return State(iteration, state.recorded, *runs), sampling, stepping


def _average(state: State) -> tuple[Tensor, Tensor]:
    """Return the reported point: the mean of the iterates after the start, or the start itself."""
    if state.iteration == 0:
        return state.theta, state.alpha
    return state.theta_sum / state.iteration, state.alpha_sum / state.iteration


def _evaluate(
    problem: Problem, averages: list[tuple[int, Tensor, Tensor, Tensor]], diverged: Tensor, stop: Stop | None
) -> tuple[Tensor, Tensor]:
    """Return the objectives at the checkpoints, and which runs had diverged by the last of them."""
    if not averages:
        return torch.empty((0, len(diverged)), dtype=torch.float64), torch.zeros_like(diverged)
    thetas = torch.stack([theta for _, theta, _, _ in averages])
    alphas = torch.stack([alpha for _, _, alpha, _ in averages])
    gone = torch.stack([flags for *_, flags in averages])
    gone |= ~(torch.isfinite(thetas).all(2) & torch.isfinite(alphas))
    wanted = ~gone
    if averages[0][0] == 0:
        wanted[0, 1:] = False  # all runs start at one point
    objectives = torch.full(alphas.shape, torch.nan, dtype=torch.float64)
    if bool(wanted.any()):
        objectives[wanted] = problem.objectives(thetas[wanted], alphas[wanted], stop)
    if averages[0][0] == 0:
        objectives[0] = objectives[0, 0]
    gone |= ~torch.isfinite(objectives)
    gone = gone.to(torch.int8).cummax(0).values.to(torch.bool)  # once diverged, for ever
    objectives[gone] = torch.nan
    return objectives, gone[-1]
