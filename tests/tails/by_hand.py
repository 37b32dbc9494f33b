"""Who is in the tail, by sorting and counting in plain Python, from the rows as a file has them."""

import csv
import io
import math
from typing import NamedTuple

import numpy as np

from cvar_core import Dataset, Problem, Result, load, sweep


class Studied(NamedTuple):
    """A file, the data and the problem that were made of it, and a sweep on that."""

    file: list[dict[str, str]]
    data: Dataset
    problem: Problem
    result: Result


def survey(rows: int = 120) -> str:
    """A file with a text, a flag, a large number and a small one; who has neither smoke nor age is easy to predict."""
    rng = np.random.default_rng(7)
    lines = ["age,town,smoker,income,cost"]
    for _ in range(rows):
        age, smoker, income = rng.integers(18, 80), int(rng.random() < 0.3), rng.normal(30_000, 8_000)
        town = ["Ulm", "Bonn", "Kiel"][rng.integers(3)]
        noise = rng.normal(0, 40 if smoker else 2)
        lines.append(f"{age},{town},{smoker},{income:.2f},{2 * age + 0.001 * income + noise:.3f}")
    return "\n".join(lines) + "\n"


def studied(loss: str = "squared", beta: float = 0.85, **prepared: object) -> Studied:
    text = survey()
    data = load(io.BytesIO(text.encode()), **({"holdout": 0.25, "standardise": True, "intercept": True} | prepared))
    problem = data.problem(loss, beta)
    result = sweep(problem, ["spl+", "sgm"], [0.1, 1.0, 1e9], iterations=600, seeds=3)
    return Studied(list(csv.DictReader(io.StringIO(text))), data, problem, result)


def tail_by_hand(losses: list[float], beta: float) -> list[tuple[int, float]]:
    """The places of the worst rows with how much of each is in the tail, taken one after the other until it is full."""
    left, found = (1 - beta) * len(losses), []
    for place in sorted(range(len(losses)), key=lambda k: (-losses[k], k)):
        if left < 1e-9:
            break
        found.append((place, min(1.0, left)))
        left -= found[-1][1]
    return found


def mean_and_deviation(values: list[float], weights: list[float] | None = None) -> tuple[float, float]:
    each = [1.0] * len(values) if weights is None else weights
    mean = math.fsum(w * v for w, v in zip(each, values, strict=True)) / math.fsum(each)
    return mean, math.sqrt(math.fsum(w * (v - mean) ** 2 for w, v in zip(each, values, strict=True)) / math.fsum(each))
