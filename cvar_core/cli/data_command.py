"""``data list``, ``data fetch`` and ``data info``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from ..data import DATE, Column, Dataset, Layout, columns, fetch, folder, missing, read_table, sets
from . import arguments

_MOST, _WIDEST = 60, 30  # columns that are listed, and letters of their names


def run(args: argparse.Namespace, texts: list[str]) -> int:
    if args.action == "list":
        _list()
    elif args.action == "fetch":
        chosen = sets[args.name]
        paths = fetch(chosen, sys.stderr.isatty())
        print("\n".join(str(path) for path in paths) or f"{chosen.name} is here already: there is nothing to fetch")
    else:
        _info(args)
    return 0


def _list() -> None:
    print(f"{'name':24}{'rows':>9}{'test':>8}{'columns':>9}  {'loss':10}{'here':6}")
    for each in sets:
        here = "no" if missing(each) else "yes"
        tested = f"{each.test_rows:,}" if each.test_rows else "–"
        print(f"{each.name:24}{each.rows:>9,}{tested:>8}{each.columns:>9,}  {each.loss:10}{here:6}{each.about}")
    print(f"fetched sets are kept in {folder()}")


def _info(args: argparse.Namespace) -> None:
    recipe = arguments.recipe(args)
    named = recipe.data in sets and not Path(recipe.data).exists()
    table = None if named else read_table(recipe.data)
    data = recipe.load(
        lambda name: table if table is not None and name == recipe.data else name, None, sys.stderr.isatty()
    )
    print("\n".join(data.words()))
    counts = data.label_counts()
    if counts is None:
        quartiles = np.quantile(data.in_own_unit(data.y), [0, 0.25, 0.5, 0.75, 1])
        print("target: " + ", ".join(f"{value:g}" for value in quartiles) + " (least, quartiles, largest)")
    else:
        print("labels: " + ", ".join(f"{label} ({count:,})" for label, count in counts.items()))
    if table is not None:
        _print_columns(columns(table), data)
    elif data.columns is not None:
        some = ", ".join(data.columns[:8])
        print(f"columns: {some}{', …' if len(data.columns) > 8 else ''}")


def _print_columns(found: tuple[Column, ...], data: Dataset) -> None:
    layout = data.layout
    assert isinstance(layout, Layout)
    width = min(max(len(_shown(column.name)) for column in found[:_MOST]), _WIDEST) + 2
    print(f"{'column':{width}}{'kind':8}{'missing':>9}{'distinct':>10}{'least':>12}{'largest':>12}")
    for column in found[:_MOST]:
        missing = f"{column.missing:,}" if column.missing else "–"
        ends = "".join(f"{_end(column, value):>12}" for value in (column.low, column.high))
        line = f"{_shown(column.name):{width}}{column.kind:8}{missing:>9}{column.distinct:>10,}{ends}"
        print(f"{line}  {_role(column, layout)}".rstrip())
    if len(found) > _MOST:
        print(f"… and {len(found) - _MOST:,} more columns")


def _shown(name: str) -> str:
    """Return a column's name on one line."""
    plain = " ".join(name.split())
    return plain if len(plain) <= _WIDEST else f"{plain[: _WIDEST - 1]}…"


def _end(column: Column, value: float | None) -> str:
    if value is None:
        return "–"
    return str(np.datetime64("1970-01-01") + np.timedelta64(int(value), "D")) if column.kind == DATE else f"{value:.6g}"


def _role(column: Column, layout: Layout) -> str:
    if column.name == layout.target:
        return "the target"
    if column.name in layout.names:
        return ""
    return f"left out: {column.left_out}" if column.left_out else "left out"
