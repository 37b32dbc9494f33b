"""What students want to see: links, changes of a field, and files. Few problems, so that runs share what they can."""

from __future__ import annotations

import random
from typing import NamedTuple
from urllib.parse import urlencode

EXPLORE, DATA = "explore", "data"
LAMBDAS = ("0.1", "0.3", "2", "10")  # as the cards write them, by which the answer is recognised
_PROBLEMS = 12  # of each loss and noise
_SHORT, _LONG = (2_000, 5_000, 10_000), (50_000, 100_000)  # iterations
_ROWS = 300


class Place(NamedTuple):
    page: str
    query: str


def a_link(chance: random.Random) -> str:
    """Return a link to a run, mostly a quick one."""
    long = chance.random() < 0.2
    return _link(
        loss=chance.choice(("squared", "absolute")), noise=chance.choice(("normal", "gumbel")),
        seed=1000 + chance.randrange(_PROBLEMS), beta=chance.choice((0.9, 0.95)),
        eval_size=100_000 if long else 20_000, iterations=chance.choice(_LONG if long else _SHORT),
        seeds=chance.choice((2, 3, 5)),
    )  # fmt: skip


def a_large_link(chance: random.Random) -> str:
    """Return a link to a run that takes most of the memory that the server may use, or more than that."""
    return _link(
        eval_size=1_000_000, dim=chance.choice((10, 40)), seed=2000 + chance.randrange(100), iterations=1_000, seeds=1,
        grid="list", list="0.1,1",
    )  # fmt: skip


def a_change(chance: random.Random) -> tuple[str, str | float]:
    """Return a field of a page, without the page's name, and a value for it."""
    return chance.choice(
        [
            ("iterations", float(chance.choice((*_SHORT, *_SHORT, *_LONG)))),
            ("seeds", float(chance.choice((2, 3, 4, 5, 6)))),
            ("beta", chance.choice((0.8, 0.9, 0.95, 0.99))),
            ("seed", float(1000 + chance.randrange(_PROBLEMS))),
            ("loss", chance.choice(("squared", "absolute"))),
        ]
    )


def a_file(number: int) -> tuple[str, bytes]:
    """Return a student's own rows, with a name."""
    chance = random.Random(number)
    lines = ["size,age,price"]
    for _ in range(_ROWS):
        size, age = chance.gauss(100, 30), chance.uniform(0, 50)
        lines.append(f"{size:.2f},{age:.2f},{3 * size - age + chance.gauss(0, 20):.2f}")
    return f"rows-{number}.csv", "\n".join(lines).encode()


def _link(**fields: object) -> str:
    return urlencode({f"{EXPLORE}_{name}": value for name, value in fields.items()})
