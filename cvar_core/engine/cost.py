"""What a sweep costs in seconds of one processor, before it is run: for chunks, progress and estimates."""

from __future__ import annotations

from typing import NamedTuple

from ..catalogue import losses, methods
from ..linear import ALIKE, LANES
from ..specs import ProblemSpec, SweepSpec

_MOST_NEWTON, _MOST_DENSE = 1_000, 2**27  # columns, and numbers of sparse rows, up to which a Hessian is solved with
_CACHE = 2**21  # bytes that are near a processor


class Cost(NamedTuple):
    """Seconds of one processor, as measured on a common one; a server corrects them by what it sees."""

    draw: float  # the evaluation points, once
    solve: float  # the optimum, once
    update: float  # one update of a shard: all step sizes
    checkpoint: float  # one record of a shard

    def of_shard(self, spec: SweepSpec, iteration: int = 0, recorded: int = 0) -> float:
        """Return what is left of a shard that has taken ``iteration`` updates and has ``recorded`` records."""
        records = len(spec.checkpoint_iterations) - recorded
        return (spec.iterations - iteration) * self.update + records * self.checkpoint

    def of_sweep(self, spec: SweepSpec) -> float:
        shards = len(spec.methods) * len(spec.seeds)
        return self.draw + self.solve + shards * self.of_shard(spec)


def cost(spec: SweepSpec, step_sizes: int | None = None, method: str | None = None) -> Cost:
    """Return what a sweep costs, and its shards with all step sizes or with so many: one method's, or the mean's."""
    problem, runs = spec.problem, len(spec.lambdas) if step_sizes is None else step_sizes
    slow = _slow(problem) / 2  # many points at once
    size, dim = problem.eval_size, problem.dim
    names = spec.methods if method is None else (method,)
    update = sum(_update(problem, runs, name) for name in names) / len(names)
    if problem.nonzeros is not None:
        lanes = -(-runs // LANES) * LANES
        return Cost(
            draw=1e-8 * problem.nonzeros,
            solve=_solve(problem),
            update=update,
            checkpoint=1e-3 + lanes * (size * (2e-9 + slow) + 0.8e-9 * problem.nonzeros + 1.5e-8 * dim),
        )
    whole = 1.0 if problem.mix is None else 1.5  # of a mix every point counts, not only those near the tail
    return Cost(
        draw=size * (1e-7 + 4e-8 * dim),
        solve=_solve(problem),
        update=update,
        checkpoint=2e-4 + runs * size * (0.35e-9 + 0.16e-9 * dim + slow) * whole,
    )


def _solve(problem: ProblemSpec) -> float:
    """Return the seconds that solving for the optimum takes: a descent on all points, then Newton's steps on a part.

    A Hessian of very many columns does not fit: there the descent goes on, and is long where the loss has kinks.
    """
    size, dim, loss = problem.eval_size, problem.dim, losses[problem.loss]
    sparse = problem.nonzeros is not None
    if sparse and (dim > _MOST_NEWTON or size * dim > _MOST_DENSE):
        kinks = loss.smoothed is not None and loss.task == "regression"
        met = 4e-5 if kinks else 2e-6  # all targets can be met, and smooth losses then fall to 0 in a few steps
        return (7e-6 if dim <= size else met) * ((problem.nonzeros or 0) + size + dim)
    opened = min(size, max(4_000, 100 * dim))  # points near the tail, that Newton's steps are taken on
    whole = 1.0 if problem.mix is None else 5.0
    seconds = 0.1 + 0.0035 * dim + 1.7e-6 * opened * dim + 1.6e-7 * size * dim * whole
    return seconds * (0.3 if loss.task == "classification" else 1.0)  # whose best model is often none


def is_compiled(problem: ProblemSpec, method: str) -> bool:
    """Whether the loss and the method have scalar forms, which kernels are made of; else torch takes the steps."""
    return losses[problem.loss].scalar is not None and methods[method].weight is not None


def _update(problem: ProblemSpec, runs: int, method: str) -> float:
    """Return the seconds of one update of a shard of so many runs."""
    if not is_compiled(problem, method):  # some forty calls of torch, and ten passes over θ
        return 1.5e-4 + 9e-9 * problem.dim * -(-runs // ALIKE) * ALIKE
    lanes, slow = -(-runs // LANES) * LANES, _slow(problem)
    if problem.nonzeros is not None:
        far = 1.7 if 8 * lanes * problem.dim > _CACHE else 1.0  # from θ, of which a row has a few places
        return lanes * (2e-9 + slow) + problem.nonzeros / problem.eval_size * (1e-8 + 5e-9 * lanes) * far
    return max(runs, LANES) * (2e-9 + 0.5e-9 * problem.dim + slow) + 1e-8 * problem.dim


def _slow(problem: ProblemSpec) -> float:
    """Return the seconds that an exponential and a logarithm take, if the loss has them."""
    return 5e-9 if losses[problem.loss].task == "classification" else 0.0


def memory(problem: ProblemSpec) -> tuple[int, int]:
    """Return the bytes that a problem needs while it runs: its own, and those of features that others may share."""
    if problem.nonzeros is not None:
        vectors = 8 * 64 * (problem.dim + problem.eval_size)  # L-BFGS keeps twenty pairs of them, and a state has runs
        return vectors, 24 * problem.nonzeros
    features = 8 * problem.dim * problem.eval_size
    samples = 8 * 2**22  # the cache of a problem's stream
    # The optimum sorts losses and predictions and opens a part of the points; drawing needs a second copy for a moment.
    own = samples + 8 * 12 * problem.eval_size + features // 2 + (0 if problem.data is None else features)  # as given
    return own, features
