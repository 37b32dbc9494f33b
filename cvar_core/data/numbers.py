"""What counts as a number in a table of text, and what as one that is missing."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# pandas' words, so that nobody has to learn others, and UCI's question mark.
MISSING = frozenset(
    ("", " ", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A",
     "NA", "NULL", "NaN", "None", "n/a", "nan", "null", "?")
)  # fmt: skip
_TRUTHS = {"true": 1.0, "false": 0.0}
_POINT_GROUPS = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)?(,\d+)?([eE][+-]?\d+)?")  # 1.234,5
_COMMA_GROUPS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")  # 1,234.5
_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")  # 1,5


def is_missing(cell: str) -> bool:
    return cell.strip() in MISSING


def is_number(cell: str, decimal: str = ".") -> bool:
    text = cell.strip()
    if decimal == ",":
        return bool(text) and _POINT_GROUPS.fullmatch(text) is not None
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text  # which Python allows within a number


def numbers(words: Sequence[str], decimal: str = ".") -> NDArray[np.float64]:
    """Return the numbers that texts stand for, and NaN for those that stand for none.

    True and false, where there is nothing else, are 1 and 0. Thousands may be set apart, and a decimal comma be there
    without the file's other columns having one, where all texts that would not be numbers otherwise agree on it.

    >>> numbers(["1.234,5", "7"], ",").tolist(), numbers(["1,234.5", "7", "x"]).tolist(), numbers(["1,5", "7"]).tolist()
    ([1234.5, 7.0], [1234.5, 7.0, nan], [1.5, 7.0])
    """
    import pandas as pd

    plain = [word.strip() for word in words]
    if plain and all(word.lower() in _TRUTHS for word in plain):
        return np.array([_TRUTHS[word.lower()] for word in plain])
    if decimal == ",":
        plain = [_pointed(word) if word and _POINT_GROUPS.fullmatch(word) else "" for word in plain]
        return pd.to_numeric(pd.Series(plain, dtype=object), errors="coerce").to_numpy(np.float64)
    found = pd.to_numeric(pd.Series(plain, dtype=object), errors="coerce").to_numpy(np.float64, copy=True)
    odd = np.flatnonzero(np.isnan(found))
    commas = [k for k in odd if "," in plain[k]]
    if not commas:
        return found
    if all(_COMMA_GROUPS.fullmatch(plain[k]) for k in commas):
        found[commas] = [float(plain[k].replace(",", "")) for k in commas]
    elif all(_COMMA.fullmatch(plain[k]) for k in commas) and not any("." in word for word in plain):
        found[commas] = [float(plain[k].replace(",", ".")) for k in commas]
    return found


def _pointed(word: str) -> str:
    return word.replace(".", "").replace(",", ".")
