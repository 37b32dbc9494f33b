"""Which columns of a table are used: the one to predict, and the features."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from numbers import Integral
from typing import Any, NamedTuple

from .bounds import DataError, shortened
from .leaving_out import reason
from .table_part import Part

_TARGETS = ("target", "y", "label", "class")  # what a column to predict is called, in the order in which they are tried
_NAMED = 5  # columns in a sentence


class Wanted(NamedTuple):
    """What somebody asks for: columns by name, or by place; 1 is the first and −1 the last."""

    target: str | int | None = None
    drop: Sequence[str | int] = ()
    keep: Sequence[str | int] = ()
    only: Sequence[str | int] = ()


class Chosen(NamedTuple):
    """The columns that are used, by their names in the order of the file, and what there is to say about that."""

    target: str
    features: tuple[str, ...]
    notes: tuple[str, ...]


def first_target(names: Sequence[str]) -> tuple[str, str]:
    """Return which column is the target where nobody has said so, and why.

    >>> first_target(["Class", "size", "price"])
    ('Class', 'by its name')
    >>> first_target(["size", "rooms", "price"])
    ('price', 'the last column')
    """
    for word in _TARGETS:
        for name in reversed(names):
            if name.strip().lower() == word:
                return name, "by its name"
    return names[-1], "the last column"


def chosen(part: Part, wanted: Wanted) -> Chosen:
    """Choose the columns, judging by these rows alone which of them are of no use."""
    names = [str(name) for name in part.table.frame.columns]
    notes = []
    if wanted.target is None:
        target, why = first_target(names)
        notes.append(f"the target is {shortened(target)}, {why}")
    else:
        asked: Any = wanted.target
        if not isinstance(asked, str | Integral):
            raise DataError(f"target is {asked!r}, but it must be one column, by its name or its place")
        (target,) = _found(part, names, [asked if isinstance(asked, str) else int(asked)])
    drop, keep, only = (_found(part, names, each) for each in (wanted.drop, wanted.keep, wanted.only))
    _ensure_sensible(target, drop, keep, only)
    offered = [name for name in names if name != target and name not in drop]
    if only:
        features = [name for name in offered if name in only]
    else:
        judged = {name: reason(part, name) for name in offered if name not in keep}
        reasons = {name: words for name, words in judged.items() if words is not None}
        features = [name for name in offered if name not in reasons]
        notes += [_left_out(reasons)] if reasons else []
        if not features and reasons:
            raise DataError(f"no column of {part.table.name} is left to learn from; {_left_out(reasons)}")
    if not features:
        raise DataError(f"no column of {part.table.name} is left to learn from: the target is {shortened(target)}")
    return Chosen(target, tuple(features), tuple(notes))


def _ensure_sensible(target: str, drop: set[str], keep: set[str], only: set[str]) -> None:
    if target in drop:
        raise DataError(f"{shortened(target)} is the target, and cannot be dropped: choose another target")
    if only and keep:
        raise DataError("give the columns to keep, or the only ones to use, not both")
    for other, words in ((keep, "kept"), (only, "used")):
        if both := sorted(drop & other):
            raise DataError(f"column {shortened(both[0])} is to be dropped and to be {words}: say one of them")


def _left_out(reasons: dict[str, str]) -> str:
    some = ", ".join(f"{shortened(name)} ({why})" for name, why in list(reasons.items())[:_NAMED])
    more = f" and {len(reasons) - _NAMED:,} more" if len(reasons) > _NAMED else ""
    return f"left out: {some}{more}; keep (--keep) puts a column back"


def _found(part: Part, names: list[str], asked: Sequence[str | int]) -> set[str]:
    """Find columns by their names or places."""
    known = set(names)
    places = {each: str(each) if str(each) in known else _at(names, each) for each in asked}
    absent = [each for each, name in places.items() if name is None]
    if not absent:
        return {str(name) for name in places.values()}
    listed = " and no column ".join(shortened(each) for each in absent[:_NAMED])
    near = difflib.get_close_matches(str(absent[0]), names, 1) if len(absent) == 1 else []
    hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(map(shortened, names[:8]))}"
    more = ", …" if not near and len(names) > 8 else ""
    raise DataError(f"{part.table.name} has no column {listed}; {hint}{more}")


def _at(names: list[str], asked: str | int) -> str | None:
    """Return the column at a place, or of that name but for the blanks around it."""
    try:
        place = int(asked)
    except (TypeError, ValueError):
        return next((name for name in names if name.strip() == str(asked).strip()), None)
    return names[place - 1 if place > 0 else place] if 1 <= abs(place) <= len(names) else None
