"""Parquet and Feather files: read by a child process, whose memory is bounded and whose faults are its own.

What such a file claims of itself may be anything: a page of two gigabytes, offsets that point nowhere. The metadata are
held against the limits first, and what they do not say is left to the child to run into.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from .arrow_child import DATE, NONE, TEXT
from .bounds import DataError, Limits, shortened
from .collecting import Collected
from .content import Content
from .csv_form import unique
from .dates import YEAR_FIRST
from .table import Form, Table

MAGIC = (b"PAR1", b"ARROW1", b"FEA1")
_CHILD = Path(__file__).with_name("arrow_child.py")
_SECONDS = 120.0
_MEMORY = 448 * 2**20  # bytes that the child may take beyond what it has when it begins
_LONGEST_LINE = 2**28
_INDEX = "__index_level_"  # of pandas


def looks_like(content: Content) -> bool:
    return content.head.startswith(MAGIC)


def read(content: Content, limits: Limits, like: Form | None = None) -> Table:
    """Return the table in a file; by ``like``, if that is given."""
    import pandas as pd

    with _child(content, limits) as answers:
        head = next(answers)
        kept = [k for k, name in enumerate(head["names"]) if not name.startswith(_INDEX)]
        names = unique([head["names"][k] for k in kept])
        kinds = [head["kinds"][k] for k in kept]
        if len(names) < 2:
            raise DataError(f"{content.name} has one column, but it needs a target and at least one feature")
        forced = frozenset() if like is None else like.texts
        found = Collected(content.name, names, limits, forced)
        for rows in answers:
            columns = {
                place: _as_texts(rows[k]) if names[place] in forced and head["kinds"][k] != TEXT else rows[k]
                for place, k in enumerate(kept)
            }
            found.add(pd.DataFrame(columns, copy=False))
    if not found.rows:
        raise DataError(f"{content.name} has no rows")
    dates = {name: YEAR_FIRST for name, kind in zip(names, kinds, strict=True) if kind == DATE and name not in forced}
    what = "values, which are neither numbers nor texts"
    faults = {
        name: f"column {shortened(name)} of {content.name} holds {head['types'][k]} {what}"
        for name, k in zip(names, kept, strict=True)
        if head["kinds"][k] == NONE
    }
    dropped = len(head["names"]) - len(kept)
    notes = ["the index that pandas has written is left out"] if dropped and like is None else []
    return found.table(like or Form("", True), like is not None, notes, dates, faults)[0]


@contextlib.contextmanager
def _child(content: Content, limits: Limits) -> Iterator[Iterator[dict[Any, Any]]]:
    """Yield what the child says: the columns, and then the rows of each batch by the columns' places."""
    stored = content.data
    asked = {
        "columns": min(limits.columns, limits.table_columns), "cells": limits.cells,
        "content": limits.content_of(len(stored)), "memory": _MEMORY,
    }  # fmt: skip
    plain = {"ARROW_DEFAULT_MEMORY_POOL": "system", "ARROW_IO_THREADS": "1", "OMP_NUM_THREADS": "1"}
    child = subprocess.Popen(
        [sys.executable, "-I", str(_CHILD), json.dumps(asked)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, env={**os.environ, **plain, "MALLOC_ARENA_MAX": "1"},
    )  # fmt: skip
    assert child.stdin is not None
    assert child.stdout is not None
    patience = threading.Timer(_SECONDS, child.kill)
    patience.start()
    try:
        with contextlib.suppress(BrokenPipeError):  # it has died, and its silence says so
            child.stdin.write(stored)
            child.stdin.close()
        yield _answers(content, child.stdout)
    finally:
        patience.cancel()
        child.kill()
        for pipe in (child.stdin, child.stdout):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        child.wait()


def _answers(content: Content, out: IO[bytes]) -> Iterator[dict[Any, Any]]:
    head = _line(content, out)
    yield head
    kinds = head["kinds"]
    texts = [k for k, kind in enumerate(kinds) if kind == TEXT]
    numbers = [k for k, kind in enumerate(kinds) if kind not in (TEXT, NONE)]
    while rows := (said := _line(content, out))["rows"]:
        values = _array(content, out, len(numbers), rows, "<f8")
        codes = _array(content, out, len(texts), rows, "<i4")
        found: dict[Any, Any] = {k: np.full(rows, np.nan) for k, kind in enumerate(kinds) if kind == NONE}
        found |= dict(zip(numbers, values, strict=True))
        for k, words, places in zip(texts, said["texts"], codes, strict=True):
            known = np.array([*words, None], dtype=object)
            found[k] = known[places]
        yield found


def _line(content: Content, out: IO[bytes]) -> dict[str, Any]:
    try:
        said: dict[str, Any] = json.loads(out.readline(_LONGEST_LINE))
    except ValueError:  # it was killed
        raise DataError(f"{content.name} is damaged, or needs too much time or memory to be read") from None
    if "fault" in said:
        raise DataError(f"{content.name} {said['fault']}")
    return said


def _array(content: Content, out: IO[bytes], count: int, rows: int, kind: str) -> Any:
    wanted = count * rows * np.dtype(kind).itemsize
    got = out.read(wanted)
    if len(got) < wanted:
        raise DataError(f"{content.name} is damaged, or needs too much time or memory to be read")
    return np.frombuffer(got, kind).reshape(count, rows)


def _as_texts(cells: Any) -> Any:
    """Return numbers as a table of text would have them."""
    return np.array([None if np.isnan(cell) else f"{cell:.15g}" for cell in cells], dtype=object)
