"""What a user calls who has no step size yet: ``recommend``; and the atlas's one for those who do not want to tune."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .api import sweep
from .cancel import Stop
from .catalogue import methods as every_method
from .cluster import Cluster
from .lessons import atlas
from .lessons.atlas import Record
from .problem import Problem
from .progress_bar import Report
from .results import (
    RISK,
    Choice,
    Criterion,
    Judged,
    Recommended,
    Verdict,
    beginning,
    criterion,
    judgement,
    most_forgiving,
    number,
    percent,
    remarks,
    starts_fine,
    take,
    undecided,
    unusable,
)
from .specs import RECOMMENDED_METHODS, USUAL_SEEDS, ProblemSpec, SpecError, SweepSpec
from .store import Store

_NAMED = 5  # problems on which a step size is not safe, by name


@dataclass(frozen=True)
class Recommendation:
    """Which λ to take with which method; its ``words`` say it and why.

    ``method``, ``lam``, ``verdict`` and ``factor`` are those of the method to take, and ``None`` where no λ of the
    grid is usable for most starts, or where the start leaves nothing to close.

    Attributes
    ----------
    judged
        The sweep that tells it, by the criterion that was asked for.
    """

    judged: Judged

    def __repr__(self) -> str:
        found = "none" if self.verdict is None else f"λ = {self.lam:g} with {self.method}, {self.verdict.state}"
        return f"<Recommendation: {found}>"

    @property
    def choice(self) -> Choice | None:
        """The method to take, and the price of its λ."""
        return self.judged.choice

    @property
    def each(self) -> dict[str, Recommended | None]:
        """The λ to take with each method."""
        return {name: self.judged.recommended(name) for name in self.judged.result.spec.methods}

    @property
    def method(self) -> str | None:
        """The method to take."""
        return None if self.choice is None else self.choice.taken.method

    @property
    def lam(self) -> float | None:
        """The λ to take with it."""
        return None if self.choice is None else self.choice.taken.lam

    @property
    def verdict(self) -> Verdict | None:
        """What is said of that λ."""
        return None if self.choice is None else self.choice.taken.verdict

    @property
    def factor(self) -> float | None:
        """By how much λ may be wrong on either side, for the worst of the starts that were tried."""
        return None if self.choice is None else self.choice.taken.factor

    @property
    def safe(self) -> bool:
        """Whether λ is safe, or safe so far, as ``Verdict.safe``."""
        return self.verdict is not None and self.verdict.safe

    @property
    def sure(self) -> bool:
        """Whether it is so without reserve, as ``Verdict.sure``."""
        return self.verdict is not None and self.verdict.sure

    @property
    def words(self) -> tuple[str, ...]:
        """A line on the λ of each method, one on which to take, and what the atlas knows where there was no tuning."""
        nothing = undecided(self.judged.result)
        if self.judged.nothing_to_close is not None:
            return tuple(f"{each}." for each in (beginning(self.judged), nothing) if each)
        last = " ".join(f"{each}." for each in (take(self.judged), most_forgiving(self.judged)) if each)
        further = nothing, f"{without_tuning(self.judged)}{_failures(self.default)}"
        return (*self._lines(), *filter(None, (last, *(f"{each}." for each in further if each))))

    @property
    def default(self) -> Record | None:
        """The atlas's record of the step size that needs no tuning, by the same criterion; ``None`` if it has none."""
        return untuned(self.judged.criterion)

    def _lines(self) -> Iterator[str]:
        remarked = {undecided(self.judged.result)}  # what is said of every method is said once
        for method, found in self.each.items():
            if found is None:
                yield f"{unusable(self.judged, method)}."
            else:
                said = [each for each in remarks(self.judged, method, found.lam) if each not in remarked]
                remarked.update(said)
                yield " ".join([judgement(found.verdict), *(f"{each}." for each in said)])

    def __str__(self) -> str:
        return "\n".join(self.words)


def recommend(
    problem: Problem | ProblemSpec,
    methods: Iterable[str] = RECOMMENDED_METHODS,
    iterations: int = SweepSpec.iterations,
    seeds: int | Iterable[int] = USUAL_SEEDS,
    schedule: str = SweepSpec.schedule,
    workers: int | None = None,
    *,
    lambdas: Iterable[float] | None = None,
    measure: str = RISK,
    epsilon: float | None = None,
    closed: float | None = None,
    checkpoints: int = SweepSpec.checkpoints,
    progress: bool = False,
    report: Report | None = None,
    stop: Stop | None = None,
    store: Store | str | os.PathLike[str] | None = None,
    scheduler: Cluster | str | None = None,
) -> Recommendation:
    """Tell which λ to take, with which of the methods, and how far it may be wrong.

    Of the paper's grid, or of ``lambdas``, it is the λ that is usable for every start and has the most room on both
    sides: the one nearest the middle of what all starts share. What counts as usable is as in ``check``, and the others
    are those of ``sweep``.

    >>> problem = Problem.synthetic(loss="absolute", noise="normal", noise_params={"std": 0.3}, dim=4, eval_size=1_000)
    >>> found = recommend(problem, ["spl+"], iterations=1_000, seeds=2)
    >>> found.method, round(found.lam, 2), found.safe, found.factor > 10
    ('spl+', 3.16, True, True)
    """
    by = criterion(measure, closed, epsilon)  # what is wrong with it is said before the work, not after it
    result = sweep(
        problem, methods, lambdas, iterations, seeds, schedule, workers, checkpoints=checkpoints, progress=progress,
        report=report, stop=stop, store=store, scheduler=scheduler,
    )  # fmt: skip
    return Recommendation(result.judged(by))


def untuned(by: Criterion | None = None) -> Record | None:
    """Return the atlas's record of the method, with its one λ, that is safe most often.

    The problems that are held out have no say in it. ``None`` where another share of the gap counts than in the atlas.
    """
    by = Criterion() if by is None else by
    return _best_record(by.measure) if by == Criterion(by.measure) else None


@functools.cache
def _best_record(measure: str) -> Record | None:
    try:
        known = atlas.shipped()
    except (OSError, SpecError):  # of another format: it is about to be computed anew
        return None
    records = [atlas.record(known, method, measure) for method in atlas.METHODS]
    return max(records, key=lambda each: each.safe - each.held_out_safe)


def without_tuning(judged: Judged) -> str:
    """Say which λ the atlas has for everything, on how many of its problems it is safe, and how it does here."""
    record = untuned(judged.criterion)
    if record is None:
        return ""
    which = f"{every_method[record.method].label} with λ = {number(record.lam)}"
    held = f", on {record.held_out_safe} of the {record.held_out} that were held out" if record.held_out else ""
    other = "" if judged.result.spec.problem.mix is None else ", which minimise CVaR alone"
    words = (
        f"Without tuning: {which} is safe on {record.safe} of {record.problems} problems of the atlas{other}{held} "
        f"(95% interval {percent(record.low)} to {percent(record.high)})"
    )
    result = judged.result
    if record.method not in result.spec.methods or result.place(record.lam) is None or not judged.at().iteration:
        return words
    here = judged.verdict(record.method, record.lam)
    return f"{words}; here it is {here.state}, usable for {starts_fine(here)}"


def _failures(record: Record | None) -> str:
    """Name the problems on which the step size is not safe."""
    if record is None or not record.failures:
        return ""
    more = len(record.failures) - _NAMED
    return f". It is not on {'; '.join(record.failures[:_NAMED])}{f' and {more} more' if more > 0 else ''}"
