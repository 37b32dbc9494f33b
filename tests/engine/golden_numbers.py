"""What the golden numbers are computed from: sample streams, steps, and runs on every kind of problem."""

import functools
import hashlib
import itertools
import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array

from cvar_core import Problem, SweepSpec
from cvar_core.catalogue import losses, methods, noises, schedules
from cvar_core.engine import Records, Shard, State, advance, start
from cvar_core.problem import draws, recorded_names

SEED = 3  # of the runs; the problems have another, so that neither can take the other's place
PROBLEM_SEED = 5
LAMBDAS = (0.01, 0.3)  # stable ones: others blow the last bits up, which differ between machines
WIDE, NARROW = 200, 6  # columns: blocks of 2,048 samples, and of 32,768
ROWS = 60
ACROSS = {WIDE: 2_500, NARROW: 33_500}  # iterations that end in the second block

Entry = dict[str, Any]  # "kind", "of" (what it is computed from) and "is" (what came out)


def _rows(dim: int, task: str) -> tuple[np.ndarray, np.ndarray]:
    """Return rows whose bits are the same everywhere: small whole numbers over powers of two."""
    i, j = np.ogrid[:ROWS, :dim]
    x = ((7 * i + 11 * j + 5 * i * j + j * j) % 13 - 6) / 2.0 ** (2 + math.ceil(math.log2(dim) / 2))
    y = ((17 * i[:, 0]) % 23 - 11) / 4
    return x, np.where(y > 1, 1.0, -1.0) if task == "classification" else y


_PROBLEM = ("on", "loss", "noise", "dim", "mix")


@functools.lru_cache(maxsize=8)
def _problem(described: str) -> Problem:
    on, loss, noise, dim, mix = (json.loads(described).get(name) for name in _PROBLEM)
    if on in ("rows", "sparse rows"):
        x, y = _rows(dim, losses[loss].task)
        if on == "sparse rows":
            x = csr_array(np.where(np.add.outer(np.arange(ROWS), np.arange(dim)) % 3 == 0, x, 0.0))
        return Problem.from_arrays(x, y, loss=loss, beta=0.9, scale=2.0, mix=mix)
    ((name, parameters),) = noise.items()
    size = {"samples": 400, "a sample": ROWS}[on]
    return Problem.synthetic(
        loss, name, 0.9, dim, size, PROBLEM_SEED, parameters, 2.0, size if on == "a sample" else None, mix=mix
    )


def _described(on: str, loss: str, noise: str | None, dim: int) -> Entry:
    """Describe a problem in JSON; a noise has its parameters with it, for its defaults are not the engine's."""
    return {"on": on, "loss": loss, "noise": noise and {noise: dict(noises[noise].parameters)}, "dim": dim}


def _made(of: Entry) -> Problem:
    return _problem(json.dumps({name: of[name] for name in _PROBLEM if name in of}))


def _brief(vector: Any) -> list[float]:
    """Return a vector's first, middle and last number and its length."""
    values = np.asarray(vector, dtype=np.float64)
    return [*values[[0, len(values) // 2, -1]].tolist(), float(np.sqrt(values @ values))]


def _digest(whole_numbers: Any) -> str:
    return hashlib.sha256(np.asarray(whole_numbers).astype("<i8").tobytes()).hexdigest()[:32]


def block_length(dim: int) -> int:
    return draws.block_length(dim)


def sparse_block_length() -> int:
    return draws.SPARSE_BLOCK


def checkpoints(iterations: int, checkpoints: int) -> list[int]:
    problem = Problem.synthetic(eval_size=1).spec
    return list(SweepSpec(problem, iterations=iterations, checkpoints=checkpoints).checkpoint_iterations)


def factors(schedule: str, first: int, last: int, n: int) -> list[float]:
    return schedules[schedule].factors(first, last, n).tolist()


def step_sizes(method: str, initial_loss: float) -> Entry:
    sizes = methods[method].step_sizes(*(torch.tensor(v, dtype=torch.float64) for v in (LAMBDAS, initial_loss)))
    return {"theta": sizes.theta.tolist(), "alpha": sizes.alpha.tolist()}


def begin(seed: int, **of: Any) -> Entry:
    theta, alpha, initial_loss = _made(of).start(seed)
    return {"theta": _brief(theta), "alpha": alpha, "initial_loss": initial_loss}


def theta_gen(**of: Any) -> list[float]:
    return _brief(_made(of).theta_gen)


def points(**of: Any) -> Entry:
    """The points that the objective is evaluated on."""
    problem = _made(of)
    ends = torch.tensor([0, problem.ground.points.count - 1])
    first, last = problem.ground.points.rows(ends)
    return {"first": _brief(first), "last": _brief(last), "y": _brief(problem.ground.points.target)}


def independent(**of: Any) -> Entry:
    problem = _made(of)
    columns, y = draws.independent(problem.spec, problem.theta_gen, 50, 1)
    return {"first": _brief(columns[:, 0]), "last": _brief(columns[:, -1]), "y": _brief(y)}


def samples(seed: int, block: int, **of: Any) -> Entry:
    problem = _made(of)
    length = problem.ground.block_length
    drawn = problem.ground.samples(seed, block * length, (block + 1) * length)
    return {
        "first": _brief(drawn.x[0]),
        "last": _brief(drawn.x[-1]),
        "y": _brief(drawn.y),
        "norms": _brief(drawn.norms),
    }


def row_numbers(rows: int, length: int, seed: int, block: int) -> str:
    return _digest(draws.index_block(rows, length, seed, block))


def sparse_row_numbers(seed: int, block: int, **of: Any) -> str:
    problem = _made(of)
    length = problem.ground.block_length
    return _digest(problem.ground.sparse_samples(seed, block * length, (block + 1) * length).rows)


def _sweep(problem: Problem, method: str, schedule: str) -> tuple[SweepSpec, Shard]:
    n = ACROSS[problem.spec.dim]
    return SweepSpec(problem.spec, (method,), LAMBDAS, n, (SEED,), schedule, checkpoints=1), Shard(method, SEED)


def _records(problem: Problem, records: Records) -> Entry:
    beside = {name: records.beside[..., k].tolist() for k, name in enumerate(recorded_names(problem.spec))}
    return {"iterations": list(records.iterations), "objective": records.objectives.tolist(), **beside}


def run(method: str, schedule: str, **of: Any) -> Entry:
    """A run's records, from the start into the second block."""
    problem = _made(of)
    spec, shard = _sweep(problem, method, schedule)
    return _records(problem, advance(problem, spec, shard, start(problem, spec, shard), spec.iterations)[1])


PARTS = ("theta", "alpha", "theta_sum", "alpha_sum")


def stopped(method: str, schedule: str, at: int, **of: Any) -> Entry:
    """A run's state where it was stopped, and what is recorded when it goes on from there."""
    problem = _made(of)
    spec, shard = _sweep(problem, method, schedule)
    state, _ = advance(problem, spec, shard, start(problem, spec, shard), at)
    _, records = advance(problem, spec, shard, state, spec.iterations)
    kept = {part: getattr(state, part).tolist() for part in PARTS}
    return {"state": {"recorded": state.recorded, **kept}, "end": _records(problem, records)}


def resumed(state: Entry, method: str, schedule: str, at: int, **of: Any) -> Entry:
    """What is recorded when a run goes on from a stored state."""
    problem = _made(of)
    spec, shard = _sweep(problem, method, schedule)
    tensors = (torch.tensor(state[part], dtype=torch.float64) for part in PARTS)
    stored = State(at, state["recorded"], *tensors, torch.zeros(len(LAMBDAS), dtype=torch.bool))
    return _records(problem, advance(problem, spec, shard, stored, spec.iterations)[1])


KINDS: dict[str, Callable[..., Any]] = {
    "block length": block_length,
    "sparse block length": sparse_block_length,
    "checkpoints": checkpoints,
    "factors": factors,
    "step sizes": step_sizes,
    "start": begin,
    "theta_gen": theta_gen,
    "points": points,
    "independent": independent,
    "samples": samples,
    "row numbers": row_numbers,
    "sparse row numbers": sparse_row_numbers,
    "run": run,
    "stopped": stopped,
}


def computed(entry: Entry) -> Any:
    """Return what the code at hand makes of an entry, in the file's form."""
    return _rounded(KINDS[entry["kind"]](**entry["of"]))


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    if isinstance(value, float):
        assert math.isfinite(value), "golden numbers are finite"
        return float(f"{value:.10g}")
    return value


def recipe() -> Iterator[Entry]:
    """Yield what the file is to hold: all that is registered, on every kind of problem."""

    def entry(kind: str, **of: Any) -> Entry:
        return {"kind": kind, "of": of}

    for dim in (1, 2, 3, 10, 16, 17, 60, 200, 1_000, 32_768, 32_769, 1_000_000):
        yield entry("block length", dim=dim)
    yield entry("sparse block length")
    for iterations, count in ((1, 26), (60, 5), (10_000, 26), (100_000, 26), (1_000_000, 1)):
        yield entry("checkpoints", iterations=iterations, checkpoints=count)
    for schedule in schedules.names():
        yield entry("factors", schedule=schedule, first=0, last=3, n=1_000)
        yield entry("factors", schedule=schedule, first=32_767, last=32_769, n=100_000)
    for method in methods.names():
        yield entry("step sizes", method=method, initial_loss=2.5)

    for dim in (1, 10, 200):
        for loss in ("squared", "logistic"):
            problem = _described("samples", loss, "normal", dim)
            for seed in (0, SEED):
                yield entry("start", seed=seed, **problem)
            for seed, block in ((0, 0), (SEED, 0), (SEED, 1)):
                yield entry("samples", seed=seed, block=block, **problem)
            for kind in ("theta_gen", "points", "independent"):
                yield entry(kind, **problem)
    for noise in noises.names():
        for kind, which in (("points", {}), ("samples", {"seed": SEED, "block": 1})):
            yield entry(kind, **which, **_described("samples", "absolute", noise, 10))
    for rows, length, seed, block in ((1, 16, 0, 0), (60, 2_048, SEED, 1), (1_000_003, 32_768, 0, 0)):
        yield entry("row numbers", rows=rows, length=length, seed=seed, block=block)
    for block in (0, 1):
        yield entry("samples", seed=SEED, block=block, **_described("a sample", "squared", "normal", WIDE))
        yield entry("samples", seed=SEED, block=block, **_described("rows", "squared", None, WIDE))
        yield entry("sparse row numbers", seed=SEED, block=block, **_described("sparse rows", "squared", None, NARROW))

    for (i, loss), method in itertools.product(enumerate(losses.names()), methods.names()):
        problems = [_described("samples", loss, noise, WIDE) for noise in noises.names()]
        problems += [_described("a sample", loss, "normal", WIDE), _described("rows", loss, None, WIDE)]
        problems += [_described("sparse rows", loss, None, NARROW)]
        for k, problem in enumerate(problems):
            yield entry("run", method=method, schedule=("decreasing", "constant")[(i + k) % 2], **problem)
    for schedule, method in itertools.product(schedules.names(), methods.names()):
        yield entry("run", method=method, schedule=schedule, **_described("samples", "absolute", "normal", WIDE))
    for on, noise in (("samples", "normal"), ("a sample", "normal"), ("rows", None), ("sparse rows", None)):
        for method in methods.names():
            problem = _described(on, "squared", noise, NARROW)
            yield entry("stopped", method=method, schedule="decreasing", at=20_000, **problem)

    composed = ("sgm@pair", "sgm-t@pair", "sgm-t@unit-free")
    for method in composed:
        yield entry("step sizes", method=method, initial_loss=2.5)
    for method in (*methods.names(), *composed):
        for mix in (0.3,) if method in methods.names() else (None, 0.3):
            mixed = {} if mix is None else {"mix": mix}
            yield entry(
                "run", method=method, schedule="decreasing", **_described("rows", "absolute", None, WIDE), **mixed
            )
    for on, loss, noise, dim, mix in (
        ("samples", "squared", "normal", WIDE, 0.3), ("samples", "logistic", "normal", WIDE, 0.7),
        ("sparse rows", "pinball", None, NARROW, 0.3), ("sparse rows", "absolute", None, NARROW, 0.0),
    ):  # fmt: skip
        for method in ("sgm", "spl+"):
            yield entry("run", method=method, schedule="constant", **_described(on, loss, noise, dim), mix=mix)
