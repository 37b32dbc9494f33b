"""``data list``, ``data fetch`` and ``data info``."""

from __future__ import annotations

import argparse
import sys

import numpy as np

from ..data import Dataset, fetch, folder, load, missing, sets


def run(args: argparse.Namespace, texts: list[str]) -> int:
    if args.action == "list":
        _list()
    elif args.action == "fetch":
        chosen = sets[args.name]
        paths = fetch(chosen, sys.stderr.isatty())
        print("\n".join(str(path) for path in paths) or f"{chosen.name} is here already: there is nothing to fetch")
    else:
        _describe(load(args.data, args.target, progress=sys.stderr.isatty()))
    return 0


def _list() -> None:
    print(f"{'name':24}{'rows':>9}{'test':>8}{'columns':>9}  {'loss':10}{'here':6}")
    for each in sets:
        here = "no" if missing(each) else "yes"
        tested = f"{each.test_rows:,}" if each.test_rows else "–"
        print(f"{each.name:24}{each.rows:>9,}{tested:>8}{each.columns:>9,}  {each.loss:10}{here:6}{each.about}")
    print(f"fetched sets are kept in {folder()}")


def _describe(data: Dataset) -> None:
    print("\n".join(data.words()))
    counts = data.label_counts()
    if counts is None:
        quartiles = np.quantile(data.y, [0, 0.25, 0.5, 0.75, 1])
        print("target: " + ", ".join(f"{value:g}" for value in quartiles) + " (least, quartiles, largest)")
    else:
        print("labels: " + ", ".join(f"{label} ({count:,})" for label, count in counts.items()))
    if data.columns is not None:
        some = ", ".join(data.columns[:8])
        print(f"columns: {some}{', …' if len(data.columns) > 8 else ''}")
