"""``atlas``: compute the problems of the atlas again, and hold them against what ships."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..catalogue import methods
from ..lessons import atlas
from ..results import MEASURES, SO_FAR, number
from ..scheduling import Progress
from ..specs import SpecError
from . import output_files


def run(args: argparse.Namespace, workers: int, report: Callable[[Progress], None]) -> int:
    """Compute what is asked for, tell each problem as it comes, and write the file if one is named."""
    entries = [each for each in atlas.every_problem() if _wanted(each, args.only)]
    if not entries:
        raise SpecError(f"--only is {args.only!r}, which is in no problem's name; such as 'diabetes' or 'normal noise'")
    if args.data is not None and not Path(args.data).is_dir():
        raise SpecError(f"--data is {args.data!r}, but there is no such folder")
    if args.out is not None:
        output_files.ensure_writable([args.out])
    begun, parts, missing = time.perf_counter(), [], []
    shipped = atlas.shipped() if args.new else None
    for step in atlas.chart(entries, Path(args.parts or _parts()), args.data, workers, report, shipped=shipped):
        if step.found is None:
            missing.append(step)
            print(f"{step.entry.name:56} not computed: {step.why}", flush=True)
        else:
            parts.append(step.found)
            print(f"{step.entry.name:56} {_told(step.found)}{'  (known)' if step.known else ''}", flush=True)
    if parts:
        found = atlas.joined(parts)
        for line in _records(found):
            print(line)
        if args.out is not None:
            output_files.write_all({args.out: atlas.packed(found)})
    without = f"; {len(missing)} have no data here" if missing else ""
    print(f"{len(parts)} of {len(entries)} problems{without}; {time.perf_counter() - begun:.1f} s")
    return 0


def _wanted(entry: atlas.Entry, only: str | None) -> bool:
    return only is None or only.lower() in entry.name.lower()


def _parts() -> Path:
    """Return where parts are kept, so that a computation goes on where it was stopped."""
    from ..data import folder

    return folder().parent / "atlas"


def _told(one: atlas.Atlas) -> str:
    """Say of each method how many step sizes are safe by the model's risk, and whether that is what ships."""
    safe = (one.states[0, 0] >= atlas.STATES.index(SO_FAR)).sum(axis=1)
    counts = ", ".join(f"{name} {count}" for name, count in zip(atlas.METHODS, safe, strict=True))
    return f"λ that are safe: {counts} of {len(atlas.LAMBDAS)}{_compared(one)}"


def _compared(one: atlas.Atlas) -> str:
    known = atlas.shipped()
    place = known.place(one.problems[0].entry.name)
    if place is None:
        return ""
    both = [name for name in one.methods if name in known.methods]
    theirs, ours = (atlas.only(each, both) for each in (known.at(place), one))
    if np.array_equal(theirs.gaps, ours.gaps, equal_nan=True):
        return ", as shipped"
    others = int((theirs.states != ours.states).sum())
    return f", shipped with other digits and {others} other verdicts"


def _records(found: atlas.Atlas) -> list[str]:
    lines = []
    for measure in MEASURES:
        for name in atlas.METHODS:
            known = atlas.record(found, name, measure)
            held = f", held out {known.held_out_safe} of {known.held_out}" if known.held_out else ""
            lines.append(
                f"by {measure:10} {methods[name].label:14} λ = {number(known.lam):8} is safe on {known.safe} of "
                f"{known.problems} problems{held}"
            )
    return lines
