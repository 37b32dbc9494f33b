"""Does Sharpen hold what it claims, and what does it cost? ``python -m tools.sharpness``, some ten minutes.

First, after it has stopped: 200 starts on a fine grid are taken for all that there are, so that the truth is known.
They are given to Sharpen in an order that is drawn, as somebody's seeds, hundreds of times; its own rule says what it
looks at and when it ends. It is counted how often its last interval holds the truth. Then, beside a dense grid: Sharpen
is run as anybody runs it, and what 200 λ from 80 starts say is held against its intervals.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cvar_core import Problem, Result, Sharpened, SweepSpec, paper_grid, sharpen, sweep
from cvar_core.bench.text_table import Cell, table
from cvar_core.results import MEASURES, Criterion, Sharp, Sharpening
from cvar_core.results.certainty import LEVEL
from cvar_core.results.looks import STAGES
from cvar_core.results.sharpened import DENSE
from cvar_core.results.sharpening import NOTHING, step_size
from tools.coverage import PROBLEMS

_LATTICE = tuple(step_size(k / 32) for k in range(-8 * 32, 6 * 32 + 1))  # all that Sharpen can ask for
_METHODS = ("sgm", "spl", "spl+")


@dataclass(frozen=True)
class Stopped:
    """How often the interval at which Sharpen stopped held the truth."""

    case: str
    held: float
    width: float  # the median over the sets
    starts: tuple[float, ...]  # the share of sets that ended at each stage
    work: float  # the mean, as a share of the dense grid's


def part(whole: Result, spec: SweepSpec, order: NDArray[np.int64]) -> Result:
    """Return what a sweep would have found, whose starts are those of ``whole`` in some order."""
    places = (
        [whole.method(method) for method in spec.methods],
        [int(order[seed]) for seed in spec.seeds],
        range(len(whole.checkpoints)),
        [_place(whole, lam) for lam in spec.lambdas],
    )
    cut = np.ix_(*places)
    beside = {name: values[cut] for name, values in whole.beside.items()}
    recorded = np.full((len(spec.methods), len(spec.seeds)), len(whole.checkpoints))
    return Result(spec, whole.optimum, whole.objectives[cut], recorded, beside)


def _place(whole: Result, lam: float) -> int:
    found = whole.place(lam)
    assert found is not None, f"λ = {lam:g} is not among those that were run"
    return found


def stopped(name: str, whole: Result, measure: str, sets: int, rng: np.random.Generator) -> Iterator[Stopped]:
    """Let Sharpen run on starts in orders that are drawn, and count how often it was right."""
    by, spec = Criterion(measure), whole.spec
    truth = whole.judged(by).forgiven
    for method in spec.methods:
        base = replace(spec, methods=(method,), lambdas=paper_grid(), seeds=tuple(range(STAGES[0])))
        median = float(np.median(truth[method].each))
        found = [_sharpened(base, by, whole, rng.permutation(len(spec.seeds))) for _ in range(sets)]
        found = [each for each in found if each.why[method] != NOTHING]  # which is no statement about decades
        if not found:
            continue
        known = [each.methods[method] for each in found]
        yield Stopped(
            f"{name}: {measure}: {method}",
            float(np.mean([each.interval.low <= median <= each.interval.high for each in known])),
            float(np.median([each.width for each in known])),
            tuple(float(np.mean([len(each.starts) == stage for each in known])) for stage in STAGES),
            float(np.mean([each.updates / each.dense_updates for each in found])),
        )


def _sharpened(base: SweepSpec, by: Criterion, whole: Result, order: NDArray[np.int64]) -> Sharpened:
    sharpening = Sharpening(base, by)
    while (spec := sharpening.next()) is not None:
        sharpening.take(part(whole, spec, order))
    return sharpening.known


def against_dense(loss: str, noise: str, iterations: int, eval_size: int) -> Iterator[list[Cell]]:
    """Sharpen a problem by either measure, and hold it against a dense grid."""
    problem = Problem.synthetic(loss=loss, noise=noise, beta=0.95, eval_size=eval_size)
    grid = np.logspace(-6, 4, DENSE)
    begun = time.perf_counter()
    dense = sweep(problem, _METHODS, grid, iterations, STAGES[-1], checkpoints=1)
    dense_seconds = time.perf_counter() - begun
    for measure in MEASURES:
        begun = time.perf_counter()
        found = sharpen(problem, _METHODS, None, iterations, measure=measure, checkpoints=1)
        seconds = time.perf_counter() - begun
        for method, known in found.methods.items():
            forgiven = dense.judged(Criterion(measure)).forgiven[method]
            yield [
                f"{loss}, {noise}: {measure}: {method}",
                f"{np.median(forgiven.each):.2f}",
                f"{known.decades:.2f} ({known.interval.low:.2f}–{known.interval.high:.2f})",
                _within(known, forgiven.typical),
                len(known.starts),
                found.why[method],
                f"{100 * found.updates / found.dense_updates:.1f}%",
                f"{100 * seconds / dense_seconds:.0f}%",
            ]


def _within(known: Sharp, typical: object) -> str:
    """Say which of the dense grid's ends lie in the intervals of Sharpen's."""
    if typical is None or known.low is None or known.high is None:
        return "none usable"
    inside = {name: getattr(known, name) for name in ("low", "high")}
    return ", ".join(
        f"{name} {'✓' if each.low <= getattr(typical, name) <= each.high else '✗'}" for name, each in inside.items()
    )


def told(found: Sequence[Stopped]) -> str:
    rows: list[list[Cell]] = [
        [each.case, f"{100 * each.held:.1f}%", f"{each.width:.2f}", *(f"{100 * share:.0f}%" for share in each.starts),
         f"{100 * each.work:.1f}%"]
        for each in found
    ]  # fmt: skip
    header = [f"{100 * LEVEL:.0f}% is claimed", "held", "width", *(f"{n} starts" for n in STAGES), "of the dense work"]
    return table("How often the interval at which Sharpen stopped holds the true median", header, rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.sharpness", description=__doc__)
    parser.add_argument("--starts", type=int, default=200, help="which are taken for all that there are")
    parser.add_argument("--sets", type=int, default=400, help="orders of the starts that are drawn")
    parser.add_argument("--iterations", type=int, default=10_000)
    parser.add_argument("--eval-size", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0, help="of the draws")
    asked = parser.parse_args(arguments)
    if asked.starts < STAGES[-1]:
        parser.error(f"--starts is {asked.starts}, but Sharpen may want {STAGES[-1]}")
    rng, found = np.random.default_rng(asked.seed), []
    for loss, noise in PROBLEMS:
        problem = Problem.synthetic(loss=loss, noise=noise, beta=0.95, eval_size=asked.eval_size)
        whole = sweep(problem, _METHODS, _LATTICE, asked.iterations, asked.starts, checkpoints=1)
        for measure in MEASURES:
            found += stopped(f"{loss}, {noise}", whole, measure, asked.sets, rng)
    print(told(found), flush=True)
    error = np.sqrt(LEVEL * (1 - LEVEL) / asked.sets)
    print(f"\nOf {asked.sets} orders of {asked.starts} starts; a share near 90% is known to ± {200 * error:.1f}%.\n")
    rows = [row for loss, noise in PROBLEMS for row in against_dense(loss, noise, asked.iterations, asked.eval_size)]
    header = ["", "dense", "sharpened", "ends", "starts", "why", "updates, all three", "seconds"]
    print(table(f"Beside {DENSE} λ from {STAGES[-1]} starts", header, rows))


if __name__ == "__main__":
    main()
