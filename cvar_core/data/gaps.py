"""Missing values: filled by what the training rows have, left out with their rows, or refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bounds import DataError, Limits, shortened
from .dataset import Dataset
from .encoding import Layout, ensure_fits
from .naming import told_apart

FILL, DROP, REFUSE = WAYS = ("fill", "drop", "refuse")
_NAMED = 5  # columns in a sentence


class _Group(NamedTuple):
    """The encoded columns of one column of the file: all of them are missing in a row, or none."""

    name: str
    first: int
    last: int
    texts: bool


def settled(data: Dataset, how: str, limits: Limits) -> Dataset:
    """Return data without gaps. The rows that are given are overwritten."""
    if how not in WAYS:
        raise DataError(f"missing is {how!r}, but it must be one of {', '.join(WAYS)}")
    parts = [data] if data.test is None else [data, data.test]
    if data.sparse or not any(np.isnan(part.y).any() or np.isnan(part.x).any() for part in parts):
        return data
    if how == REFUSE:
        raise DataError(f"{data.name} {_refusal(parts)}")
    data = _without_rows(data, how)
    return data if how == DROP else _filled(data, limits)


def _refusal(parts: list[Dataset]) -> str:
    counts = _counts(parts)
    missing = sum(int(np.isnan(part.y).sum()) for part in parts)
    if missing:
        counts[_target(parts[0])] = missing
    return f"has missing values in {_listed(counts)}; fill them in or leave those rows or columns out"


def _target(data: Dataset) -> str:
    return data.layout.target if isinstance(data.layout, Layout) else "y"


def _groups(data: Dataset) -> list[_Group]:
    layout = data.layout
    if not isinstance(layout, Layout):
        return [_Group(data.column_name(k), k, k + 1, False) for k in range(data.shape[1])]
    found, at = [], 0
    for name in layout.names:
        end = at + layout.width(name)
        found.append(_Group(name, at, end, name in layout.categories))
        at = end
    return [group for group in found if group.first < group.last]


def _counts(parts: list[Dataset]) -> dict[str, int]:
    """Return in how many rows each column is missing, where it is in some."""
    gaps = np.sum([np.isnan(part.x).sum(axis=0) for part in parts], axis=0)
    return {group.name: int(gaps[group.first]) for group in _groups(parts[0]) if gaps[group.first]}


def _listed(counts: dict[str, int]) -> str:
    named = ", ".join(f"{shortened(name)} ({count:,})" for name, count in list(counts.items())[:_NAMED])
    return named + (f" and {len(counts) - _NAMED:,} more" if len(counts) > _NAMED else "")


def _without_rows(data: Dataset, how: str) -> Dataset:
    """Leave out the rows that have no target and, if that is asked for, those that have any gap."""
    parts = [data] if data.test is None else [data, data.test]
    aimless = [np.isnan(part.y) for part in parts]
    gaps = [np.isnan(part.x).any(axis=1) & ~lost for part, lost in zip(parts, aimless, strict=True)]
    said = []
    if count := sum(int(each.sum()) for each in aimless):
        said.append(f"{_rows(count)} left out: the target {shortened(_target(data))} is missing")
    if how == DROP and (count := sum(int(each.sum()) for each in gaps)):
        there = [part.rows(np.flatnonzero(~lost)) for part, lost in zip(parts, aimless, strict=True)]
        said.append(f"{_rows(count)} left out: values are missing in {_listed(_counts(there))}")
    if not said:
        return data
    kept = [
        part.rows(np.flatnonzero(~(lost | (gap & (how == DROP)))))
        for part, lost, gap in zip(parts, aimless, gaps, strict=True)
    ]
    if not len(kept[0].y):
        raise DataError(f"no row of {data.name} is left to train on; {'; '.join(said)}")
    test = kept[1] if len(kept) > 1 else None
    if test is not None and not len(test.y):
        test = None
        said.append("no row to test on is left")
    return replace(kept[0], test=test).noted(*said)


def _rows(count: int) -> str:
    return "1 row is" if count == 1 else f"{count:,} rows are"


@dataclass(frozen=True)
class _Filler:
    """What stands in for gaps, by the training rows.

    Attributes
    ----------
    values
        One for each column that has gaps: the median of its numbers, 0 for a text; NaN where there is none.
    marked
        The groups that have gaps in the training rows, and get a column that says where.
    """

    values: NDArray[np.float64]
    marked: tuple[_Group, ...]

    @classmethod
    def of(cls, x: NDArray[np.float64], groups: list[_Group], counts: dict[str, int]) -> _Filler:
        """Learn from the training rows what is needed where any row has gaps, by the columns' ``counts`` of them."""
        gaps = np.isnan(x).sum(axis=0)
        values = np.zeros(x.shape[1])
        for group in groups:
            if not group.texts and group.name in counts:
                values[group.first] = _median(x[:, group.first])
        marked = (group for group in groups if gaps[group.first] and not np.isnan(values[group.first]))
        return cls(values, tuple(marked))

    @property
    def kept(self) -> NDArray[np.int64]:
        return np.flatnonzero(~np.isnan(self.values))

    def apply(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        marks = [np.isnan(x[:, group.first]) for group in self.marked]
        for k in np.flatnonzero(np.isnan(x).any(axis=0)):
            x[np.isnan(x[:, k]), k] = self.values[k]
        kept = self.kept
        if len(kept) == x.shape[1] and not marks:
            return x
        filled = np.empty((len(x), len(kept) + len(marks)))
        filled[:, : len(kept)] = x if len(kept) == x.shape[1] else x[:, kept]
        for at, mark in enumerate(marks, start=len(kept)):
            filled[:, at] = mark
        return filled


def _median(column: NDArray[np.float64]) -> float:
    there = column[~np.isnan(column)]
    return float(np.median(there)) if len(there) else np.nan


def _filled(data: Dataset, limits: Limits) -> Dataset:
    groups = _groups(data)
    counts = _counts([data] if data.test is None else [data, data.test])
    if not counts:
        return data  # only targets were missing
    filler = _Filler.of(data.x, groups, counts)
    empty = [group.name for group in groups if np.isnan(filler.values[group.first])]
    if len(empty) == len(groups):
        raise DataError(f"no column of {data.name} has a value in the training rows")
    ensure_fits(data.name, data.shape[0], len(filler.kept) + len(filler.marked), limits)
    names = data.columns and told_apart(
        [*(data.columns[k] for k in filler.kept), *(f"{group.name} missing" for group in filler.marked)]
    )
    parts = [
        replace(part, x=filler.apply(part.x), columns=names)
        for part in ([data] if data.test is None else [data, data.test])
    ]
    said = []
    if empty:
        said.append(f"left out: {', '.join(map(shortened, empty[:_NAMED]))}, without a value in the training rows")
        counts = {name: count for name, count in counts.items() if name not in empty}
    if counts:
        said.append(_filling(counts, filler, groups))
    return replace(parts[0], test=parts[1] if len(parts) > 1 else None).noted(*said)


def _filling(counts: dict[str, int], filler: _Filler, groups: list[_Group]) -> str:
    marked = {group.name for group in filler.marked}
    numbers = {group.name for group in groups if not group.texts and group.name in counts}
    words = [f"values are missing in {_listed(counts)}"]
    if numbers:
        words.append("numbers are filled with the median of the training rows")
    if marked:
        words.append("a column of zeros and ones says where")
    return ", ".join(words[:-1]) + (" and " if len(words) > 2 else ", ") + words[-1] if len(words) > 1 else words[0]
