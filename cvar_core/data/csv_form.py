"""How a table of text is written, told from its first rows: separator, header, decimal mark."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .bounds import DataError, Limits, check_width
from .dates import looks_like_date
from .naming import told_apart
from .numbers import is_missing, is_number
from .table import Form
from .text_rows import LONGEST_ROW

_LOOKED_AT = 200  # rows
_SAMPLE = 2**18  # bytes
_SEPARATORS = "\t;|,"  # a comma may be within a number, the others hardly ever
BLANKS = " "  # any number of them
_DECIMAL_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+),\d+([eE][+-]?\d+)?")
_DECIMAL_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")
_GROUPED = re.compile(r"[+-]?\d{1,3}(\.\d{3})+")


@dataclass(frozen=True)
class Seen:
    """What the first rows show."""

    form: Form
    names: tuple[str, ...]
    skip: int  # bytes of the first block that are its header


def see(name: str, block: bytes, limits: Limits, header: bool | None, like: Form | None) -> Seen:
    """Look at a file's first block."""
    given = like if like is not None and like.separator else None  # a Parquet file does not say how a text is written
    lead = len(block) - len(block.lstrip())
    if lead == len(block):
        raise DataError(f"{name} has no rows")
    line = block[lead:].partition(b"\n")[0]
    _bound_columns(name, line, limits, given)
    sample = _sample(block[lead:])
    separator = _separator(sample) if given is None else given.separator
    try:
        found = list(itertools.islice(rows(sample, separator), _LOOKED_AT))
    except csv.Error as problem:
        raise DataError(f"{name} is not a table: {problem}") from None
    if not found:
        raise DataError(f"{name} has no rows")
    decimal = _decimal(found, separator) if given is None else given.decimal
    if given is not None:
        header = given.header
    elif header is None:
        header = _has_header(found, decimal)
    first = found[0]
    check_width(name, len(first), limits)
    known = (frozenset(), {}) if like is None else (like.texts, like.dates)
    form = Form(separator, header, decimal, *known)
    if not header:
        return Seen(form, tuple(f"column {k + 1}" for k in range(len(first))), 0)
    return Seen(form, unique(first), lead + _first_row(block[lead:]))


def unique(names: list[str]) -> tuple[str, ...]:
    """Return names that are trimmed, not empty, and told apart by a number where two are the same.

    >>> unique([" a", "a ", "", "a.1"])
    ('a', 'a.2', 'Unnamed: 2', 'a.1')
    """
    return told_apart([" ".join(name.split()) or f"Unnamed: {place}" for place, name in enumerate(names)])


def rows(text: str, separator: str) -> Iterator[list[str]]:
    """Yield the cells of every row that has any."""
    if separator == BLANKS:
        return (line.split() for line in text.splitlines() if line.strip())
    csv.field_size_limit(LONGEST_ROW)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    return (row for row in lines if len(row) > 1 or (row and row[0].strip()))


def _bound_columns(name: str, line: bytes, limits: Limits, like: Form | None) -> None:
    """Refuse a line of millions of cells before anything is made of them."""
    bare = re.sub(rb'"[^"]*"', b"", line) if b'"' in line else line
    marks = _SEPARATORS.encode() if like is None else like.separator.encode()
    width = max((bare.count(mark) for mark in marks), default=0) + 1
    check_width(name, width, limits)


def _sample(block: bytes) -> str:
    """Return some first rows, but three at least."""
    end = _SAMPLE
    if block.count(b"\n", 0, end) < 3:
        for _ in range(3):
            end = block.find(b"\n", end) + 1 or len(block)
    else:
        end = block.rfind(b"\n", 0, end) + 1
    return block[:end].decode(errors="replace")


def _first_row(block: bytes) -> int:
    """Return the length of the first row in bytes; its names may hold line breaks."""
    end = 0
    while True:
        end = block.find(b"\n", end) + 1
        if not end:
            return len(block)
        if block.count(b'"', 0, end) % 2 == 0:
            return end


def _separator(sample: str) -> str:
    """Return the separator that gives all rows the same number of cells, or else the most frequent one."""
    line = sample.lstrip().partition("\n")[0]
    for mark in [mark for mark in _SEPARATORS if mark in line] + [BLANKS]:
        try:
            widths = {len(row) for row in itertools.islice(rows(sample, mark), 50)}
        except csv.Error:
            continue
        if len(widths) == 1 and widths.pop() > 1:
            return mark
    return (
        BLANKS
        if not any(mark in line for mark in _SEPARATORS) and len(line.split()) > 1
        else max(",;\t|", key=line.count)
    )


def _decimal(found: list[list[str]], separator: str) -> str:
    """Return the decimal mark: a comma, where cells show one and none has a decimal point."""
    if separator == ",":
        return "."
    cells = [cell.strip() for row in found[:50] for cell in row[:1_000]]
    points = any(_DECIMAL_POINT.fullmatch(cell) and not _GROUPED.fullmatch(cell) for cell in cells)
    return "," if not points and any(_DECIMAL_COMMA.fullmatch(cell) for cell in cells) else "."


def _has_header(found: list[list[str]], decimal: str) -> bool:
    """Tell whether the first row names the columns: a name over values, or texts that do not occur below."""
    first, *others = found

    def is_value(cell: str) -> bool:
        return is_missing(cell) or is_number(cell, decimal) or looks_like_date(cell)

    if all(is_value(cell) for cell in first):
        return False
    below = [[row[k] for row in others if k < len(row)] for k in range(len(first))]
    texts = [(cell, column) for cell, column in zip(first, below, strict=True) if not is_value(cell)]
    if any(column and all(is_value(cell) for cell in column) for _, column in texts):
        return True
    return len(texts) == len(first) and not any(cell in column for cell, column in texts)
