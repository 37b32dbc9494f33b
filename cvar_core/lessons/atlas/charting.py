"""Computing the atlas, as anyone can: the one way in which the shipped one was made. It goes on where it stopped."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ...cancel import Stop
from ...scheduling import Progress, run
from ...specs import SpecError
from .atlas_file import read, versions, write
from .charted import Atlas, charted
from .entries import Entry, sweep_of
from .origins import Missing


class Step(NamedTuple):
    """What became of one problem: its part of the atlas, or why there is none."""

    entry: Entry
    found: Atlas | None
    known: bool = False  # from an earlier computation
    why: str = ""


def chart(
    entries: Sequence[Entry],
    parts: Path,
    folder: str | None = None,
    workers: int | None = None,
    report: Callable[[Progress], None] | None = None,
    stop: Stop | None = None,
) -> Iterator[Step]:
    """Compute problem after problem, and yield each as soon as it is there.

    Parameters
    ----------
    parts
        A folder that keeps what is computed, one file a problem; what is there is not computed again.
    folder
        Where the files are that do not ship.
    report
        Told the share of all problems that is done.
    """
    parts.mkdir(parents=True, exist_ok=True)
    for k, entry in enumerate(entries):
        tell = None if report is None else _overall(report, entry.name, k, len(entries))
        try:
            yield _step(entry, parts, folder, workers, tell, stop)
        except Missing as why:
            yield Step(entry, None, why=str(why))


def _step(
    entry: Entry,
    parts: Path,
    folder: str | None,
    workers: int | None,
    report: Callable[[Progress], None] | None,
    stop: Stop | None,
) -> Step:
    problem = entry.make(folder)
    spec = sweep_of(problem.spec)
    place = parts / f"{spec.id}.npz"
    known = _known(place, entry)
    if known is not None:
        return Step(entry, known, known=True)
    result = run(problem, spec, workers or os.cpu_count() or 1, report, stop)
    found = charted(entry, result, versions())
    write(place, found)
    return Step(entry, found)


def _known(place: Path, entry: Entry) -> Atlas | None:
    """Return what an earlier computation left of a problem, if that was with the same versions and is whole."""
    try:
        found = read(place)
    except (OSError, SpecError):
        return None
    same = found.versions == versions() and [each.entry for each in found.problems] == [entry]
    return found if same else None


def _overall(report: Callable[[Progress], None], stage: str, done: int, count: int) -> Callable[[Progress], None]:
    return lambda progress: report(Progress(stage, (done + progress.share) / count, progress.updates))
