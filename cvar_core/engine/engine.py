"""``start`` a shard of a sweep and ``advance`` it: pure functions of a spec, with the state in and out.

A shard is one method from one seed, with step sizes: runs that share a start and a stream of samples.
What is computed does not depend on how a run is cut into chunks, nor on the other step sizes.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ..cancel import Stop, check
from ..catalogue import StepSizes, methods, schedules
from ..problem import OwnGround, Problem, recorded_names
from ..specs import SweepSpec
from . import kernel as kernel  # registers torch.ops.cvar_core.steps
from .cost import cost, is_compiled
from .own_steps import own_steps
from .sparse_kernel import sparse_steps

_PATIENCE = 0.1  # seconds, of whoever cancels


class Shard(NamedTuple):
    """One method from one seed, with all step sizes of its sweep or with some."""

    method: str
    seed: int
    lambdas: tuple[float, ...] | None = None  # in their order; ``None`` is all of them, and nothing else is

    @classmethod
    def of(cls, spec: SweepSpec, method: str, seed: int, lambdas: Iterable[float]) -> Shard:
        """Return the shard of a sweep that has these of its step sizes."""
        chosen = tuple(sorted(lambdas))
        return cls(method, seed, None if chosen == spec.lambdas else chosen)

    def step_sizes(self, spec: SweepSpec) -> tuple[float, ...]:
        return spec.lambdas if self.lambdas is None else self.lambdas


class Reached(NamedTuple):
    """How far a shard is."""

    iteration: int  # updates taken
    recorded: int  # checkpoints recorded


class State(NamedTuple):
    """Where the runs of a shard are, one row for each step size."""

    iteration: int  # updates taken
    recorded: int  # checkpoints recorded
    theta: Tensor  # (runs, dim)
    alpha: Tensor  # (runs,)
    theta_sum: Tensor  # (runs, dim) θ_1 + … + θ_iteration; on sparse data the lag B of the mean (``sparse_kernel``)
    alpha_sum: Tensor  # (runs,)
    diverged: Tensor  # (runs,) of bool

    @property
    def reached(self) -> Reached:
        return Reached(self.iteration, self.recorded)

    def ended(self) -> State:
        """Return what has to be known of a shard that takes no further update: how far it came."""
        return self.some([])

    def some(self, runs: Sequence[int]) -> State:
        """Return the same of some runs, by their places."""
        return State(self.iteration, self.recorded, *(part[list(runs)] for part in self[2:]))


class Seconds(NamedTuple):
    """Where the time went."""

    sample: float = 0.0
    step: float = 0.0
    evaluate: float = 0.0


class Records(NamedTuple):
    """What the averaged iterates are worth at checkpoints; NaN where a run has diverged."""

    iterations: tuple[int, ...]
    objectives: Tensor  # (checkpoints, runs)
    beside: Tensor  # (checkpoints, runs, names) the risk and what else there is, by ``problem.recorded_names``
    seconds: Seconds

    def some(self, runs: Sequence[int]) -> Records:
        """Return the same of some runs, by their places."""
        return self._replace(objectives=self.objectives[:, list(runs)], beside=self.beside[:, list(runs)])


class _Average(NamedTuple):
    """The reported points at a checkpoint."""

    iteration: int
    theta: Tensor  # (runs, dim)
    alpha: Tensor  # (runs,)
    diverged: Tensor  # (runs,) of bool


def shards(spec: SweepSpec, begun: Iterable[Shard] = (), blocks: int = 1) -> list[Shard]:
    """Return the shards of a sweep, those of one seed together, for they share samples.

    Those that have ``begun`` are among them; step sizes that are in none of these make a further one, or ``blocks``.
    """
    parts: dict[tuple[str, int], list[Shard]] = {}
    for shard in begun:
        parts.setdefault((shard.method, shard.seed), []).append(shard)
    found = []
    for place in ((method, seed) for seed in spec.seeds for method in spec.methods):
        found += parts.get(place, [])
        taken = {lam for shard in parts.get(place, ()) for lam in shard.step_sizes(spec)}
        missing = [lam for lam in spec.lambdas if lam not in taken]
        size = -(-len(missing) // blocks) or 1
        found += [Shard.of(spec, *place, missing[first : first + size]) for first in range(0, len(missing), size)]
    return found


def start(problem: Problem, spec: SweepSpec, shard: Shard) -> State:
    """Return the state before the first update."""
    begin = problem.start(shard.seed)
    runs = len(shard.step_sizes(spec))
    theta = begin.theta.repeat(runs, 1)
    alpha = torch.full((runs,), begin.alpha, dtype=torch.float64)
    none = torch.zeros(runs, dtype=torch.bool)
    return State(0, 0, theta, alpha, torch.zeros_like(theta), torch.zeros_like(alpha), none)


def advance(
    problem: Problem, spec: SweepSpec, shard: Shard, state: State, until: int, stop: Stop | None = None
) -> tuple[State, Records]:
    """Take the updates up to iteration ``until``, and record the checkpoints passed on the way."""
    checkpoints = [n for n in spec.checkpoint_iterations[state.recorded :] if n <= until]
    waiting: list[_Average] = []
    runs = len(state.alpha)
    objectives = [torch.empty((0, runs), dtype=torch.float64)]
    beside = [torch.empty((0, runs, len(recorded_names(spec.problem))), dtype=torch.float64)]
    sampling = stepping = evaluating = 0.0
    for left, target in enumerate((*checkpoints, min(until, spec.iterations)), start=-len(checkpoints)):
        check(stop)
        state, sampled, stepped = _step_to(problem, spec, shard, state, target, stop)
        sampling += sampled
        stepping += stepped
        if left < 0:
            waiting.append(_average(problem, state))
        if waiting and (left >= -1 or problem.spec.nonzeros is not None):  # sparse data may have many columns
            begun = time.perf_counter()
            values, others, diverged = _evaluate(problem, waiting, stop)
            state = state._replace(diverged=state.diverged | diverged)
            objectives.append(values)
            beside.append(others)
            waiting = []
            evaluating += time.perf_counter() - begun
    state = state._replace(recorded=state.recorded + len(checkpoints))
    seconds = Seconds(sampling, stepping, evaluating)
    return state, Records(tuple(checkpoints), torch.cat(objectives), torch.cat(beside), seconds)


def step(problem: Problem, spec: SweepSpec, shard: Shard, state: State, until: int) -> State:
    """Take the updates up to iteration ``until``, and record nothing."""
    return _step_to(problem, spec, shard, state, min(until, spec.iterations))[0]


class Averaged(NamedTuple):
    """What runs end with: the means of their iterates."""

    theta: Tensor  # (runs, dim)
    alpha: Tensor  # (runs,)


def averaged(problem: Problem, spec: SweepSpec, shard: Shard, stop: Stop | None = None) -> Averaged:
    """Return the points (θ̄, ᾱ) that a shard ends with, NaN where a run has diverged.

    Only records are kept of runs that have ended. Their iterates are taken again from the start, with the same bits.
    """
    state, _ = advance(problem, spec, shard, start(problem, spec, shard), spec.iterations, stop)
    _, theta, alpha, _ = _average(problem, state)
    gone = state.diverged
    return Averaged(torch.where(gone[:, None], torch.nan, theta), torch.where(gone, torch.nan, alpha))


def next_stop(spec: SweepSpec, state: State, seconds: float = 0.25, method: str | None = None) -> int:
    """Return the iteration to advance to so that it takes about ``seconds``; it is at least one further."""
    expected = cost(spec, len(state.alpha), method)
    here = state.iteration
    if not state.recorded:  # the start's record is one point's for all step sizes, and shows nothing by itself
        return max(1, next_stop(spec, state._replace(recorded=1), seconds, method))
    for checkpoint in spec.checkpoint_iterations[state.recorded :]:
        needed = (checkpoint - here) * expected.update + expected.checkpoint
        if needed > seconds:
            return min(checkpoint, here + max(1, int(seconds / expected.update)))
        seconds -= needed
        here = checkpoint
    return spec.iterations


def step_sizes(problem: Problem, spec: SweepSpec, shard: Shard) -> StepSizes:
    """Return the step sizes of a shard's runs before any decay: a function of the problem and the seed alone."""
    method = methods[shard.method]
    lam, initial_loss = shard.step_sizes(spec), problem.start(shard.seed).initial_loss
    sizes = method.step_sizes(*(torch.tensor(each, dtype=torch.float64) for each in (lam, initial_loss)))
    if method.metric is None:
        return sizes
    return sizes._replace(metric=method.metric(problem.ground.slope_squares(shard.seed)))


def _step_to(
    problem: Problem, spec: SweepSpec, shard: Shard, state: State, target: int, stop: Stop | None = None
) -> tuple[State, float, float]:
    sizes = step_sizes(problem, spec, shard)
    piece = _most_at_once(spec, shard, len(state.alpha))
    length = problem.ground.block_length
    sampling = stepping = 0.0
    iteration, runs = state.iteration, state[2:]
    while iteration < target:
        check(stop)
        last = min(target, (iteration // length + 1) * length, iteration + piece)
        factors = schedules[spec.schedule].factors(iteration, last, spec.iterations)
        shared = (problem.spec.beta, problem.spec.scale, problem.spec.full_loss, shard.method)
        begun = time.perf_counter()
        if isinstance(problem.ground, OwnGround):
            rows = problem.ground.rows(shard.seed, iteration, last)
            drawn = time.perf_counter()
            runs = own_steps(problem.ground, rows, factors, sizes, runs, shard.method)
        elif problem.spec.nonzeros is None:
            samples = problem.ground.samples(shard.seed, iteration, last)
            drawn = time.perf_counter()
            runs = torch.ops.cvar_core.steps.default(
                samples.x, samples.y, samples.norms_in(sizes.metric), factors, sizes.theta, sizes.alpha, *runs, *shared,
                sizes.metric, problem.spec.tail_weight,
            )  # fmt: skip
        else:
            points, index = problem.ground.sparse_samples(shard.seed, iteration, last)
            drawn = time.perf_counter()
            runs = sparse_steps(points, index, iteration, factors, sizes, runs, *shared, problem.spec.tail_weight)
        sampling += drawn - begun
        stepping += time.perf_counter() - drawn
        iteration = last
    return State(iteration, state.recorded, *runs), sampling, stepping


def _most_at_once(spec: SweepSpec, shard: Shard, runs: int) -> int:
    """Return how many updates are taken between two looks at the stop flag: where torch takes them, a block is long."""
    if is_compiled(spec.problem, shard.method):
        return spec.iterations
    return max(1, int(_PATIENCE / cost(spec, runs, shard.method).update))


def _average(problem: Problem, state: State) -> _Average:
    """Return the reported point: the mean of the iterates after the start, or the start itself."""
    n = state.iteration
    theta, alpha = state.theta, state.alpha
    if n > 0:
        lagging = problem.spec.nonzeros is not None
        theta = theta + state.theta_sum / n if lagging else state.theta_sum / n
        alpha = state.alpha_sum / n
    return _Average(n, theta, alpha, state.diverged)


def _evaluate(problem: Problem, averages: list[_Average], stop: Stop | None) -> tuple[Tensor, Tensor, Tensor]:
    """Return the objectives at checkpoints and what is recorded beside, and which runs had diverged by the last."""
    # One average alone is not copied: on sparse data it lies in memory as the evaluation wants it.
    thetas = torch.stack([average.theta for average in averages]) if len(averages) > 1 else averages[0].theta[None]
    alphas = torch.stack([average.alpha for average in averages])
    gone = torch.stack([average.diverged for average in averages])
    gone |= ~(torch.isfinite(thetas).all(2) & torch.isfinite(alphas))
    wanted = ~gone
    begins = averages[0].iteration == 0
    if begins:
        wanted[0, 1:] = False  # all runs start at one point
    objectives = torch.full(alphas.shape, torch.nan, dtype=torch.float64)
    beside = torch.full((*alphas.shape, len(recorded_names(problem.spec))), torch.nan, dtype=torch.float64)
    if bool(wanted.any()):
        chosen = thetas.flatten(0, 1) if bool(wanted.all()) else thetas[wanted]
        objectives[wanted], beside[wanted] = _worth(problem, chosen, alphas[wanted], stop)
    if begins:
        objectives[0] = objectives[0, 0]
        beside[0] = beside[0, 0].clone()
    gone |= ~torch.isfinite(objectives)
    gone = gone.to(torch.int8).cummax(0).values.to(torch.bool)  # once diverged, for ever
    objectives[gone] = torch.nan
    beside[gone] = torch.nan
    return objectives, beside, gone[-1]


def _worth(problem: Problem, thetas: Tensor, alphas: Tensor, stop: Stop | None) -> tuple[Tensor, Tensor]:
    """Return the objectives of points, and what is recorded of them beside, in the order of ``recorded_names``."""
    objectives, risks, measures = problem.ground.evaluate(thetas, alphas, stop)
    columns = [risks.unsqueeze(1), measures]
    if "distance" in recorded_names(problem.spec):
        columns.insert(1, torch.linalg.vector_norm(thetas - problem.theta_gen, dim=1, keepdim=True))
    return objectives, torch.cat(columns, dim=1)
