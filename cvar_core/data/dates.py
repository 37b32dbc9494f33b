"""Dates in a table: told from their looks, and turned into days."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TIME = r"([T ]\d{1,2}:\d{2}(:\d{2}([.,]\d{1,9})?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?"
_LOOKS = re.compile(rf"(\d{{4}}[-/.]\d{{1,2}}([-/.]\d{{1,2}})?|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{4}}){_TIME}")
_YEAR_FIRST = re.compile(rf"(?P<year>\d{{4}})[-/.](?P<month>\d{{1,2}})([-/.](?P<day>\d{{1,2}}))?(?P<time>{_TIME})")
_YEAR_LAST = re.compile(rf"(?P<first>\d{{1,2}})[-/.](?P<second>\d{{1,2}})[-/.](?P<year>\d{{4}})(?P<time>{_TIME})")
YEAR_FIRST, DAY_FIRST, MONTH_FIRST = "year first", "day first", "month first"
_LOOKED_AT = 50
_DAY = 86_400_000_000  # microseconds


def looks_like_date(cell: str) -> bool:
    return _LOOKS.fullmatch(cell.strip()) is not None and not re.fullmatch(r"\d{4}\.\d{1,2}", cell.strip())


def order_of(words: Sequence[str]) -> str | None:
    """Tell in which order dates have their parts; ``None`` if most of the texts are none.

    Where neither place ever holds a number above 12, points mean the day first, and strokes the month.

    >>> order_of(["31/12/2020", "1/2/2021"]), order_of(["12/31/2020"]), order_of(["1.2.2021"]), order_of(["red"])
    ('day first', 'month first', 'day first', None)
    """
    some = words[:: max(len(words) // _LOOKED_AT, 1)]
    if 2 * sum(looks_like_date(word) for word in some) <= len(some):
        return None
    matches = [match for word in words if (match := _YEAR_LAST.fullmatch(word.strip()))]
    if 2 * len(matches) <= len(words):
        return YEAR_FIRST
    if any(int(match["first"]) > 12 for match in matches):
        return DAY_FIRST
    if any(int(match["second"]) > 12 for match in matches):
        return MONTH_FIRST
    return DAY_FIRST if "." in words[0] else MONTH_FIRST


def days(words: Sequence[str], order: str) -> NDArray[np.float64]:
    """Return days since 1970-01-01, with the time of day as a fraction (of UTC, where a zone is given).

    >>> days(["1970-01-02", "1970-01-01 06:00", "2020-02-31", "red"], YEAR_FIRST).tolist()
    [1.0, 0.25, nan, nan]
    """
    import pandas as pd

    plain = [_iso(word.strip(), order) for word in words]
    stamps: Any = pd.to_datetime(pd.Series(plain, dtype=object), format="ISO8601", errors="coerce", utc=True)
    counted = stamps.dt.tz_localize(None).to_numpy().astype("datetime64[us]")
    return np.where(np.isnat(counted), np.nan, counted.astype(np.int64) / _DAY)


def written(counted: NDArray[np.float64]) -> list[str]:
    """Return days since 1970-01-01 as dates, to the second where some have a time of day.

    >>> written(np.array([1.0, 19715.0])), written(np.array([1.0, 0.25]))
    (['1970-01-02', '2023-12-24'], ['1970-01-02T00:00:00', '1970-01-01T06:00:00'])
    """
    stamps = np.round(counted * 86_400).astype("datetime64[s]")
    whole = stamps.astype("datetime64[D]")
    return list(map(str, whole if (stamps == whole).all() else stamps))


def _iso(word: str, order: str) -> str | None:
    match = (_YEAR_FIRST if order == YEAR_FIRST else _YEAR_LAST).fullmatch(word)
    if match is None:
        return None
    if order == YEAR_FIRST:
        month, day = match["month"], match["day"] or "1"
    else:
        day, month = (match["first"], match["second"])[:: 1 if order == DAY_FIRST else -1]
    return f"{match['year']}-{month:0>2}-{day:0>2}{_clock(match['time'])}"


def _clock(time: str) -> str:
    text = time.replace("UTC", "Z").replace(",", ".").replace("T", " ").strip()
    if not text:
        return ""
    clock, zone = re.fullmatch(r"([\d:.]+)\s*(.*)", text).groups()  # type: ignore[union-attr]
    return f"T{clock if clock[1] != ':' else '0' + clock}{zone}"
