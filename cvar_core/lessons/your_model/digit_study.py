"""What can be asked for: a level, a width, a number of steps and of seeds; and how much work that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields
from functools import partial

from ...jobs import Limits
from ...own_model import trainers
from ...own_model.growing_study import GrowingStudy, planned
from ...own_model.model_check import GRID
from .rare_digits import network, rare_digits

BATCH = 64
CHOICES: Mapping[str, tuple[float, ...]] = {
    "beta": (0, 0.5, 0.8, 0.9, 0.95),
    "hidden": (8, 16, 32, 64, 128),
    "steps": (50, 100, 200, 500),
    "seeds": (1, 2, 3, 5),
}
_STEP = 8e-4  # seconds of one processor, for one step of the usual network: mostly Python's and torch's own


@dataclass(frozen=True)
class DigitStudy:
    """A study of a network on digits of which some are rare, with all optimisers over the usual grid of λ."""

    beta: float = 0.9
    hidden: int = 32
    steps: int = 500
    seeds: int = 5

    @property
    def text(self) -> str:
        """As a ticket has it.

        >>> DigitStudy().text, DigitStudy.read("0.9,32,500,5"), DigitStudy.read("0.9,32,500,6")
        ('0.9,32,500,5', DigitStudy(beta=0.9, hidden=32, steps=500, seeds=5), None)
        """
        return ",".join(f"{value:g}" for value in astuple(self))

    @classmethod
    def read(cls, text: str) -> DigitStudy | None:
        """Return what a text says, if it is one of the choices."""
        offered = {name: {f"{value:g}": value for value in values} for name, values in CHOICES.items()}
        said = dict(zip((field.name for field in fields(cls)), text.split(","), strict=False))
        if text.count(",") != len(offered) - 1 or any(said[name] not in values for name, values in offered.items()):
            return None
        return cls(**{name: offered[name][word] for name, word in said.items()})  # type: ignore[arg-type]


SHIPPED_STUDY = DigitStudy()
QUICK = DigitStudy(steps=50, seeds=2)  # what the page offers to compute: a quarter of a minute


def begin(asked: DigitStudy) -> GrowingStudy:
    """Return the study before its first training."""
    plan = planned(trainers.names(), GRID, range(asked.seeds), asked.beta, asked.steps, BATCH)
    return GrowingStudy(partial(network, asked.hidden), rare_digits(), plan)


def trainings(asked: DigitStudy) -> int:
    """Return how many trainings a study is."""
    return len(trainers.names()) * len(GRID) * asked.seeds


def seconds_of(asked: DigitStudy) -> float:
    """Return about how many seconds of one processor a study takes."""
    return _STEP * trainings(asked) * asked.steps


def refused(asked: DigitStudy, limits: Limits) -> str | None:
    """Say why a server does not compute a study, if it does not."""
    seconds = seconds_of(asked)
    for what, size, most in (
        ("steps", asked.steps, limits.iterations),
        ("seeds", asked.seeds, limits.seeds),
        ("step sizes", len(GRID), limits.lambdas),
        ("trainings", trainings(asked), limits.runs),
    ):
        if size > most:
            return f"These are {size:,} {what}, but this server allows at most {most:,}."
    if seconds > limits.seconds:
        long = f"about {seconds:,.0f} seconds of work, but this server allows {limits.seconds:,}"
        return f"This is {long}: fewer steps or seeds."
    return None
