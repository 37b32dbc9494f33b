"""Read what people type: numbers, and grids of step sizes. A name says in messages which flag or field it was."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence

from .specs import MOST_LAMBDAS, SpecError, paper_grid


def number(name: str, text: str | float) -> float:
    try:
        value = float(text)
    except ValueError:
        raise SpecError(f"{name} is {text!r}, but it must be a number") from None
    if not math.isfinite(value):
        raise SpecError(f"{name} is {text!r}, but it must be a finite number")
    return value


def whole(name: str, text: str | int) -> int:
    value = number(name, text)
    if not value.is_integer():
        raise SpecError(f"{name} is {text!r}, but it must be a whole number")
    return int(value)


def read_grid(text: str, name: str = "lambdas") -> tuple[float, ...]:
    """Read "paper", a list "0.1, 1, 10" or a log-spaced range "low:high:count".

    In a list with semicolons a comma is a decimal one, as in tables.

    >>> read_grid("0.1; 1; 10"), read_grid("0,1; 1"), read_grid("0.1 1")
    ((0.1, 1.0, 10.0), (0.1, 1.0), (0.1, 1.0))
    """
    if text.strip() == "paper":
        return paper_grid()
    if ":" not in text:
        parts = text.replace(",", ".").split(";") if ";" in text else text.split("," if "," in text else None)
        return tuple(number(f"one of {name}", part.strip()) for part in parts if part.strip())
    parts = text.split(":")
    if len(parts) != 3:
        raise SpecError(f"{name} is {text!r}, but a range is written low:high:count, such as 1e-3:1e2:11")
    return log_range(number(name, parts[0]), number(name, parts[1]), whole(name, parts[2]), name)


def log_range(
    low: float, high: float, count: int, name: str = "lambdas", most: int = MOST_LAMBDAS
) -> tuple[float, ...]:
    """Return ``count`` step sizes from ``low`` to ``high``, evenly spaced in the logarithm; at most ``most``."""
    if not (0 < low < high < math.inf):
        raise SpecError(f"{name} is '{low:g}:{high:g}:{count}', but a range needs 0 < low < high")
    if not 2 <= count <= most:
        raise SpecError(f"{name} asks for {count:,} step sizes, but a range has between 2 and {most:,}")
    ends = math.log10(low), math.log10(high)
    inner = (10 ** (ends[0] + (ends[1] - ends[0]) * k / (count - 1)) for k in range(1, count - 1))
    return (low, *inner, high)


def write_grid(lambdas: tuple[float, ...]) -> str:
    """Return the shortest text that ``read_grid`` turns into just these step sizes."""
    if lambdas == paper_grid():
        return "paper"
    if len(lambdas) > 2:
        text = f"{lambdas[0]!r}:{lambdas[-1]!r}:{len(lambdas)}"
        if read_grid(text) == lambdas:
            return text
    return ",".join(repr(lam) for lam in lambdas)


def read_names(text: str, name: str = "names") -> tuple[str, ...]:
    """Read names between commas; one that has a comma itself stands in quotes.

    >>> read_names('size, "price, net"')
    ('size', 'price, net')
    """
    try:
        (found,) = csv.reader([text], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        raise SpecError(f"{name} is {text!r}, but it must be a list of names, such as 'size,\"price, net\"'") from None
    return tuple(filter(None, map(str.strip, found)))


def write_names(names: Sequence[str]) -> str:
    """Write names so that ``read_names`` reads them."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerow(names)
    return text.getvalue().removesuffix("\r\n")
