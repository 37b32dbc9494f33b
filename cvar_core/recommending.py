"""What a user calls who has no step size yet: ``recommend``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from .api import sweep
from .cancel import Stop
from .problem import Problem
from .results import (
    RISK,
    Choice,
    Judged,
    Recommended,
    Verdict,
    beginning,
    criterion,
    judgement,
    most_forgiving,
    remarks,
    take,
    unusable,
)
from .scheduling import Progress
from .store import Store


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
        return None if self.choice is None else self.choice.taken.method

    @property
    def lam(self) -> float | None:
        return None if self.choice is None else self.choice.taken.lam

    @property
    def verdict(self) -> Verdict | None:
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
        return self.verdict is not None and self.verdict.sure

    @property
    def words(self) -> tuple[str, ...]:
        """A line on the λ of each method, and a last one on which to take."""
        if self.judged.nothing_to_close is not None:
            return (f"{beginning(self.judged)}.",)
        last = (take(self.judged), most_forgiving(self.judged))
        return (*self._lines(), " ".join(f"{each}." for each in last if each))

    def _lines(self) -> Iterator[str]:
        for method, found in self.each.items():
            if found is None:
                yield f"{unusable(self.judged, method)}."
            else:
                said = remarks(self.judged, method, found.lam)
                yield " ".join([judgement(found.verdict), *(f"{each}." for each in said)])

    def __str__(self) -> str:
        return "\n".join(self.words)


def recommend(
    problem: Problem,
    methods: Iterable[str] = ("spl+", "spl-u"),
    iterations: int = 10_000,
    seeds: int | Iterable[int] = 5,
    schedule: str = "decreasing",
    workers: int | None = None,
    *,
    measure: str = RISK,
    epsilon: float | None = None,
    closed: float | None = None,
    checkpoints: int = 26,
    report: Callable[[Progress], None] | None = None,
    stop: Stop | None = None,
    store: Store | str | os.PathLike[str] | None = None,
) -> Recommendation:
    """Tell which λ to take, with which of the methods, and how far it may be wrong.

    Of the paper's grid it is the λ that is usable for every start and has the most room on both sides: the one nearest
    the middle of what all starts share. What counts as usable is as in ``check``; ``store`` is that of ``sweep``.

    >>> problem = Problem.synthetic(loss="absolute", noise="normal", noise_params={"std": 0.3}, dim=4, eval_size=1_000)
    >>> found = recommend(problem, ["spl+"], iterations=1_000, seeds=2)
    >>> found.method, round(found.lam, 2), found.safe, found.factor > 10
    ('spl+', 3.16, True, True)
    """
    by = criterion(measure, closed, epsilon)  # what is wrong with it is said before the work, not after it
    result = sweep(
        problem, methods, None, iterations, seeds, schedule, workers, checkpoints=checkpoints, report=report, stop=stop,
        store=store,
    )  # fmt: skip
    return Recommendation(result.judged(by))
