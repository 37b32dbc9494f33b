"""How a model explains one step of its own: which case it was, with the numbers put into the formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Explanation:
    """One step of a model in words.

    Attributes
    ----------
    case
        Its short name.
    words
        What the case means, as Markdown.
    formulas
        How the weight is found, with the numbers put in: Markdown, one line each.
    numbers
        What the formulas found, by its letter.
    middle
        The values of α between which the step ends on a kink of the model, if it has such a range.
    """

    case: str
    words: str
    formulas: tuple[str, ...]
    numbers: Mapping[str, float]
    middle: tuple[float, float] | None = None


def latex(value: float) -> str:
    """Return four significant digits, as LaTeX where there is a power of ten.

    >>> latex(2.146928), latex(-1234567.0)
    ('2.147', '-1.235\\\\cdot 10^{6}')
    """
    text = f"{value:.4g}"
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    power = f"10^{{{int(exponent)}}}"
    return power if mantissa == "1" else f"{mantissa}\\cdot {power}"
