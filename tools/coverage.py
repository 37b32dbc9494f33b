"""Do the intervals hold what they claim? ``python -m tools.coverage``, from the project's folder, half a minute.

Hundreds of starts are run and taken for all that there are, so that the truth is known. Then a few of them are drawn,
as somebody does who runs a few seeds, thousands of times; and it is counted how often the interval of those few holds
the truth. The intervals are those of ``cvar_core.results``: only the draws are made here.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cvar_core import Problem, Result, paper_grid, sweep
from cvar_core.bench.text_table import Cell, table
from cvar_core.results import MEASURES, Criterion
from cvar_core.results.certainty import LEVEL, coverage, median_interval, share_at_least
from cvar_core.results.compared import Comparison
from cvar_core.results.grid import neighbours
from cvar_core.results.robustness import usable_range_with

Array = NDArray[np.float64]
Key = TypeVar("Key")

PROBLEMS = (("squared", "normal"), ("absolute", "gumbel"), ("logistic", "normal"))
ALL = tuple(itertools.product(("squared", "absolute", "logistic"), ("normal", "gumbel", "lognormal")))  # the paper's
COUNTS = (5, 10, 20)  # starts that somebody runs
_ENDS = (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98)  # quantiles of the ends of usable ranges: λ on which starts disagree
MEDIAN, DIFFERENCE, BOUND = KINDS = ("median decades", "mean difference", "share of starts")


@dataclass(frozen=True)
class Population:
    """All starts of a problem, judged by one measure.

    Attributes
    ----------
    decades
        What each method forgives, shape (starts,).
    usable
        For which starts a λ is usable, shape (lambdas, starts), of λ on which they disagree.
    """

    problem: str
    measure: str
    decades: dict[str, Array]
    usable: dict[str, NDArray[np.bool_]]


class Held(NamedTuple):
    """How often an interval held the truth.

    Attributes
    ----------
    apart, wrong
        Of a difference: how often methods are told apart, and how often with the wrong sign.
    """

    kind: str
    problem: str
    measure: str
    of: str
    starts: int  # in a set
    claim: float
    share: float
    apart: float | None = None
    wrong: float | None = None
    at: str = ""  # of a bound: the true share of starts for which the λ is usable


def populations(
    problems: Iterable[tuple[str, str]], starts: int, iterations: int, eval_size: int
) -> Iterator[Population]:
    """Run every problem from so many starts, and judge it by both measures."""
    for loss, noise in problems:
        problem = Problem.synthetic(loss=loss, noise=noise, beta=0.95, eval_size=eval_size)
        result = sweep(problem, lambdas=paper_grid(), iterations=iterations, seeds=starts, checkpoints=1)
        for measure in MEASURES:
            yield population(f"{loss}, {noise}", result, measure)


def population(name: str, result: Result, measure: str) -> Population:
    forgiven = result.judged(Criterion(measure)).forgiven
    decades = {method: np.array(found.each) for method, found in forgiven.items()}
    return Population(name, measure, decades, {method: _usable(result, measure, method) for method in forgiven})


def _usable(result: Result, measure: str, method: str) -> NDArray[np.bool_]:
    """Tell for which starts a λ near the ends of their ranges is usable, as a verdict counts them."""
    judged, grid = result.judged(Criterion(measure)), result.spec.lambdas
    ranges = [found for found in judged.forgiven[method].starts if found is not None]
    ends = [np.quantile([getattr(each, end) for each in ranges], _ENDS) for end in ("low", "high") if ranges]
    gaps = judged.gaps[result.method(method), :, result.reached, :]
    rows = []
    for lam in np.unique(np.concatenate([*ends, []])).tolist():
        beside = neighbours(grid, lam)
        assert beside is not None, "a usable range lies within its grid"
        each = zip(gaps, judged.limits, strict=True)
        rows.append([usable_range_with(lam, beside, grid, *one) is not None for one in each])
    found = np.array(rows, dtype=bool).reshape(-1, len(gaps))
    disputed: NDArray[np.bool_] = found[found.any(axis=1) & ~found.all(axis=1)]
    return disputed


def draw(rng: np.random.Generator, starts: int, sets: int, count: int, replace: bool = False) -> NDArray[np.int64]:
    """Return which starts are in each set, shape (sets, count)."""
    if replace:
        return rng.integers(starts, size=(sets, count))
    return rng.permuted(np.tile(np.arange(starts), (sets, 1)), axis=1)[:, :count]


def median_held(drawn: Array, truth: float) -> float:
    """Return in which share of the sets, shape (sets, count), the interval of the median holds the true one."""
    intervals = [median_interval(values) for values in drawn.tolist()]
    return float(np.mean([low <= truth <= high for low, high in intervals]))


def difference_held(drawn: Array, truth: float) -> tuple[float, float, float]:
    """Return how often the interval holds the true mean, tells methods apart, and does so with the wrong sign."""
    compared = [Comparison("first", "second", "risk", tuple(values)) for values in drawn.tolist()]
    held = [each.low <= truth <= each.high for each in compared]
    claims = [each.difference * truth for each in compared if each.told_apart]
    return float(np.mean(held)), len(claims) / len(held), sum(claim <= 0 for claim in claims) / len(held)


def bound_held(drawn: NDArray[np.bool_], truth: float) -> float:
    """Return how often the share of starts that a set shows is at most the true one."""
    count = drawn.shape[1]
    shown = np.array([share_at_least(fine, count) for fine in range(count + 1)])
    return float(np.mean(shown[drawn.sum(axis=1)] <= truth))


def hold(every: Population, sets: int, count: int, rng: np.random.Generator, replace: bool = False) -> Iterator[Held]:
    """Draw sets of ``count`` starts, and tell of every interval how often it holds the truth of all starts."""
    starts = len(next(iter(every.decades.values())))
    drawn = draw(rng, starts, sets, count, replace)
    where = (every.problem, every.measure)
    for method, decades in every.decades.items():
        share = median_held(decades[drawn], float(np.median(decades)))
        yield Held(MEDIAN, *where, method, count, coverage(count), share)
    for first, second in itertools.combinations(every.decades, 2):
        apart = every.decades[first] - every.decades[second]
        found = difference_held(apart[drawn], float(apart.mean()))
        yield Held(DIFFERENCE, *where, f"{first} − {second}", count, LEVEL, *found)
    for method, rows in every.usable.items():
        for fine in rows:
            share = bound_held(fine[drawn], float(fine.mean()))
            yield Held(BOUND, *where, method, count, (1 + LEVEL) / 2, share, at=f" at {fine.mean():.1%}")


def told(found: Sequence[Held]) -> str:
    """Return the tables: each kind of interval case by case, then the least and the mean of every kind."""
    parts = [_by_case(kind, cases) for kind, cases in _grouped(found, lambda each: each.kind).items()]
    rows: list[list[Cell]] = []
    for (kind, count), cases in _grouped(found, lambda each: (each.kind, each.starts)).items():
        least = min(cases, key=lambda each: each.share)
        mean = float(np.mean([each.share for each in cases]))
        wrong = max((each.wrong for each in cases if each.wrong is not None), default=None)
        shares = (_percent(share) for share in (least.claim, least.share, mean, wrong))
        rows.append([kind, count, len(cases), *shares, f"{least.problem}: {least.measure}: {least.of}{least.at}"])
    header = ["", "starts", "cases", "claimed", "least", "mean", "wrong sign, most", "least for"]
    return "\n".join([*parts, table("All", header, sorted(rows, key=lambda row: KINDS.index(str(row[0]))))])


def _by_case(kind: str, found: Sequence[Held]) -> str:
    """Return a table with a row per problem, measure and method or pair of methods; of several λ, the least."""
    rows: list[list[Cell]] = []
    for case, every in _grouped(found, lambda each: f"{each.problem}: {each.measure}: {each.of}").items():
        sizes = _grouped(every, lambda each: each.starts).values()
        least = [min(cases, key=lambda each: each.share) for cases in sizes]
        shares = [_percent(each.share) for each in least]
        if kind == DIFFERENCE:
            shares += [_percent(each.apart) for each in least] + [_percent(each.wrong) for each in least]
        rows.append([case, *shares])
    header = ["", *(f"{each.starts} starts: {_percent(each.claim)}" for each in least)]
    if kind == DIFFERENCE:
        header += [f"{what}, {each.starts}" for what in ("apart", "wrong") for each in least]
    return table(f"How often the interval of the {kind} holds the true one", header, rows)


def _grouped(found: Iterable[Held], by: Callable[[Held], Key]) -> dict[Key, list[Held]]:
    groups: dict[Key, list[Held]] = {}
    for each in found:
        groups.setdefault(by(each), []).append(each)
    return groups


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.1f}%"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.coverage", description=__doc__)
    parser.add_argument("--all", action="store_true", help="all nine problems of the paper, rather than three")
    parser.add_argument("--starts", type=int, default=200, help="which are taken for all that there are")
    parser.add_argument("--sets", type=int, default=2_000, help="of starts, drawn of each size")
    parser.add_argument("--iterations", type=int, default=20_000)
    parser.add_argument("--eval-size", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0, help="of the draws")
    parser.add_argument("--replace", action="store_true", help="a start may be drawn twice, as if they never ended")
    asked = parser.parse_args(arguments)
    if asked.starts < max(COUNTS):
        parser.error(f"--starts is {asked.starts}, but sets of {max(COUNTS)} are drawn from them")
    rng, problems = np.random.default_rng(asked.seed), ALL if asked.all else PROBLEMS
    found = [
        held
        for every in populations(problems, asked.starts, asked.iterations, asked.eval_size)
        for count in COUNTS
        for held in hold(every, asked.sets, count, rng, asked.replace)
    ]
    print(told(found))
    error = np.sqrt(LEVEL * (1 - LEVEL) / asked.sets)
    print(f"\nOf {asked.sets:,} sets of {asked.starts} starts; a share near 90% is known to ± {_percent(2 * error)}.")


if __name__ == "__main__":
    main()
